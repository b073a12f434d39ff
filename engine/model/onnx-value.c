/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#include "config.h"

#include <string.h>

#include "model/onnx-value.h"

/* Limit of the product of all dimensions. */
#define MAX_ELEMENTS ((gint64) 1 << 40)

typedef Y10OnnxValue Value;

void
y10_onnx_value_free (gpointer p)
{
  Value *v = p;

  g_free (v->number);
  g_clear_pointer (&v->pieces, g_array_unref);
  g_free (v);
}

Value *
y10_onnx_unknown (const Y10OnnxNode *culprit)
{
  Value *v = g_new0 (Value, 1);

  v->culprit = culprit;
  return v;
}

Value *
y10_onnx_numbers (guint n)
{
  Value *v = g_new0 (Value, 1);

  v->kind = Y10_ONNX_NUMBERS;
  v->n = n;
  v->number = g_new0 (gdouble, n);
  v->n_dims = 1;
  v->dim[0] = n;
  return v;
}

Value *
y10_onnx_features (Y10Pieces *pieces, const gint64 *dim, guint n_dims)
{
  Value *v = g_new0 (Value, 1);

  v->kind = Y10_ONNX_FEATURES;
  v->pieces = pieces;
  v->scale = 1;
  v->n_dims = n_dims;
  memcpy (v->dim, dim, n_dims * sizeof *dim);
  return v;
}

Value *
y10_onnx_expression (guint id, const gint64 *dim, guint n_dims)
{
  return y10_onnx_features (y10_pieces_new (id, n_dims > 1 ? dim[1] : 1), dim,
      n_dims);
}

Value *
y10_onnx_copy (const Value *v)
{
  Value *c = g_memdup2 (v, sizeof *v);

  c->number = g_memdup2 (v->number, v->n * sizeof *v->number);
  c->pieces = v->pieces ? g_array_copy (v->pieces) : NULL;
  return c;
}

Value *
y10_onnx_value_constant (const Y10OnnxTensor *t)
{
  Value *v;

  if (!t->n_values || t->n_dims > Y10_ONNX_MAX_DIMS)
    return NULL;
  v = y10_onnx_numbers (t->n_values);
  memcpy (v->number, t->values, t->n_values * sizeof *t->values);
  v->n_dims = t->n_dims;
  memcpy (v->dim, t->dim, t->n_dims * sizeof *t->dim);
  return v;
}

gboolean
y10_onnx_value_has_valid_dims (const Value *v)
{
  gint64 all = 1;

  for (guint i = 0; i < v->n_dims; i++) {
    if (v->dim[i] < 1 || v->dim[i] > Y10_ONNX_MAX_DIM)
      return FALSE;
    all *= v->dim[i];
    if (all > MAX_ELEMENTS)
      return FALSE;
  }
  return TRUE;
}
