/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Evaluates the nodes of an ONNX graph, producers first. The format requires
 * that order of the file, but ONNX Runtime's converter to half precision puts
 * the input's Cast last. An unknown output matters only if a convolution of the
 * network reads it. */

#include "config.h"

#include <string.h>

#include "model/onnx-operators.h"
#include "model/onnx-values.h"

typedef Y10OnnxValues Values;
typedef Y10OnnxValue Value;
typedef Y10OnnxNode Node;

/* Returns the node at which the unknown value of @node originates. */
static const Node *
find_culprit (Values *self, const Node *node)
{
  for (guint i = 0; i < node->in->len; i++) {
    const Value *v = y10_onnx_input_value (self, node, i);

    if (v && v->kind == Y10_ONNX_UNKNOWN)
      return v->culprit;
  }
  return node;
}

static void
eval_outputs (Values *self, const Node *node)
{
  for (guint i = 0; i < node->out->len; i++) {
    const char *name = node->out->pdata[i];
    Value *v;

    if (!*name || g_hash_table_contains (self->by_name, name)
        || g_hash_table_contains (self->graph->tensors, name))
      continue;
    v = y10_onnx_eval (self, node, i);
    if (v && v->kind == Y10_ONNX_FEATURES
        && (!y10_onnx_value_has_valid_dims (v) || !y10_onnx_id (self, v))) {
      y10_onnx_value_free (v);
      v = NULL;
    }
    g_hash_table_insert (self->by_name, (gpointer) name,
        v ? v : y10_onnx_unknown (find_culprit (self, node)));
  }
}

typedef struct
{
  const Node *node;
  guint next; /* index of the next input to visit */
} Visit;

/* Evaluates @node after its producers. @seen: the nodes visited so far; in a
 * cycle, a node finds no value for its input. */
static void
eval_node (Values *self, const Node *node, GArray *visits, GHashTable *seen)
{
  g_array_append_vals (visits, &(Visit){ node, 0 }, 1);
  while (visits->len) {
    Visit *top = &g_array_index (visits, Visit, visits->len - 1);
    Node *producer;

    if (!top->next && !g_hash_table_add (seen, (gpointer) top->node)) {
      g_array_set_size (visits, visits->len - 1);
      continue;
    }
    if (top->next == top->node->in->len) {
      eval_outputs (self, top->node);
      g_array_set_size (visits, visits->len - 1);
      continue;
    }
    producer = g_hash_table_lookup (self->graph->producers,
        y10_onnx_input (top->node, top->next++));
    if (producer && !g_hash_table_contains (seen, producer))
      g_array_append_vals (visits, &(Visit){ producer, 0 }, 1);
  }
}

Y10OnnxValues *
y10_onnx_values_new (const Y10OnnxGraph *graph, Y10Expressions *expressions,
    guint width, guint height)
{
  Values *self = g_new0 (Values, 1);
  const gint64 dim[] = { MAX (graph->batch, 1), 3, height, width };
  g_autoptr (GArray) visits = g_array_new (FALSE, FALSE, sizeof (Visit));
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  GHashTableIter iter;
  gpointer module, node;

  self->graph = graph;
  self->expressions = expressions;
  self->by_name = g_hash_table_new_full (g_str_hash, g_str_equal, NULL,
      y10_onnx_value_free);
  self->modules = g_hash_table_new (NULL, NULL);
  g_hash_table_iter_init (&iter, graph->convs);
  while (g_hash_table_iter_next (&iter, &module, &node))
    g_hash_table_insert (self->modules, node, module);
  if (graph->input)
    g_hash_table_insert (self->by_name, graph->input,
        y10_onnx_expression (y10_expressions_intern (expressions, "images"),
            dim, 4));
  for (guint i = 0; i < graph->nodes->len; i++)
    eval_node (self, graph->nodes->pdata[i], visits, seen);
  return self;
}

void
y10_onnx_values_free (Y10OnnxValues *self)
{
  g_hash_table_unref (self->by_name);
  g_hash_table_unref (self->modules);
  g_free (self);
}

guint
y10_onnx_values_get_id (const Y10OnnxValues *self, const char *name)
{
  const Value *v = g_hash_table_lookup (self->by_name, name);

  return v && v->kind == Y10_ONNX_FEATURES ? y10_onnx_id (self, v)
                                           : Y10_EXPRESSION_NONE;
}

const Y10OnnxNode *
y10_onnx_values_get_culprit (const Y10OnnxValues *self, const Y10OnnxNode *conv,
    const char **why)
{
  const Value *v = g_hash_table_lookup (self->by_name, conv->out->pdata[0]);
  const Node *producer = g_hash_table_lookup (self->graph->producers,
      y10_onnx_input (conv, 0));

  if (v && v->kind == Y10_ONNX_UNKNOWN && v->culprit != conv) {
    *why = "is an operation that this network does not contain";
    return v->culprit;
  }
  if (v && v->kind == Y10_ONNX_UNKNOWN) {
    *why = "has attributes that this network does not use";
    return conv;
  }
  *why = "has other inputs or attributes than in this network";
  return producer ? producer : conv;
}
