/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Schedules the images of many streams on one engine: decides whose image is in
 * the next step. Depends on neither images nor engines. */

#include <glib.h>
#include <y10/error.h>

#include "base/window.h"

G_BEGIN_DECLS

#define Y10_SCHEDULER_MAX_BATCH 64
#define Y10_SCHEDULER_MAX_STEPS 16

typedef struct _Y10Scheduler Y10Scheduler;
typedef struct _Y10Stream Y10Stream;
typedef struct _Y10Request Y10Request;

/**
 * Y10RequestState:
 * @Y10_REQUEST_IDLE: never submitted
 * @Y10_REQUEST_QUEUED: waiting for its turn
 * @Y10_REQUEST_RUNNING: in a step
 * @Y10_REQUEST_ANSWERED: its step has finished, or that of its last part
 * @Y10_REQUEST_WITHDRAWN: withdrawn before all of it was in steps
 *
 * State of a request. The scheduler uses the request while it is queued or
 * running. Each submission ends exactly once, answered or withdrawn: the request
 * is over.
 */
typedef enum
{
  Y10_REQUEST_IDLE,
  Y10_REQUEST_QUEUED,
  Y10_REQUEST_RUNNING,
  Y10_REQUEST_ANSWERED,
  Y10_REQUEST_WITHDRAWN,
} Y10RequestState;

/**
 * Y10RequestNotify:
 * @request: a request whose state has just changed to running, answered or
 *   withdrawn
 *
 * Called on the thread that changes the state, with the scheduler's lock held:
 * it must not block and must not call the scheduler.
 */
typedef void (*Y10RequestNotify) (Y10Request * request);

/**
 * Y10Request:
 * @state: protected by the scheduler's lock while the request is queued or
 *   running
 * @error: (nullable): why there is no result. The step sets it, for this image
 *   alone or for all its images; the submitter frees it
 * @came_at: when it was submitted, nanoseconds of the monotonic clock
 * @begun_at: when its step began, likewise
 * @turns: images that were put into steps between the two
 * @notify: (nullable): called at each change of @state after submission
 * @n_parts: number of parts, each of which takes a turn; 0 means 1. Set it before
 *   each submission
 *
 * An image to be inferred, as a whole or in parts. It is running from the first
 * step with one of its parts on, and is answered when all of its parts have been.
 * When a part fails, those that are not in a step yet are dropped. Several steps
 * may hold parts of one request, so for these pass errors to
 * y10_scheduler_finish() only. The caller embeds it as the first member of a
 * struct that has room for pixels and results. Initialize it to zeros; it may be
 * submitted again once it is over.
 */
struct _Y10Request
{
  Y10RequestState state;
  guint turns;
  GError *error;
  gint64 came_at, begun_at;
  Y10RequestNotify notify;
  /*< private >*/
  Y10Stream *stream;
  GList link;                   /* in the stream's queue */
  /*< public >*/
  guint8 n_parts;
  /*< private >*/
  guint8 n_begun, n_over;       /* parts put into steps; parts answered */
  guint withdrawn:1;            /* while some parts were running */
};

/**
 * Y10Turn:
 * @request: a request
 * @part: index of the part, from 0
 *
 * One image of a step.
 */
typedef struct
{
  Y10Request *request;
  guint part;
} Y10Turn;

/**
 * Y10BeginStep:
 * @device: from #Y10SchedulerConfig
 * @scheduler: the scheduler that begins the step
 * @step: number of the step, below the @n_steps of #Y10SchedulerConfig; not
 *   used for another step until this one has finished
 * @turns: (array length=n): the images; those of one stream are in its order
 * @n: at least 1
 *
 * Begins a step. The scheduler's thread calls it without holding a lock. The
 * step ends with exactly one call of y10_scheduler_finish(), from any thread,
 * possibly before this function returns; after that call @turns must not be
 * accessed. A synchronous device is done when this function returns; a device
 * with a queue returns at once.
 */
typedef void (*Y10BeginStep) (gpointer device, Y10Scheduler * scheduler,
    guint step, const Y10Turn * turns, guint n);

/**
 * Y10SchedulerConfig:
 * @begin: begins a step
 * @device: passed to @begin
 * @max_batch: maximum number of images in a step, 1 to %Y10_SCHEDULER_MAX_BATCH
 * @n_steps: maximum number of steps in flight, 1 to %Y10_SCHEDULER_MAX_STEPS
 * @batch_timeout: microseconds that an image waits for others to fill its step
 *   when a step could begin; 0: none
 */
typedef struct
{
  Y10BeginStep begin;
  gpointer device;
  guint max_batch, n_steps;
  guint batch_timeout;
} Y10SchedulerConfig;

/**
 * Y10SchedulerStats:
 * @n_streams: number of streams
 * @n_queued: images waiting for their turn
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
  guint64 fill[Y10_SCHEDULER_MAX_BATCH + 1];
  gdouble busy;
  Y10WindowSummary waits;
} Y10SchedulerStats;

Y10Scheduler *y10_scheduler_new (const Y10SchedulerConfig * config,
    GError ** error);
void y10_scheduler_free (Y10Scheduler * scheduler);
void y10_scheduler_finish (Y10Scheduler * scheduler, guint step,
    const GError * error);
void y10_scheduler_get_stats (Y10Scheduler * scheduler,
    Y10SchedulerStats * stats);

Y10Stream *y10_stream_new (Y10Scheduler * scheduler, gint priority);
void y10_stream_free (Y10Stream * stream);
void y10_stream_set_priority (Y10Stream * stream, gint priority);
void y10_stream_set_max_running (Y10Stream * stream, guint max_running);
void y10_stream_submit (Y10Stream * stream, Y10Request * request);
gboolean y10_stream_replace (Y10Stream * stream, Y10Request * request);
guint y10_stream_withdraw (Y10Stream * stream);

gboolean y10_request_withdraw (Y10Request * request);
Y10RequestState y10_request_wait (Y10Request * request, gint64 until);

G_END_DECLS
