/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Steps: who holds a slot has it for himself, in the order begin → add →
 * submit → wait → read → end, and what is out of order says so.
 *
 * test-step --stress N runs N steps on four threads over three slots, or over
 * --slots N of them, and compares each result with the one expected of its own
 * image: what it gave when nothing else ran, at that place of a step of as many
 * images, for a GPU may use other kernels for another number. With
 * --skip-slot-check behind it the engine hands out slots that are still held,
 * as one with a single set of buffers would, and the test must fail;
 * --counter-test does the same and succeeds when it did fail. Everything runs on
 * the reference backend, whose results are the same bits every time, or on the
 * one that --backend NAME before all else names, if its are. With --expect-tuned
 * behind N the backend has to find faster ways meanwhile, which give the same
 * bits, too: in fp32, on the simulated GPU. With --tuned it has found them
 * before: on a GPU they give other bits. */

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run/internal.h"
#include "util.h"

#define SIZE 32
#define N_ANCHORS 21
#define N_CLASSES 3
#define MAX_ROWS (N_ANCHORS * N_CLASSES)

/* --backend, --expect-tuned, --tuned */
static Y10BackendKind backend = Y10_BACKEND_REF;
static gboolean expect_tuned, wait_tuned;

static Y10Engine *
make_engine (guint n_slots, guint max_batch)
{
  Y10TestTensors *tensors = test_tensors ("pico-nc3", 0);
  Y10Model *model = test_model (tensors, NULL);
  Y10EngineConfig config;
  GError *error = NULL;
  Y10Engine *engine;

  y10_engine_config_init (&config, sizeof config);
  config.backend = backend;
  config.tune = expect_tuned || wait_tuned;
  if (expect_tuned)
    config.precision = Y10_PRECISION_FP32;
  config.width = config.height = SIZE;
  config.n_slots = n_slots;
  config.max_batch = max_batch;
  config.max_detections = MAX_ROWS;
  engine = y10_engine_new (model, &config, NULL, &error);
  g_assert_no_error (error);
  y10_model_unref (model);
  y10_test_tensors_free (tensors);
  return engine;
}

static void
default_params (Y10HeadParams *params)
{
  *params = (Y10HeadParams) Y10_HEAD_PARAMS_INIT;
  params->confidence = 0;
  params->max_detections = MAX_ROWS;
}

/* An open step with one image. */
static void
begin_with_image (Y10Engine *engine, const float *pixels, Y10Step *step)
{
  Y10HeadParams params;
  GError *error = NULL;
  Y10Image image;

  default_params (&params);
  test_tensor_image (engine, pixels, &image);
  y10_step_begin (engine, -1, step, &error);
  g_assert_no_error (error);
  y10_step_add (step, &image, &params, &error);
  g_assert_no_error (error);
}

static void
test_busy (void)
{
  Y10Engine *engine = make_engine (2, 1);
  Y10Step step[3];
  GError *error = NULL;
  gint64 start, until;

  for (guint i = 0; i < 2; i++) {
    g_assert_true (y10_step_begin (engine, 0, &step[i], &error));
    g_assert_no_error (error);
  }
  g_assert_cmpuint (step[0].slot, !=, step[1].slot);
  g_assert_false (y10_step_begin (engine, 0, &step[2], &error));
  test_expect_error (g_steal_pointer (&error), Y10_ERROR_BUSY, "2 slots",
      NULL);
  start = g_get_monotonic_time ();
  until = start + 20 * 1000;
  g_assert_false (y10_step_begin (engine, until, &step[2], &error));
  test_expect_error (g_steal_pointer (&error), Y10_ERROR_BUSY, NULL);
  g_assert_cmpint (g_get_monotonic_time (), >=, until);
  y10_step_end (&step[0]);
  g_assert_true (y10_step_begin (engine, 0, &step[2], &error));
  g_assert_cmpuint (step[2].slot, ==, step[0].slot);
  g_assert_cmpuint (step[2].generation, !=, step[0].generation);
  y10_step_end (&step[1]);
  y10_step_end (&step[2]);
  y10_engine_unref (engine);
}

static void *
end_later (void *step)
{
  usleep (30 * 1000);
  y10_step_end (step);
  return NULL;
}

/* Waiting for a slot ends when one becomes free, not at the deadline. */
static void
test_begin_waits (void)
{
  Y10Engine *engine = make_engine (1, 1);
  Y10Step first, second;
  GError *error = NULL;
  pthread_t thread;

  g_assert_true (y10_step_begin (engine, -1, &first, &error));
  pthread_create (&thread, NULL, end_later, &first);
  g_assert_true (y10_step_begin (engine, -1, &second, &error));
  g_assert_no_error (error);
  pthread_join (thread, NULL);
  y10_step_end (&second);
  y10_engine_unref (engine);
}

/* After its end a step is no key to anything, least of all to the results of
 * the step that has the slot now. */
static void
test_stale (void)
{
  Y10Engine *engine = make_engine (1, 1);
  float *pixels = test_pixels (engine, 1), *other = test_pixels (engine, 2);
  Y10Detection rows[MAX_ROWS];
  Y10HeadParams params;
  Y10StepTimes times = {.size = sizeof times };
  GError *error = NULL;
  Y10Step old, new;
  Y10Image image;

  default_params (&params);
  test_tensor_image (engine, pixels, &image);
  begin_with_image (engine, pixels, &old);
  g_assert_true (y10_step_submit (&old, &error));
  g_assert_true (y10_step_wait (&old, -1, &error));
  y10_step_end (&old);
  for (guint round = 0; round < 2; round++) {
    g_assert_cmpint (y10_step_read (&old, 0, rows, MAX_ROWS, &error), ==, -1);
    test_expect_error (g_steal_pointer (&error), Y10_ERROR_STALE,
        "has ended", NULL);
    g_assert_false (y10_step_add (&old, &image, &params, &error));
    test_expect_error (g_steal_pointer (&error), Y10_ERROR_STALE, NULL);
    g_assert_false (y10_step_submit (&old, &error));
    test_expect_error (g_steal_pointer (&error), Y10_ERROR_STALE, NULL);
    g_assert_false (y10_step_wait (&old, -1, &error));
    test_expect_error (g_steal_pointer (&error), Y10_ERROR_STALE, NULL);
    g_assert_false (y10_step_wait_input (&old, -1, &error));
    test_expect_error (g_steal_pointer (&error), Y10_ERROR_STALE, NULL);
    g_assert_false (y10_step_get_times (&old, &times, &error));
    test_expect_error (g_steal_pointer (&error), Y10_ERROR_STALE, NULL);
    y10_step_end (&old);        /* nothing happens */
    /* And once more while somebody else holds the slot, done. */
    if (!round) {
      begin_with_image (engine, other, &new);
      g_assert_true (y10_step_submit (&new, &error));
      g_assert_true (y10_step_wait (&new, -1, &error));
    }
  }
  g_assert_cmpint (y10_step_read (&new, 0, rows, MAX_ROWS, &error), ==,
      MAX_ROWS);
  y10_step_end (&new);
  g_free (pixels);
  g_free (other);
  y10_engine_unref (engine);
}

static void
test_order (void)
{
  Y10Engine *engine = make_engine (1, 2);
  float *pixels = test_pixels (engine, 1);
  Y10Detection rows[MAX_ROWS];
  Y10HeadParams params;
  Y10StepTimes times = {.size = sizeof times };
  GError *error = NULL;
  Y10Image image;
  Y10Step step;

  default_params (&params);
  test_tensor_image (engine, pixels, &image);
  g_assert_true (y10_step_begin (engine, -1, &step, &error));
  /* Open, without an image. */
  g_assert_false (y10_step_submit (&step, &error));
  test_expect_error (g_steal_pointer (&error), Y10_ERROR_INVALID_ARGUMENT,
      "no image", NULL);
  g_assert_false (y10_step_wait (&step, -1, &error));
  test_expect_error (g_steal_pointer (&error), Y10_ERROR_STALE,
      "cannot wait", "is open", NULL);
  g_assert_cmpint (y10_step_read (&step, 0, rows, MAX_ROWS, &error), ==, -1);
  test_expect_error (g_steal_pointer (&error), Y10_ERROR_STALE,
      "cannot read results", NULL);
  g_assert_false (y10_step_get_times (&step, &times, &error));
  test_expect_error (g_steal_pointer (&error), Y10_ERROR_STALE, NULL);
  /* As many images as fit. */
  for (guint i = 0; i < 2; i++)
    g_assert_true (y10_step_add (&step, &image, &params, &error));
  g_assert_false (y10_step_add (&step, &image, &params, &error));
  test_expect_error (g_steal_pointer (&error), Y10_ERROR_INVALID_ARGUMENT,
      "is full", "2", NULL);
  g_assert_true (y10_step_submit (&step, &error));
  g_assert_false (y10_step_submit (&step, &error));
  test_expect_error (g_steal_pointer (&error), Y10_ERROR_STALE,
      "cannot submit", NULL);
  g_assert_true (y10_step_wait_input (&step, -1, &error));
  g_assert_true (y10_step_wait (&step, -1, &error));
  g_assert_true (y10_step_wait (&step, -1, &error));    /* again is fine */
  g_assert_false (y10_step_add (&step, &image, &params, &error));
  test_expect_error (g_steal_pointer (&error), Y10_ERROR_STALE,
      "cannot add an image", "is done", NULL);
  /* Both images, as often as wanted, and no third. */
  for (guint i = 0; i < 4; i++)
    g_assert_cmpint (y10_step_read (&step, i % 2, rows, MAX_ROWS, &error), ==,
        MAX_ROWS);
  g_assert_cmpint (y10_step_read (&step, 1, rows, 5, &error), ==, 5);
  g_assert_cmpint (y10_step_read (&step, 2, rows, MAX_ROWS, &error), ==, -1);
  test_expect_error (g_steal_pointer (&error), Y10_ERROR_INVALID_ARGUMENT,
      "no image 2", NULL);
  g_assert_true (y10_step_get_times (&step, &times, &error));
  g_assert_cmpint (times.inference, >, 0);
  y10_step_end (&step);
  g_free (pixels);
  y10_engine_unref (engine);
}

/* Each argument out of its range is refused by name, and the step goes on. */
static void
test_arguments (void)
{
  static const struct
  {
    float confidence, iou;
    guint max_detections;
    const char *text[2];
  } bad[] = {
    {-0.1f, 0.7f, 10, {"confidence is -0.1", "0 to 1"}},
    {1.5f, 0.7f, 10, {"confidence is 1.5", "0 to 1"}},
    {__builtin_nanf (""), 0.7f, 10, {"confidence is", "0 to 1"}},
    {0.25f, -1, 10, {"iou is -1", "0 to 1"}},
    {0.25f, 2, 10, {"iou is 2", "0 to 1"}},
    {0.25f, 0.7f, 0, {"max_detections is 0", "1 to"}},
    {0.25f, 0.7f, MAX_ROWS + 1, {"max_detections is 64", "63"}},
  };
  Y10Engine *engine = make_engine (1, 1);
  float *pixels = test_pixels (engine, 1);
  Y10HeadParams params;
  GError *error = NULL;
  Y10Image image, wrong;
  Y10Step step;

  test_tensor_image (engine, pixels, &image);
  g_assert_true (y10_step_begin (engine, -1, &step, &error));
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    default_params (&params);
    params.confidence = bad[i].confidence;
    params.iou = bad[i].iou;
    params.max_detections = bad[i].max_detections;
    g_assert_false (y10_step_add (&step, &image, &params, &error));
    test_expect_error (g_steal_pointer (&error), Y10_ERROR_INVALID_ARGUMENT,
        bad[i].text[0], bad[i].text[1], NULL);
  }
  default_params (&params);
  wrong = image;
  wrong.width = 16;
  g_assert_false (y10_step_add (&step, &wrong, &params, &error));
  test_expect_error (g_steal_pointer (&error), Y10_ERROR_INVALID_ARGUMENT,
      "16", "32", NULL);
  wrong = image;
  wrong.memory = Y10_MEMORY_CUDA;
  if (backend != Y10_BACKEND_CUDA) {
    g_assert_false (y10_step_add (&step, &wrong, &params, &error));
    test_expect_error (g_steal_pointer (&error), Y10_ERROR_UNSUPPORTED, "CUDA",
        y10_backend_get_name (backend), NULL);
  }
  wrong = image;
  wrong.plane[1] = NULL;
  g_assert_false (y10_step_add (&step, &wrong, &params, &error));
  test_expect_error (g_steal_pointer (&error), Y10_ERROR_INVALID_ARGUMENT,
      "plane", NULL);
  g_assert_true (y10_step_add (&step, &image, &params, &error));
  g_assert_no_error (error);
  y10_step_end (&step);
  g_free (pixels);
  y10_engine_unref (engine);
}

static void
test_config (void)
{
  static const struct
  {
    guint width, height, max_batch, n_slots, threads, max_detections;
    const char *text[2];
  } bad[] = {
    {33, 32, 1, 1, 1, 300, {"width is 33", "multiple of 32"}},
    {32, 100, 1, 1, 1, 300, {"height is 100", "multiple of 32"}},
    {1 << 20, 32, 1, 1, 1, 300, {"width is 1048576", "8192"}},
    {32, 32, 65, 1, 1, 300, {"max_batch is 65", "0 to 64"}},
    {32, 32, 1, 17, 1, 300, {"n_slots is 17", "0 to 16"}},
    {32, 32, 1, 1, 257, 300, {"threads is 257", "0 to 256"}},
    {32, 32, 1, 1, 1, 0, {"max_detections is 0", "1 to 8400"}},
    {32, 32, 1, 1, 1, 8401, {"max_detections is 8401", "1 to 8400"}},
  };
  Y10TestTensors *tensors = test_tensors ("pico-nc3", 0);
  Y10Model *model = test_model (tensors, NULL);
  GString *why = g_string_new (NULL);
  Y10EngineConfig config;
  GError *error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    y10_engine_config_init (&config, sizeof config);
    config.backend = Y10_BACKEND_REF;
    config.width = bad[i].width;
    config.height = bad[i].height;
    config.max_batch = bad[i].max_batch;
    config.n_slots = bad[i].n_slots;
    config.threads = bad[i].threads;
    config.max_detections = bad[i].max_detections;
    g_assert_null (y10_engine_new (model, &config, NULL, &error));
    test_expect_error (g_steal_pointer (&error), Y10_ERROR_INVALID_ARGUMENT,
        bad[i].text[0], bad[i].text[1], NULL);
  }
  /* What is not there: an error that lists what is. */
  y10_engine_config_init (&config, sizeof config);
  config.backend = Y10_BACKEND_REF;
  config.precision = Y10_PRECISION_FP16;
  g_assert_null (y10_engine_new (model, &config, NULL, &error));
  test_expect_error (g_steal_pointer (&error), Y10_ERROR_UNSUPPORTED, "ref",
      "fp16", "fp32", NULL);
  if (!y10_backend_probe (Y10_BACKEND_CUDA, why)) {
    g_assert_cmpuint (why->len, >, 0);
    config.precision = Y10_PRECISION_AUTO;
    config.backend = Y10_BACKEND_CUDA;
    g_assert_null (y10_engine_new (model, &config, NULL, &error));
    test_expect_error (g_steal_pointer (&error), Y10_ERROR_NO_BACKEND, "cuda",
        why->str, NULL);
  }
  g_string_free (why, TRUE);
  y10_model_unref (model);
  y10_test_tensors_free (tensors);
}

/* Parameters belong to an image: two images of a step, each with its own. */
static void
test_params_per_image (void)
{
  static const guint8 only_one[N_CLASSES] = { 0, 1, 0 };
  Y10Engine *engine = make_engine (1, 3);
  float *pixels = test_pixels (engine, 1);
  Y10Detection all[MAX_ROWS], rows[MAX_ROWS];
  guint8 classes[N_CLASSES];
  Y10HeadParams params;
  GError *error = NULL;
  guint n_all, seen = 0;
  Y10Image image;
  Y10Step step;
  gint n;

  n_all = test_detect (engine, pixels, all, MAX_ROWS);
  g_assert_cmpuint (n_all, ==, MAX_ROWS);
  test_tensor_image (engine, pixels, &image);
  g_assert_true (y10_step_begin (engine, -1, &step, &error));
  default_params (&params);
  params.max_detections = 4;
  g_assert_true (y10_step_add (&step, &image, &params, &error));
  default_params (&params);
  memcpy (classes, only_one, sizeof classes);
  params.classes = classes;
  g_assert_true (y10_step_add (&step, &image, &params, &error));
  memset (classes, 0, sizeof classes);  /* it was copied */
  default_params (&params);
  params.confidence = all[10].confidence;
  g_assert_true (y10_step_add (&step, &image, &params, &error));
  g_assert_true (y10_step_submit (&step, &error));
  g_assert_true (y10_step_wait (&step, -1, &error));

  n = y10_step_read (&step, 0, rows, MAX_ROWS, &error);
  g_assert_cmpint (n, ==, 4);
  g_assert_cmpmem (rows, 4 * sizeof *rows, all, 4 * sizeof *all);
  n = y10_step_read (&step, 1, rows, MAX_ROWS, &error);
  g_assert_cmpint (n, ==, N_ANCHORS);
  for (guint i = 0; i < n_all; i++)
    if (all[i].class_id == 1)
      g_assert_cmpint (memcmp (&rows[seen++], &all[i], sizeof *rows), ==, 0);
  n = y10_step_read (&step, 2, rows, MAX_ROWS, &error);
  g_assert_cmpint (n, ==, 11);
  g_assert_cmpmem (rows, 11 * sizeof *rows, all, 11 * sizeof *all);
  y10_step_end (&step);
  g_free (pixels);
  y10_engine_unref (engine);
}

static gboolean
poison (Y10Engine *engine, gpointer slot, GError **error)
{
  engine->backend->poison (engine->slots[GPOINTER_TO_UINT (slot)].slot);
  return TRUE;
}

/* Whatever an earlier step left in a slot, padding included, has no part in
 * the next one's results. Odd widths, so that there is padding everywhere. */
static void
test_poison (void)
{
  static const Y10BackendKind kinds[] = { Y10_BACKEND_REF, Y10_BACKEND_CPU };
  static const guint classes[] = { 1, 3, 90 };

  for (guint i = 0; i < 2 * G_N_ELEMENTS (classes); i++) {
    Y10TestTensors *tensors = test_tensors ("tiny-nc3", 0);
    Y10Detection before[300], after[300];
    GString *why = g_string_new (NULL);
    guint n_before, n_after;
    Y10Engine *engine;
    Y10Model *model;
    float *pixels;

    y10_test_tensors_set_classes (tensors, classes[i / 2]);
    if (!y10_backend_probe (kinds[i & 1], why)) {
      g_test_message ("%s left out: %s", y10_backend_get_name (kinds[i & 1]),
          why->str);
    } else {
      model = test_model (tensors, NULL);
      engine = test_engine (model, kinds[i & 1], 64, 96);
      pixels = test_pixels (engine, 1);
      n_before = test_detect (engine, pixels, before, 300);
      g_assert_cmpuint (n_before, >, 0);
      for (guint round = 0; round < 2; round++) {
        y10_engine_call (engine, poison, GUINT_TO_POINTER (0), NULL);
        n_after = test_detect (engine, pixels, after, 300);
        g_assert_cmpmem (after, n_after * sizeof *after, before,
            n_before * sizeof *before);
      }
      g_free (pixels);
      y10_engine_unref (engine);
      y10_model_unref (model);
    }
    g_string_free (why, TRUE);
    y10_test_tensors_free (tensors);
  }
}

/* -- the stress test -- */

#define N_THREADS 4
#define N_SLOTS 3
#define N_IMAGES 12
#define MAX_BATCH 2

typedef struct
{
  Y10Engine *engine;
  float *pixels[N_IMAGES];
  /* What each must give: in a step of so many images, less one; at its place. */
  Y10Detection rows[MAX_BATCH][MAX_BATCH][N_IMAGES][MAX_ROWS];
  guint n_steps;                /* of each thread */
  atomic_uint n_wrong, n_errors, n_done;
  gboolean skip_slot_check;
} Stress;

typedef struct
{
  Stress *stress;
  guint32 random;
  pthread_t thread;
} Worker;

/* xorshift: the delays must not meet in a lock of a shared generator. */
static guint
draw (Worker *w, guint n)
{
  w->random ^= w->random << 13;
  w->random ^= w->random >> 17;
  w->random ^= w->random << 5;
  return w->random % n;
}

static void
dawdle (Worker *w)
{
  if (draw (w, 4) == 0)
    usleep (draw (w, 150));
  else if (draw (w, 4) == 0)
    sched_yield ();
}

/* The first wrong result is reported at once: with slots that are overwritten the
 * process may crash before the end. */
static void
count_wrong (Stress *s)
{
  if (s->n_wrong++ == 0) {
    g_print ("1 wrong result after %u steps\n", s->n_done);
    fflush (stdout);
  }
}

/* One step with images of its own in memory of its own. Whatever is not as it
 * should be is counted. */
static void
run_step (Worker *w, float *memory)
{
  Stress *s = w->stress;
  gsize image_size = 3 * SIZE * SIZE;
  guint n = 1 + draw (w, MAX_BATCH), which[MAX_BATCH], limit[MAX_BATCH];
  gboolean ok, abandon = draw (w, 16) == 0, reuse = draw (w, 4) == 0;
  gint64 until = g_get_monotonic_time ()
      + (s->skip_slot_check ? 1 : 20) * G_USEC_PER_SEC;
  Y10Detection rows[MAX_ROWS];
  Y10HeadParams params;
  Y10Image image;
  Y10Step step;

  default_params (&params);
  if (!y10_step_begin (s->engine, until, &step, NULL)) {
    s->n_errors++;
    return;
  }
  ok = TRUE;
  for (guint i = 0; i < n; i++) {
    which[i] = draw (w, N_IMAGES);
    limit[i] = params.max_detections = 1 + draw (w, MAX_ROWS);
    memcpy (memory + i * image_size, s->pixels[which[i]],
        image_size * sizeof *memory);
    test_tensor_image (s->engine, memory + i * image_size, &image);
    dawdle (w);
    ok = ok && y10_step_add (&step, &image, &params, NULL);
  }
  dawdle (w);
  ok = ok && y10_step_submit (&step, NULL);
  if (ok && reuse) {            /* the pixels may go once they are read */
    ok = y10_step_wait_input (&step, until, NULL);
    memset (memory, 0xff, MAX_BATCH * image_size * sizeof *memory);
  }
  if (ok && !abandon) {
    dawdle (w);
    ok = y10_step_wait (&step, until, NULL);
    for (guint i = 0; ok && i < n; i++) {
      gint got;

      dawdle (w);
      got = y10_step_read (&step, i, rows, MAX_ROWS, NULL);
      if (got != (gint) limit[i]
          || memcmp (rows, s->rows[n - 1][i][which[i]],
              limit[i] * sizeof *rows))
        count_wrong (s);
    }
  }
  s->n_errors += !ok;
  dawdle (w);
  y10_step_end (&step);
  if (!s->skip_slot_check
      && y10_step_read (&step, 0, rows, MAX_ROWS, NULL) != -1)
    count_wrong (s);            /* it has ended */
  s->n_done++;
}

/* Whether the faster ways that are expected are all in, so that some steps ran
 * before, some while they came and some after, on any machine. */
static gboolean
is_tuned (Y10Engine *engine)
{
  Y10TuningProgress progress = {.size = sizeof progress };

  y10_engine_get_tuning_progress (engine, &progress);
  return progress.finished;
}

static void *
work (void *data)
{
  Worker *w = data;
  Stress *s = w->stress;
  float *memory = g_new (float, MAX_BATCH * 3 * SIZE * SIZE);

  for (guint i = 0; i < s->n_steps || (expect_tuned && !is_tuned (s->engine));
      i++) {
    /* On the simulator those who look for faster ways wait in the same line. */
    if (i >= s->n_steps)
      usleep (10000);
    run_step (w, memory);
    /* Once it is noticed there is no point in going on. */
    if (s->skip_slot_check && s->n_wrong)
      break;
  }
  g_free (memory);
  return NULL;
}

static gboolean
is_fused (Y10Engine *engine)
{
  for (guint i = 0; i < y10_engine_get_n_ops (engine); i++) {
    Y10OpInfo op = {.size = sizeof op };

    y10_engine_get_op (engine, i, &op);
    if (strstr (op.impl, "fused"))
      return TRUE;
  }
  return FALSE;
}

/* Image @which and those after it, in one step of @n. */
static void
expect (Stress *s, guint n, guint which)
{
  GError *error = NULL;
  Y10HeadParams params;
  Y10Image image;
  Y10Step step;

  default_params (&params);
  y10_step_begin (s->engine, -1, &step, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < n; i++) {
    test_tensor_image (s->engine, s->pixels[(which + i) % N_IMAGES], &image);
    y10_step_add (&step, &image, &params, &error);
    g_assert_no_error (error);
  }
  y10_step_submit (&step, &error);
  g_assert_no_error (error);
  y10_step_wait (&step, -1, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < n; i++) {
    gint got = y10_step_read (&step, i,
        s->rows[n - 1][i][(which + i) % N_IMAGES], MAX_ROWS, &error);

    g_assert_no_error (error);
    g_assert_cmpint (got, ==, MAX_ROWS);
  }
  y10_step_end (&step);
}

/* How far results are from those of a step of one image: not at all where the
 * same kernels run. */
static void
compare_batches (const Stress *s)
{
  const gsize size = sizeof s->rows[0][0];
  double score = 0;

  for (guint n = 1; n < MAX_BATCH; n++)
    for (guint i = 0; i <= n; i++)
      if (memcmp (s->rows[n][i], s->rows[0][0], size) != 0)
        for (guint j = 0; j < N_IMAGES; j++)
          for (guint k = 0; k < MAX_ROWS; k++)
            score = MAX (score, ABS (s->rows[n][i][j][k].confidence
                    - s->rows[0][0][j][k].confidence));
  if (score > 0)
    g_print ("steps of several images: other kernels than for one, scores up "
        "to %.2g off\n", score);
  else
    g_print ("steps of several images: the bits of one\n");
  /* fp16's last bits, through a network. */
  g_assert_cmpfloat (score, <=, backend == Y10_BACKEND_CUDA ? 0.02 : 0);
}

/* Returns the exit status. */
static int
stress (guint n_steps, guint n_slots, gboolean skip_slot_check)
{
  Stress s = {.engine = make_engine (n_slots, MAX_BATCH),
    .n_steps = n_steps / N_THREADS,.skip_slot_check = skip_slot_check
  };
  Worker workers[N_THREADS];

  for (guint i = 0; i < N_IMAGES; i++)
    s.pixels[i] = test_pixels (s.engine, i);
  if (wait_tuned)
    y10_engine_wait_tuned (s.engine, -1, NULL, NULL);
  for (guint n = 1; n <= MAX_BATCH; n++)
    for (guint i = 0; i < N_IMAGES; i++)
      expect (&s, n, i);
  for (guint i = 0; i < N_IMAGES; i++)  /* or a mix-up could not be seen */
    for (guint j = 0; j < i; j++)
      g_assert_cmpint (memcmp (s.rows[0][0][i], s.rows[0][0][j],
              sizeof s.rows[0][0][i]), !=, 0);
  compare_batches (&s);
  y10_test_skip_slot_check = skip_slot_check;
  /* Or nothing would change while the steps run. */
  g_assert_false (expect_tuned && is_tuned (s.engine));
  for (guint i = 0; i < N_THREADS; i++) {
    workers[i] = (Worker) {.stress = &s,.random = 2463534242u + i * 7919u };
    pthread_create (&workers[i].thread, NULL, work, &workers[i]);
  }
  for (guint i = 0; i < N_THREADS; i++)
    pthread_join (workers[i].thread, NULL);
  y10_test_skip_slot_check = FALSE;
  g_print ("%u steps on %u threads over %u slots: %u wrong results, %u "
      "errors\n", s.n_done, N_THREADS, n_slots, s.n_wrong, s.n_errors);
  if (expect_tuned && !is_fused (s.engine)) {
    g_print ("nothing was tuned meanwhile\n");
    s.n_errors++;
  }
  for (guint i = 0; i < N_IMAGES; i++)
    g_free (s.pixels[i]);
  if (!skip_slot_check)         /* else its slots are in disarray */
    y10_engine_unref (s.engine);
  return s.n_wrong || s.n_errors || s.n_done < n_steps ? 1 : 0;
}

static gboolean
parse_backend (const char *name)
{
  GString *why = g_string_new (NULL);
  gboolean ok;

  for (backend = Y10_BACKEND_REF; backend < Y10_BACKEND_CUDA; backend++)
    if (strcmp (name, y10_backend_get_name (backend)) == 0)
      break;
  ok = y10_backend_probe (backend, why);
  if (!ok)
    g_print ("%s: %s\n", name, why->str);
  g_string_free (why, TRUE);
  return ok;
}

int
main (int argc, char **argv)
{
  int status;

  if (argc >= 3 && strcmp (argv[1], "--backend") == 0) {
    if (!parse_backend (argv[2]))
      return 77;
    argv[2] = argv[0];
    argc -= 2;
    argv += 2;
  }
  if (argc >= 3 && strcmp (argv[1], "--stress") == 0) {
    gboolean counter = FALSE, skip = FALSE;
    guint n_slots = N_SLOTS;

    for (int i = 3; i < argc; i++) {
      counter |= strcmp (argv[i], "--counter-test") == 0;
      skip |= strcmp (argv[i], "--skip-slot-check") == 0;
      expect_tuned |= strcmp (argv[i], "--expect-tuned") == 0;
      wait_tuned |= strcmp (argv[i], "--tuned") == 0;
      if (strcmp (argv[i], "--slots") == 0 && i + 1 < argc)
        n_slots = (guint) atoi (argv[++i]);
    }
    status = stress ((guint) atoi (argv[2]), n_slots, skip || counter);
    test_dir_remove ();
    if (counter)
      g_print (status ? "as it must be\n" : "NOT NOTICED\n");
    return counter ? !status : status;
  }
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/step/busy", test_busy);
  g_test_add_func ("/step/begin-waits", test_begin_waits);
  g_test_add_func ("/step/stale", test_stale);
  g_test_add_func ("/step/order", test_order);
  g_test_add_func ("/step/arguments", test_arguments);
  g_test_add_func ("/step/config", test_config);
  g_test_add_func ("/step/params-per-image", test_params_per_image);
  g_test_add_func ("/step/poison", test_poison);
  status = g_test_run ();
  test_dir_remove ();
  return status;
}
