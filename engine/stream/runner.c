/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* An image's path: y10_engine_stream_submit() queues it, the scheduler's thread
 * adds it to a step of the engine, and the engine's thread that finds the step
 * done copies its results into the request, ends the step and wakes the stream.
 * A slot is therefore held only as long as the device needs it, however slow a
 * stream is. */

#include "config.h"

#include "stream/runner.h"

#include <y10/parts.h>

#include "base/clock.h"
#include "run/step.h"
#include "stream/request.h"

G_STATIC_ASSERT (Y10_MAX_SLOTS <= Y10_SCHEDULER_MAX_STEPS);
/* left_out has a bit for each. */
G_STATIC_ASSERT (Y10_MAX_BATCH <= 64);

static Y10EngineRequest *
get_request (const Y10Turn *turn)
{
  return y10_place_get_request (turn->place);
}

/* requests.c has checked the image. */
static gboolean
add_image (const Y10StepRunner *self, const Y10Step *step, const Y10Turn *turn,
    GError **error)
{
  const Y10EngineRequest *request = get_request (turn);
  Y10HeadParams params;
  Y10Image image;

  if (!y10_engine_request_has_parts (request))
    return y10_step_add_unchecked (step, request->image, request->params,
        error);
  y10_part_get_image (&request->parts[turn->part], request->image, &image);
  y10_parts_get_params (request->params, self->engine->config.max_detections,
      &params);
  return y10_step_add_unchecked (step, &image, &params, error);
}

/* Steps with parts of the same request may fail on two threads. Takes @error. */
static void
fail_request (const Y10StepRunner *self, const Y10Turn *turn, GError *error)
{
  Y10EngineRequest *request = get_request (turn);

  y10_scheduler_lock (self->scheduler);
  if (!request->error)
    request->error = g_steal_pointer (&error);
  y10_scheduler_unlock (self->scheduler);
  g_clear_error (&error);
}

/* All turns of a step have the shape of the first. */
static gboolean
set_size (const Y10Step *step, const Y10Turn *turns, GError **error)
{
  guint width, height;

  y10_shape_unpack (turns[0].place->shape, &width, &height);
  return y10_step_set_input_size (step, width, height, error);
}

/* Images that the device has no memory for fail by themselves. Returns whether there
 * are others. */
static gboolean
add_images (const Y10StepRunner *self, Y10RunningStep *running,
    const Y10Turn *turns, guint n)
{
  guint n_added = 0;

  running->left_out = 0;
  for (guint i = 0; i < n; i++) {
    GError *error = NULL;

    if (add_image (self, &running->step, &turns[i], &error)) {
      n_added++;
    } else {
      running->left_out |= G_GUINT64_CONSTANT (1) << i;
      fail_request (self, &turns[i], error);
    }
  }
  return n_added > 0;
}

/* Called on the scheduler's thread. */
static void
begin_step (gpointer data, Y10Scheduler *scheduler, guint number,
    const Y10Turn *turns, guint n)
{
  Y10StepRunner *self = data;
  Y10RunningStep *running = &self->running[number];
  GError *error = NULL;

  /* The engine has a slot for each step of the scheduler. */
  if (!y10_step_begin (self->engine, -1, &running->step, &error)) {
    y10_scheduler_finish (scheduler, number, error);
    g_clear_error (&error);
    return;
  }
  self->by_slot[running->step.slot] = number;
  if (set_size (&running->step, turns, &error)
      && add_images (self, running, turns, n)
      && y10_step_submit (&running->step, &error))
    return;
  y10_step_end (&running->step);
  y10_scheduler_finish (scheduler, number, error);
  g_clear_error (&error);
}

/* Steps with parts of the same request may finish on two threads. */
static void
add_time (gint64 *sum, gint64 time)
{
  __atomic_add_fetch (sum, time, __ATOMIC_RELAXED);
}

static void
raise_time (gint64 *most, gint64 time)
{
  gint64 old = __atomic_load_n (most, __ATOMIC_RELAXED);

  while (old < time
      && !__atomic_compare_exchange_n (most, &old, time, TRUE, __ATOMIC_RELAXED,
          __ATOMIC_RELAXED))
    ;
}

/* Adds the step's times to the request of turn @i, once for each request. */
static void
record_times (const Y10Turn *turns, guint i, const Y10StepTimes *times,
    gint64 now)
{
  const Y10Turn *turn = &turns[i];
  Y10EngineRequest *request = get_request (turn);

  if (turn->part == 0) {
    request->wait_time = turn->place->begun_at - turn->place->arrived_at;
    request->turns = turn->place->n_before;
  }
  for (guint j = 0; j < i; j++)
    if (turns[j].place == turn->place)
      return;
  add_time (&request->preprocess_time, times->preprocess);
  add_time (&request->inference_time, times->inference);
  add_time (&request->postprocess_time, times->postprocess);
  raise_time (&request->step_time, now - turn->place->begun_at);
}

/* @image: the index in the step of the turn's image. */
static gboolean
read_rows (const Y10Step *step, const Y10Turn *turn, guint image,
    GError **error)
{
  Y10EngineRequest *request = get_request (turn);
  Y10Part *part = y10_engine_request_has_parts (request)
      ? &request->parts[turn->part]
      : NULL;
  gint n = y10_step_read (step, image,
      part ? part->detections : request->detections,
      part ? part->max_detections : request->max_detections, error);

  if (part)
    part->n_detections = n;
  else
    request->n_detections = n;
  return n >= 0;
}

/* Called on a thread of the engine. Its slot may be reused as soon as the step
 * has ended, and its number as soon as the scheduler has finished it. */
static void
step_done (gpointer data, guint slot)
{
  Y10StepRunner *self = data;
  guint number = self->by_slot[slot];
  const Y10RunningStep *running = &self->running[number];
  Y10StepTimes times = { .size = sizeof times };
  GError *error = NULL;
  gboolean ok = y10_step_wait (&running->step, 0, &error);
  gint64 now = y10_clock_ns ();
  const Y10Turn *turns;
  guint n, image = 0;

  ok = ok && y10_step_get_times (&running->step, &times, &error);
  turns = y10_scheduler_get_turns (self->scheduler, number, &n);
  for (guint i = 0; ok && i < n; i++) {
    if (running->left_out & G_GUINT64_CONSTANT (1) << i)
      continue;
    record_times (turns, i, &times, now);
    ok = read_rows (&running->step, &turns[i], image++, &error);
  }
  y10_step_end (&running->step);
  y10_scheduler_finish (self->scheduler, number, error);
  g_clear_error (&error);
}

gboolean
y10_step_runner_init (Y10StepRunner *self, Y10Engine *engine, GError **error)
{
  Y10SchedulerConfig config = {
    .begin = begin_step,
    .runner = self,
    .batch_timeout = engine->config.batch_timeout,
    .n_steps = engine->config.n_slots,
    .max_batch = engine->config.max_batch,
  };

  self->engine = engine;
  y10_engine_set_done_func (engine, step_done, self);
  self->scheduler = y10_scheduler_new (&config, error);
  return self->scheduler != NULL;
}

void
y10_step_runner_clear (Y10StepRunner *self)
{
  y10_scheduler_free (self->scheduler);
  y10_engine_unref (self->engine);
}
