/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Puts the images of many streams into the steps of one engine. Depends on
 * neither images nor engines. */

#include "base/window.h"
#include "stream/request.h"

G_BEGIN_DECLS

#define Y10_SCHEDULER_MAX_STEPS 16

/**
 * Y10BeginStep:
 * @runner: from #Y10SchedulerConfig
 * @scheduler: the scheduler that begins the step
 * @step: number of the step, below the @n_steps of #Y10SchedulerConfig; not
 *   used for another step until this one has finished
 * @turns: (array length=n): the images, or parts of images; those of one stream are in
 *   its order
 * @n: at least 1
 *
 * Begins a step. The scheduler's thread calls it without holding a lock. The
 * step ends with exactly one call of y10_scheduler_finish(), from any thread,
 * possibly before this function returns; after that call @turns must not be
 * accessed. A synchronous device is done when this function returns; a device
 * with a queue returns at once.
 */
typedef void (*Y10BeginStep) (gpointer runner, Y10Scheduler *scheduler,
    guint step, const Y10Turn *turns, guint n);

/**
 * Y10SchedulerConfig:
 * @begin: begins a step
 * @runner: what runs the steps, passed to @begin
 * @max_batch: maximum number of images, or parts of images, in a step, 1 to %Y10_MAX_BATCH
 * @n_steps: maximum number of steps in flight, 1 to %Y10_SCHEDULER_MAX_STEPS
 * @batch_timeout: microseconds that an image waits for others to fill its step
 *   when a step could begin; 0: none
 */
typedef struct
{
  Y10BeginStep begin;
  gpointer runner;
  guint max_batch, n_steps;
  guint batch_timeout;
} Y10SchedulerConfig;

/**
 * Y10SchedulerStats:
 * @n_streams: number of streams
 * @n_queued: images, or parts of images, that wait for their turn; parts count by
 *   themselves in what follows, too
 * @n_running: images in steps that are in flight
 * @n_answered: answered images, including @n_failed
 * @n_failed: images answered with an error
 * @n_withdrawn: withdrawn images
 * @fill: number of answered steps by number of images
 * @busy: fraction of the time, 0 to 1, in which at least one step was in flight,
 *   measured since the first of the images in @waits was answered
 * @waits: how long the latest answered images waited for their step, and how
 *   many were answered per second
 */
typedef struct
{
  guint n_streams, n_queued, n_running;
  guint64 n_answered, n_failed, n_withdrawn;
  guint64 fill[Y10_MAX_BATCH + 1];
  gdouble busy;
  Y10WindowSummary waits;
} Y10SchedulerStats;

Y10Scheduler *y10_scheduler_new (const Y10SchedulerConfig *config,
    GError **error);
void y10_scheduler_free (Y10Scheduler *scheduler);
/* The turns of a step, *@n of them, from its beginning until it is finished. */
const Y10Turn *y10_scheduler_get_turns (const Y10Scheduler *scheduler,
    guint step, guint *n);
void y10_scheduler_finish (Y10Scheduler *scheduler, guint step,
    const GError *error);
void y10_scheduler_get_stats (Y10Scheduler *scheduler,
    Y10SchedulerStats *stats);

/* Adds a stream, whose scheduler and line it sets. @scheduler must outlive it. Any
 * thread. */
void y10_scheduler_add_stream (Y10Scheduler *scheduler, Y10EngineStream *stream,
    gint priority);
/* Withdraws the queued requests of a stream that no other thread uses any more, and
 * waits for those in steps. Not from @begin of Y10SchedulerConfig. */
void y10_scheduler_remove_stream (Y10EngineStream *stream);

/* For whoever changes a line. With the lock held: wake() says that a step may be able
 * to begin; wait() waits until a request of @stream is over, or until @until in
 * nanoseconds of CLOCK_MONOTONIC, G_MAXINT64: for ever. */
void y10_scheduler_lock (Y10Scheduler *scheduler);
void y10_scheduler_unlock (Y10Scheduler *scheduler);
void y10_scheduler_wake (Y10Scheduler *scheduler);
void y10_scheduler_wait (Y10EngineStream *stream, gint64 until);

G_END_DECLS
