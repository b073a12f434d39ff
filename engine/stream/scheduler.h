/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Many streams, one engine: whose image is in the next step. What an image is
 * and what a step does with it is not known here. */

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
 * @Y10_REQUEST_IDLE: was never submitted
 * @Y10_REQUEST_QUEUED: waits for its turn
 * @Y10_REQUEST_RUNNING: is in a step
 * @Y10_REQUEST_ANSWERED: its step is over
 * @Y10_REQUEST_WITHDRAWN: was taken back before it was in any step
 *
 * Where an image is. The scheduler has it while it is queued or running, and
 * for good or ill it ends in one of the last two, once for each submission.
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
 * Called on whichever thread changes the state, with the scheduler's lock held:
 * it must not block and must not call the scheduler.
 */
typedef void (*Y10RequestNotify) (Y10Request * request);

/**
 * Y10Request:
 * @state: where it is; under the scheduler's lock while the scheduler has it
 * @error: (nullable): why there is no result. Set by the step, for this image
 *   alone or for all that are in it, and then whoever submitted it frees it
 * @came_at: when it was submitted, nanoseconds of the monotonic clock
 * @begun_at: when its step began, likewise
 * @turns: images that were put into steps between the two
 * @notify: (nullable): called at each change of @state after submission
 *
 * An image that is to be in a step: the first member of a struct of the
 * caller's, which has room for pixels and results. It begins as zeros and may
 * be submitted again after it is over.
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
};

/**
 * Y10BeginStep:
 * @device: as in #Y10SchedulerConfig
 * @scheduler: who asks
 * @step: which of the steps that may be under way, below their number; nobody
 *   else has it before it is finished
 * @requests: (array length=n): the images, those of a stream in its order
 * @n: at least 1
 *
 * Begins a step, on the scheduler's thread and without a lock. It ends by one
 * call of y10_scheduler_finish(), from any thread and be it before this one
 * returns: then nothing of @requests may be touched any more. So a device that
 * does one thing after the other is done when it returns, and one that has a
 * queue of its own returns at once.
 */
typedef void (*Y10BeginStep) (gpointer device, Y10Scheduler * scheduler,
    guint step, Y10Request * const *requests, guint n);

/**
 * Y10SchedulerConfig:
 * @begin: begins a step
 * @device: for @begin
 * @max_batch: the most images of a step, 1 to %Y10_SCHEDULER_MAX_BATCH
 * @n_steps: the most steps that are under way at a time, 1 to
 *   %Y10_SCHEDULER_MAX_STEPS
 * @batch_timeout: microseconds that an image waits for others to fill its step
 *   while one could begin, 0: none
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
 * @n_streams: streams there are
 * @n_queued: images that wait for their turn
 * @n_running: images in steps that are under way
 * @n_answered: images that were answered, with @n_failed
 * @n_failed: of these, with an error
 * @n_withdrawn: images that were taken back
 * @fill: steps that had as many images as the index says
 * @busy: share of the time, 0 to 1, in which at least one step was under way,
 *   since the first of the latest images that @waits is about was answered
 * @waits: of the latest images that were answered: how long they waited for
 *   their step, and how many there are in a second
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
