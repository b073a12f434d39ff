/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Proves that an ONNX file computes our graph. Writes both graphs as
 * expressions in one canonical form; the expressions of each convolution, up
 * to the last of the head, must be equal. The canonical form merges Sigmoid
 * and Mul into SiLU, and omits Identity, Cast, Concat, Split and Slice.
 * Shapes are numbers, because the file is evaluated at the size that it was
 * exported for. Nodes after the head are not compared. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "model/expressions.h"
#include "model/onnx-proof.h"
#include "model/onnx-values.h"

typedef struct
{
  Y10Expressions *expressions;
  const Y10Graph *graph;
  const Y10TensorFile *file;
  const char *title;
  guint batch;           /* that the file was exported for */
  Y10Pieces ***segments; /* pieces of each segment of each tensor */
  GHashTable *expected;  /* module → id of its convolution */
  GPtrArray *modules;    /* in execution order */
} Network;

static Y10Pieces *
read_view (const Network *n, Y10View view)
{
  Y10Pieces *all = g_array_new (FALSE, FALSE, sizeof (Y10Piece));

  for (guint s = view.first; s < view.first + view.n; s++) {
    const Y10Pieces *pieces = n->segments[view.tensor][s];

    for (guint i = 0; pieces && i < pieces->len; i++)
      y10_pieces_append (all, &g_array_index (pieces, Y10Piece, i));
  }
  return all;
}

static guint
join_view (const Network *n, Y10View view)
{
  g_autoptr (GArray) pieces = read_view (n, view);

  return y10_expressions_join (n->expressions, pieces);
}

static void
write_view (Network *n, Y10View view, guint id)
{
  const Y10Tensor *tensor = &n->graph->tensors[view.tensor];
  gint64 total = y10_graph_view_channels (n->graph, view), at = 0;

  for (guint s = view.first; s < view.first + view.n; s++) {
    Y10Pieces **segment = &n->segments[view.tensor][s];
    const Y10Piece piece = { id, at, at + tensor->seg_channels[s], total };

    g_clear_pointer (segment, g_array_unref);
    *segment = g_array_new (FALSE, FALSE, sizeof (Y10Piece));
    g_array_append_val (*segment, piece);
    at = piece.last;
  }
}

static gboolean
has_weight (const Network *n, const char *module)
{
  g_autofree char *name = g_strconcat (module, ".weight", NULL);

  return y10_tensor_file_find (n->file, name) != NULL;
}

/* Whether a BatchNorm follows the convolution "NAME.conv", as trained. */
static gboolean
has_norm (const Network *n, const char *conv)
{
  g_autofree char *norm = NULL;

  if (!g_str_has_suffix (conv, ".conv"))
    return FALSE;
  norm = g_strdup_printf ("%.*s.bn", (int) (strlen (conv) - strlen (".conv")),
      conv);
  return has_weight (n, norm);
}

/* Takes @module, the name of the convolution in ONNX. */
static guint
expect_conv (Network *n, char *module, guint kernel, guint stride, guint groups,
    guint in)
{
  guint id = y10_expressions_conv (n->expressions, module, kernel, stride,
      kernel / 2, groups, in);

  g_hash_table_insert (n->expected, module, GUINT_TO_POINTER (id));
  g_ptr_array_add (n->modules, module);
  return has_norm (n, module)
      ? y10_expressions_intern (n->expressions, "norm %u", id)
      : id;
}

/* The convolution of a module Conv is its child; a RepVGGDW has two of them. */
static guint
expect_module (Network *n, const char *name, guint kernel, guint stride,
    guint groups, guint in)
{
  g_autofree char *large = g_strconcat (name, ".conv.conv", NULL);
  char *inner = g_strconcat (name, ".conv", NULL);

  if (has_weight (n, large)) {
    guint a = expect_conv (n, g_strdup (large), kernel, stride, groups, in);
    guint b = expect_conv (n, g_strconcat (name, ".conv1.conv", NULL), 3,
        stride, groups, in);

    g_free (inner);
    return y10_expressions_add (n->expressions, a, b);
  }
  if (has_weight (n, inner))
    return expect_conv (n, inner, kernel, stride, groups, in);
  g_free (inner);
  return expect_conv (n, g_strdup (name), kernel, stride, groups, in);
}

static guint
expect_attention (Network *n, const Y10Op *op)
{
  Y10Expressions *e = n->expressions;
  const Y10Tensor *t = &n->graph->tensors[op->out.tensor];
  guint channels = op->heads * op->head_dim, q, k, v, scores, positions;
  guint all = y10_expressions_intern (e, "reshape %ux%ux%ux%u %u", n->batch,
      op->heads, 2 * op->key_dim + op->head_dim, t->height * t->width,
      join_view (n, op->in));

  q = y10_expressions_intern (e, "slice 2 0 %u %u", op->key_dim, all);
  k = y10_expressions_intern (e, "slice 2 %u %u %u", op->key_dim,
      2 * op->key_dim, all);
  v = y10_expressions_intern (e, "slice 2 %u %u %u", 2 * op->key_dim,
      2 * op->key_dim + op->head_dim, all);
  q = y10_expressions_intern (e, "transpose 0132 %u", q);
  scores = y10_expressions_intern (e, "matmul %u %u", q, k);
  scores = y10_expressions_scale (e, scores, 1 / sqrt (op->key_dim));
  scores = y10_expressions_intern (e, "softmax 3 %u", scores);
  scores = y10_expressions_intern (e, "transpose 0132 %u", scores);
  scores = y10_expressions_intern (e, "matmul %u %u", v, scores);
  scores = y10_expressions_intern (e, "reshape %ux%ux%ux%u %u", n->batch,
      channels, t->height, t->width, scores);
  positions = y10_expressions_intern (e, "reshape %ux%ux%ux%u %u", n->batch,
      channels, t->height, t->width, v);
  positions = expect_module (n,
      y10_weights_get_shape (n->graph->weights, op->conv)->name, op->kernel, 1,
      op->groups, positions);
  return y10_expressions_add (e, scores, positions);
}

static guint
expect_op (Network *n, const Y10Op *op)
{
  Y10Expressions *e = n->expressions;
  guint id;

  switch (op->kind) {
    case Y10_OP_CONV:
      id = expect_module (n, op->name, op->kernel, op->stride, op->groups,
          join_view (n, op->in));
      if (op->act == Y10_ACT_SILU)
        id = y10_expressions_intern (e, "silu %u", id);
      return op->add.n ? y10_expressions_add (e, id, join_view (n, op->add))
                       : id;
    case Y10_OP_MAXPOOL5:
      return y10_expressions_intern (e, "maxpool 5 %u", join_view (n, op->in));
    case Y10_OP_UPSAMPLE2X:
      return y10_expressions_intern (e, "upsample2x %u", join_view (n, op->in));
    case Y10_OP_ATTENTION:
      return expect_attention (n, op);
  }
  g_assert_not_reached ();
}

static void
network_init (Network *n, Y10Expressions *expressions, const Y10Graph *graph,
    const Y10TensorFile *file, guint batch)
{
  *n = (Network){
    .expressions = expressions,
    .graph = graph,
    .file = file,
    .batch = MAX (batch, 1),
    .segments = g_new (Y10Pieces **, graph->n_tensors),
    .expected = g_hash_table_new (g_str_hash, g_str_equal),
    .modules = g_ptr_array_new_with_free_func (g_free),
  };
  for (guint i = 0; i < graph->n_tensors; i++)
    n->segments[i] = g_new0 (Y10Pieces *, graph->tensors[i].n_segs);
  write_view (n, graph->input, y10_expressions_intern (expressions, "images"));
  for (guint i = 0; i < graph->n_ops; i++)
    write_view (n, graph->ops[i].out, expect_op (n, &graph->ops[i]));
}

static void
network_clear (Network *n)
{
  for (guint i = 0; i < n->graph->n_tensors; i++) {
    for (guint s = 0; s < n->graph->tensors[i].n_segs; s++)
      g_clear_pointer (&n->segments[i][s], g_array_unref);
    g_free (n->segments[i]);
  }
  g_free (n->segments);
  g_hash_table_unref (n->expected);
  g_ptr_array_unref (n->modules);
}

static gboolean
check_module (const Network *n, const Y10OnnxGraph *onnx,
    const Y10OnnxValues *values, const char *module, GError **error)
{
  const Y10OnnxNode *node = g_hash_table_lookup (onnx->convs, module);
  const char *path = y10_tensor_file_get_path (n->file), *why;
  const Y10OnnxNode *before;
  guint id;

  if (!node) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_MODEL,
        "%s is not a %s: it has no convolution \"%s\"", path, n->title, module);
    return FALSE;
  }
  id = y10_onnx_values_get_id (values, node->out->pdata[0]);
  if (id && id == GPOINTER_TO_UINT (g_hash_table_lookup (n->expected, module)))
    return TRUE;
  before = y10_onnx_values_get_culprit (values, node, &why);
  if (before == node)
    g_set_error (error, Y10_ERROR, Y10_ERROR_MODEL,
        "%s is not a %s: node \"%s\" (%s) %s", path, n->title, node->name,
        node->op, why);
  else
    g_set_error (error, Y10_ERROR, Y10_ERROR_MODEL,
        "%s is not a %s: node \"%s\" (%s), which convolution \"%s\" "
        "reads, %s",
        path, n->title, before->name, before->op, module, why);
  return FALSE;
}

gboolean
y10_onnx_prove (const Y10OnnxGraph *onnx, const Y10Graph *graph,
    const Y10TensorFile *file, const char *title, GError **error)
{
  Y10Expressions *expressions = y10_expressions_new ();
  Y10OnnxValues *values;
  gboolean same = TRUE;
  Network network;

  network_init (&network, expressions, graph, file, onnx->batch);
  network.title = title;
  values = y10_onnx_values_new (onnx, expressions, graph->width, graph->height);
  for (guint i = 0; i < network.modules->len && same; i++)
    same = check_module (&network, onnx, values, network.modules->pdata[i],
        error);
  y10_onnx_values_free (values);
  network_clear (&network);
  y10_expressions_free (expressions);
  return same;
}
