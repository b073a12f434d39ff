/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Confidence per class, and limits of size: of all rows exactly those must
 * remain that the test's own filter keeps, with separate limits for each image
 * of a step. */

#include <math.h>
#include <string.h>

#include "util.h"

#define SIZE 64
#define ROWS 252 /* all pairs of the 84 anchors and 3 classes */

static Y10Model *model;
static Y10Engine *engine;
static float *pixels;
static Y10Detection all[ROWS];
static guint n_all;

static guint
detect (const Y10HeadParams *params, Y10Detection *rows)
{
  Y10Image image;
  GError *error = NULL;
  Y10Step step;
  int n;

  test_tensor_image (engine, pixels, &image);
  g_assert_true (y10_step_begin (engine, -1, &step, &error));
  g_assert_true (y10_step_add (&step, &image, params, &error));
  g_assert_true (y10_step_submit (&step, &error));
  g_assert_true (y10_step_wait (&step, -1, &error));
  n = y10_step_read (&step, 0, rows, ROWS, &error);
  g_assert_no_error (error);
  y10_step_end (&step);
  return (guint) n;
}

/* @keep: whether a row should remain. */
static void
assert_left (const Y10HeadParams *params,
    gboolean (*keep) (const Y10Detection *))
{
  Y10Detection rows[ROWS];
  guint n = detect (params, rows), at = 0;

  for (guint i = 0; i < n_all && at < params->max_detections; i++)
    if (keep (&all[i])) {
      g_assert_cmpuint (at, <, n);
      g_assert_cmpmem (&rows[at], sizeof *rows, &all[i], sizeof *all);
      at++;
    }
  g_assert_cmpuint (at, ==, n);
  g_assert_cmpuint (n, <, n_all);
}

static gfloat middle;

static gboolean
confident (const Y10Detection *d)
{
  return d->confidence >= (d->class_id == 1 ? middle
                 : d->class_id == 2         ? 0
                                            : 1);
}

static gboolean
wide (const Y10Detection *d)
{
  return d->x1 - d->x0 >= 20 && d->y1 - d->y0 >= SIZE / 4.0f;
}

static gboolean
small (const Y10Detection *d)
{
  return d->x1 - d->x0 <= SIZE / 2.0f && d->y1 - d->y0 <= 30;
}

static void
test_classes (void)
{
  Y10HeadParams params = Y10_HEAD_PARAMS_INIT;
  gfloat confidence[] = { 1, 0, 0 };

  middle = all[n_all / 2].confidence;
  confidence[1] = middle;
  params.confidence = 0.9f;
  params.max_detections = ROWS;
  params.class_confidence = confidence;
  assert_left (&params, confident);
  /* Rows that are dropped take no other row's place. */
  params.max_detections = 5;
  assert_left (&params, confident);
}

static void
test_unset_class (void)
{
  const gfloat confidence[] = { -1, -1, -1 };
  Y10HeadParams params = Y10_HEAD_PARAMS_INIT, plain = params;
  Y10Detection rows[ROWS], expected[ROWS];
  guint n;

  params.confidence = plain.confidence = all[n_all / 3].confidence;
  params.max_detections = plain.max_detections = ROWS;
  params.class_confidence = confidence;
  n = detect (&plain, expected);
  g_assert_cmpuint (detect (&params, rows), ==, n);
  g_assert_cmpmem (rows, n * sizeof *rows, expected, n * sizeof *expected);
}

static void
test_sizes (void)
{
  Y10HeadParams params = Y10_HEAD_PARAMS_INIT;

  params.confidence = 0;
  params.max_detections = ROWS;
  params.min_width = 20;
  params.min_height = 0.25f;
  assert_left (&params, wide);
  params.min_width = params.min_height = 0;
  params.max_width = 0.5f;
  params.max_height = 30;
  assert_left (&params, small);
}

static void
test_invalid (void)
{
  const gfloat too_much[] = { 0.5f, 1.5f, 0 }, nan[] = { 0, 0, NAN };
  Y10HeadParams params = Y10_HEAD_PARAMS_INIT;
  GError *error = NULL;
  Y10Image image;
  Y10Step step;

  test_tensor_image (engine, pixels, &image);
  g_assert_true (y10_step_begin (engine, -1, &step, &error));
  params.class_confidence = too_much;
  g_assert_false (y10_step_add (&step, &image, &params, &error));
  test_expect_error (g_steal_pointer (&error), Y10_ERROR_INVALID_ARGUMENT,
      "class 1", "1.5", NULL);
  params.class_confidence = nan;
  g_assert_false (y10_step_add (&step, &image, &params, &error));
  test_expect_error (g_steal_pointer (&error), Y10_ERROR_INVALID_ARGUMENT,
      "class 2", NULL);
  y10_step_end (&step);
}

static void
test_parse (void)
{
  GError *error = NULL;
  gfloat c[3], width, height;

  g_assert_true (y10_model_parse_class_confidence (model,
      " class 1 = 0.4, *=.2", c, &error));
  g_assert_cmpfloat (c[0], ==, 0.2f);
  g_assert_cmpfloat (c[1], ==, 0.4f);
  g_assert_true (y10_model_parse_class_confidence (model, "2=1", c, &error));
  g_assert_cmpfloat (c[0], ==, -1);
  g_assert_cmpfloat (c[2], ==, 1);
  g_assert_true (y10_model_parse_class_confidence (model, "", c, &error));
  g_assert_cmpfloat (c[2], ==, -1);
  for (guint i = 0; i < 6; i++) {
    static const char *const bad[] = { "class 1", "3=0.5", "class 1=2",
      "class 1=0.5,1=0.5", "*=nan", "=0.5" };

    g_assert_false (
        y10_model_parse_class_confidence (model, bad[i], c, &error));
    test_expect_error (g_steal_pointer (&error), Y10_ERROR_INVALID_ARGUMENT,
        NULL);
  }
  g_assert_true (y10_size_limit_parse ("64x0.5", &width, &height, &error));
  g_assert_cmpfloat (width, ==, 64);
  g_assert_cmpfloat (height, ==, 0.5f);
  g_assert_true (y10_size_limit_parse ("32", &width, &height, &error));
  g_assert_cmpfloat (height, ==, 32);
  for (guint i = 0; i < 5; i++) {
    static const char *const bad[] = { "x", "3x", "1x2x3", "-1", "inf" };

    g_assert_false (y10_size_limit_parse (bad[i], &width, &height, &error));
    test_expect_error (g_steal_pointer (&error), Y10_ERROR_INVALID_ARGUMENT,
        bad[i], NULL);
  }
}

int
main (int argc, char **argv)
{
  Y10TestTensors *tensors;
  int status;

  g_test_init (&argc, &argv, NULL);
  tensors = test_tensors ("pico-nc3", 1);
  model = test_model (tensors, NULL);
  engine = test_engine (model, Y10_BACKEND_REF, SIZE, SIZE);
  pixels = test_pixels (engine, 1);
  n_all = test_detect (engine, pixels, all, ROWS);
  g_assert_cmpuint (n_all, ==, ROWS);
  y10_test_tensors_free (tensors);
  g_test_add_func ("/limits/classes", test_classes);
  g_test_add_func ("/limits/unset-class", test_unset_class);
  g_test_add_func ("/limits/sizes", test_sizes);
  g_test_add_func ("/limits/invalid", test_invalid);
  g_test_add_func ("/limits/parse", test_parse);
  status = g_test_run ();
  g_free (pixels);
  y10_engine_unref (engine);
  y10_model_unref (model);
  test_dir_remove ();
  return status;
}
