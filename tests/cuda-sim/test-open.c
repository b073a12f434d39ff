/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Opening the CUDA backend on the simulated GPU, where cuDNN does not run plans
 * that were built without a handle, or runs none. */

#include <string.h>

#include "control.h"
#include "pico.h"

#define MAX_ROWS PICO_MAX_ROWS

static const char what_runs[] = "plans built with a handle";

static Y10Engine *
make_engine (gboolean tune, GError **error)
{
  Y10EngineConfig config;

  pico_config_init (&config, Y10_BACKEND_CUDA);
  config.tune = tune;
  return pico_engine (&config, error);
}

static void
wait_for_tuning (Y10Engine *engine)
{
  Y10TuningProgress progress;

  do {
    g_usleep (10 * 1000);
    progress = (Y10TuningProgress){ .size = sizeof progress };
    y10_engine_get_tuning_progress (engine, &progress);
  } while (!progress.finished);
}

/* Returns the number of ops that run a plan built by the tuner's threads. */
static guint
count_fused (const Y10Engine *engine)
{
  Y10OpInfo info = { .size = sizeof info };
  guint n = 0;

  for (guint i = 0; i < y10_engine_get_n_ops (engine); i++) {
    y10_engine_get_op (engine, i, &info);
    n += info.impl && strstr (info.impl, "fused");
  }
  return n;
}

/* Plans are built without a handle if such plans run, else with one, also by
 * the tuner's threads; the results are the same. */
static void
test_handles (void)
{
  static const char *const cudnn[] = { NULL, "handles", "silent" };
  Y10Detection rows[G_N_ELEMENTS (cudnn)][MAX_ROWS];
  Y10Detection tuned[MAX_ROWS];

  for (guint i = 0; i < G_N_ELEMENTS (cudnn); i++) {
    GError *error = NULL;
    Y10Engine *engine;
    float *pixels;

    if (cudnn[i])
      g_setenv ("Y10_SIM_CUDNN", cudnn[i], TRUE);
    engine = make_engine (FALSE, &error);
    g_assert_no_error (error);
    g_assert_cmpint (strstr (y10_engine_get_device (engine), what_runs) != NULL,
        ==, cudnn[i] != NULL);
    pixels = test_pixels (engine, 3);
    g_assert_cmpuint (test_detect (engine, pixels, rows[i], MAX_ROWS), ==,
        MAX_ROWS);
    g_assert_cmpmem (rows[i], sizeof rows[i], rows[0], sizeof rows[0]);
    y10_engine_unref (engine);

    g_setenv ("Y10_SIM_FUSE", "", TRUE);
    engine = make_engine (TRUE, &error);
    g_assert_no_error (error);
    wait_for_tuning (engine);
    for (guint k = 0; k < 2; k++) /* the first run takes them over */
      g_assert_cmpuint (test_detect (engine, pixels, tuned, MAX_ROWS), ==,
          MAX_ROWS);
    g_assert_cmpfloat_with_epsilon (tuned[0].confidence, rows[i][0].confidence,
        0.01);
    g_assert_cmpuint (count_fused (engine), >, 0);
    g_unsetenv ("Y10_SIM_FUSE");
    g_free (pixels);
    y10_engine_unref (engine);
  }
  g_unsetenv ("Y10_SIM_CUDNN");
}

static void
test_refused (void)
{
  GError *error = NULL;

  g_setenv ("Y10_SIM_CUDNN", "refuse", TRUE);
  g_assert_null (make_engine (FALSE, &error));
  test_expect_error (error, Y10_ERROR_NO_BACKEND,
      "cuDNN does not run a convolution", "EXECUTION_FAILED", NULL);
  g_unsetenv ("Y10_SIM_CUDNN");
}

/* No code for the GPU: the error has the GPU, the driver and the build's code. */
static void
test_no_code (void)
{
  GError *error = NULL;

  g_setenv ("Y10_SIM_LOAD", "209", TRUE);
  g_assert_null (make_engine (FALSE, &error));
  test_expect_error (error, Y10_ERROR_BACKEND, "loading our kernels", "209",
      "the GPU is sm_75, and its driver supports CUDA 13.0",
      "this build has code for sm_75 to sm_120", NULL);
  g_unsetenv ("Y10_SIM_LOAD");
}

int
main (int argc, char **argv)
{
  int status;

  /* No plans from an earlier run. */
  g_setenv ("XDG_CACHE_HOME", test_dir (), TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/open/handles", test_handles);
  g_test_add_func ("/open/refused", test_refused);
  g_test_add_func ("/open/no-code", test_no_code);
  status = g_test_run ();
  test_dir_remove ();
  return status;
}
