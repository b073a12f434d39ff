/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A picture whose columns were doubled, with pixels that are half as wide, gives the
 * detections of the picture itself at twice the x, on any backend. --backend NAME */

#include <string.h>

#include "pico.h"

#define WIDTH 48
#define HEIGHT 32

static Y10BackendKind backend = Y10_BACKEND_REF;
static guint8 plain[HEIGHT][WIDTH][3], doubled[HEIGHT][2 * WIDTH][3];

static void
draw (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);

  for (guint y = 0; y < HEIGHT; y++)
    for (guint x = 0; x < WIDTH; x++)
      for (guint c = 0; c < 3; c++) {
        guint8 value = (guint8) g_rand_int (rand);

        plain[y][x][c] = doubled[y][2 * x][c] = doubled[y][2 * x + 1][c] =
            value;
      }
}

static guint
detect (Y10Engine *engine, const Y10Image *image, const Y10HeadParams *params,
    Y10Detection *rows)
{
  GError *error = NULL;
  Y10Step step;
  gint n;

  y10_step_begin (engine, -1, &step, &error);
  g_assert_no_error (error);
  y10_step_add (&step, image, params, &error);
  g_assert_no_error (error);
  y10_step_submit (&step, &error);
  g_assert_no_error (error);
  y10_step_wait (&step, -1, &error);
  g_assert_no_error (error);
  n = y10_step_read (&step, 0, rows, PICO_MAX_ROWS, &error);
  g_assert_no_error (error);
  y10_step_end (&step);
  return (guint) n;
}

static Y10Engine *
make_engine (void)
{
  Y10EngineConfig config;

  pico_config_init (&config, backend);
  config.precision = Y10_PRECISION_FP32;
  config.width = 2 * PICO_SIZE;
  config.max_batch = 3;
  config.tune = FALSE;
  return pico_engine (&config, NULL);
}

/* 48 x 32 fits into 64 x 32 without scaling, and so does 96 x 32 as displayed: each
 * pixel is the mean of two equal ones. */
static void
test_doubled (void)
{
  g_autoptr (Y10Engine) engine = make_engine ();
  Y10HeadParams params = Y10_HEAD_PARAMS_INIT;
  Y10Image one = {
    .size = sizeof one,
    .format = Y10_PIXEL_RGB,
    .width = WIDTH,
    .height = HEIGHT,
    .plane = { &plain[0][0][0] },
    .stride = { sizeof plain[0] },
  };
  Y10Image two = {
    .size = sizeof two,
    .format = Y10_PIXEL_RGB,
    .width = 2 * WIDTH,
    .height = HEIGHT,
    .plane = { &doubled[0][0][0] },
    .stride = { sizeof doubled[0] },
    .par_n = 1,
    .par_d = 2,
  };
  Y10Detection expected[PICO_MAX_ROWS], rows[PICO_MAX_ROWS];
  guint n, n_wide = 0;

  draw ();
  params.confidence = 0;
  params.max_detections = PICO_MAX_ROWS;
  n = detect (engine, &one, &params, expected);
  g_assert_cmpuint (n, >, 5);
  /* Twice: the second time with what the first one has prepared. */
  for (guint round = 0; round < 2; round++) {
    g_assert_cmpuint (detect (engine, &two, &params, rows), ==, n);
    for (guint i = 0; i < n; i++) {
      Y10Detection row = expected[i];

      row.x0 *= 2;
      row.x1 *= 2;
      g_assert_cmpmem (&row, sizeof row, &rows[i], sizeof row);
    }
    /* The same display size, other pixels. */
    g_assert_cmpuint (detect (engine, &one, &params, rows), ==, n);
    g_assert_cmpmem (rows, n * sizeof *rows, expected, n * sizeof *rows);
  }
  /* Limits are in the image's own pixels. */
  params.min_width = 2 * (expected[n / 2].x1 - expected[n / 2].x0);
  for (guint i = 0; i < n; i++)
    if (2 * (expected[i].x1 - expected[i].x0) >= params.min_width)
      expected[n_wide++] = expected[i];
  g_assert_cmpuint (n_wide, <, n);
  g_assert_cmpuint (detect (engine, &two, &params, rows), ==, n_wide);
  for (guint i = 0; i < n_wide; i++)
    g_assert_cmpfloat (rows[i].x0, ==, 2 * expected[i].x0);
}

static void
test_refused (void)
{
  static const guint ratios[][2] = { { 5, 1 }, { 1, 5 }, { 1, 65535 }, { 1, 0 },
    { G_MAXUINT, 1 } };
  static const guint good[][2] = { { 4, 1 }, { 7, 28 }, { 7, 7 } };
  g_autoptr (Y10Engine) engine = make_engine ();
  Y10HeadParams params = Y10_HEAD_PARAMS_INIT;
  Y10Image image = {
    .size = sizeof image,
    .format = Y10_PIXEL_RGB,
    .width = WIDTH,
    .height = HEIGHT,
    .plane = { &plain[0][0][0] },
    .stride = { sizeof plain[0] },
  };
  GError *error = NULL;
  Y10Step step;

  params.max_detections = PICO_MAX_ROWS;
  y10_step_begin (engine, -1, &step, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (ratios); i++) {
    image.par_n = ratios[i][0];
    image.par_d = ratios[i][1];
    g_assert_false (y10_step_add (&step, &image, &params, &error));
    test_expect_error (error, Y10_ERROR_INVALID_ARGUMENT, "pixel aspect ratio",
        "1/4 to 4/1", NULL);
    error = NULL;
  }
  for (guint i = 0; i < G_N_ELEMENTS (good); i++) {
    image.par_n = good[i][0];
    image.par_d = good[i][1];
    y10_step_add (&step, &image, &params, &error);
    g_assert_no_error (error);
  }
  y10_step_end (&step);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!test_parse_backend (&argc, &argv, &backend))
    return 2;
  g_test_add_func ("/anamorphic/doubled", test_doubled);
  g_test_add_func ("/anamorphic/refused", test_refused);
  return g_test_run ();
}
