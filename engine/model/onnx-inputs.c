/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* What an operator reads: the values of its node's inputs, which an earlier node
 * computed or the file contains. */

#include "config.h"

#include "model/onnx-inputs.h"

typedef Y10OnnxValues Values;
typedef Y10OnnxValue Value;
typedef Y10OnnxNode Node;

const Value *
y10_onnx_input_value (Values *self, const Node *node, guint i)
{
  const char *name = y10_onnx_input (node, i);
  const Y10OnnxTensor *t;
  Value *v;

  v = *name ? g_hash_table_lookup (self->by_name, name) : NULL;
  if (v || !*name)
    return v;
  t = g_hash_table_lookup (self->graph->tensors, name);
  v = t ? y10_onnx_value_constant (t) : NULL;
  if (v)
    g_hash_table_insert (self->by_name, (gpointer) t->name, v);
  return v;
}

const Value *
y10_onnx_input_of_kind (Values *self, const Node *node, guint i,
    Y10OnnxKind kind)
{
  const Value *v = y10_onnx_input_value (self, node, i);

  return v && v->kind == kind ? v : NULL;
}

guint
y10_onnx_unscaled_id (const Values *self, const Value *v)
{
  return y10_expressions_join (self->expressions, v->pieces);
}

guint
y10_onnx_id (const Values *self, const Value *v)
{
  guint id = y10_onnx_unscaled_id (self, v);

  return v->scale == 1
      ? id
      : y10_expressions_scale (self->expressions, id, v->scale);
}
