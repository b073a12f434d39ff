/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The nodes and constants of an ONNX graph, and how to find them. */

#include "config.h"

#include <string.h>

#include "weights/onnx-graph.h"

void
y10_onnx_tensor_free (gpointer p)
{
  Y10OnnxTensor *t = p;

  g_free (t->name);
  g_free (t->location);
  g_free (t->values);
  g_free (t);
}

static void
attribute_clear (gpointer p)
{
  Y10OnnxAttribute *a = p;

  g_free (a->name);
  g_free (a->text);
  g_free (a->integers);
  g_free (a->numbers);
}

static void
node_free (gpointer p)
{
  Y10OnnxNode *node = p;

  g_free (node->op);
  g_free (node->name);
  g_free (node->domain);
  g_ptr_array_unref (node->in);
  g_ptr_array_unref (node->out);
  g_array_unref (node->attributes);
  g_free (node);
}

Y10OnnxGraph *
y10_onnx_graph_new (void)
{
  Y10OnnxGraph *graph = g_new0 (Y10OnnxGraph, 1);

  graph->nodes = g_ptr_array_new_with_free_func (node_free);
  graph->producers = g_hash_table_new (g_str_hash, g_str_equal);
  graph->tensors = g_hash_table_new_full (g_str_hash, g_str_equal, NULL,
      y10_onnx_tensor_free);
  graph->convs = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  return graph;
}

void
y10_onnx_graph_free (Y10OnnxGraph *graph)
{
  if (!graph)
    return;
  g_hash_table_unref (graph->convs);
  g_hash_table_unref (graph->producers);
  g_hash_table_unref (graph->tensors);
  g_ptr_array_unref (graph->nodes);
  g_free (graph->input);
  g_free (graph);
}

Y10OnnxNode *
y10_onnx_node_new (void)
{
  Y10OnnxNode *node = g_new0 (Y10OnnxNode, 1);

  node->in = g_ptr_array_new_with_free_func (g_free);
  node->out = g_ptr_array_new_with_free_func (g_free);
  node->attributes = g_array_new (FALSE, FALSE, sizeof (Y10OnnxAttribute));
  g_array_set_clear_func (node->attributes, attribute_clear);
  return node;
}

guint
y10_onnx_element_size (gint type)
{
  switch (type) {
    case Y10_ONNX_FLOAT:
    case Y10_ONNX_INT32:
      return 4;
    case Y10_ONNX_INT64:
    case Y10_ONNX_DOUBLE:
      return 8;
    case Y10_ONNX_FLOAT16:
    case Y10_ONNX_BFLOAT16:
      return 2;
    default:
      return 0;
  }
}

guint64
y10_onnx_count_elements (const Y10OnnxTensor *t)
{
  guint64 n = 1;

  for (guint i = 0; i < t->n_dims; i++)
    if (!g_uint64_checked_mul (&n, n, (guint64) t->dim[i]))
      return G_MAXUINT64;
  return n;
}

const Y10OnnxAttribute *
y10_onnx_attribute (const Y10OnnxNode *node, const char *name)
{
  for (guint i = 0; i < node->attributes->len; i++) {
    const Y10OnnxAttribute *a = &g_array_index (node->attributes,
        Y10OnnxAttribute, i);

    if (!strcmp (a->name, name))
      return a;
  }
  return NULL;
}

gint64
y10_onnx_integer (const Y10OnnxNode *node, const char *name, gint64 otherwise)
{
  const Y10OnnxAttribute *a = y10_onnx_attribute (node, name);

  return a ? a->integer : otherwise;
}

const char *
y10_onnx_input (const Y10OnnxNode *node, guint i)
{
  return i < node->in->len ? node->in->pdata[i] : "";
}

gboolean
y10_onnx_is_float_cast (const Y10OnnxNode *node)
{
  const Y10OnnxAttribute *to = y10_onnx_attribute (node, "to");

  return !strcmp (node->op, "Cast") && to
      && (to->integer == Y10_ONNX_FLOAT || to->integer == Y10_ONNX_FLOAT16
          || to->integer == Y10_ONNX_BFLOAT16
          || to->integer == Y10_ONNX_DOUBLE);
}

const Y10OnnxTensor *
y10_onnx_constant (const Y10OnnxGraph *graph, const char *name)
{
  for (guint i = 0; i < 16; i++) {
    const Y10OnnxTensor *t = g_hash_table_lookup (graph->tensors, name);
    const Y10OnnxNode *node;

    if (t)
      return t;
    node = g_hash_table_lookup (graph->producers, name);
    if (!node
        || (strcmp (node->op, "Identity") && !y10_onnx_is_float_cast (node)))
      return NULL;
    name = y10_onnx_input (node, 0);
  }
  return NULL;
}
