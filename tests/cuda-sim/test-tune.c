/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Tuning while steps run, on the simulated GPU: the network's results equal the
 * reference's before and afterwards, plans that are wrong or cannot be built
 * are rejected, the second start builds none, and tuning can be stopped at any
 * time. Y10_SIM_FUSE selects the available plans, see
 * tests/cuda-sim/conv_plain.c. */

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../engine/pico.h"
#include "control.h"
#include "plans.h"

#define MAX_ROWS PICO_MAX_ROWS
#define PLAIN "cuda:plain"
#define FUSED "cuda:plain,fused"

static Y10Engine *
make_engine (Y10BackendKind backend, Y10Precision precision, guint max_batch,
    gboolean tune)
{
  Y10EngineConfig config;

  pico_config_init (&config, backend);
  config.precision = precision;
  config.max_batch = max_batch;
  config.tune = tune;
  return pico_engine (&config, NULL);
}

/* Tunes a new engine with the plans @what (Y10_SIM_FUSE) and the current
 * cache. */
static Y10Engine *
make_tuned (const char *what, Y10Precision precision,
    Y10TuningProgress *progress)
{
  Y10Engine *engine;

  g_setenv ("Y10_SIM_FUSE", what, TRUE);
  engine = make_engine (Y10_BACKEND_CUDA, precision, 1, TRUE);
  pico_wait_tuned (engine, progress);
  return engine;
}

/* The simulator's times are real times of a machine that runs other programs,
 * too. */
static void
expect_most_faster (const Y10TuningProgress *progress)
{
  g_assert_cmpuint (progress->faster, <=, progress->total);
  g_assert_cmpuint (progress->faster, >, progress->total / 2);
}

/* Returns the number of convolutions that run by @impl. */
static guint
count_impl (Y10Engine *engine, const char *impl)
{
  guint n = 0;

  for (guint i = 0; i < y10_engine_get_n_ops (engine); i++) {
    Y10OpInfo op = { .size = sizeof op };

    y10_engine_get_op (engine, i, &op);
    n += strcmp (op.impl, impl) == 0;
  }
  return n;
}

/* Each row of the reference matches a different one of ours. */
static void
expect_reference (Y10Engine *engine, double score, double box)
{
  Y10Engine *reference = make_engine (Y10_BACKEND_REF, Y10_PRECISION_FP32, 1,
      TRUE);
  Y10Detection expected[MAX_ROWS], got[MAX_ROWS];

  for (guint seed = 0; seed < 3; seed++) {
    float *pixels = test_pixels (reference, seed);
    guint n = test_detect (reference, pixels, expected, MAX_ROWS);
    guint m = test_detect (engine, pixels, got, MAX_ROWS);
    gboolean taken[MAX_ROWS] = { FALSE };

    g_assert_cmpuint (n, ==, m);
    /* The last rows may differ if their scores are nearly equal. */
    for (guint i = 0;
         i < n && expected[i].confidence > expected[n - 1].confidence + score;
         i++) {
      guint k;

      for (k = 0; k < n; k++)
        if (!taken[k] && pico_row_is_near (&got[k], &expected[i], score, box))
          break;
      g_assert_cmpuint (k, <, n);
      taken[k] = TRUE;
    }
    g_free (pixels);
  }
  y10_engine_unref (reference);
}

/* Steps adopt the tuned plans, and their results stay the same. */
static void
test_adopted (void)
{
  Y10Engine *engine;
  Y10TuningProgress progress = { .size = sizeof progress };
  guint n_convs;

  plans_each (plans_delete);
  engine = make_tuned ("", Y10_PRECISION_FP32, &progress);
  g_assert_cmpuint (progress.loaded, ==, 0);
  g_assert_cmpuint (progress.wrong, ==, 0);
  expect_most_faster (&progress);
  g_assert_null (progress.note);
  g_assert_cmpuint (count_impl (engine, FUSED), ==, 0);
  n_convs = count_impl (engine, PLAIN);
  expect_reference (engine, 1e-4, 0.05);
  /* All convolutions are fused but those without an epilogue and those that add
   * in place. */
  g_assert_cmpuint (count_impl (engine, FUSED), >=, progress.faster);
  g_assert_cmpuint (count_impl (engine, FUSED), >, n_convs / 2);
  g_assert_cmpuint (count_impl (engine, PLAIN), >=, 3);
  g_assert_cmpuint (count_impl (engine, PLAIN) + count_impl (engine, FUSED), ==,
      n_convs);
  y10_engine_unref (engine);

  engine = make_tuned ("", Y10_PRECISION_FP16, &progress);
  expect_most_faster (&progress);
  expect_reference (engine, 0.01, 1);
  g_assert_cmpuint (count_impl (engine, FUSED), >=, progress.faster);
  y10_engine_unref (engine);
}

/* Plans with other results are rejected with one warning; the next best plan is
 * taken, or none. */
static void
test_wrong (void)
{
  Y10Engine *engine;
  Y10TuningProgress progress = { .size = sizeof progress };

  plans_each (plans_delete);
  g_test_expect_message (NULL, G_LOG_LEVEL_WARNING,
      "*rejected cuda:plain,fused,wrong: *differs from that of our own kernel by *");
  engine = make_tuned ("wrong", Y10_PRECISION_FP32, &progress);
  g_test_assert_expected_messages ();
  g_assert_cmpuint (progress.wrong, ==, progress.total);
  expect_most_faster (&progress);
  expect_reference (engine, 1e-4, 0.05);
  g_assert_cmpuint (count_impl (engine, "cuda:plain,fused,wrong"), ==, 0);
  y10_engine_unref (engine);

  /* Unwritten outputs are NaN; no later difference may replace that. */
  plans_each (plans_delete);
  g_test_expect_message (NULL, G_LOG_LEVEL_WARNING,
      "*rejected cuda:plain,fused,partial: *differs from that of our own kernel by inf *");
  engine = make_tuned ("partial,none", Y10_PRECISION_FP32, &progress);
  g_test_assert_expected_messages ();
  g_assert_cmpuint (progress.wrong, ==, progress.total);
  g_assert_cmpuint (progress.faster, ==, 0);
  y10_engine_unref (engine);

  plans_each (plans_delete);
  g_test_expect_message (NULL, G_LOG_LEVEL_WARNING, "*rejected*");
  engine = make_tuned ("wrong,none", Y10_PRECISION_FP32, &progress);
  g_test_assert_expected_messages ();
  g_assert_cmpuint (progress.faster, ==, 0);
  expect_reference (engine, 1e-4, 0.05);
  g_assert_cmpuint (count_impl (engine, FUSED), ==, 0);
  y10_engine_unref (engine);
}

/* Plans that pass the trial, but then cannot be captured or do not run, change
 * nothing. */
static void
test_stubborn (void)
{
  Y10Engine *engine;
  Y10TuningProgress progress = { .size = sizeof progress };

  plans_each (plans_delete);
  engine = make_tuned ("stubborn", Y10_PRECISION_FP32, &progress);
  expect_most_faster (&progress);
  g_test_expect_message (NULL, G_LOG_LEVEL_WARNING,
      "*new plans for 1 images are not used for now: *it runs once*");
  expect_reference (engine, 1e-4, 0.05);
  g_test_assert_expected_messages ();
  g_assert_cmpuint (count_impl (engine, FUSED), ==, 0);
  y10_engine_unref (engine);
}

static void
test_broken (void)
{
  Y10Engine *engine;
  Y10TuningProgress progress = { .size = sizeof progress };

  plans_each (plans_delete);
  engine = make_tuned ("broken", Y10_PRECISION_FP32, &progress);
  expect_most_faster (&progress);
  g_assert_cmpuint (progress.wrong, ==, 0);
  y10_engine_unref (engine);
  plans_each (plans_delete);
  engine = make_tuned ("broken,none", Y10_PRECISION_FP32, &progress);
  g_assert_cmpuint (progress.faster, ==, 0);
  expect_reference (engine, 1e-4, 0.05);
  y10_engine_unref (engine);
  /* The cache also records that no plan was found. */
  engine = make_tuned ("", Y10_PRECISION_FP32, &progress);
  g_assert_cmpuint (progress.loaded, ==, progress.total);
  g_assert_cmpuint (progress.faster, ==, 0);
  y10_engine_unref (engine);
}

static void
test_cache (void)
{
  Y10TuningProgress progress = { .size = sizeof progress };
  Y10Engine *engine;
  guint n_files, n_faster;

  plans_each (plans_delete);
  y10_engine_unref (make_tuned ("", Y10_PRECISION_FP32, &progress));
  g_assert_cmpuint (progress.loaded, ==, 0);
  n_files = plans_each (NULL);
  n_faster = progress.faster;
  g_assert_cmpuint (n_files, ==, progress.total);
  /* Loaded plans are verified again, and used. */
  engine = make_tuned ("none", Y10_PRECISION_FP32, &progress);
  g_assert_cmpuint (progress.loaded, ==, progress.total);
  g_assert_cmpuint (progress.faster, ==, n_faster);
  expect_reference (engine, 1e-4, 0.05);
  g_assert_cmpuint (count_impl (engine, FUSED), >=, progress.faster);
  y10_engine_unref (engine);
  /* Another precision needs other plans. */
  y10_engine_unref (make_tuned ("", Y10_PRECISION_FP16, &progress));
  g_assert_cmpuint (progress.loaded, ==, 0);
  g_assert_cmpuint (plans_each (plans_cut), ==, 2 * n_files);
  engine = make_tuned ("", Y10_PRECISION_FP32, &progress);
  g_assert_cmpuint (progress.loaded, ==, 0);
  expect_most_faster (&progress);
  expect_reference (engine, 1e-4, 0.05);
  y10_engine_unref (engine);
  /* The repaired entries are valid again. */
  y10_engine_unref (make_tuned ("", Y10_PRECISION_FP32, &progress));
  g_assert_cmpuint (progress.loaded, ==, progress.total);
}

static void
test_cache_unusable (void)
{
  g_autofree char *folder = plans_folder ();
  Y10TuningProgress progress = { .size = sizeof progress };
  Y10Engine *engine;

  plans_each (plans_delete);
  g_assert_cmpint (chmod (folder, 0777), ==, 0);
  g_test_expect_message (NULL, G_LOG_LEVEL_MESSAGE,
      "*so every start builds the plans again*writable by other users*");
  engine = make_tuned ("", Y10_PRECISION_FP32, &progress);
  g_test_assert_expected_messages ();
  expect_most_faster (&progress);
  g_assert_cmpuint (plans_each (NULL), ==, 0);
  y10_engine_unref (engine);
  g_assert_cmpint (chmod (folder, 0700), ==, 0);
}

/* No tuning: switched off, or not possible. */
static void
test_off (void)
{
  Y10TuningProgress progress = { .size = sizeof progress };
  Y10Engine *engine;

  g_setenv ("Y10_SIM_FUSE", "", TRUE);
  engine = make_engine (Y10_BACKEND_CUDA, Y10_PRECISION_FP32, 1, FALSE);
  g_assert_true (y10_engine_wait_tuned (engine, -1, NULL, NULL));
  y10_engine_get_tuning_progress (engine, &progress);
  g_assert_true (progress.finished);
  g_assert_cmpuint (progress.total, ==, 0);
  expect_reference (engine, 1e-4, 0.05);
  g_assert_cmpuint (count_impl (engine, FUSED), ==, 0);
  y10_engine_unref (engine);

  g_unsetenv ("Y10_SIM_FUSE");
  engine = make_engine (Y10_BACKEND_CUDA, Y10_PRECISION_FP32, 1, TRUE);
  y10_engine_get_tuning_progress (engine, &progress);
  g_assert_true (progress.finished);
  g_assert_cmpuint (progress.total, ==, 0);
  g_assert_cmpstr (progress.note, ==, "there is no cuDNN");
  expect_reference (engine, 1e-4, 0.05);
  y10_engine_unref (engine);

  engine = make_engine (Y10_BACKEND_REF, Y10_PRECISION_FP32, 1, TRUE);
  y10_engine_get_tuning_progress (engine, &progress);
  g_assert_true (progress.finished);
  g_assert_true (y10_engine_wait_tuned (engine, 0, NULL, NULL));
  y10_engine_unref (engine);
}

/* Waiting ends on time, and an engine is freed that is still tuning. */
static void
test_quit (void)
{
  GCancellable *cancellable = g_cancellable_new ();
  Y10TuningProgress progress = { .size = sizeof progress };
  GError *error = NULL;
  Y10Engine *engine;

  plans_each (plans_delete);
  g_setenv ("Y10_SIM_FUSE", "broken", TRUE);
  g_setenv ("Y10_SIM_BUILD_MS", "200", TRUE);
  for (guint i = 0; i < 4; i++) {
    engine = make_engine (Y10_BACKEND_CUDA, Y10_PRECISION_FP32, 1, TRUE);
    g_assert_false (y10_engine_wait_tuned (engine,
        g_get_monotonic_time () + (gint64) i * 120000, NULL, &error));
    test_expect_error (g_steal_pointer (&error), Y10_ERROR_TIMED_OUT, NULL);
    y10_engine_get_tuning_progress (engine, &progress);
    g_assert_false (progress.finished);
    if (i == 3) {
      g_cancellable_cancel (cancellable);
      g_assert_false (y10_engine_wait_tuned (engine, -1, cancellable, &error));
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
      g_clear_error (&error);
    }
    y10_engine_unref (engine);
  }
  /* Frees an engine after some tuned plans are in use. */
  g_setenv ("Y10_SIM_BUILD_MS", "10", TRUE);
  engine = make_engine (Y10_BACKEND_CUDA, Y10_PRECISION_FP32, 1, TRUE);
  while (count_impl (engine, FUSED) == 0) {
    expect_reference (engine, 1e-4, 0.05);
    y10_engine_get_tuning_progress (engine, &progress);
    g_assert_false (progress.finished);
  }
  y10_engine_unref (engine);
  g_unsetenv ("Y10_SIM_BUILD_MS");
  g_object_unref (cancellable);
}

/* A step with one image, which fails. */
static void
expect_failure (Y10Engine *engine, Y10Error code)
{
  g_autofree float *pixels = test_pixels (engine, 1);
  Y10HeadParams params = Y10_HEAD_PARAMS_INIT;
  GError *error = NULL;
  Y10Image image;
  Y10Step step;

  params.max_detections = MAX_ROWS;
  test_tensor_image (engine, pixels, &image);
  g_assert_true (y10_step_begin (engine, -1, &step, NULL));
  g_assert_true (y10_step_add (&step, &image, &params, NULL));
  g_assert_true (y10_step_submit (&step, NULL));
  g_assert_false (y10_step_wait (&step, -1, &error));
  test_expect_error (error, code, NULL);
  y10_step_end (&step);
}

static void
detect_images (Y10Engine *engine, const float *pixels, guint n,
    Y10Detection *rows)
{
  Y10HeadParams params = Y10_HEAD_PARAMS_INIT;
  GError *error = NULL;
  Y10Image image;
  Y10Step step;

  params.confidence = 0;
  params.max_detections = MAX_ROWS;
  test_tensor_image (engine, pixels, &image);
  g_assert_true (y10_step_begin (engine, -1, &step, &error));
  for (guint i = 0; i < n; i++)
    g_assert_true (y10_step_add (&step, &image, &params, &error));
  g_assert_true (y10_step_submit (&step, &error));
  g_assert_true (y10_step_wait (&step, -1, &error));
  g_assert_no_error (error);
  for (guint i = 0; i < n; i++)
    g_assert_cmpint (y10_step_read (&step, i, rows + i * MAX_ROWS, MAX_ROWS,
                         &error),
        ==, MAX_ROWS);
  y10_step_end (&step);
}

/* Batch sizes are tuned when they first occur; results depend neither on the
 * other images nor on the plan. */
static void
test_batches (void)
{
  Y10Detection before[3 * MAX_ROWS], after[3 * MAX_ROWS], many[8 * MAX_ROWS];
  Y10TuningProgress progress = { .size = sizeof progress };
  Y10Engine *engine;
  float *pixels;
  guint total;

  plans_each (plans_delete);
  g_setenv ("Y10_SIM_FUSE", "", TRUE);
  engine = make_engine (Y10_BACKEND_CUDA, Y10_PRECISION_FP32, 3, TRUE);
  pixels = test_pixels (engine, 1);
  detect_images (engine, pixels, 3, before);
  g_assert_true (y10_engine_wait_tuned (engine, -1, NULL, NULL));
  y10_engine_get_tuning_progress (engine, &progress);
  total = progress.total;
  for (guint n = 2; n > 0; n--) {
    detect_images (engine, pixels, n, after);
    g_assert_true (y10_engine_wait_tuned (engine, -1, NULL, NULL));
    y10_engine_get_tuning_progress (engine, &progress);
    g_assert_cmpuint (progress.total, ==, (4 - n) * total);
    g_assert_cmpuint (progress.done, ==, progress.total);
    expect_most_faster (&progress);
  }
  for (guint n = 1; n <= 3; n++) {
    detect_images (engine, pixels, n, after);
    g_assert_cmpmem (after, n * MAX_ROWS * sizeof *after, before,
        n * MAX_ROWS * sizeof *before);
  }
  y10_engine_unref (engine);
  /* Steps of 1 to 8 images are tuned as 1, 2, 4 and 8. */
  engine = make_engine (Y10_BACKEND_CUDA, Y10_PRECISION_FP32, 8, TRUE);
  for (guint n = 8; n > 0; n--)
    detect_images (engine, pixels, n, many);
  g_assert_true (y10_engine_wait_tuned (engine, -1, NULL, NULL));
  y10_engine_get_tuning_progress (engine, &progress);
  g_test_message ("steps of 1 to 8 images: %u convolutions tuned, %u in one "
                  "batch size",
      progress.total, total);
  g_assert_cmpuint (progress.total, ==, 4 * total);
  g_free (pixels);
  y10_engine_unref (engine);
}

/* The result that no plan is faster is cached only if no step ran during the
 * measurement; else the next start measures again. */
static void
test_disturbed (void)
{
  Y10TuningProgress progress = { .size = sizeof progress };
  Y10Detection rows[MAX_ROWS];
  Y10Engine *engine;
  float *pixels;

  plans_each (plans_delete);
  g_setenv ("Y10_SIM_FUSE", "slow", TRUE);
  engine = make_engine (Y10_BACKEND_CUDA, Y10_PRECISION_FP32, 1, TRUE);
  pixels = test_pixels (engine, 1);
  while (!y10_engine_wait_tuned (engine, 0, NULL, NULL))
    test_detect (engine, pixels, rows, MAX_ROWS);
  y10_engine_get_tuning_progress (engine, &progress);
  g_test_message ("timed beside steps: %u of %u results are in the cache",
      plans_each (NULL), progress.total);
  /* Beside steps, a measurement may also err in the other direction. */
  g_assert_cmpuint (plans_each (NULL), <, progress.faster + progress.total / 4);
  g_free (pixels);
  y10_engine_unref (engine);
  engine = make_tuned ("slow", Y10_PRECISION_FP32, &progress);
  g_test_message ("timed alone: %u of %u", plans_each (NULL), progress.total);
  g_assert_cmpuint (plans_each (NULL), ==, progress.total);
  y10_engine_unref (engine);
}

/* A step that could not be queued does not run: results that are measured after it
 * are stored. */
static void
test_refused (void)
{
  Y10TuningProgress progress = { .size = sizeof progress };
  Y10Engine *engine;

  plans_each (plans_delete);
  g_setenv ("Y10_SIM_FUSE", "slow", TRUE);
  engine = make_engine (Y10_BACKEND_CUDA, Y10_PRECISION_FP32, 2, TRUE);
  g_assert_true (y10_engine_wait_tuned (engine, -1, NULL, NULL));
  /* One for plans that the slot may take over first, one for the step. */
  y10_sim_control_get ()->refuse (0, 2);
  expect_failure (engine, Y10_ERROR_NO_MEMORY);
  y10_sim_control_get ()->refuse (0, 0);
  /* The step made the tuner measure its batch size. */
  g_assert_true (y10_engine_wait_tuned (engine, -1, NULL, NULL));
  y10_engine_get_tuning_progress (engine, &progress);
  g_test_message ("%u of %u results are in the cache", plans_each (NULL),
      progress.total);
  g_assert_cmpuint (plans_each (NULL), ==, progress.total);
  y10_engine_unref (engine);
}

/* The GPU is lost during tuning, perhaps by a trial: steps fail with that
 * error, and a new engine works and does not tune. */
static void
test_lost (void)
{
  const Y10SimControl *sim = y10_sim_control_get ();
  Y10TuningProgress progress = { .size = sizeof progress };
  Y10Engine *engine;

  plans_each (plans_delete);
  g_setenv ("Y10_SIM_FUSE", "", TRUE);
  g_setenv ("Y10_SIM_BUILD_MS", "2000", TRUE);
  engine = make_engine (Y10_BACKEND_CUDA, Y10_PRECISION_FP32, 1, TRUE);
  g_test_expect_message (NULL, G_LOG_LEVEL_MESSAGE, "tuning stopped*lost*");
  sim->lose (2, 700); /* our own kernel, and the first trial */
  do {
    y10_engine_get_tuning_progress (engine, &progress);
    g_usleep (1000);
  } while (!progress.finished);
  g_test_assert_expected_messages ();
  g_assert_nonnull (strstr (progress.note, "lost"));
  g_assert_cmpuint (progress.done, <, progress.total);
  /* No process ever tries the plan of the failed trial again. */
  g_assert_cmpuint (plans_each (NULL), ==, 1);
  g_unsetenv ("Y10_SIM_BUILD_MS");
  expect_failure (engine, Y10_ERROR_DEVICE_LOST);
  y10_engine_unref (engine);

  engine = make_engine (Y10_BACKEND_CUDA, Y10_PRECISION_FP32, 1, TRUE);
  y10_engine_get_tuning_progress (engine, &progress);
  g_assert_true (progress.finished);
  g_assert_nonnull (strstr (progress.note, "lost"));
  expect_reference (engine, 1e-4, 0.05);
  y10_engine_unref (engine);
  g_assert_cmpuint (sim->n_reports (), ==, 0);
}

int
main (int argc, char **argv)
{
  g_autoptr (GString) why = g_string_new (NULL);
  int status;

  plans_begin ();
  g_test_init (&argc, &argv, NULL);
  if (!y10_backend_probe (Y10_BACKEND_CUDA, why)) {
    g_print ("1..0 # SKIP %s\n", why->str);
    return 77;
  }
  g_test_add_func ("/tune/adopted", test_adopted);
  g_test_add_func ("/tune/wrong", test_wrong);
  g_test_add_func ("/tune/stubborn", test_stubborn);
  g_test_add_func ("/tune/broken", test_broken);
  g_test_add_func ("/tune/cache", test_cache);
  g_test_add_func ("/tune/cache-unusable", test_cache_unusable);
  g_test_add_func ("/tune/off", test_off);
  g_test_add_func ("/tune/quit", test_quit);
  g_test_add_func ("/tune/batches", test_batches);
  g_test_add_func ("/tune/disturbed", test_disturbed);
  g_test_add_func ("/tune/refused", test_refused);
  g_test_add_func ("/tune/lost", test_lost); /* no more tuning from here */
  status = g_test_run ();
  test_dir_remove ();
  plans_end ();
  return status;
}
