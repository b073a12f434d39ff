/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The streams of a scheduler, their queued requests, and whose turn is next.
 * Depends on neither steps nor engines. */

#include <glib.h>
#include <pthread.h>
#include <y10/error.h>

G_BEGIN_DECLS

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
 * An image to be inferred, as a whole or in parts. It is running once a step holds
 * one of its parts, and answered when all of its parts are. When a part fails,
 * those that are not in a step yet are dropped. Several steps may hold parts of one
 * request, so pass their errors to y10_scheduler_finish(); do not set @error. The
 * caller embeds it as the first member of a
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
  guint withdrawn:1;            /* while parts of it were running */
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
 * Y10Queues:
 * @lock: protects everything below, the streams and their requests, and the
 *   scheduler's own fields
 * @work: signalled when a step may be able to begin
 * @streams: all streams
 * @n_free: number of steps that could begin; the scheduler sets it
 * @turn: latest turn: counts images put into steps
 * @n_withdrawn: number of withdrawn images
 *
 * The streams of one scheduler.
 */
typedef struct
{
  pthread_mutex_t lock;
  pthread_cond_t work;
  GQueue streams;
  guint n_free;
  guint64 turn;
  guint64 n_withdrawn;
} Y10Queues;

/* For the scheduler. */
void y10_queues_init (Y10Queues * self);
void y10_queues_clear (Y10Queues * self);
Y10Stream *y10_queues_add_stream (Y10Queues * self, gint priority);

/* For the scheduler, with the lock held. @until and the results are nanoseconds
 * of CLOCK_MONOTONIC; G_MAXINT64: never. */
void y10_queues_wait_for_work (Y10Queues * self, gint64 until);
/* Returns how many images could be in the next step. @oldest: when the first of
 * them came. */
guint y10_queues_count_ready (const Y10Queues * self, gint64 * oldest);
guint y10_queues_count_queued (const Y10Queues * self);
/* Takes the next turn. FALSE: no stream is ready. */
gboolean y10_queues_take_turn (Y10Queues * self, gint64 now, Y10Turn * turn);
/* Records that one part of the request has a result or an error. The last part ends
 * the request. */
void y10_request_answer_part (Y10Request * request);

void y10_stream_free (Y10Stream * stream);
void y10_stream_set_priority (Y10Stream * stream, gint priority);
void y10_stream_set_max_running (Y10Stream * stream, guint max_running);
void y10_stream_submit (Y10Stream * stream, Y10Request * request);
gboolean y10_stream_replace (Y10Stream * stream, Y10Request * request);
guint y10_stream_withdraw (Y10Stream * stream);

gboolean y10_request_withdraw (Y10Request * request);
Y10RequestState y10_request_wait (Y10Request * request, gint64 until);

G_END_DECLS
