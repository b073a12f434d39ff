/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* An engine on the simulated GPU, and pictures of noise. */

#include "rig.h"

const Y10SimControl *sim;
const Y10CudaDriver *d;

/* Most boxes of random logits reach beyond the picture on all sides and are cut to
 * it, whatever the logits. These are small, so that wrong logits show. */
static void
shrink_boxes (Y10TestTensors *tensors)
{
  static const char *const names[] = { "model.23.one2one_cv2.0.2.bias",
    "model.23.one2one_cv2.1.2.bias", "model.23.one2one_cv2.2.2.bias" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    Y10TestTensor *bias = y10_test_tensors_find (tensors, names[i]);
    gsize n_bins = y10_test_tensor_n (bias) / 4;

    for (guint edge = 0; edge < 4; edge++)
      y10_test_tensors_data (tensors, bias)[edge * n_bins] += 7;
  }
}

Y10Engine *
make_engine (guint max_batch)
{
  Y10TestTensors *tensors = test_tensors ("pico-nc3", 0);
  Y10EngineConfig config;
  GError *error = NULL;
  Y10Engine *engine;
  Y10Model *model;

  shrink_boxes (tensors);
  model = test_model (tensors, NULL);
  pico_config_init (&config, Y10_BACKEND_CUDA);
  config.max_batch = max_batch;
  engine = y10_engine_new (model, &config, NULL, &error);
  g_assert_no_error (error);
  y10_model_unref (model);
  y10_test_tensors_free (tensors);
  sim = y10_sim_control_get ();
  d = sim->driver (NULL);
  return engine;
}

guint8 *
make_picture (guint which)
{
  GRand *rand = g_rand_new_with_seed (which + 1);
  guint8 *picture = g_malloc (BYTES);

  for (guint i = 0; i < BYTES; i++)
    picture[i] = (guint8) g_rand_int (rand);
  g_rand_free (rand);
  return picture;
}

void
add (Y10Step *step, Y10Memory memory, const void *pixels, gpointer stream)
{
  const Y10Image image = {
    .size = sizeof (Y10Image),
    .format = Y10_PIXEL_RGB,
    .memory = memory,
    .width = WIDTH,
    .height = HEIGHT,
    .plane = { pixels },
    .stride = { PITCH },
    .cuda_stream = stream,
  };
  Y10HeadParams params = Y10_HEAD_PARAMS_INIT;
  GError *error = NULL;

  params.confidence = 0;
  params.max_detections = MAX_ROWS;
  y10_step_add (step, &image, &params, &error);
  g_assert_no_error (error);
}

void
finish (Y10Step *step, guint n, Y10Detection (*rows)[MAX_ROWS])
{
  GError *error = NULL;

  y10_step_submit (step, &error);
  g_assert_no_error (error);
  y10_step_wait (step, -1, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < n; i++)
    g_assert_cmpint (y10_step_read (step, i, rows[i], MAX_ROWS, &error), ==,
        MAX_ROWS);
  y10_step_end (step);
}

void
run (Y10Engine *engine, guint8 *const *pictures, guint first, guint n,
    Y10Detection (*rows)[MAX_ROWS])
{
  Y10Step step;

  g_assert_true (y10_step_begin (engine, -1, &step, NULL));
  for (guint i = 0; i < n; i++)
    add (&step, Y10_MEMORY_HOST, pictures[(first + i) % N_PICTURES], NULL);
  finish (&step, n, rows);
}

void
rig_init (Rig *rig, guint max_batch)
{
  rig->engine = make_engine (max_batch);
  for (guint i = 0; i < N_PICTURES; i++) {
    rig->pictures[i] = make_picture (i);
    run (rig->engine, rig->pictures, i, 1, &rig->rows[i]);
  }
}

void
rig_clear (Rig *rig)
{
  y10_engine_unref (rig->engine);
  for (guint i = 0; i < N_PICTURES; i++)
    g_free (rig->pictures[i]);
  g_assert_cmpuint (sim->n_reports (), ==, 0);
}

void
expect_same (Rig *rig, guint first, guint n)
{
  Y10Detection rows[MOST][MAX_ROWS];

  run (rig->engine, rig->pictures, first, n, rows);
  for (guint i = 0; i < n; i++)
    g_assert_cmpmem (rows[i], sizeof rows[i],
        rig->rows[(first + i) % N_PICTURES], sizeof rows[i]);
}

int
rig_main (int argc, char **argv, void (*add_tests) (void))
{
  g_autoptr (GString) why = g_string_new (NULL);
  int status;

  g_test_init (&argc, &argv, NULL);
  if (!y10_backend_probe (Y10_BACKEND_CUDA, why) || !y10_sim_control_get ()) {
    g_print ("1..0 # SKIP no simulated GPU: %s\n", why->str);
    return 77;
  }
  add_tests ();
  status = g_test_run ();
  test_dir_remove ();
  return status;
}
