/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The smallest network: 32 x 32 pixels, random weights, so that a test can make an
 * engine for each of its cases. */

#include "pico.h"

#include <math.h>

void
pico_config_init (Y10EngineConfig *config, Y10BackendKind backend)
{
  y10_engine_config_init (config, sizeof *config);
  config->backend = backend;
  config->width = config->height = PICO_SIZE;
  config->max_detections = PICO_MAX_ROWS;
}

Y10Engine *
pico_engine (const Y10EngineConfig *config, GError **error)
{
  Y10TestTensors *tensors = test_tensors ("pico-nc3", 0);
  g_autoptr (Y10Model) model = test_model (tensors, NULL);
  GError *local = NULL;
  Y10Engine *engine = y10_engine_new (model, config, NULL,
      error ? error : &local);

  g_assert_no_error (local);
  y10_test_tensors_free (tensors);
  return engine;
}

gboolean
pico_row_is_near (const Y10Detection *a, const Y10Detection *b, double score,
    double box)
{
  return a->class_id == b->class_id
      && fabs (a->confidence - b->confidence) <= score
      && fabs (a->x0 - b->x0) <= box && fabs (a->y0 - b->y0) <= box
      && fabs (a->x1 - b->x1) <= box && fabs (a->y1 - b->y1) <= box;
}

void
pico_wait_tuned (Y10Engine *engine, Y10TuningProgress *progress)
{
  GError *error = NULL;

  g_assert_true (y10_engine_wait_tuned (engine, -1, NULL, &error));
  g_assert_no_error (error);
  progress->size = sizeof *progress;
  y10_engine_get_tuning_progress (engine, progress);
  g_assert_true (progress->finished);
  g_assert_cmpuint (progress->total, >, 0);
  g_assert_cmpuint (progress->done, ==, progress->total);
}
