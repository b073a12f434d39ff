/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Streams, their queues of requests, and whose turn is next.
 *
 * A turn puts one image, or one part of an image, into a step. While an image is at
 * the head of its stream's queue, every other stream gets at most one turn, however
 * many images it has queued: the stream that has waited for the most turns is
 * eligible, and so is each stream that has had no turn since. Among these, the
 * stream with the most withdrawn images goes first, so that streams of equal frame
 * rate lose equally many images; a tie goes to the stream whose last turn is the
 * longest ago. A stream with nothing queued is skipped. Priority comes before all of
 * this: a stream with a higher priority always goes first.
 *
 * A request may consist of several parts, each of which takes a turn: other
 * streams get theirs in between, and the parts go into as many steps as needed. It
 * counts as one image for the limit of a stream's running images.
 *
 * Withdrawing takes queued images out at once, but not those in a step: a device
 * that reads pixels cannot be interrupted, so those are answered as usual.
 *
 * Locks are pthread locks, which ThreadSanitizer understands. */

#include "config.h"

#include "stream/queue.h"

#include "base/clock.h"

#define NEVER G_MAXINT64

struct _Y10Stream
{
  Y10Queues *queues;
  gint priority;
  guint n_running, max_running; /* requests in steps, and their limit; 0: none */
  gint64 queued_at;             /* when the head of the queue, or the image that it
                                 * replaced, was submitted */
  guint64 queued_turn;          /* the latest turn at that time */
  guint64 turn;                 /* its latest; at first the latest of any stream */
  guint64 n_lost;               /* withdrawn images; a new stream starts with the
                                 * most that any other has lost */
  GQueue queue;                 /* of requests */
  GList link;                   /* in queues->streams */
  pthread_cond_t over;          /* signalled when one of its requests is */
};

static void
init_cond (pthread_cond_t *cond)
{
  pthread_condattr_t monotonic;

  pthread_condattr_init (&monotonic);
  pthread_condattr_setclock (&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init (cond, &monotonic);
  pthread_condattr_destroy (&monotonic);
}

/* @until: CLOCK_MONOTONIC in nanoseconds, or NEVER. */
static void
wait_for (pthread_cond_t *cond, pthread_mutex_t *lock, gint64 until)
{
  struct timespec t;

  if (until == NEVER) {
    pthread_cond_wait (cond, lock);
    return;
  }
  t.tv_sec = until / 1000000000;
  t.tv_nsec = until % 1000000000;
  pthread_cond_timedwait (cond, lock, &t);
}

void
y10_queues_init (Y10Queues *self)
{
  *self = (Y10Queues) { 0 };
  pthread_mutex_init (&self->lock, NULL);
  init_cond (&self->work);
}

void
y10_queues_clear (Y10Queues *self)
{
  pthread_cond_destroy (&self->work);
  pthread_mutex_destroy (&self->lock);
}

void
y10_queues_wait_for_work (Y10Queues *self, gint64 until)
{
  wait_for (&self->work, &self->lock, until);
}

/* Whether @stream may take a turn. */
static gboolean
is_ready (const Y10Stream *stream)
{
  return stream->queue.length
      && (((const Y10Request *) stream->queue.head->data)->n_begun
      || !stream->max_running || stream->n_running < stream->max_running);
}

/* The number of its images that could be in the next step. */
static guint
n_ready (const Y10Stream *stream)
{
  guint more = stream->max_running ? stream->max_running
      - MIN (stream->max_running, stream->n_running) : G_MAXUINT;
  guint n = 0;

  for (GList *l = stream->queue.head; l; l = l->next) {
    const Y10Request *request = l->data;

    if (!request->n_begun && !more--)
      break;
    n += request->n_parts - request->n_begun;
  }
  return n;
}

/* The turn since which the image at the head of its queue has waited. */
static guint64
waits_since (const Y10Stream *stream)
{
  return MAX (stream->queued_turn, stream->turn);
}

/* Streams of this priority are eligible if they have waited since @turn, or had
 * their last turn before it. Returns FALSE if no stream is ready. */
static gboolean
find_longest_wait (const Y10Queues *self, gint *priority, guint64 *turn)
{
  gboolean found = FALSE;

  for (GList *l = self->streams.head; l; l = l->next) {
    const Y10Stream *stream = l->data;

    if (!is_ready (stream) || (found && stream->priority < *priority))
      continue;
    *turn = found && stream->priority == *priority
        ? MIN (*turn, waits_since (stream)) : waits_since (stream);
    *priority = stream->priority;
    found = TRUE;
  }
  return found;
}

static gboolean
goes_before (const Y10Stream *stream, const Y10Stream *other)
{
  return stream->n_lost != other->n_lost ? stream->n_lost > other->n_lost
      : stream->turn < other->turn;
}

/* The stream that takes the next turn; NULL if none is ready. */
static Y10Stream *
choose (const Y10Queues *self)
{
  Y10Stream *best = NULL;
  guint64 turn = 0;
  gint priority = 0;

  if (!find_longest_wait (self, &priority, &turn))
    return NULL;
  for (GList *l = self->streams.head; l; l = l->next) {
    Y10Stream *stream = l->data;

    if (is_ready (stream) && stream->priority == priority
        && (stream->turn < turn || waits_since (stream) == turn)
        && (!best || goes_before (stream, best)))
      best = stream;
  }
  return best;
}

guint
y10_queues_count_ready (const Y10Queues *self, gint64 *oldest)
{
  guint n = 0;

  *oldest = NEVER;
  for (GList *l = self->streams.head; l; l = l->next) {
    const Y10Stream *stream = l->data;

    if (is_ready (stream)) {
      n += n_ready (stream);
      *oldest = MIN (*oldest, stream->queued_at);
    }
  }
  return n;
}

guint
y10_queues_count_queued (const Y10Queues *self)
{
  guint n = 0;

  for (GList *l = self->streams.head; l; l = l->next)
    for (GList *r = ((const Y10Stream *) l->data)->queue.head; r; r = r->next) {
      const Y10Request *request = r->data;

      n += request->n_parts - request->n_begun;
    }
  return n;
}

static void
set_state (Y10Request *request, Y10RequestState state)
{
  request->state = state;
  if (request->notify)
    request->notify (request);
}

/* Removes a request, which is at the head if any of its parts has begun. */
static void
unqueue (Y10Stream *stream, Y10Request *request)
{
  g_queue_unlink (&stream->queue, &request->link);
  if (request->n_begun && stream->queue.length)
    stream->queued_at = ((const Y10Request *)
        stream->queue.head->data)->came_at;
}

gboolean
y10_queues_take_turn (Y10Queues *self, gint64 now, Y10Turn *turn)
{
  Y10Stream *stream = choose (self);
  Y10Request *request;

  if (!stream)
    return FALSE;
  request = stream->queue.head->data;
  *turn = (Y10Turn) { request, request->n_begun++ };
  if (turn->part == 0) {
    request->begun_at = now;
    request->turns = (guint) self->turn - request->turns;
    stream->n_running++;
  }
  stream->turn = ++self->turn;
  if (request->n_begun == request->n_parts)
    unqueue (stream, request);
  if (turn->part == 0)
    set_state (request, Y10_REQUEST_RUNNING);
  return TRUE;
}

static void
end_request (Y10Request *request, Y10RequestState state)
{
  Y10Stream *stream = request->stream;

  set_state (request, state);
  pthread_cond_broadcast (&stream->over);
}

/* Ends a request unless some of its parts are queued or running. */
static void
end_if_over (Y10Request *request)
{
  if (request->n_over < request->n_parts)
    return;
  request->stream->n_running--;
  end_request (request, request->withdrawn && !request->error
      ? Y10_REQUEST_WITHDRAWN : Y10_REQUEST_ANSWERED);
}

/* Removes the parts that are not in a step. */
static void
drop_rest (Y10Request *request)
{
  if (request->n_begun == request->n_parts)
    return;
  unqueue (request->stream, request);
  request->n_parts = request->n_begun;
}

void
y10_request_answer_part (Y10Request *request)
{
  request->n_over++;
  if (request->error)
    drop_rest (request);
  end_if_over (request);
}

Y10Stream *
y10_queues_add_stream (Y10Queues *self, gint priority)
{
  Y10Stream *stream = g_new0 (Y10Stream, 1);

  stream->queues = self;
  stream->priority = priority;
  stream->link.data = stream;
  init_cond (&stream->over);
  pthread_mutex_lock (&self->lock);
  stream->turn = self->turn;
  for (GList *l = self->streams.head; l; l = l->next)
    stream->n_lost = MAX (stream->n_lost, ((const Y10Stream *) l->data)->n_lost);
  g_queue_push_tail_link (&self->streams, &stream->link);
  pthread_mutex_unlock (&self->lock);
  return stream;
}

/* A request with parts in steps ends when the last of them does. */
static void
withdraw (Y10Request *request)
{
  Y10Stream *stream = request->stream;

  stream->n_lost++;
  stream->queues->n_withdrawn += request->n_parts - request->n_begun;
  if (request->n_begun) {
    request->withdrawn = TRUE;
    drop_rest (request);
    end_if_over (request);
  } else {
    unqueue (stream, request);
    end_request (request, Y10_REQUEST_WITHDRAWN);
  }
}

/* @begun: whether to withdraw a request with parts in steps, too. */
static guint
withdraw_all (Y10Stream *self, gboolean begun)
{
  GList *next;
  guint n = 0;

  for (GList *l = self->queue.head; l; l = next) {
    Y10Request *request = l->data;

    next = l->next;
    if (request->n_begun && !begun)
      continue;
    withdraw (request);
    n++;
  }
  return n;
}

/**
 * y10_stream_free:
 * @self: (nullable): a stream that no other thread uses any more
 *
 * Withdraws the queued images and waits for those in steps. Afterwards the
 * scheduler holds no request of this stream. Must not be called from @begin of
 * #Y10SchedulerConfig.
 */
void
y10_stream_free (Y10Stream *self)
{
  Y10Queues *queues;

  if (!self)
    return;
  queues = self->queues;
  pthread_mutex_lock (&queues->lock);
  withdraw_all (self, TRUE);
  while (self->n_running)
    pthread_cond_wait (&self->over, &queues->lock);
  g_queue_unlink (&queues->streams, &self->link);
  pthread_mutex_unlock (&queues->lock);
  pthread_cond_destroy (&self->over);
  g_free (self);
}

/**
 * y10_stream_set_priority:
 * @self: a stream
 * @priority: any number; streams of equal priority take turns
 *
 * Streams with a higher priority take their turns first. Under overload the
 * streams with a lower one wait, and forever if a stream with a higher one
 * always has an image queued. Applies to images already queued, too. Any thread.
 */
void
y10_stream_set_priority (Y10Stream *self, gint priority)
{
  pthread_mutex_lock (&self->queues->lock);
  self->priority = priority;
  pthread_mutex_unlock (&self->queues->lock);
}

/**
 * y10_stream_set_max_running:
 * @self: a stream
 * @max_running: maximum number of its images in steps at a time; 0: no limit
 *
 * The scheduler skips a stream that has reached the limit until one of its
 * images is answered; its queued images keep their place. Any thread.
 */
void
y10_stream_set_max_running (Y10Stream *self, guint max_running)
{
  pthread_mutex_lock (&self->queues->lock);
  if (self->max_running != max_running) {
    self->max_running = max_running;
    pthread_cond_signal (&self->queues->work);
  }
  pthread_mutex_unlock (&self->queues->lock);
}

/* Call with the lock held. */
static void
queue_request (Y10Stream *self, Y10Request *request)
{
  Y10Queues *queues = self->queues;

  request->stream = self;
  request->link = (GList) {.data = request };
  request->state = Y10_REQUEST_QUEUED;
  request->n_parts = MAX (request->n_parts, 1);
  request->n_begun = request->n_over = 0;
  request->withdrawn = FALSE;
  request->came_at = y10_clock_ns ();
  request->turns = (guint) queues->turn;     /* until its turn */
  if (!self->queue.length) {
    self->queued_at = request->came_at;
    self->queued_turn = queues->turn;
  }
  g_queue_push_tail_link (&self->queue, &request->link);
  if (queues->n_free)           /* else no step can begin yet */
    pthread_cond_signal (&queues->work);
}

/**
 * y10_stream_submit:
 * @self: a stream
 * @request: (transfer none): zeroed except for @notify, or over with @error
 *   cleared; the scheduler uses it until it is over again
 *
 * Queues an image behind the others of its stream. Any thread; does not block.
 */
void
y10_stream_submit (Y10Stream *self, Y10Request *request)
{
  pthread_mutex_lock (&self->queues->lock);
  queue_request (self, request);
  pthread_mutex_unlock (&self->queues->lock);
}

/**
 * y10_stream_replace:
 * @self: a stream
 * @request: (transfer none): as for y10_stream_submit()
 *
 * Atomically withdraws all queued images of the stream and queues @request
 * instead. An image with parts in steps is not withdrawn: otherwise a stream with
 * a frame interval shorter than its parts need would never get a result. The
 * stream keeps its turn and the time that it has waited. Any thread; does not
 * block.
 *
 * Returns: %FALSE if the stream had nothing queued; @request was not queued then
 */
gboolean
y10_stream_replace (Y10Stream *self, Y10Request *request)
{
  gint64 queued_at;
  guint64 queued_turn;
  gboolean queued;

  pthread_mutex_lock (&self->queues->lock);
  queued_at = self->queued_at;
  queued_turn = self->queued_turn;
  queued = withdraw_all (self, FALSE) > 0;
  if (queued) {
    queue_request (self, request);
    self->queued_at = queued_at;
    self->queued_turn = queued_turn;
  }
  pthread_mutex_unlock (&self->queues->lock);
  return queued;
}

/**
 * y10_stream_withdraw:
 * @self: a stream
 *
 * Withdraws all queued images and wakes the threads that wait for them. Images
 * in a step must still be waited for. Any thread; does not block.
 *
 * Returns: the number of withdrawn images
 */
guint
y10_stream_withdraw (Y10Stream *self)
{
  guint n;

  pthread_mutex_lock (&self->queues->lock);
  n = withdraw_all (self, TRUE);
  pthread_mutex_unlock (&self->queues->lock);
  return n;
}

/**
 * y10_request_withdraw:
 * @request: a request of a stream that still exists, or one that was never
 *   submitted
 *
 * Withdraws one image if it is still queued. If some of its parts are in steps,
 * withdraws the others. Other queued images of the stream lose no turn. Any
 * thread; does not block.
 *
 * Returns: whether all of it was withdrawn; if not, it is over or in a step, and
 *   y10_request_wait() waits for it
 */
gboolean
y10_request_withdraw (Y10Request *request)
{
  gboolean queued;

  if (!request->stream)
    return FALSE;
  pthread_mutex_lock (&request->stream->queues->lock);
  queued = request->state == Y10_REQUEST_QUEUED;
  if (queued || (request->state == Y10_REQUEST_RUNNING
          && request->n_begun < request->n_parts))
    withdraw (request);
  pthread_mutex_unlock (&request->stream->queues->lock);
  return queued;
}

/**
 * y10_request_wait:
 * @request: a request of a stream that still exists, or one that was never
 *   submitted
 * @until: deadline on the clock of g_get_monotonic_time(), microseconds; -1
 *   waits forever, 0 returns at once
 *
 * Waits until @request is over. Once it is answered, all requests that its
 * stream submitted before it are over, too. Several threads may wait, but not
 * the scheduler's.
 *
 * Returns: its state: queued or running if the deadline has passed
 */
Y10RequestState
y10_request_wait (Y10Request *request, gint64 until)
{
  gint64 until_ns = until < 0 || until > NEVER / 1000 ? NEVER : until * 1000;
  pthread_mutex_t *lock;
  Y10RequestState state;

  if (!request->stream)
    return Y10_REQUEST_IDLE;
  lock = &request->stream->queues->lock;
  pthread_mutex_lock (lock);
  while ((request->state == Y10_REQUEST_QUEUED
          || request->state == Y10_REQUEST_RUNNING)
      && y10_clock_ns () < until_ns)
    wait_for (&request->stream->over, lock, until_ns);
  state = request->state;
  pthread_mutex_unlock (lock);
  return state;
}
