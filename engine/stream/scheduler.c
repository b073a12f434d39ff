/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Puts images of many streams into the steps of one engine. Each stream has a
 * queue of requests. One thread builds the next step from all queues as soon as
 * a step may begin and is full, or its oldest image has waited for the batch
 * timeout.
 *
 * A turn is one image. While an image is at the head of its stream's queue, every
 * other stream gets at most one turn, however many images it has queued: the
 * stream that has waited for the most turns is eligible, and so is each stream
 * that has had no turn since. Among these, the stream with the most withdrawn
 * images goes first, so that streams of equal frame rate lose equally many
 * images; a tie goes to the stream whose last turn is the longest ago. A stream
 * with nothing queued is skipped. Priority comes before all of this: a stream
 * with a higher priority always goes first.
 *
 * A request may consist of several parts, each of which takes a turn: other
 * streams get theirs in between, and the parts go into as many steps as needed. It
 * counts as one image for the limit of a stream's running images.
 *
 * Withdrawing takes queued images out at once, but not those in a step: a device
 * that reads pixels cannot be interrupted, so those are answered as usual. The
 * scheduler allocates memory only for a new stream and for a failed step.
 *
 * Steps are answered in the order in which they began, even if a later one
 * finishes first, so a stream gets its answers in the order of its images. Locks
 * are pthread locks, which ThreadSanitizer understands. */

#include "config.h"

#include "stream/scheduler.h"

#include <pthread.h>
#include <string.h>

#include "base/clock.h"

#define NEVER G_MAXINT64

typedef struct
{
  Y10Turn *turns;               /* room for max_batch */
  guint n;
  gint64 begun_at;
  gboolean over;                /* but not answered yet: an earlier step is not */
} Step;

struct _Y10Stream
{
  Y10Scheduler *scheduler;
  gint priority;
  guint n_running, max_running; /* of its requests in steps; 0: no limit */
  gint64 queued_at;             /* when the head of the queue, or the image that it
                                 * replaced, was submitted */
  guint64 queued_turn;          /* the scheduler's latest turn at that time */
  guint64 turn;                 /* its latest; at first the scheduler's */
  guint64 n_lost;               /* withdrawn images; a new stream starts with the
                                 * most that any other has lost */
  GQueue queue;                 /* of requests */
  GList link;                   /* in the scheduler's list */
  pthread_cond_t over;          /* signalled when one of its requests is */
};

struct _Y10Scheduler
{
  Y10SchedulerConfig config;
  pthread_t thread;
  pthread_mutex_t lock;
  /* The lock protects everything below. */
  pthread_cond_t work;          /* wakes the thread */
  gboolean quit;
  GQueue streams;
  Step *steps;                  /* a ring of config.n_steps */
  guint first, n;               /* of the steps in flight */
  guint64 turn;                 /* latest turn: counts images put into steps */
  gint64 busy, busy_since;      /* ns: of all finished busy periods; start of
                                 * the current one */
  guint64 n_failed, n_withdrawn;
  guint64 fill[Y10_SCHEDULER_MAX_BATCH + 1];    /* of answered steps */
  Y10LatencyWindow waits;
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

/* The turn from which on the image at the head of its queue has waited. */
static guint64
waits_since (const Y10Stream *stream)
{
  return MAX (stream->queued_turn, stream->turn);
}

/* Streams of this priority are eligible if they have waited since @turn, or had
 * their last turn before it. Returns FALSE if no stream is ready. */
static gboolean
find_longest_wait (const Y10Scheduler *self, gint *priority, guint64 *turn)
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
choose (const Y10Scheduler *self)
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

/* When the next step begins if no further image arrives and no step finishes. */
static gint64
next_begin (const Y10Scheduler *self)
{
  gint64 oldest = NEVER;
  guint n = 0;

  if (self->n == self->config.n_steps)
    return NEVER;
  for (GList *l = self->streams.head; l; l = l->next) {
    const Y10Stream *stream = l->data;

    if (is_ready (stream)) {
      n += n_ready (stream);
      oldest = MIN (oldest, stream->queued_at);
    }
  }
  if (!n || n >= self->config.max_batch)
    return oldest;
  return oldest + (gint64) self->config.batch_timeout * 1000;
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

static void
take_turn (Y10Stream *stream, Step *step, gint64 now)
{
  Y10Scheduler *self = stream->scheduler;
  Y10Request *request = stream->queue.head->data;
  guint part = request->n_begun++;

  step->turns[step->n++] = (Y10Turn) { request, part };
  if (part == 0) {
    request->begun_at = now;
    request->turns = (guint) self->turn - request->turns;
    stream->n_running++;
  }
  stream->turn = ++self->turn;
  if (request->n_begun == request->n_parts)
    unqueue (stream, request);
  if (part == 0)
    set_state (request, Y10_REQUEST_RUNNING);
}

static void
begin_step (Y10Scheduler *self, gint64 now)
{
  guint index = (self->first + self->n) % self->config.n_steps;
  Step *step = &self->steps[index];
  Y10Stream *stream;

  step->n = 0;
  step->over = FALSE;
  step->begun_at = now;
  while (step->n < self->config.max_batch && (stream = choose (self)))
    take_turn (stream, step, now);
  if (!self->n++)
    self->busy_since = now;
  pthread_mutex_unlock (&self->lock);
  self->config.begin (self->config.device, self, index, step->turns,
      step->n);
  pthread_mutex_lock (&self->lock);
}

static void *
run (void *data)
{
  Y10Scheduler *self = data;

  pthread_mutex_lock (&self->lock);
  while (!self->quit) {
    gint64 at = next_begin (self), now = y10_clock_ns ();

    if (at <= now)
      begin_step (self, now);
    else
      wait_for (&self->work, &self->lock, at);
  }
  pthread_mutex_unlock (&self->lock);
  return NULL;
}

static gboolean
check_config (const Y10SchedulerConfig *config, GError **error)
{
  if (config->max_batch < 1 || config->max_batch > Y10_SCHEDULER_MAX_BATCH) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "max_batch is %u; expected 1 to %u", config->max_batch,
        Y10_SCHEDULER_MAX_BATCH);
    return FALSE;
  }
  if (config->n_steps < 1 || config->n_steps > Y10_SCHEDULER_MAX_STEPS) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "n_steps is %u; expected 1 to %u", config->n_steps,
        Y10_SCHEDULER_MAX_STEPS);
    return FALSE;
  }
  return TRUE;
}

/* Frees everything except the thread, which has ended or was never started. */
static void
free_parts (Y10Scheduler *self)
{
  for (guint i = 0; i < self->config.n_steps; i++)
    g_free (self->steps[i].turns);
  g_free (self->steps);
  pthread_cond_destroy (&self->work);
  pthread_mutex_destroy (&self->lock);
  g_free (self);
}

/**
 * y10_scheduler_new:
 * @config: copied
 * @error: return location for a #GError, or %NULL
 *
 * Creates a scheduler and starts its thread, which begins steps.
 *
 * Returns: (transfer full) (nullable): a scheduler without streams, or %NULL
 *   with %Y10_ERROR_INVALID_ARGUMENT or %Y10_ERROR_NO_MEMORY
 */
Y10Scheduler *
y10_scheduler_new (const Y10SchedulerConfig *config, GError **error)
{
  Y10Scheduler *self;
  int result;

  if (!check_config (config, error))
    return NULL;
  self = g_new0 (Y10Scheduler, 1);
  self->config = *config;
  self->steps = g_new0 (Step, config->n_steps);
  for (guint i = 0; i < config->n_steps; i++)
    self->steps[i].turns = g_new0 (Y10Turn, config->max_batch);
  pthread_mutex_init (&self->lock, NULL);
  init_cond (&self->work);
  result = pthread_create (&self->thread, NULL, run, self);
  if (result) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_NO_MEMORY,
        "cannot start the scheduler's thread: %s", g_strerror (result));
    free_parts (self);
    return NULL;
  }
  return self;
}

/**
 * y10_scheduler_free:
 * @self: (nullable): a scheduler whose streams have been freed
 *
 * Joins the thread. Must not be called from @begin of #Y10SchedulerConfig.
 */
void
y10_scheduler_free (Y10Scheduler *self)
{
  if (!self)
    return;
  pthread_mutex_lock (&self->lock);
  self->quit = TRUE;
  pthread_cond_signal (&self->work);
  pthread_mutex_unlock (&self->lock);
  pthread_join (self->thread, NULL);
  free_parts (self);
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

/* Total time that the device has been busy, in nanoseconds. */
static gint64
busy_until (const Y10Scheduler *self, gint64 now)
{
  return self->busy + (self->n ? now - self->busy_since : 0);
}

static void
answer (Y10Scheduler *self, const Step *step, gint64 now)
{
  for (guint i = 0; i < step->n; i++) {
    Y10Request *request = step->turns[i].request;

    y10_window_record (&self->waits, step->begun_at - request->came_at, now,
        busy_until (self, now));
    self->n_failed += request->error != NULL;
    request->n_over++;
    if (request->error)
      drop_rest (request);
    end_if_over (request);
  }
  self->fill[step->n]++;
}

/**
 * y10_scheduler_finish:
 * @self: a scheduler
 * @step: a step that was begun and has finished
 * @error: (nullable): why none of its images has a result; copied to each
 *   request that has no error yet
 *
 * Answers the step's images, after those of steps that began earlier. Any
 * thread.
 */
void
y10_scheduler_finish (Y10Scheduler *self, guint step, const GError *error)
{
  Step *over = &self->steps[step];
  gint64 now;

  pthread_mutex_lock (&self->lock);
  now = y10_clock_ns ();
  for (guint i = 0; error && i < over->n; i++)
    if (!over->turns[i].request->error)
      over->turns[i].request->error = g_error_copy (error);
  over->over = TRUE;
  while (self->n && self->steps[self->first].over) {
    answer (self, &self->steps[self->first], now);
    self->first = (self->first + 1) % self->config.n_steps;
    if (!--self->n)
      self->busy += now - self->busy_since;
  }
  pthread_cond_signal (&self->work);
  pthread_mutex_unlock (&self->lock);
}

/**
 * y10_scheduler_get_stats:
 * @self: a scheduler
 * @stats: (out caller-allocates): counts since the scheduler was created
 *
 * Any thread.
 */
void
y10_scheduler_get_stats (Y10Scheduler *self, Y10SchedulerStats *stats)
{
  Y10LatencyWindow waits;
  gint64 now, busy;

  *stats = (Y10SchedulerStats) { 0 };
  pthread_mutex_lock (&self->lock);
  now = y10_clock_ns ();
  busy = busy_until (self, now);
  stats->n_streams = self->streams.length;
  for (GList *l = self->streams.head; l; l = l->next)
    for (GList *r = ((const Y10Stream *) l->data)->queue.head; r; r = r->next) {
      const Y10Request *request = r->data;

      stats->n_queued += request->n_parts - request->n_begun;
    }
  for (guint i = 0; i < self->n; i++)
    stats->n_running +=
        self->steps[(self->first + i) % self->config.n_steps].n;
  stats->n_answered = self->waits.n;
  stats->n_failed = self->n_failed;
  stats->n_withdrawn = self->n_withdrawn;
  memcpy (stats->fill, self->fill, sizeof self->fill);
  waits = self->waits;
  pthread_mutex_unlock (&self->lock);
  stats->busy = y10_window_busy (&waits, now, busy);
  y10_window_summarize (&waits, &stats->waits);
}

/**
 * y10_stream_new:
 * @scheduler: a scheduler; it must outlive the stream
 * @priority: see y10_stream_set_priority()
 *
 * Creates a stream. Its first turn comes after one turn of each other stream
 * that is waiting. Any thread.
 *
 * Returns: (transfer full): a stream
 */
Y10Stream *
y10_stream_new (Y10Scheduler *scheduler, gint priority)
{
  Y10Stream *self = g_new0 (Y10Stream, 1);

  self->scheduler = scheduler;
  self->priority = priority;
  self->link.data = self;
  init_cond (&self->over);
  pthread_mutex_lock (&scheduler->lock);
  self->turn = scheduler->turn;
  for (GList *l = scheduler->streams.head; l; l = l->next)
    self->n_lost = MAX (self->n_lost, ((const Y10Stream *) l->data)->n_lost);
  g_queue_push_tail_link (&scheduler->streams, &self->link);
  pthread_mutex_unlock (&scheduler->lock);
  return self;
}

/* A request with parts in steps ends when the last of them does. */
static void
withdraw (Y10Request *request)
{
  Y10Stream *stream = request->stream;

  stream->n_lost++;
  stream->scheduler->n_withdrawn += request->n_parts - request->n_begun;
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
  Y10Scheduler *scheduler;

  if (!self)
    return;
  scheduler = self->scheduler;
  pthread_mutex_lock (&scheduler->lock);
  withdraw_all (self, TRUE);
  while (self->n_running)
    pthread_cond_wait (&self->over, &scheduler->lock);
  g_queue_unlink (&scheduler->streams, &self->link);
  pthread_mutex_unlock (&scheduler->lock);
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
  pthread_mutex_lock (&self->scheduler->lock);
  self->priority = priority;
  pthread_mutex_unlock (&self->scheduler->lock);
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
  pthread_mutex_lock (&self->scheduler->lock);
  if (self->max_running != max_running) {
    self->max_running = max_running;
    pthread_cond_signal (&self->scheduler->work);
  }
  pthread_mutex_unlock (&self->scheduler->lock);
}

/* Call with the lock held. */
static void
queue_request (Y10Stream *self, Y10Request *request)
{
  Y10Scheduler *scheduler = self->scheduler;

  request->stream = self;
  request->link = (GList) {.data = request };
  request->state = Y10_REQUEST_QUEUED;
  request->n_parts = MAX (request->n_parts, 1);
  request->n_begun = request->n_over = 0;
  request->withdrawn = FALSE;
  request->came_at = y10_clock_ns ();
  request->turns = (guint) scheduler->turn;     /* take_turn() subtracts this */
  if (!self->queue.length) {
    self->queued_at = request->came_at;
    self->queued_turn = scheduler->turn;
  }
  g_queue_push_tail_link (&self->queue, &request->link);
  if (scheduler->n < scheduler->config.n_steps) /* else no step can begin yet */
    pthread_cond_signal (&scheduler->work);
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
  pthread_mutex_lock (&self->scheduler->lock);
  queue_request (self, request);
  pthread_mutex_unlock (&self->scheduler->lock);
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

  pthread_mutex_lock (&self->scheduler->lock);
  queued_at = self->queued_at;
  queued_turn = self->queued_turn;
  queued = withdraw_all (self, FALSE) > 0;
  if (queued) {
    queue_request (self, request);
    self->queued_at = queued_at;
    self->queued_turn = queued_turn;
  }
  pthread_mutex_unlock (&self->scheduler->lock);
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

  pthread_mutex_lock (&self->scheduler->lock);
  n = withdraw_all (self, TRUE);
  pthread_mutex_unlock (&self->scheduler->lock);
  return n;
}

/**
 * y10_request_withdraw:
 * @request: a request, submitted or not
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
  pthread_mutex_lock (&request->stream->scheduler->lock);
  queued = request->state == Y10_REQUEST_QUEUED;
  if (queued || (request->state == Y10_REQUEST_RUNNING
          && request->n_begun < request->n_parts))
    withdraw (request);
  pthread_mutex_unlock (&request->stream->scheduler->lock);
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
  lock = &request->stream->scheduler->lock;
  pthread_mutex_lock (lock);
  while ((request->state == Y10_REQUEST_QUEUED
          || request->state == Y10_REQUEST_RUNNING)
      && y10_clock_ns () < until_ns)
    wait_for (&request->stream->over, lock, until_ns);
  state = request->state;
  pthread_mutex_unlock (lock);
  return state;
}
