/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Operators on shapes. Dynamic exports compute them from the image's size. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "model/onnx-shapes.h"

typedef Y10OnnxValues Values;
typedef Y10OnnxValue Value;
typedef Y10OnnxNode Node;

static gdouble
calculate (char op, gdouble a, gdouble b)
{
  switch (op) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    default:
      return b ? trunc (a / b) : 0; /* shapes are integers */
  }
}

Value *
y10_onnx_eval_numbers (char op, const Value *a, const Value *b)
{
  Value *v;

  if (a->n != b->n && a->n != 1 && b->n != 1)
    return NULL;
  v = y10_onnx_copy (a->n >= b->n ? a : b);
  for (guint i = 0; i < v->n; i++)
    v->number[i] = calculate (op, a->number[a->n == 1 ? 0 : i],
        b->number[b->n == 1 ? 0 : i]);
  return v;
}

Value *
y10_onnx_concat_numbers (Values *self, const Node *node)
{
  Value *v = y10_onnx_numbers (0);

  for (guint i = 0; i < node->in->len; i++) {
    const Value *x = y10_onnx_input_of_kind (self, node, i, Y10_ONNX_NUMBERS);

    if (!x || v->n + x->n > Y10_ONNX_MAX_VALUES) {
      y10_onnx_value_free (v);
      return NULL;
    }
    v->number = g_renew (gdouble, v->number, v->n + x->n);
    memcpy (v->number + v->n, x->number, x->n * sizeof *x->number);
    v->n += x->n;
  }
  v->dim[0] = v->n;
  return v;
}

/* A shape that is computed in floating point. */
Value *
y10_onnx_eval_floor (Values *self, const Node *node)
{
  const Value *x = y10_onnx_input_of_kind (self, node, 0, Y10_ONNX_NUMBERS);
  Value *v = x ? y10_onnx_copy (x) : NULL;

  for (guint i = 0; v && i < v->n; i++)
    v->number[i] = floor (v->number[i]);
  return v;
}

Value *
y10_onnx_eval_shape (Values *self, const Node *node)
{
  const Value *x = y10_onnx_input_of_kind (self, node, 0, Y10_ONNX_FEATURES);
  gint64 first = y10_onnx_integer (node, "start", 0), last;
  Value *v;

  if (!x)
    return NULL;
  last = y10_onnx_integer (node, "end", x->n_dims);
  if (first < 0 || last > x->n_dims || first >= last)
    return NULL;
  v = y10_onnx_numbers (last - first);
  for (guint i = 0; i < v->n; i++)
    v->number[i] = (gdouble) x->dim[first + i];
  return v;
}

Value *
y10_onnx_eval_gather (Values *self, const Node *node)
{
  const Value *x = y10_onnx_input_of_kind (self, node, 0, Y10_ONNX_NUMBERS);
  const Value *indices = y10_onnx_input_of_kind (self, node, 1,
      Y10_ONNX_NUMBERS);
  Value *v;

  if (!x || !indices)
    return NULL;
  v = y10_onnx_copy (indices);
  for (guint i = 0; i < v->n; i++) {
    gdouble at = v->number[i] < 0 ? v->number[i] + x->n : v->number[i];

    if (!(at >= 0 && at < x->n)) {
      y10_onnx_value_free (v);
      return NULL;
    }
    v->number[i] = x->number[(guint) at];
  }
  return v;
}

/* Squeeze, Unsqueeze: shapes only, whose dimensions are not tracked. */
Value *
y10_onnx_eval_squeeze (Values *self, const Node *node)
{
  const Value *x = y10_onnx_input_of_kind (self, node, 0, Y10_ONNX_NUMBERS);
  Value *v = x ? y10_onnx_copy (x) : NULL;

  if (v) {
    v->n_dims = 1;
    v->dim[0] = v->n;
  }
  return v;
}
