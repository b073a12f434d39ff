/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Finds and checks what a file has of a quantized convolution beside its
 * weights. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "weights/quantized.h"

/* Far beyond what a network has; products and quotients of two stay finite. */
#define MIN_SCALE 1e-15f
#define MAX_SCALE 1e15f

static const Y10TensorEntry *
find (const Y10TensorFile *file, const char *conv, const char *what)
{
  g_autofree char *name = g_strdup_printf ("%s.%s", conv, what);

  return y10_tensor_file_find (file, name);
}

static gboolean
fail_missing (const Y10TensorFile *file, const char *conv, const char *what,
    const char *found, GError **error)
{
  g_set_error (error, Y10_ERROR, Y10_ERROR_MODEL,
      "%s: tensor \"%s.%s\" is missing; expected it beside \"%s.%s\"",
      y10_tensor_file_get_path (file), conv, what, conv, found);
  return FALSE;
}

/* @t (nullable) */
static gboolean
check (const Y10TensorFile *file, const Y10TensorEntry *t, Y10Dtype dtype,
    const char *dtype_name, gsize n, GError **error)
{
  if (t && t->dtype != dtype) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_MODEL,
        "%s: tensor \"%s\" has dtype %s; expected %s",
        y10_tensor_file_get_path (file), t->name, t->dtype_name, dtype_name);
    return FALSE;
  }
  if (t && (t->n_dims != 1 || t->dim[0] != n)) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_MODEL,
        "%s: tensor \"%s\" has %u dimensions and %" G_GSIZE_FORMAT
        " elements; expected 1 dimension of %" G_GSIZE_FORMAT,
        y10_tensor_file_get_path (file), t->name, t->n_dims, t->n_elements, n);
    return FALSE;
  }
  return TRUE;
}

gboolean
y10_quantized_find (const Y10TensorFile *file, const char *conv,
    const Y10TensorEntry *weight, guint in_channels, Y10Quantized *q,
    GError **error)
{
  const gboolean integers = weight->dtype == Y10_DTYPE_I8;

  *q = (Y10Quantized){ find (file, conv, "weight_scale"),
    find (file, conv, "input_scale"), find (file, conv, "input_zero_point") };
  if (integers && !q->weight_scale)
    return fail_missing (file, conv, "weight_scale", "weight", error);
  if (integers && !q->input_scale)
    return fail_missing (file, conv, "input_scale", "weight", error);
  if (q->input_scale && !q->input_zero_point)
    return fail_missing (file, conv, "input_zero_point", "input_scale", error);
  if (q->input_zero_point && !q->input_scale)
    return fail_missing (file, conv, "input_scale", "input_zero_point", error);
  if (q->weight_scale && !integers) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_MODEL,
        "%s: tensor \"%s\" has dtype %s; expected I8, because there is a "
        "\"%s\"",
        y10_tensor_file_get_path (file), weight->name, weight->dtype_name,
        q->weight_scale->name);
    return FALSE;
  }
  return check (file, q->weight_scale, Y10_DTYPE_F32, "F32", weight->dim[0],
             error)
      && check (file, q->input_scale, Y10_DTYPE_F32, "F32", in_channels, error)
      && check (file, q->input_zero_point, Y10_DTYPE_U8, "U8", in_channels,
          error);
}

gboolean
y10_quantized_read_scale (const Y10TensorFile *file,
    const Y10TensorEntry *entry, gfloat *scale, GError **error)
{
  g_autofree guint8 *data = y10_tensor_file_read_tensor (file, entry, error);

  if (!data)
    return FALSE;
  for (gsize i = 0; i < entry->n_elements; i++) {
    guint32 u;

    memcpy (&u, data + 4 * i, 4);
    u = GUINT32_FROM_LE (u);
    memcpy (&scale[i], &u, 4);
    if (!(scale[i] >= MIN_SCALE && scale[i] <= MAX_SCALE)) {
      g_set_error (error, Y10_ERROR, Y10_ERROR_MODEL,
          "%s: element %" G_GSIZE_FORMAT " of tensor \"%s\" is %g; expected "
          "%g to %g",
          y10_tensor_file_get_path (file), i, entry->name, (double) scale[i],
          (double) MIN_SCALE, (double) MAX_SCALE);
      return FALSE;
    }
  }
  return TRUE;
}
