/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The builder reads from names and shapes: the variant, the number of
 * parameters and operations (YOLOv10, table 1), and a graph that is valid at
 * any input size. It never reads weights: the files are all zeros. */

#include <string.h>

#include "model/model.h"
#include "util.h"

static const Y10TestFormat hollow = { .hollow = TRUE };

/* Millions of parameters and GFLOP at 640 × 640 as the paper gives them. */
static const struct
{
  char variant;
  double parameters, gflop;
} published[] = {
  { 'n', 2.3, 6.7 },
  { 's', 7.2, 21.6 },
  { 'm', 15.4, 59.1 },
  { 'b', 19.1, 92.0 },
  { 'l', 24.4, 120.3 },
  { 'x', 29.5, 160.4 },
};

static Y10Model *
load_variant (char variant)
{
  g_autofree char *name = g_strdup_printf ("yolov10%c-nc80", variant);
  Y10TestTensors *tensors = test_tensors (name, 0);
  Y10Model *model = test_model (tensors, &hollow);

  y10_test_tensors_free (tensors);
  return model;
}

static Y10Graph *
build (const Y10Model *model, guint width, guint height, Y10Head head)
{
  GError *error = NULL;
  Y10Graph *graph = y10_model_build_graph (model, width, height, head, &error);

  g_assert_no_error (error);
  return graph;
}

static void
test_variants (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (published); i++) {
    Y10Model *model = load_variant (published[i].variant);
    Y10Graph *graph = build (model, 640, 640, Y10_HEAD_ONE2ONE);
    char name[] = "yolov10?";
    double parameters = (double) y10_model_get_n_parameters (model) / 1e6;
    double gflop = 0;

    *strchr (name, '?') = published[i].variant;
    for (guint k = 0; k < graph->n_ops; k++)
      gflop += (double) y10_graph_op_flops (graph, &graph->ops[k]) / 1e9;
    g_test_message ("%s: %.3f M parameters, %.2f GFLOP", name, parameters,
        gflop);
    g_assert_cmpstr (y10_model_get_variant (model), ==, name);
    g_assert_cmpuint (y10_model_get_n_classes (model), ==, 80);
    g_assert_cmpuint (y10_model_get_n_bins (model), ==, 16);
    g_assert_cmpstr (y10_model_get_dtype (model), ==, "F32");
    g_assert_true (y10_model_has_head (model, Y10_HEAD_ONE2ONE));
    g_assert_true (y10_model_has_head (model, Y10_HEAD_ONE2MANY));
    /* The paper rounds, and counts BatchNorm before folding: 2 %. Its GFLOP
     * come from a tool that also counts activations: 4 %. */
    g_assert_cmpfloat_with_epsilon (parameters, published[i].parameters,
        0.02 * published[i].parameters);
    g_assert_cmpfloat_with_epsilon (gflop, published[i].gflop,
        0.04 * published[i].gflop);
    g_assert_cmpuint (graph->n_anchors, ==, 8400);
    y10_graph_free (graph);
    y10_model_unref (model);
  }
}

/* Each view lies in its tensor and is written before it is read, and all logits
 * are written before the head runs. */
static void
check_graph (const Y10Graph *graph)
{
  gboolean **written = g_new0 (gboolean *, graph->n_tensors);
  const Y10View *heads[2] = { graph->box, graph->cls };

  for (guint i = 0; i < graph->n_tensors; i++)
    written[i] = g_new0 (gboolean, graph->tensors[i].n_segs);
  written[graph->input.tensor][0] = TRUE;
  for (guint k = 0; k < graph->n_ops; k++) {
    const Y10Op *op = &graph->ops[k];
    const Y10View reads[2] = { op->in, op->add };

    for (guint r = 0; r < 2; r++)
      for (guint s = 0; s < reads[r].n; s++) {
        g_assert_cmpuint (reads[r].tensor, <, graph->n_tensors);
        g_assert_cmpuint (reads[r].first + s, <,
            graph->tensors[reads[r].tensor].n_segs);
        g_assert_true (written[reads[r].tensor][reads[r].first + s]);
      }
    for (guint s = 0; s < op->out.n; s++) {
      g_assert_cmpuint (op->out.first + s, <,
          graph->tensors[op->out.tensor].n_segs);
      written[op->out.tensor][op->out.first + s] = TRUE;
    }
    if (op->kind == Y10_OP_CONV) {
      const Y10ConvShape *shape = y10_weights_get_shape (graph->weights,
          op->conv);
      const Y10Tensor *in = &graph->tensors[op->in.tensor];
      const Y10Tensor *out = &graph->tensors[op->out.tensor];

      g_assert_cmpuint (y10_graph_view_channels (graph, op->out), ==,
          shape->out_channels);
      g_assert_cmpuint (y10_graph_view_channels (graph, op->in), ==,
          shape->in_channels * shape->groups);
      g_assert_cmpuint (out->height, ==, in->height / op->stride);
      g_assert_cmpuint (out->width, ==, in->width / op->stride);
    }
  }
  for (guint i = 0; i < graph->n_levels; i++)
    for (guint h = 0; h < 2; h++) {
      const Y10View view = heads[h][i];
      const Y10Tensor *t = &graph->tensors[view.tensor];

      g_assert_cmpint (t->role, ==, Y10_ROLE_LOGITS);
      g_assert_true (written[view.tensor][view.first]);
      g_assert_cmpuint (graph->stride[i], ==, 8u << i);
      g_assert_cmpuint (t->width, ==, graph->width / graph->stride[i]);
      g_assert_cmpuint (t->height, ==, graph->height / graph->stride[i]);
      g_assert_cmpuint (y10_graph_view_channels (graph, view), ==,
          h ? graph->n_classes : 4 * graph->n_bins);
    }
  for (guint i = 0; i < graph->n_tensors; i++)
    g_free (written[i]);
  g_free (written);
}

static void
test_sizes (void)
{
  static const guint sizes[][2] = { { 640, 640 }, { 640, 384 }, { 32, 32 },
    { 32, 96 }, { 1280, 736 }, { 4096, 32 } };

  for (const char *v = "nsmblx"; *v; v++) {
    Y10Model *model = load_variant (*v);

    for (guint i = 0; i < 2 * G_N_ELEMENTS (sizes); i++) {
      guint width = sizes[i / 2][0], height = sizes[i / 2][1];
      Y10Graph *graph = build (model, width, height,
          i & 1 ? Y10_HEAD_ONE2MANY : Y10_HEAD_ONE2ONE);

      check_graph (graph);
      g_assert_cmpuint (graph->n_anchors, ==,
          width * height / 64 + width * height / 256 + width * height / 1024);
      y10_graph_free (graph);
    }
    y10_model_unref (model);
  }
}

/* Networks that were never published. */
static void
test_custom (void)
{
  static const struct
  {
    const char *shapes;
    guint n_classes, n_bins;
  } custom[] = {
    { "tiny-nc3", 1, 16 },
    { "tiny-nc3", 7, 16 },
    { "tiny-nc3", 90, 16 },
    { "tiny-nc3", 1000, 16 },
    { "tiny-nc3-bins8", 3, 8 },
    { "tiny-x-nc3", 3, 16 },
    { "pico-nc3", 3, 2 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (custom); i++) {
    Y10TestTensors *tensors = test_tensors (custom[i].shapes, 0);
    Y10Graph *graph;
    Y10Model *model;

    y10_test_tensors_set_classes (tensors, custom[i].n_classes);
    model = test_model (tensors, &hollow);
    g_assert_cmpstr (y10_model_get_variant (model), ==, "yolov10 (custom)");
    g_assert_cmpuint (y10_model_get_n_classes (model), ==, custom[i].n_classes);
    g_assert_cmpuint (y10_model_get_n_bins (model), ==, custom[i].n_bins);
    graph = build (model, 96, 64, Y10_HEAD_ONE2ONE);
    check_graph (graph);
    y10_graph_free (graph);
    y10_model_unref (model);
    y10_test_tensors_free (tensors);
  }
}

static const Y10Op *
find_op (const Y10Graph *graph, const char *name)
{
  for (guint i = 0; i < graph->n_ops; i++)
    if (strcmp (graph->ops[i].name, name) == 0)
      return &graph->ops[i];
  g_test_message ("no op \"%s\"", name);
  g_assert_not_reached ();
}

/* The details of the paper that are easy to get wrong. */
static void
test_details (void)
{
  static const char *const linear[] = { "model.5.cv2", "model.7.cv2",
    "model.20.cv2", "model.10.attn.qkv", "model.10.attn.proj", "model.10.ffn.1",
    "model.23.one2one_cv2.0.2", "model.23.one2one_cv3.2.2" };
  static const struct
  {
    char variant;
    guint heads, key_dim, head_dim;
  } attention[] = {
    { 'n', 2, 32, 64 },
    { 's', 4, 32, 64 },
    { 'm', 4, 36, 72 },
    { 'b', 4, 32, 64 },
    { 'l', 4, 32, 64 },
    { 'x', 5, 32, 64 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (attention); i++) {
    Y10Model *model = load_variant (attention[i].variant);
    Y10Graph *graph = build (model, 640, 640, Y10_HEAD_ONE2ONE);
    const Y10Op *op = find_op (graph, "model.10.attn");
    guint n_linear = 0;

    g_assert_cmpint (op->kind, ==, Y10_OP_ATTENTION);
    g_assert_cmpuint (op->heads, ==, attention[i].heads);
    g_assert_cmpuint (op->key_dim, ==, attention[i].key_dim);
    g_assert_cmpuint (op->head_dim, ==, attention[i].head_dim);
    for (guint k = 0; k < graph->n_ops; k++)
      n_linear += graph->ops[k].kind == Y10_OP_CONV
          && graph->ops[k].act == Y10_ACT_NONE;
    for (guint k = 0; k < G_N_ELEMENTS (linear); k++)
      g_assert_cmpint (find_op (graph, linear[k])->act, ==, Y10_ACT_NONE);
    /* Those above, and the other four final convolutions of the head. */
    g_assert_cmpuint (n_linear, ==, G_N_ELEMENTS (linear) + 4);
    y10_graph_free (graph);
    y10_model_unref (model);
  }
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/graph/variants", test_variants);
  g_test_add_func ("/graph/sizes", test_sizes);
  g_test_add_func ("/graph/custom", test_custom);
  g_test_add_func ("/graph/details", test_details);
  status = g_test_run ();
  test_dir_remove ();
  return status;
}
