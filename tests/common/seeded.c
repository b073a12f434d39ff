/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The recipe for seeded weights. Golden files were computed by PyTorch from the
 * same recipe written with numpy, so every step here rounds where numpy rounds:
 * the uniform value is exact in float, each product and sum after it is a
 * single float operation, and only a weight's gain is computed in double and
 * rounded once. test-seeded holds digests of numpy's results. */

#include "seeded.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tensors.h"

#define GOLDEN_GAMMA G_GUINT64_CONSTANT (0x9E3779B97F4A7C15)

static guint64
fnv1a (const char *name)
{
  guint64 h = G_GUINT64_CONSTANT (0xCBF29CE484222325);

  for (; *name; name++)
    h = (h ^ (guint8) *name) * G_GUINT64_CONSTANT (0x100000001B3);
  return h;
}

static guint64
splitmix64 (guint64 x)
{
  guint64 z = x + GOLDEN_GAMMA;

  z = (z ^ (z >> 30)) * G_GUINT64_CONSTANT (0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * G_GUINT64_CONSTANT (0x94D049BB133111EB);
  return z ^ (z >> 31);
}

void
y10_seeded_fill (const char *name, guint64 seed, gsize n, float *out)
{
  guint64 start = fnv1a (name) + seed * GOLDEN_GAMMA;

  for (gsize i = 0; i < n; i++)
    out[i] = (float) ((double) (splitmix64 (start + i) >> 40) / 8388608.0 - 1);
}

static gboolean
ends_with_any (const char *name, const char *const *suffixes)
{
  for (; *suffixes; suffixes++)
    if (g_str_has_suffix (name, *suffixes))
      return TRUE;
  return FALSE;
}

/* Of a convolution's weight, before the division by sqrt (fan in / 3). */
static double
gain_of (const char *name)
{
  static const char *const last_of_branch[] = { ".proj.conv.weight",
    ".ffn.1.conv.weight", ".cv1.4.conv.weight", NULL };
  const char *dot = strchr (name, '.');
  double gain = dot && atoi (dot + 1) < 5 ? 1.6 : 1.35;

  if (ends_with_any (name, last_of_branch)
      || (strstr (name, ".m.") && g_str_has_suffix (name, ".cv2.conv.weight")))
    gain = 0.4;
  if (strstr (name, "cv3") && g_str_has_suffix (name, ".2.weight"))
    gain = 24.0;
  return gain;
}

void
y10_seeded_tensor (const char *name, const gsize *dim, guint n_dims,
    guint64 seed, float *out)
{
  static const char *const small[] = { "bn.bias", "running_mean", NULL };
  gsize n = 1, fan_in = 1;
  float factor, offset = 0.f;

  for (guint i = 0; i < n_dims; i++)
    n *= dim[i];
  for (guint i = 1; i < n_dims; i++)
    fan_in *= dim[i];

  if (g_str_has_suffix (name, "dfl.conv.weight")) {
    for (gsize i = 0; i < n; i++)
      out[i] = (float) i;
    return;
  }
  if (g_str_has_suffix (name, "running_var")) {
    factor = 0.3f;
    offset = 1.f;
  } else if (g_str_has_suffix (name, "bn.weight")) {
    factor = 0.2f;
    offset = 1.f;
  } else if (ends_with_any (name, small)) {
    factor = 0.1f;
  } else if (g_str_has_suffix (name, ".bias")) {
    gboolean classes = strstr (name, "cv3") != NULL;

    factor = classes ? 1.f : 0.5f;
    offset = classes ? -4.f : 0.f;
    /* Four box logits are distances: most boxes have a size. */
    if (!classes && n == 4)
      offset = 2.f;
  } else {
    factor = (float) (gain_of (name) * pow (3.0 / (double) fan_in, 0.5));
  }
  y10_seeded_fill (name, seed, n, out);
  for (gsize i = 0; i < n; i++) {
    float product = factor * out[i];

    out[i] = offset + product;
  }
}

void
y10_seeded_images (gsize n, guint64 seed, float *out)
{
  y10_seeded_fill ("images", seed, n, out);
  for (gsize i = 0; i < n; i++)
    out[i] = (out[i] + 1.f) / 2.f;
}

gboolean
y10_seeded_write (const char *shapes_json, guint64 seed, const char *out_path,
    GError **error)
{
  Y10TestTensors *tensors = y10_test_tensors_new (shapes_json, seed, error);
  gboolean ok;

  if (!tensors)
    return FALSE;
  ok = y10_test_tensors_write (tensors, out_path, NULL, error);
  y10_test_tensors_free (tensors);
  return ok;
}
