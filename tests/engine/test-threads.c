/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The CPU backend gives the same bytes with any number of threads, as the store's
 * keys promise: all class scores, the boxes, and the detections. More threads
 * than cores run chunks in an order that changes from run to run. */

#include <string.h>

#include "run/engine.h"
#include "run/stepops.h"
#include "util.h"

#define MAX_ROWS 300
#define N_RUNS 3

typedef struct
{
  GArray *floats;
  Y10Detection rows[MAX_ROWS];
  gint n;
} Result;

static void
read_view (const Y10Step *step, Y10View view, GArray *floats)
{
  const Y10Graph *g = y10_engine_get_graph (step->engine);
  const Y10Tensor *t = &g->tensors[view.tensor];
  guint n = y10_graph_view_channels (g, view) * t->height * t->width;
  guint before = floats->len;
  GError *error = NULL;

  g_array_set_size (floats, before + n);
  y10_step_read_tensor (step, 0, view, &g_array_index (floats, gfloat, before),
      &error);
  g_assert_no_error (error);
}

static void
detect (Y10Engine *engine, const gfloat *pixels, Result *r)
{
  const Y10Graph *g = y10_engine_get_graph (engine);
  Y10HeadParams params = Y10_HEAD_PARAMS_INIT;
  GError *error = NULL;
  Y10Image image;
  Y10Step step;

  memset (r, 0, sizeof *r);
  r->floats = g_array_new (FALSE, FALSE, sizeof (gfloat));
  params.confidence = 0;
  test_tensor_image (engine, pixels, &image);
  g_assert_true (y10_step_begin (engine, -1, &step, &error));
  g_assert_true (y10_step_add (&step, &image, &params, &error));
  g_assert_true (y10_step_submit (&step, &error));
  g_assert_true (y10_step_wait (&step, -1, &error));
  r->n = y10_step_read (&step, 0, r->rows, MAX_ROWS, &error);
  g_assert_no_error (error);
  /* Reading box logits completes them. */
  for (guint i = 0; i < g->n_levels; i++)
    read_view (&step, g->cls[i], r->floats);
  for (guint i = 0; i < g->n_levels; i++)
    read_view (&step, g->box[i], r->floats);
  y10_step_end (&step);
}

static Y10Engine *
make_engine (Y10Model *model, Y10Precision precision, guint width, guint height,
    guint threads)
{
  Y10EngineConfig config;
  GError *error = NULL;
  Y10Engine *engine;

  y10_engine_config_init (&config, sizeof config);
  config.backend = Y10_BACKEND_CPU;
  config.precision = precision;
  config.width = width;
  config.height = height;
  config.threads = threads;
  engine = y10_engine_new (model, &config, NULL, &error);
  if (g_error_matches (error, Y10_ERROR, Y10_ERROR_UNSUPPORTED)) {
    g_error_free (error);
    return NULL;
  }
  g_assert_no_error (error);
  return engine;
}

static void
compare (Y10Model *model, Y10Precision precision, guint width, guint height)
{
  static const guint threads[] = { 1, 2, 3, 8 };
  Result first, other;

  for (guint i = 0; i < G_N_ELEMENTS (threads); i++) {
    Y10Engine *engine = make_engine (model, precision, width, height,
        threads[i]);
    gfloat *pixels;

    if (!engine) {
      g_test_message ("this CPU does not support precision %s",
          y10_precision_get_name (precision));
      return;
    }
    pixels = test_pixels (engine, 1);
    for (guint j = 0; j < N_RUNS; j++) {
      Result *r = i + j == 0 ? &first : &other;

      detect (engine, pixels, r);
      g_assert_cmpint (r->n, ==, first.n);
      g_assert_cmpmem (r->rows, sizeof r->rows, first.rows, sizeof first.rows);
      g_assert_cmpmem (r->floats->data, r->floats->len * sizeof (gfloat),
          first.floats->data, first.floats->len * sizeof (gfloat));
      if (r == &other)
        g_array_unref (r->floats);
    }
    g_free (pixels);
    y10_engine_unref (engine);
  }
  g_assert_cmpint (first.n, >, 0);
  g_array_unref (first.floats);
}

static void
test_same_bytes (gconstpointer precision)
{
  Y10TestTensors *tensors = test_tensors ("yolov10n-nc3", 0);
  g_autoptr (Y10Model) model = test_model (tensors, NULL);

  compare (model, GPOINTER_TO_INT (precision), 96, 64);
  compare (model, GPOINTER_TO_INT (precision), 352, 224);
  y10_test_tensors_free (tensors);
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/threads/same-bytes/fp32",
      GINT_TO_POINTER (Y10_PRECISION_FP32), test_same_bytes);
  g_test_add_data_func ("/threads/same-bytes/bf16",
      GINT_TO_POINTER (Y10_PRECISION_BF16), test_same_bytes);
  status = g_test_run ();
  test_dir_remove ();
  return status;
}
