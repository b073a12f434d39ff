/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Steps: begin, add, submit, wait, read, end. A call out of this order, with a bad
 * argument or on a step that has ended returns an error that says so.
 *
 * usage: test-step [--backend NAME] [GTEST OPTION...] */

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "run/engine.h"
#include "stepcommon.h"

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
  test_expect_error (g_steal_pointer (&error), Y10_ERROR_BUSY, "2 slots", NULL);
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

/* Without a deadline, y10_step_begin() waits until a slot is free. */
static void
test_begin_waits (void)
{
  g_autoptr (Y10Engine) engine = make_engine (1, 1);
  Y10Step first, second;
  GError *error = NULL;
  pthread_t thread;

  g_assert_true (y10_step_begin (engine, -1, &first, &error));
  pthread_create (&thread, NULL, end_later, &first);
  g_assert_true (y10_step_begin (engine, -1, &second, &error));
  g_assert_no_error (error);
  pthread_join (thread, NULL);
  y10_step_end (&second);
}

/* A step that has ended gives access to nothing, not even to the results of the
 * step that has its slot now. */
static void
test_stale (void)
{
  Y10Engine *engine = make_engine (1, 1);
  float *pixels = test_pixels (engine, 1), *other = test_pixels (engine, 2);
  Y10Detection rows[MAX_ROWS];
  Y10HeadParams params;
  Y10StepTimes times = { .size = sizeof times };
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
    test_expect_error (g_steal_pointer (&error), Y10_ERROR_STALE, "has ended",
        NULL);
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
    y10_step_end (&old); /* nothing happens */
    /* Once more while another step, which is done, holds the slot. */
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
  Y10StepTimes times = { .size = sizeof times };
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
  test_expect_error (g_steal_pointer (&error), Y10_ERROR_STALE, "cannot wait",
      "is open", NULL);
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
  test_expect_error (g_steal_pointer (&error), Y10_ERROR_STALE, "cannot submit",
      NULL);
  g_assert_true (y10_step_wait_input (&step, -1, &error));
  g_assert_true (y10_step_wait (&step, -1, &error));
  g_assert_true (y10_step_wait (&step, -1, &error)); /* again is fine */
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

/* An error names each argument that is out of range, and the step goes on. */
static void
test_arguments (void)
{
  static const struct
  {
    float confidence, iou;
    guint max_detections;
    const char *text[2];
  } bad[] = {
    { -0.1f, 0.7f, 10, { "confidence is -0.1", "0 to 1" } },
    { 1.5f, 0.7f, 10, { "confidence is 1.5", "0 to 1" } },
    { __builtin_nanf (""), 0.7f, 10, { "confidence is", "0 to 1" } },
    { 0.25f, -1, 10, { "iou is -1", "0 to 1" } },
    { 0.25f, 2, 10, { "iou is 2", "0 to 1" } },
    { 0.25f, 0.7f, 0, { "max_detections is 0", "1 to" } },
    { 0.25f, 0.7f, MAX_ROWS + 1, { "max_detections is 64", "63" } },
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
  test_expect_error (g_steal_pointer (&error), Y10_ERROR_INVALID_ARGUMENT, "16",
      "32", NULL);
  wrong = image;
  wrong.memory = Y10_MEMORY_CUDA;
  if (options.backend != Y10_BACKEND_CUDA) {
    g_assert_false (y10_step_add (&step, &wrong, &params, &error));
    test_expect_error (g_steal_pointer (&error), Y10_ERROR_UNSUPPORTED, "CUDA",
        y10_backend_get_name (options.backend), NULL);
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
    { 33, 32, 1, 1, 1, 300, { "width is 33", "multiple of 32" } },
    { 32, 100, 1, 1, 1, 300, { "height is 100", "multiple of 32" } },
    { 1 << 20, 32, 1, 1, 1, 300, { "width is 1048576", "8192" } },
    { 32, 32, 65, 1, 1, 300, { "max_batch is 65", "0 to 64" } },
    { 32, 32, 1, 17, 1, 300, { "n_slots is 17", "0 to 16" } },
    { 32, 32, 1, 1, 257, 300, { "threads is 257", "0 to 256" } },
    { 32, 32, 1, 1, 1, 0, { "max_detections is 0", "1 to 8400" } },
    { 32, 32, 1, 1, 1, 8401, { "max_detections is 8401", "1 to 8400" } },
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
  /* The error lists the precisions that the backend has, or says why there is no
   * such backend. */
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
  g_autoptr (Y10Engine) engine = make_engine (1, 3);
  g_autofree float *pixels = test_pixels (engine, 1);
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
  memset (classes, 0, sizeof classes); /* it was copied */
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
}

static gboolean
poison (Y10Engine *engine, gpointer slot, GError **error)
{
  engine->backend->poison (engine->slots[GPOINTER_TO_UINT (slot)].slot);
  return TRUE;
}

/* What an earlier step left in a slot, padding included, does not change the next
 * step's results. Odd widths, so that there is padding everywhere. */
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

int
main (int argc, char **argv)
{
  int status;

  if (!take_backend (&argc, &argv))
    return 77;
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
