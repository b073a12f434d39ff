/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Puts images of many streams into the steps of one engine. While fewer steps than
 * allowed are in flight, one thread begins the next as soon as the lines can fill
 * it, or the oldest image has waited for the batch timeout; turns.c decides which
 * images these are. One lock protects that decision, the streams and their requests.
 *
 * Steps are answered in the order in which they began, even if a later one
 * finishes first, so a stream gets its answers in the order of its images. The
 * scheduler allocates memory only for a failed step. */

#include "config.h"

#include "stream/scheduler.h"

#include <string.h>

#include "base/clock.h"

#define NEVER G_MAXINT64

typedef struct
{
  Y10Turn *turns; /* room for max_batch */
  guint n;
  gint64 begun_at;
  gboolean finished; /* but not answered: an earlier step has not */
} Step;

struct _Y10Scheduler
{
  Y10SchedulerConfig config;
  pthread_t thread;
  pthread_mutex_t lock; /* protects everything below, and the lines */
  pthread_cond_t work;  /* signalled when a step may be able to begin */
  gboolean quit;
  Y10Lines lines;
  Step *steps;              /* a ring of config.n_steps */
  guint first, n_in_flight; /* of the steps in flight */
  gint64 busy, busy_since;  /* ns: of all finished busy periods; start of
                                 * the current one */
  guint64 n_failed;
  guint64 fill[Y10_MAX_BATCH + 1]; /* of answered steps */
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

void
y10_scheduler_lock (Y10Scheduler *self)
{
  pthread_mutex_lock (&self->lock);
}

void
y10_scheduler_unlock (Y10Scheduler *self)
{
  pthread_mutex_unlock (&self->lock);
}

void
y10_scheduler_wake (Y10Scheduler *self)
{
  if (self->n_in_flight < self->config.n_steps) /* else no step can begin yet */
    pthread_cond_signal (&self->work);
}

void
y10_scheduler_wait (Y10EngineStream *stream, gint64 until)
{
  wait_for (&stream->over, &stream->scheduler->lock, until);
}

/* Tells whoever submitted the request of @place, or waits for it. */
static void
place_changed (Y10Place *place)
{
  Y10EngineStream *stream = y10_place_get_stream (place);
  Y10EngineRequest *request = y10_place_get_request (place);
  gboolean over = y10_place_is_over (place);

  if (request->notify)
    request->notify (request,
        over ? Y10_ENGINE_REQUEST_DONE : Y10_ENGINE_REQUEST_RUNNING,
        request->notify_data);
  if (over)
    pthread_cond_broadcast (&stream->over);
}

void
y10_scheduler_add_stream (Y10Scheduler *self, Y10EngineStream *stream,
    gint priority)
{
  stream->scheduler = self;
  init_cond (&stream->over);
  pthread_mutex_lock (&self->lock);
  y10_line_init (&stream->line, &self->lines, priority);
  pthread_mutex_unlock (&self->lock);
}

void
y10_scheduler_remove_stream (Y10EngineStream *stream)
{
  Y10Scheduler *self = stream->scheduler;

  pthread_mutex_lock (&self->lock);
  y10_line_withdraw (&stream->line);
  while (stream->line.n_running)
    pthread_cond_wait (&stream->over, &self->lock);
  y10_line_clear (&stream->line);
  pthread_mutex_unlock (&self->lock);
  pthread_cond_destroy (&stream->over);
}

/* When the next step begins if no further image arrives and no step finishes. */
static gint64
next_begin (const Y10Scheduler *self)
{
  if (self->n_in_flight == self->config.n_steps)
    return NEVER;
  return y10_lines_next_step (&self->lines, self->config.max_batch,
      (gint64) self->config.batch_timeout * 1000);
}

static void
begin_step (Y10Scheduler *self, gint64 now)
{
  guint index = (self->first + self->n_in_flight) % self->config.n_steps;
  Step *step = &self->steps[index];

  step->finished = FALSE;
  step->begun_at = now;
  step->n = y10_lines_fill_step (&self->lines, step->turns,
      self->config.max_batch, now);
  if (!self->n_in_flight++)
    self->busy_since = now;
  pthread_mutex_unlock (&self->lock);
  self->config.begin (self->config.runner, self, index, step->turns, step->n);
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
  if (config->max_batch < 1 || config->max_batch > Y10_MAX_BATCH) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "max_batch is %u; expected 1 to %u", config->max_batch, Y10_MAX_BATCH);
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
  self->lines.changed = place_changed;
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

/* Total time that the device has been busy, in nanoseconds. */
static gint64
busy_until (const Y10Scheduler *self, gint64 now)
{
  return self->busy + (self->n_in_flight ? now - self->busy_since : 0);
}

static void
answer_step (Y10Scheduler *self, const Step *step, gint64 now)
{
  for (guint i = 0; i < step->n; i++) {
    Y10Place *place = step->turns[i].place;
    gboolean failed = y10_place_get_request (place)->error != NULL;

    y10_window_record (&self->waits, step->begun_at - place->arrived_at, now,
        busy_until (self, now));
    self->n_failed += failed;
    y10_place_answer (place, failed);
  }
  self->fill[step->n]++;
}

const Y10Turn *
y10_scheduler_get_turns (const Y10Scheduler *self, guint step, guint *n)
{
  *n = self->steps[step].n;
  return self->steps[step].turns;
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
  Step *finished = &self->steps[step];
  gint64 now;

  pthread_mutex_lock (&self->lock);
  now = y10_clock_ns ();
  for (guint i = 0; error && i < finished->n; i++) {
    Y10EngineRequest *request = y10_place_get_request (
        finished->turns[i].place);

    if (!request->error)
      request->error = g_error_copy (error);
  }
  finished->finished = TRUE;
  while (self->n_in_flight && self->steps[self->first].finished) {
    answer_step (self, &self->steps[self->first], now);
    self->first = (self->first + 1) % self->config.n_steps;
    if (!--self->n_in_flight)
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

  *stats = (Y10SchedulerStats){ 0 };
  pthread_mutex_lock (&self->lock);
  now = y10_clock_ns ();
  busy = busy_until (self, now);
  stats->n_streams = self->lines.all.length;
  stats->n_queued = y10_lines_count_queued (&self->lines);
  for (guint i = 0; i < self->n_in_flight; i++)
    stats->n_running += self->steps[(self->first + i) % self->config.n_steps].n;
  stats->n_answered = self->waits.n;
  stats->n_failed = self->n_failed;
  stats->n_withdrawn = self->lines.n_withdrawn;
  memcpy (stats->fill, self->fill, sizeof self->fill);
  waits = self->waits;
  pthread_mutex_unlock (&self->lock);
  stats->busy = y10_window_busy (&waits, now, busy);
  y10_window_summarize (&waits, &stats->waits);
}
