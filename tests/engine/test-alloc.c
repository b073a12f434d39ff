/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A frame allocates nothing, neither in a step with this frame only nor through
 * a scheduler. Any allocation fails the test, and the first ones are printed with
 * their callers. */

#include <stdio.h>
#include <string.h>

#include "mallocs.h"
#include "stream/requests.h"
#include "stream/scheduler.h"
#include "stream/stream.h"
#include "util.h"

#define MAX_PRINTED 5
#define WIDTH 50 /* of the pictures; differs from the network's input */
#define HEIGHT 38

/* One picture each in RGB, NV12 and I420. */
static void
describe (const guint8 *pixels, Y10Image *images)
{
  const Y10Image all[3] = {
    { .size = sizeof (Y10Image),
        .format = Y10_PIXEL_RGB,
        .width = WIDTH,
        .height = HEIGHT,
        .plane = { pixels },
        .stride = { 3 * WIDTH } },
    { .size = sizeof (Y10Image),
        .format = Y10_PIXEL_NV12,
        .width = WIDTH,
        .height = HEIGHT,
        .plane = { pixels, pixels + WIDTH * HEIGHT },
        .stride = { WIDTH, WIDTH } },
    { .size = sizeof (Y10Image),
        .format = Y10_PIXEL_I420,
        .width = WIDTH,
        .height = HEIGHT,
        .plane = { pixels, pixels + WIDTH * HEIGHT,
            pixels + WIDTH * HEIGHT * 5 / 4 },
        .stride = { WIDTH, WIDTH / 2, WIDTH / 2 } },
  };

  memcpy (images, all, sizeof all);
}

static const guint8 classes[3] = { 1, 0, 1 };

static void
run_step (Y10Engine *engine, const guint8 *pixels)
{
  Y10HeadParams params = Y10_HEAD_PARAMS_INIT;
  Y10Image images[3];
  Y10Detection rows[300];
  Y10StepTimes times = { .size = sizeof times };
  GError *error = NULL;
  Y10Step step;

  describe (pixels, images);
  params.confidence = 0.01f;
  params.classes = classes;
  g_assert_true (y10_step_begin (engine, -1, &step, &error));
  for (guint i = 0; i < 3; i++)
    g_assert_true (y10_step_add (&step, &images[i], &params, &error));
  g_assert_true (y10_step_submit (&step, &error));
  g_assert_true (y10_step_wait_input (&step, -1, &error));
  g_assert_true (y10_step_wait (&step, -1, &error));
  for (guint i = 0; i < 3; i++)
    g_assert_cmpint (y10_step_read (&step, i, rows, 300, &error), >, 0);
  g_assert_true (y10_step_get_times (&step, &times, &error));
  y10_step_end (&step);
}

static void
check (Y10Model *model, Y10BackendKind backend, Y10Precision precision,
    Y10Head head)
{
  g_autofree guint8 *pixels = g_malloc (3 * WIDTH * HEIGHT);
  char *what = g_strdup_printf ("%s %s %s", y10_backend_get_name (backend),
      y10_precision_get_name (precision), y10_head_get_name (head));
  Y10EngineConfig config;
  guint n_allocations;
  GError *error = NULL;
  Y10Engine *engine;

  for (guint i = 0; i < 3 * WIDTH * HEIGHT; i++)
    pixels[i] = (guint8) (i * 2654435761u >> 24);
  y10_engine_config_init (&config, sizeof config);
  config.backend = backend;
  config.precision = precision;
  config.head = head;
  config.width = 96;
  config.height = 64;
  config.max_batch = 3;
  config.n_slots = 2;
  config.threads = 2;
  engine = y10_engine_new (model, &config, NULL, &error);
  if (!engine) {
    printf ("%s left out: %s\n", what, error->message);
    g_assert_true (precision != Y10_PRECISION_FP32
        || g_error_matches (error, Y10_ERROR, Y10_ERROR_NO_BACKEND));
    g_error_free (error);
    goto done;
  }
  for (guint i = 0; i < 3; i++)
    run_step (engine, pixels);
  test_mallocs_start (MAX_PRINTED);
  for (guint i = 0; i < 30; i++)
    run_step (engine, pixels);
  n_allocations = test_mallocs_stop ();
  printf ("%s: 30 steps, %u allocations\n", what, n_allocations);
  g_assert_cmpuint (n_allocations, ==, 0);
  y10_engine_unref (engine);
done:
  g_free (what);
}

typedef struct
{
  Y10EngineRequest request;
  Y10Image image;
  gint n;
  Y10Detection rows[300];
} Frame;

static Frame *
get_frame (const Y10Turn *turn)
{
  return (Frame *) y10_place_get_request (turn->place);
}

/* Uses an engine as a scheduler's device, one step after the other. */
static void
begin_step (gpointer engine, Y10Scheduler *scheduler, guint index,
    const Y10Turn *turns, guint n)
{
  Y10HeadParams params = Y10_HEAD_PARAMS_INIT;
  GError *error = NULL;
  Y10Step step;

  params.confidence = 0.01f;
  params.classes = classes;
  g_assert_true (y10_step_begin (engine, -1, &step, &error));
  for (guint i = 0; i < n; i++)
    g_assert_true (
        y10_step_add (&step, &get_frame (&turns[i])->image, &params, &error));
  g_assert_true (y10_step_submit (&step, &error));
  g_assert_true (y10_step_wait (&step, -1, &error));
  for (guint i = 0; i < n; i++) {
    Frame *frame = get_frame (&turns[i]);

    frame->n = y10_step_read (&step, i, frame->rows, 300, &error);
  }
  y10_step_end (&step);
  y10_scheduler_finish (scheduler, index, error);
}

static void
run_streams (Y10EngineStream *const *streams, Frame *frames)
{
  for (guint i = 0; i < 6; i++)
    y10_engine_stream_queue (streams[i % 2], &frames[i].request, 1);
  y10_engine_request_withdraw (&frames[5].request);
  for (guint i = 0; i < 6; i++)
    y10_engine_request_await (&frames[i].request, -1);
}

/* Steps hold frames of two streams, and each frame gets its own result. */
static void
check_scheduler (Y10Model *model)
{
  g_autofree guint8 *pixels = g_malloc (3 * WIDTH * HEIGHT);
  static Frame frames[6];
  Y10SchedulerConfig config = { .begin = begin_step, .n_steps = 1 };
  Y10Scheduler *scheduler;
  GError *error = NULL;
  Y10EngineStream *streams[2];
  Y10EngineConfig of_engine;
  g_autoptr (Y10Engine) engine = NULL;
  Y10Image images[3];
  guint n_ours;

  for (guint i = 0; i < 3 * WIDTH * HEIGHT; i++)
    pixels[i] = (guint8) (i * 2654435761u >> 24);
  describe (pixels, images);
  y10_engine_config_init (&of_engine, sizeof of_engine);
  of_engine.backend = Y10_BACKEND_REF;
  of_engine.width = 96;
  of_engine.height = 64;
  of_engine.max_batch = 3;
  engine = y10_engine_new (model, &of_engine, NULL, &error);
  g_assert_no_error (error);
  config.runner = engine;
  config.max_batch = 3;
  scheduler = y10_scheduler_new (&config, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < 2; i++)
    streams[i] = y10_engine_stream_new_on (scheduler, 0);
  for (guint i = 0; i < 6; i++)
    frames[i].image = images[i % 3];
  run_streams (streams, frames);
  test_mallocs_start (MAX_PRINTED);
  for (guint i = 0; i < 10; i++)
    run_streams (streams, frames);
  n_ours = test_mallocs_stop ();
  printf ("60 frames by way of a scheduler, %u allocations of ours\n", n_ours);
  g_assert_cmpuint (n_ours, ==, 0);
  for (guint i = 0; i < 2; i++) {
    g_assert_cmpint (frames[i].n, >, 0);
    g_assert_cmpint (frames[i].n, ==, frames[i + 3].n);
    g_assert_cmpmem (frames[i].rows, frames[i].n * sizeof *frames[i].rows,
        frames[i + 3].rows, frames[i].n * sizeof *frames[i].rows);
  }
  for (guint i = 0; i < 2; i++)
    y10_engine_stream_unref (streams[i]);
  y10_scheduler_free (scheduler);
}

int
main (void)
{
  Y10TestTensors *tensors;
  char *volatile probe;
  Y10Model *model;

  if (!test_mallocs_can_count ()) {
    puts ("SKIP: malloc cannot be replaced: it is the sanitizer's, or the C "
          "library is not glibc");
    return 77;
  }
  test_mallocs_start (MAX_PRINTED);
  probe = g_strdup ("this is seen");
  g_assert_cmpuint (test_mallocs_stop (), ==, 1);
  g_free (probe);
  fputs ("(the allocation above was a test of this check)\n", stderr);
  tensors = test_tensors ("tiny-nc3", 0);
  model = test_model (tensors, NULL);

  for (guint many = 0; many < 2; many++) {
    Y10Head head = many ? Y10_HEAD_ONE2MANY : Y10_HEAD_ONE2ONE;

    check (model, Y10_BACKEND_REF, Y10_PRECISION_FP32, head);
    check (model, Y10_BACKEND_CPU, Y10_PRECISION_FP32, head);
    check (model, Y10_BACKEND_CPU, Y10_PRECISION_BF16, head);
  }
  check_scheduler (model);
  y10_model_unref (model);
  y10_test_tensors_free (tensors);
  test_dir_remove ();
  return 0;
}
