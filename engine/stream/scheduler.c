/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Puts images of many streams into the steps of one engine. While fewer steps than
 * allowed are in flight, one thread begins the next as soon as the queues can fill
 * it, or the oldest image has waited for the batch timeout.
 *
 * Steps are answered in the order in which they began, even if a later one
 * finishes first, so a stream gets its answers in the order of its images. The
 * scheduler allocates memory only for a new stream and for a failed step. */

#include "config.h"

#include "stream/scheduler.h"

#include <string.h>

#include "base/clock.h"

typedef struct
{
  Y10Turn *turns;               /* room for max_batch */
  guint n;
  gint64 begun_at;
  gboolean finished;            /* but not answered: an earlier step has not */
} Step;

struct _Y10Scheduler
{
  Y10SchedulerConfig config;
  pthread_t thread;
  Y10Queues queues;
  /* The lock of the queues protects everything below. */
  gboolean quit;
  Step *steps;                  /* a ring of config.n_steps */
  guint first;                  /* of the steps in flight */
  gint64 busy, busy_since;      /* ns: of all finished busy periods; start of
                                 * the current one */
  guint64 n_failed;
  guint64 fill[Y10_SCHEDULER_MAX_BATCH + 1];    /* of answered steps */
  Y10LatencyWindow waits;
};

static guint
n_in_flight (const Y10Scheduler *self)
{
  return self->config.n_steps - self->queues.n_free;
}

/* When the next step begins if no further image arrives and no step finishes. */
static gint64
next_begin (const Y10Scheduler *self)
{
  gint64 oldest;
  guint n;

  if (!self->queues.n_free)
    return G_MAXINT64;
  n = y10_queues_count_ready (&self->queues, &oldest);
  if (!n || n >= self->config.max_batch)
    return oldest;
  return oldest + (gint64) self->config.batch_timeout * 1000;
}

static void
begin_step (Y10Scheduler *self, gint64 now)
{
  guint index = (self->first + n_in_flight (self)) % self->config.n_steps;
  Step *step = &self->steps[index];

  step->n = 0;
  step->finished = FALSE;
  step->begun_at = now;
  while (step->n < self->config.max_batch
      && y10_queues_take_turn (&self->queues, now, &step->turns[step->n]))
    step->n++;
  if (!n_in_flight (self))
    self->busy_since = now;
  self->queues.n_free--;
  pthread_mutex_unlock (&self->queues.lock);
  self->config.begin (self->config.device, self, index, step->turns,
      step->n);
  pthread_mutex_lock (&self->queues.lock);
}

static void *
run (void *data)
{
  Y10Scheduler *self = data;

  pthread_mutex_lock (&self->queues.lock);
  while (!self->quit) {
    gint64 at = next_begin (self), now = y10_clock_ns ();

    if (at <= now)
      begin_step (self, now);
    else
      y10_queues_wait_for_work (&self->queues, at);
  }
  pthread_mutex_unlock (&self->queues.lock);
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
  y10_queues_clear (&self->queues);
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
  y10_queues_init (&self->queues);
  self->queues.n_free = config->n_steps;
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
  pthread_mutex_lock (&self->queues.lock);
  self->quit = TRUE;
  pthread_cond_signal (&self->queues.work);
  pthread_mutex_unlock (&self->queues.lock);
  pthread_join (self->thread, NULL);
  free_parts (self);
}

/* Total time that the device has been busy, in nanoseconds. */
static gint64
busy_until (const Y10Scheduler *self, gint64 now)
{
  return self->busy + (n_in_flight (self) ? now - self->busy_since : 0);
}

static void
answer (Y10Scheduler *self, const Step *step, gint64 now)
{
  for (guint i = 0; i < step->n; i++) {
    Y10Request *request = step->turns[i].request;

    y10_window_record (&self->waits, step->begun_at - request->came_at, now,
        busy_until (self, now));
    self->n_failed += request->error != NULL;
    y10_request_answer_part (request);
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
  Step *finished = &self->steps[step];
  gint64 now;

  pthread_mutex_lock (&self->queues.lock);
  now = y10_clock_ns ();
  for (guint i = 0; error && i < finished->n; i++)
    if (!finished->turns[i].request->error)
      finished->turns[i].request->error = g_error_copy (error);
  finished->finished = TRUE;
  while (n_in_flight (self) && self->steps[self->first].finished) {
    answer (self, &self->steps[self->first], now);
    self->first = (self->first + 1) % self->config.n_steps;
    self->queues.n_free++;
    if (!n_in_flight (self))
      self->busy += now - self->busy_since;
  }
  pthread_cond_signal (&self->queues.work);
  pthread_mutex_unlock (&self->queues.lock);
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
  pthread_mutex_lock (&self->queues.lock);
  now = y10_clock_ns ();
  busy = busy_until (self, now);
  stats->n_streams = self->queues.streams.length;
  stats->n_queued = y10_queues_count_queued (&self->queues);
  for (guint i = 0; i < n_in_flight (self); i++)
    stats->n_running +=
        self->steps[(self->first + i) % self->config.n_steps].n;
  stats->n_answered = self->waits.n;
  stats->n_failed = self->n_failed;
  stats->n_withdrawn = self->queues.n_withdrawn;
  memcpy (stats->fill, self->fill, sizeof self->fill);
  waits = self->waits;
  pthread_mutex_unlock (&self->queues.lock);
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
  return y10_queues_add_stream (&scheduler->queues, priority);
}
