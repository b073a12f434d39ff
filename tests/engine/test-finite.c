/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Finite weights can give results that are not finite: here the boxes of one
 * level overflow. Their rows must be missing, and all others must equal those
 * of a sound network, on any backend. --backend NAME */

#include <math.h>
#include <string.h>

#include "util.h"

#define SIZE 64
#define ROWS 300 /* more than anchors × classes */

static Y10BackendKind backend = Y10_BACKEND_REF;

static guint
detect (const Y10TestTensors *tensors, Y10Head head, Y10Detection *rows)
{
  g_autoptr (Y10Model) model = test_model (tensors, NULL);
  Y10EngineConfig config;
  GError *error = NULL;
  g_autoptr (Y10Engine) engine = NULL;
  g_autofree float *pixels = NULL;
  guint n;

  y10_engine_config_init (&config, sizeof config);
  config.backend = backend;
  config.precision = Y10_PRECISION_FP32;
  config.head = head;
  config.width = config.height = SIZE;
  config.tune = FALSE;
  engine = y10_engine_new (model, &config, NULL, &error);
  g_assert_no_error (error);
  pixels = test_pixels (engine, 0);
  n = test_detect (engine, pixels, rows, ROWS);
  /* Reads the same slot again. */
  g_assert_cmpuint (test_detect (engine, pixels, rows, ROWS), ==, n);
  return n;
}

static void
fill (const Y10TestTensors *tensors, const char *name, float value)
{
  Y10TestTensor *t = y10_test_tensors_find (tensors, name);
  float *data = y10_test_tensors_data (tensors, t);

  for (gsize i = 0; i < y10_test_tensor_n (t); i++)
    data[i] = value;
}

static void
test_overflow (gconstpointer data)
{
  Y10Head head = GPOINTER_TO_UINT (data);
  gboolean nms = head == Y10_HEAD_ONE2MANY;
  Y10TestTensors *tensors = test_tensors ("tiny-nc3", 0);
  guint level0 = (SIZE / 8) * (SIZE / 8), n_sound, n_broken, n_expected = 0;
  Y10Detection sound[ROWS], broken[ROWS];

  n_sound = detect (tensors, head, sound);
  fill (tensors,
      nms ? "model.23.cv2.0.1.bn.bias" : "model.23.one2one_cv2.0.1.bn.bias",
      1e30f);
  fill (tensors,
      nms ? "model.23.cv2.0.2.weight" : "model.23.one2one_cv2.0.2.weight",
      1e30f);
  n_broken = detect (tensors, head, broken);
  for (guint i = 0; i < n_sound; i++)
    n_expected += sound[i].anchor >= level0;
  g_test_message ("%u rows, %u with boxes that overflow", n_sound, n_broken);
  g_assert_cmpuint (n_expected, >, 0);
  g_assert_cmpuint (n_expected, <, n_sound);
  for (guint i = 0; i < n_broken; i++)
    g_assert_true (isfinite (broken[i].x0) && isfinite (broken[i].y0)
        && isfinite (broken[i].x1) && isfinite (broken[i].y1)
        && isfinite (broken[i].confidence));
  /* Suppression: level 0 no longer suppresses others. */
  if (nms) {
    g_assert_cmpuint (n_broken, >=, n_expected);
  } else {
    g_assert_cmpuint (n_broken, ==, n_expected);
  }
  for (guint i = 0, j = 0; i < n_sound; i++) {
    if (sound[i].anchor < level0)
      continue;
    while (j < n_broken && memcmp (&sound[i], &broken[j], sizeof *sound))
      j++;
    g_assert_cmpuint (j, <, n_broken);
  }
  y10_test_tensors_free (tensors);
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  if (!test_parse_backend (&argc, &argv, &backend))
    return 2;
  g_test_add_data_func ("/finite/one2one", GUINT_TO_POINTER (Y10_HEAD_ONE2ONE),
      test_overflow);
  g_test_add_data_func ("/finite/one2many",
      GUINT_TO_POINTER (Y10_HEAD_ONE2MANY), test_overflow);
  status = g_test_run ();
  test_dir_remove ();
  return status;
}
