/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A network whose convolutions all run on our own kernels, as cuDNN's absence or
 * Y10_CUDA_CONV=own have it: tensor cores exist in the executor of PTX. Before and after
 * tuning the rows are those of the reference, and the second start finds every plan in
 * the cache. Without tuning the kernels and the rows do not depend on whether there is
 * cuDNN. */

#include <stdlib.h>
#include <string.h>

#include "../engine/pico.h"
#include "control.h"
#include "plans.h"

#define MAX_ROWS PICO_MAX_ROWS

static Y10Precision precision;

static Y10Engine *
make_engine (Y10BackendKind backend, gboolean tune)
{
  Y10EngineConfig config;

  pico_config_init (&config, backend);
  config.precision = backend == Y10_BACKEND_CUDA ? precision
                                                 : Y10_PRECISION_FP32;
  config.tune = tune;
  return pico_engine (&config, NULL);
}

/* Kernels of a step: one of each op and two of the head, but that pools share one, and
 * that 1×1 convolutions upsample what they compute. */
static guint
count_kernels (Y10Engine *engine, guint pairs)
{
  guint n = 2, n_upsampled = 0, n_pools = 0;

  for (guint i = 0; i < y10_engine_get_n_ops (engine); i++) {
    Y10OpInfo op = { .size = sizeof op };

    y10_engine_get_op (engine, i, &op);
    n += !g_str_equal (op.kind, "preprocess") && !g_str_equal (op.kind, "head");
    n_upsampled += g_str_equal (op.kind, "upsample2x");
    n_pools += g_str_equal (op.kind, "maxpool5");
  }
  g_assert_cmpuint (n_upsampled, ==, 2);
  g_assert_cmpuint (n_pools, ==, 3);
  return n - n_upsampled - (n_pools - 1) - pairs;
}

/* Every convolution that is not depthwise runs on a kernel of ours. Returns how many
 * depthwise ones share theirs with the next op. */
static guint
expect_own (Y10Engine *engine)
{
  guint n = 0, n_pairs = 0;

  for (guint i = 0; i < y10_engine_get_n_ops (engine); i++) {
    Y10OpInfo op = { .size = sizeof op };

    y10_engine_get_op (engine, i, &op);
    g_test_message ("%s: %s", op.name, op.impl);
    g_assert_null (strstr (op.impl, "plain"));
    n += g_str_has_prefix (op.impl, "own:");
    n_pairs += g_str_has_prefix (op.impl, "own:separable");
  }
  g_assert_cmpuint (n, >, 20);
  return n_pairs;
}

/* The rows of a picture, the best of which the reference has, too. Returns how many
 * kernels ran. */
static guint64
expect_reference (Y10Engine *engine, Y10Engine *reference)
{
  const gboolean is_bf16 = precision == Y10_PRECISION_BF16;
  const gboolean is_fp32 = precision == Y10_PRECISION_FP32;
  const double score = is_fp32 ? 1e-4 : is_bf16 ? 0.06 : 0.01;
  const double box = is_fp32 ? 0.05 : is_bf16 ? 3 : 1;
  const Y10SimControl *sim = y10_sim_control_get ();
  Y10Detection expected[MAX_ROWS], got[MAX_ROWS];
  g_autofree float *pixels = test_pixels (reference, 1);
  guint n = test_detect (reference, pixels, expected, MAX_ROWS);
  guint64 before = sim->n_kernels (), ran;
  guint m = test_detect (engine, pixels, got, MAX_ROWS);

  ran = sim->n_kernels () - before;
  g_assert_cmpuint (n, ==, m);
  for (guint i = 0; i < 10; i++) {
    guint k = 0;

    while (k < m && !pico_row_is_near (&got[k], &expected[i], score, box))
      k++;
    if (k == m)
      g_error ("no row has class %d, confidence %g and the box %g %g %g %g",
          expected[i].class_id, expected[i].confidence, expected[i].x0,
          expected[i].y0, expected[i].x1, expected[i].y1);
  }
  return ran;
}

static Y10Engine *
make_tuned (Y10TuningProgress *progress)
{
  Y10Engine *engine = make_engine (Y10_BACKEND_CUDA, TRUE);

  pico_wait_tuned (engine, progress);
  g_assert_cmpuint (progress->wrong, ==, 0);
  return engine;
}

static void
test_network (gconstpointer data)
{
  Y10Engine *reference = make_engine (Y10_BACKEND_REF, FALSE), *engine;
  Y10TuningProgress progress;
  guint64 before, after;
  guint pairs, tuned_pairs;

  precision = GPOINTER_TO_INT (data);
  engine = make_engine (Y10_BACKEND_CUDA, FALSE);
  before = expect_reference (engine, reference);
  pairs = expect_own (engine);
  g_test_message ("%u pairs, %" G_GUINT64_FORMAT " kernels", pairs, before);
  g_assert_cmpuint (before, ==, count_kernels (engine, pairs));
  /* Two in each level's branch for classes, at least. */
  if (precision == Y10_PRECISION_FP16 || precision == Y10_PRECISION_BF16)
    g_assert_cmpuint (pairs, >=, 6);
  else
    g_assert_cmpuint (pairs, ==, 0);
  y10_engine_unref (engine);
  if (precision != Y10_PRECISION_FP16) {
    y10_engine_unref (reference);
    return;
  }

  engine = make_tuned (&progress);
  g_assert_cmpuint (progress.loaded, ==, 0);
  expect_reference (engine, reference); /* takes the plans over */
  after = expect_reference (engine, reference);
  tuned_pairs = expect_own (engine);
  g_test_message ("%" G_GUINT64_FORMAT " kernels, then %" G_GUINT64_FORMAT,
      before, after);
  /* Other tiles: the first plans have no epilogue, either. A pair is a kernel less. */
  g_assert_cmpuint (after + tuned_pairs, ==, before + pairs);
  y10_engine_unref (engine);

  engine = make_tuned (&progress);
  g_assert_cmpuint (progress.loaded, ==, progress.total);
  expect_reference (engine, reference);
  g_assert_cmpuint (expect_reference (engine, reference), ==, after);
  y10_engine_unref (engine);
  y10_engine_unref (reference);
}

/* Without cuDNN, or where it does not run, our own convolutions do everything, and the
 * description says why. */
static void
test_without_cudnn (gconstpointer how)
{
  Y10Engine *reference = make_engine (Y10_BACKEND_REF, FALSE), *engine;

  precision = Y10_PRECISION_FP16;
  g_unsetenv ("Y10_CUDA_CONV");
  g_setenv ("Y10_SIM_CUDNN", how, TRUE);
  engine = make_engine (Y10_BACKEND_CUDA, FALSE);
  expect_reference (engine, reference);
  expect_own (engine);
  g_test_message ("%s", y10_engine_get_device (engine));
  g_assert_nonnull (
      strstr (y10_engine_get_device (engine), "own convolutions, because "));
  g_assert_nonnull (strstr (y10_engine_get_device (engine),
      g_str_equal (how, "missing") ? "cuDNN 9 is not installed"
                                   : "CUDNN_STATUS_EXECUTION_FAILED"));
  y10_engine_unref (engine);
  y10_engine_unref (reference);
  g_unsetenv ("Y10_SIM_CUDNN");
  g_setenv ("Y10_CUDA_CONV", "own", TRUE);
}

/* The kernels of @engine, and the rows of a picture. */
static GPtrArray *
take_rows (Y10Engine *engine, Y10Detection rows[MAX_ROWS])
{
  GPtrArray *kernels = g_ptr_array_new_with_free_func (g_free);
  g_autofree float *pixels = test_pixels (engine, 1);

  memset (rows, 0, MAX_ROWS * sizeof *rows);
  g_assert_cmpuint (test_detect (engine, pixels, rows, MAX_ROWS), >, 10);
  for (guint i = 0; i < y10_engine_get_n_ops (engine); i++) {
    Y10OpInfo op = { .size = sizeof op };

    y10_engine_get_op (engine, i, &op);
    g_ptr_array_add (kernels, g_strdup (op.impl));
  }
  return kernels;
}

/* Results without tuning are the same with cuDNN and without: a table says who computes
 * each convolution. */
static void
test_same_kernels (gconstpointer data)
{
  static const char *const cudnn[] = { NULL, "missing", "refuse" };
  Y10Detection rows[G_N_ELEMENTS (cudnn)][MAX_ROWS];
  GPtrArray *first = NULL;

  precision = GPOINTER_TO_INT (data);
  g_unsetenv ("Y10_CUDA_CONV");
  for (guint i = 0; i < G_N_ELEMENTS (cudnn); i++) {
    g_autoptr (GPtrArray) kernels = NULL;
    Y10Engine *engine;

    if (cudnn[i])
      g_setenv ("Y10_SIM_CUDNN", cudnn[i], TRUE);
    engine = make_engine (Y10_BACKEND_CUDA, FALSE);
    g_test_message ("%s", y10_engine_get_device (engine));
    g_assert_cmpint (strstr (y10_engine_get_device (engine), "own convolutions")
            != NULL,
        ==, cudnn[i] != NULL);
    kernels = take_rows (engine, rows[i]);
    expect_own (engine);
    y10_engine_unref (engine);
    if (!first)
      first = g_ptr_array_ref (kernels);
    g_assert_cmpuint (kernels->len, ==, first->len);
    for (guint k = 0; k < first->len; k++)
      g_assert_cmpstr (kernels->pdata[k], ==, first->pdata[k]);
    g_assert_cmpmem (rows[i], sizeof rows[i], rows[0], sizeof rows[0]);
  }
  g_ptr_array_unref (first);
  g_unsetenv ("Y10_SIM_CUDNN");
  g_setenv ("Y10_CUDA_CONV", "own", TRUE);
}

/* The tuner's choice among both, with fused plans by cuDNN and without. */
static void
test_both (gconstpointer fuse)
{
  Y10Engine *reference = make_engine (Y10_BACKEND_REF, FALSE), *engine;
  Y10TuningProgress progress;
  guint n = 0;

  precision = Y10_PRECISION_FP16;
  plans_each (plans_delete);
  g_unsetenv ("Y10_CUDA_CONV");
  g_setenv ("Y10_SIM_FUSE", fuse, TRUE);
  engine = make_tuned (&progress);
  expect_reference (engine, reference); /* takes the plans over */
  expect_reference (engine, reference);
  for (guint i = 0; i < y10_engine_get_n_ops (engine); i++) {
    Y10OpInfo op = { .size = sizeof op };

    y10_engine_get_op (engine, i, &op);
    n += g_str_has_prefix (op.impl, "cuda:plain");
  }
  g_test_message ("%u of %u kinds of convolutions are faster, %u by cuDNN",
      progress.faster, progress.total, n);
  y10_engine_unref (engine);
  y10_engine_unref (reference);
  g_unsetenv ("Y10_SIM_FUSE");
  g_setenv ("Y10_CUDA_CONV", "own", TRUE);
}

int
main (int argc, char **argv)
{
  int status;

  plans_begin ();
  g_setenv ("Y10_CUDA_CONV", "own", TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/own/fp16", GINT_TO_POINTER (Y10_PRECISION_FP16),
      test_network);
  g_test_add_data_func ("/own/bf16", GINT_TO_POINTER (Y10_PRECISION_BF16),
      test_network);
  g_test_add_data_func ("/own/tf32", GINT_TO_POINTER (Y10_PRECISION_TF32),
      test_network);
  g_test_add_data_func ("/own/fp32", GINT_TO_POINTER (Y10_PRECISION_FP32),
      test_network);
  g_test_add_data_func ("/own/same-kernels/fp16",
      GINT_TO_POINTER (Y10_PRECISION_FP16), test_same_kernels);
  g_test_add_data_func ("/own/same-kernels/tf32",
      GINT_TO_POINTER (Y10_PRECISION_TF32), test_same_kernels);
  g_test_add_data_func ("/own/both/fused", "", test_both);
  g_test_add_data_func ("/own/both/unfused", "none", test_both);
  g_test_add_data_func ("/own/without-cudnn", "missing", test_without_cudnn);
  g_test_add_data_func ("/own/cudnn-fails", "refuse", test_without_cudnn);
  status = g_test_run ();
  test_dir_remove ();
  plans_end ();
  return status;
}
