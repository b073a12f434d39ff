/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Graphs and the builder that model structures use. A concat costs nothing: its
 * operands become segments of one tensor, and the ops that produce them write
 * there. So each tensor lies in exactly one root tensor, and
 * y10_graph_builder_finish() leaves only these roots. */

#include "config.h"

#include <string.h>

#include "core/graph.h"

#define NO_PARENT G_MAXUINT

typedef struct
{
  Y10Tensor tensor;
  guint parent;       /* the concat that contains it, or NO_PARENT */
  guint parent_first; /* its first segment there */
} Node;

struct _Y10GraphBuilder
{
  GArray *nodes; /* Node */
  GArray *ops;   /* Y10Op */
  Y10Weights *weights;
  Y10View input;
  GError *error;
};

static void
op_clear (gpointer p)
{
  g_free (((Y10Op *) p)->name);
}

static void
node_clear (gpointer p)
{
  g_free (((Node *) p)->tensor.seg_channels);
}

static Node *
node (Y10GraphBuilder *b, guint i)
{
  return &g_array_index (b->nodes, Node, i);
}

Y10GraphBuilder *
y10_graph_builder_new (const Y10TensorFile *file, guint width, guint height)
{
  static const guint rgb = 3;
  Y10GraphBuilder *b = g_new0 (Y10GraphBuilder, 1);

  b->nodes = g_array_new (FALSE, TRUE, sizeof (Node));
  g_array_set_clear_func (b->nodes, node_clear);
  b->ops = g_array_new (FALSE, TRUE, sizeof (Y10Op));
  g_array_set_clear_func (b->ops, op_clear);
  b->weights = y10_weights_new (file);
  b->input = y10_graph_builder_tensor (b, Y10_ROLE_INPUT, height, width, &rgb,
      1);
  return b;
}

Y10View
y10_graph_builder_input (Y10GraphBuilder *b)
{
  return b->input;
}

Y10View
y10_graph_builder_tensor (Y10GraphBuilder *b, Y10TensorRole role, guint height,
    guint width, const guint *seg_channels, guint n_segs)
{
  Node n = {
    .tensor = {
      .role = role, .height = height, .width = width, .n_segs = n_segs,
      .seg_channels = g_memdup2 (seg_channels, n_segs * sizeof (guint)),
    },
    .parent = NO_PARENT,
  };

  g_array_append_val (b->nodes, n);
  return (Y10View){ b->nodes->len - 1, 0, n_segs };
}

/* Takes op->name. */
void
y10_graph_builder_op (Y10GraphBuilder *b, const Y10Op *op)
{
  g_array_append_vals (b->ops, op, 1);
}

Y10View
y10_graph_builder_concat (Y10GraphBuilder *b, const Y10View *views,
    guint n_views)
{
  g_autoptr (GArray) segs = g_array_new (FALSE, FALSE, sizeof (guint));
  const Y10Tensor *first;
  Y10View cat;

  if (b->error)
    return views[0];
  first = &node (b, views[0].tensor)->tensor;
  for (guint i = 0; i < n_views; i++) {
    Node *n = node (b, views[i].tensor);

    if (n->parent != NO_PARENT || views[i].n != n->tensor.n_segs
        || n->tensor.height != first->height
        || n->tensor.width != first->width) {
      y10_graph_builder_fail (b,
          g_error_new (Y10_ERROR, Y10_ERROR_MODEL,
              "concat operand %u is part of another tensor or differs in "
              "size",
              i));
      return views[0];
    }
    n->parent = b->nodes->len;
    n->parent_first = segs->len;
    g_array_append_vals (segs, n->tensor.seg_channels, n->tensor.n_segs);
  }
  cat = y10_graph_builder_tensor (b, Y10_ROLE_ACTIVATION, first->height,
      first->width, (const guint *) segs->data, segs->len);
  return cat;
}

Y10Weights *
y10_graph_builder_weights (Y10GraphBuilder *b)
{
  return b->weights;
}

guint
y10_graph_builder_channels (Y10GraphBuilder *b, Y10View v)
{
  const Y10Tensor *t = &node (b, v.tensor)->tensor;
  guint channels = 0;

  for (guint i = 0; i < v.n; i++)
    channels += t->seg_channels[v.first + i];
  return channels;
}

void
y10_graph_builder_size (Y10GraphBuilder *b, Y10View v, guint *height,
    guint *width)
{
  *height = node (b, v.tensor)->tensor.height;
  *width = node (b, v.tensor)->tensor.width;
}

/* Takes @error; keeps only the first. */
void
y10_graph_builder_fail (Y10GraphBuilder *b, GError *error)
{
  if (b->error)
    g_error_free (error);
  else
    b->error = error;
}

gboolean
y10_graph_builder_failed (Y10GraphBuilder *b)
{
  return b->error != NULL;
}

static void
resolve (Y10GraphBuilder *b, const guint *index, Y10View *v)
{
  if (!v->n)
    return;
  while (node (b, v->tensor)->parent != NO_PARENT) {
    v->first += node (b, v->tensor)->parent_first;
    v->tensor = node (b, v->tensor)->parent;
  }
  v->tensor = index[v->tensor];
}

Y10Graph *
y10_graph_builder_finish (Y10GraphBuilder *b, Y10Graph *fields, GError **error)
{
  Y10Graph *graph = NULL;

  if (b->error) {
    g_propagate_error (error, b->error);
    y10_weights_free (b->weights);
  } else {
    g_autofree guint *index = g_new0 (guint, b->nodes->len);

    graph = g_memdup2 (fields, sizeof *fields);
    graph->weights = b->weights;
    graph->tensors = g_new0 (Y10Tensor, b->nodes->len);
    for (guint i = 0; i < b->nodes->len; i++)
      if (node (b, i)->parent == NO_PARENT) {
        index[i] = graph->n_tensors;
        graph->tensors[graph->n_tensors++] = node (b, i)->tensor;
        node (b, i)->tensor.seg_channels = NULL;
      }
    graph->n_ops = b->ops->len;
    graph->ops = (Y10Op *) g_array_steal (b->ops, NULL);
    for (guint i = 0; i < graph->n_ops; i++) {
      resolve (b, index, &graph->ops[i].in);
      resolve (b, index, &graph->ops[i].out);
      resolve (b, index, &graph->ops[i].add);
    }
    graph->input = b->input;
    resolve (b, index, &graph->input);
    for (guint i = 0; i < graph->n_levels; i++) {
      resolve (b, index, &graph->box[i]);
      resolve (b, index, &graph->cls[i]);
    }
    for (guint i = 0; i < graph->n_layers; i++)
      resolve (b, index, &graph->layer[i]);
  }
  g_array_unref (b->nodes);
  g_array_unref (b->ops);
  g_free (b);
  return graph;
}

void
y10_graph_free (Y10Graph *graph)
{
  if (!graph)
    return;
  for (guint i = 0; i < graph->n_tensors; i++) {
    g_free (graph->tensors[i].seg_channels);
    g_free (graph->tensors[i].scale);
    g_free (graph->tensors[i].zero);
  }
  for (guint i = 0; i < graph->n_ops; i++)
    g_free (graph->ops[i].name);
  g_free (graph->tensors);
  g_free (graph->ops);
  g_free (graph->layer);
  y10_weights_free (graph->weights);
  g_free (graph);
}

void
y10_graph_locate (const Y10Graph *graph, guint32 anchor, guint *level,
    guint *row, guint *column)
{
  for (guint i = 0;; i++) {
    const Y10Tensor *t = &graph->tensors[graph->box[i].tensor];
    guint n = t->height * t->width;

    if (anchor < n || i == graph->n_levels - 1) {
      *level = i;
      *row = anchor / t->width;
      *column = anchor % t->width;
      return;
    }
    anchor -= n;
  }
}

guint
y10_graph_view_channels (const Y10Graph *graph, Y10View v)
{
  guint channels = 0;

  for (guint i = 0; i < v.n; i++)
    channels += graph->tensors[v.tensor].seg_channels[v.first + i];
  return channels;
}

/* Counts the ops that read @tensor. */
static guint
count_readers (const Y10Graph *graph, guint tensor)
{
  guint n = 0;

  for (guint i = 0; i < graph->n_ops; i++) {
    const Y10Op *op = &graph->ops[i];
    n += (op->in.n && op->in.tensor == tensor)
        + (op->add.n && op->add.tensor == tensor);
  }
  return n;
}

guint
y10_graph_first_box_op (const Y10Graph *graph)
{
  g_autofree gboolean *box = g_new0 (gboolean, graph->n_tensors);
  guint first = graph->n_ops;

  for (guint i = 0; i < graph->n_levels; i++)
    if (graph->box[i].n)
      box[graph->box[i].tensor] = TRUE;
  for (; first && box[graph->ops[first - 1].out.tensor]; first--) {
    guint in = graph->ops[first - 1].in.tensor;
    if (graph->tensors[in].role == Y10_ROLE_ACTIVATION
        && count_readers (graph, in) == 1)
      box[in] = TRUE;
  }
  return first;
}

gboolean
y10_graph_is_pair (const Y10Graph *graph, guint op)
{
  const Y10Op *o = &graph->ops[op], *next = o + 1;

  return op + 1 < graph->n_ops && o->kind == Y10_OP_CONV && o->groups > 1
      && !o->add.n && next->kind == Y10_OP_CONV && next->groups == 1
      && next->kernel == 1 && next->stride == 1 && !next->add.n
      && graph->tensors[next->out.tensor].role == Y10_ROLE_ACTIVATION
      && graph->tensors[o->out.tensor].role == Y10_ROLE_ACTIVATION
      && o->out.tensor == next->in.tensor && o->out.first == next->in.first
      && o->out.n == next->in.n
      && o->out.n == graph->tensors[o->out.tensor].n_segs
      && count_readers (graph, o->out.tensor) == 1;
}

gboolean
y10_graph_is_logits_pair (const Y10Graph *graph, guint op)
{
  const Y10Op *second, *last;

  if (op + 2 >= graph->n_ops)
    return FALSE;
  second = &graph->ops[op + 1];
  last = &graph->ops[op + 2];
  return y10_graph_is_pair (graph, op) && last->kind == Y10_OP_CONV
      && last->groups == 1 && last->kernel == 1 && last->stride == 1
      && !last->add.n && last->act == Y10_ACT_NONE
      && graph->tensors[last->out.tensor].role == Y10_ROLE_LOGITS
      && second->out.tensor == last->in.tensor
      && second->out.first == last->in.first && second->out.n == last->in.n
      && second->out.n == graph->tensors[second->out.tensor].n_segs
      && count_readers (graph, second->out.tensor) == 1;
}

gboolean
y10_graph_is_upsampled (const Y10Graph *graph, guint op)
{
  const Y10Op *o = &graph->ops[op], *next = o + 1;

  return op + 1 < graph->n_ops && o->kind == Y10_OP_CONV && o->groups == 1
      && o->kernel == 1 && !o->add.n && next->kind == Y10_OP_UPSAMPLE2X
      && graph->tensors[o->out.tensor].role == Y10_ROLE_ACTIVATION
      && o->out.tensor == next->in.tensor && o->out.first == next->in.first
      && o->out.n == next->in.n;
}

guint
y10_graph_count_joint (const Y10Graph *graph, guint op)
{
  if (y10_graph_is_logits_pair (graph, op))
    return 3;
  return y10_graph_is_pair (graph, op) || y10_graph_is_upsampled (graph, op)
      ? 2
      : 1;
}

/* Counts two FLOPs for a multiply-add and none for activations, additions and
 * softmax, as the papers do. */
guint64
y10_graph_op_flops (const Y10Graph *graph, const Y10Op *op)
{
  const Y10Tensor *out = &graph->tensors[op->out.tensor];
  guint64 n = (guint64) out->height * out->width;
  guint64 out_channels = y10_graph_view_channels (graph, op->out);
  guint64 in_channels = y10_graph_view_channels (graph, op->in);

  switch (op->kind) {
    case Y10_OP_CONV:
      return 2 * n * out_channels * (in_channels / op->groups) * op->kernel
          * op->kernel;
    case Y10_OP_ATTENTION:
      return 2 * n * n * op->heads * (op->key_dim + op->head_dim)
          + 2 * n * out_channels * op->kernel * op->kernel;
    case Y10_OP_MAXPOOL5:
    case Y10_OP_UPSAMPLE2X:
      return 0;
  }
  return 0;
}

const char *
y10_op_kind_get_name (Y10OpKind kind)
{
  static const char *const names[Y10_N_OP_KINDS] = { "conv", "maxpool5",
    "upsample2x", "attention" };

  return kind < Y10_N_OP_KINDS ? names[kind] : "unknown";
}
