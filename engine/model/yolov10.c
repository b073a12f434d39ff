/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Builds the graph of a YOLOv10 (Wang et al., 2024, arXiv:2405.14458),
 * module by module, with the names of the original checkpoint. Each function
 * below builds one kind of module of the paper; network () at the end
 * connects them as the models' yaml files do. Widths, depths and the choice
 * of blocks are read from the weights, so no code here depends on the
 * variant. */

#include "config.h"

#include "model/structure.h"

#define N_LEVELS 3              /* strides 8, 16, 32 */
#define N_LAYERS 23             /* the modules before the head */

typedef struct
{
  Y10GraphBuilder *graph;
  GStringChunk *names;
  const char *path;
} Yolo;

/* Deviations of a convolution from Conv(k, stride 1, SiLU). */
typedef struct
{
  guint stride;                 /* 0 means 1 */
  gboolean linear;              /* no SiLU */
  gboolean depthwise;
  guint split;                  /* number of equal segments of the output */
  const guint *segs;            /* … or the channels of each segment */
  guint n_segs;
  gboolean logits;              /* output is read by the head */
  Y10View add;                  /* residual, added after the activation */
  gboolean in_place;            /* the output overwrites the residual */
} ConvSpec;

#define CONV(...) ((ConvSpec) { __VA_ARGS__ })

G_GNUC_PRINTF (2, 3)
static const char *
name (Yolo *y, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  return g_string_chunk_insert_const (y->names, text);
}

static gboolean
has (Yolo *y, const char *module)
{
  return y10_weights_has (y10_graph_builder_weights (y->graph), module);
}

static guint
channels (Yolo *y, Y10View x)
{
  return y10_graph_builder_channels (y->graph, x);
}

/* Segment @i of @x. */
static Y10View
part (Y10View x, guint i)
{
  return (Y10View) { x.tensor, x.first + i, 1 };
}

G_GNUC_PRINTF (2, 3)
static Y10View
fail (Yolo *y, const char *format, ...)
{
  GError *error;
  va_list args;

  va_start (args, format);
  error = g_error_new_valist (Y10_ERROR, Y10_ERROR_MODEL, format, args);
  va_end (args);
  g_prefix_error (&error, "%s: ", y->path);
  y10_graph_builder_fail (y->graph, error);
  return y10_graph_builder_input (y->graph);
}

/* Conv: k×k convolution with its BatchNorm folded, then SiLU. */
static Y10View
conv (Yolo *y, Y10View x, const char *module, ConvSpec spec)
{
  Y10Weights *weights = y10_graph_builder_weights (y->graph);
  GError *error = NULL;
  const Y10ConvShape *shape;
  guint index, height, width, part_channels[2];
  Y10Op op;

  if (y10_graph_builder_failed (y->graph))
    return x;
  index = y10_weights_add_conv (weights, module, channels (y, x),
      spec.depthwise, &error);
  if (error) {
    y10_graph_builder_fail (y->graph, error);
    return x;
  }
  shape = y10_weights_get_shape (weights, index);
  op = (Y10Op) {
    .kind = Y10_OP_CONV,
    .name = g_strdup (module),
    .in = x,
    .add = spec.add,
    .conv = index,
    .kernel = shape->kernel,
    .stride = MAX (spec.stride, 1),
    .pad = shape->kernel / 2,
    .groups = shape->groups,
    .act = spec.linear ? Y10_ACT_NONE : Y10_ACT_SILU,
  };
  if (!spec.segs) {
    spec.n_segs = MAX (spec.split, 1);
    part_channels[0] = part_channels[1] = shape->out_channels / spec.n_segs;
    spec.segs = part_channels;
  }
  y10_graph_builder_size (y->graph, x, &height, &width);
  op.out = spec.in_place ? spec.add
      : y10_graph_builder_tensor (y->graph,
      spec.logits ? Y10_ROLE_LOGITS : Y10_ROLE_ACTIVATION,
      (height - 1) / op.stride + 1, (width - 1) / op.stride + 1, spec.segs,
      spec.n_segs);
  y10_graph_builder_op (y->graph, &op);
  if (channels (y, op.out) != shape->out_channels
      || (spec.add.n && channels (y, spec.add) != shape->out_channels))
    return fail (y, "\"%s\" has %u output channels; expected %u", module,
        shape->out_channels, channels (y, spec.add.n ? spec.add : op.out));
  return op.out;
}

/* SCDown, spatial-channel decoupled downsampling (§3.2): a pointwise
 * convolution, then a depthwise 3×3 of stride 2 without activation. */
static Y10View
scdown (Yolo *y, Y10View x, const char *module)
{
  x = conv (y, x, name (y, "%s.cv1", module), CONV ());
  return conv (y, x, name (y, "%s.cv2", module),
      CONV (.stride = 2, .depthwise = TRUE, .linear = TRUE));
}

/* Bottleneck: two convolutions; @shortcut adds the input to the output. */
static Y10View
bottleneck (Yolo *y, Y10View x, const char *module, gboolean shortcut)
{
  Y10View h = conv (y, x, name (y, "%s.cv1", module), CONV ());

  return conv (y, h, name (y, "%s.cv2", module),
      CONV (.add = shortcut ? x : (Y10View) { 0 }));
}

/* RepVGGDW, the large-kernel convolution (§3.3): depthwise 7×7 plus
 * depthwise 3×3, merged when the weights are fetched. */
static Y10View
repvggdw (Yolo *y, Y10View x, const char *module)
{
  return conv (y, x, module, CONV (.depthwise = TRUE));
}

/* CIB, the compact inverted block (§3.2): depthwise convolutions for spatial
 * mixing, pointwise ones for channel mixing. */
static Y10View
cib (Yolo *y, Y10View x, const char *module)
{
  Y10View h;

  h = conv (y, x, name (y, "%s.cv1.0", module), CONV (.depthwise = TRUE));
  h = conv (y, h, name (y, "%s.cv1.1", module), CONV ());
  h = repvggdw (y, h, name (y, "%s.cv1.2", module));
  h = conv (y, h, name (y, "%s.cv1.3", module), CONV ());
  return conv (y, h, name (y, "%s.cv1.4", module),
      CONV (.depthwise = TRUE, .add = x));
}

/* C2f: splits the channels in two, runs a chain of blocks on the second half
 * and concatenates all outputs. With CIB blocks it is C2fCIB, which always
 * has the shortcut. */
static Y10View
c2f (Yolo *y, Y10View x, const char *module, gboolean shortcut)
{
  g_autoptr (GArray) views = g_array_new (FALSE, FALSE, sizeof (Y10View));
  Y10View h = conv (y, x, name (y, "%s.cv1", module), CONV (.split = 2));

  if (y10_graph_builder_failed (y->graph))
    return h;
  g_array_append_val (views, h);
  h = part (h, 1);
  for (guint i = 0;; i++) {
    const char *block = name (y, "%s.m.%u", module, i);

    if (has (y, name (y, "%s.cv1", block)))
      h = bottleneck (y, h, block, shortcut);
    else if (has (y, name (y, "%s.cv1.0", block)))
      h = cib (y, h, block);
    else
      break;
    g_array_append_val (views, h);
  }
  x = y10_graph_builder_concat (y->graph, (const Y10View *) views->data,
      views->len);
  return conv (y, x, name (y, "%s.cv2", module), CONV ());
}

static Y10View
maxpool5 (Yolo *y, Y10View x, const char *module)
{
  guint height, width, c = channels (y, x);
  Y10Op op = {.kind = Y10_OP_MAXPOOL5,.name = g_strdup (module),.in = x };

  y10_graph_builder_size (y->graph, x, &height, &width);
  op.out = y10_graph_builder_tensor (y->graph, Y10_ROLE_ACTIVATION, height,
      width, &c, 1);
  y10_graph_builder_op (y->graph, &op);
  return op.out;
}

/* SPPF: three 5×5 max pools in sequence, with windows of 5, 9 and 13 pixels. */
static Y10View
sppf (Yolo *y, Y10View x, const char *module)
{
  Y10View v[4];

  v[0] = conv (y, x, name (y, "%s.cv1", module), CONV ());
  for (guint i = 1; i < 4; i++)
    v[i] = maxpool5 (y, v[i - 1], name (y, "%s.m", module));
  x = y10_graph_builder_concat (y->graph, v, 4);
  return conv (y, x, name (y, "%s.cv2", module), CONV ());
}

/* Attention: multi-head self-attention over all positions plus the
 * positional encoding, a depthwise convolution @pe of the values; the result
 * is added to @x. */
static Y10View
attention (Yolo *y, Y10View x, const char *module)
{
  guint dim = channels (y, x), heads = MAX (1, dim / 64);
  guint head_dim = dim / heads, key_dim = head_dim / 2;
  g_autoptr (GArray) segs = g_array_new (FALSE, FALSE, sizeof (guint));
  Y10Op op = {
    .kind = Y10_OP_ATTENTION,.name = g_strdup (module),
    .kernel = 3,.stride = 1,.pad = 1,.groups = dim,
    .heads = heads,.key_dim = key_dim,.head_dim = head_dim,
  };
  GError *error = NULL;
  guint height, width;

  for (guint i = 0; i < heads; i++)
    g_array_append_vals (segs, ((guint[]) { key_dim, key_dim, head_dim }), 3);
  op.in = conv (y, x, name (y, "%s.qkv", module), CONV (.linear = TRUE,
          .segs = (const guint *) segs->data,.n_segs = segs->len));
  op.conv = y10_weights_add_conv (y10_graph_builder_weights (y->graph),
      name (y, "%s.pe", module), dim, TRUE, &error);
  if (error || y10_graph_builder_failed (y->graph)) {
    g_free (op.name);
    if (error)
      y10_graph_builder_fail (y->graph, error);
    return x;
  }
  g_array_set_size (segs, 0);
  for (guint i = 0; i < heads; i++)
    g_array_append_val (segs, head_dim);
  y10_graph_builder_size (y->graph, x, &height, &width);
  op.out = y10_graph_builder_tensor (y->graph, Y10_ROLE_ACTIVATION, height,
      width, (const guint *) segs->data, segs->len);
  y10_graph_builder_op (y->graph, &op);
  return conv (y, op.out, name (y, "%s.proj", module),
      CONV (.linear = TRUE,.add = x,.in_place = TRUE));
}

/* PSA, partial self-attention (§3.3): one half of the channels is passed
 * through, the other half goes through attention and a feed-forward network,
 * each added in place. */
static Y10View
psa (Yolo *y, Y10View x, const char *module)
{
  Y10View h, b;

  x = conv (y, x, name (y, "%s.cv1", module), CONV (.split = 2));
  if (y10_graph_builder_failed (y->graph))
    return x;
  b = attention (y, part (x, 1), name (y, "%s.attn", module));
  h = conv (y, b, name (y, "%s.ffn.0", module), CONV ());
  conv (y, h, name (y, "%s.ffn.1", module),
      CONV (.linear = TRUE,.add = b,.in_place = TRUE));
  return conv (y, x, name (y, "%s.cv2", module), CONV ());
}

static Y10View
upsample2x (Yolo *y, Y10View x, const char *module)
{
  guint height, width, c = channels (y, x);
  Y10Op op = {.kind = Y10_OP_UPSAMPLE2X,.name = g_strdup (module),.in = x };

  y10_graph_builder_size (y->graph, x, &height, &width);
  op.out = y10_graph_builder_tensor (y->graph, Y10_ROLE_ACTIVATION,
      2 * height, 2 * width, &c, 1);
  y10_graph_builder_op (y->graph, &op);
  return op.out;
}

/* v10Detect: per level a box branch (edge distances as distributions, DFL)
 * and a lighter class branch (§3.2); the one2one copies are the end-to-end
 * head. Box ops come last, so that a backend may run them only at the
 * anchors that the class scores select. */
static void
detect (Yolo *y, const Y10View *x, const char *module, Y10Graph *out)
{
  const char *prefix = out->head == Y10_HEAD_ONE2MANY ? "" : "one2one_";

  for (guint i = 0; i < out->n_levels; i++) {
    const char *cv3 = name (y, "%s.%scv3.%u", module, prefix, i);
    Y10View h;

    h = conv (y, x[i], name (y, "%s.0.0", cv3), CONV (.depthwise = TRUE));
    h = conv (y, h, name (y, "%s.0.1", cv3), CONV ());
    h = conv (y, h, name (y, "%s.1.0", cv3), CONV (.depthwise = TRUE));
    h = conv (y, h, name (y, "%s.1.1", cv3), CONV ());
    out->cls[i] = conv (y, h, name (y, "%s.2", cv3),
        CONV (.linear = TRUE,.logits = TRUE));
  }
  for (guint i = 0; i < out->n_levels; i++) {
    const char *cv2 = name (y, "%s.%scv2.%u", module, prefix, i);
    const char *cv3 = name (y, "%s.%scv3.%u", module, prefix, i);
    guint height, width;
    Y10View h;

    h = conv (y, x[i], name (y, "%s.0", cv2), CONV ());
    h = conv (y, h, name (y, "%s.1", cv2), CONV ());
    out->box[i] = conv (y, h, name (y, "%s.2", cv2),
        CONV (.linear = TRUE,.logits = TRUE));
    if (y10_graph_builder_failed (y->graph))
      return;
    y10_graph_builder_size (y->graph, out->box[i], &height, &width);
    out->stride[i] = out->width / width;
    out->n_anchors += width * height;
    if (!i) {
      out->n_classes = channels (y, out->cls[0]);
      out->n_bins = channels (y, out->box[0]) / 4;
    }
    if (channels (y, out->cls[i]) != out->n_classes
        || channels (y, out->box[i]) != 4 * out->n_bins)
      fail (y, "\"%s\" has %u classes and \"%s\" %u box values; expected %u "
          "and 4 × %u as on the first level", cv3,
          channels (y, out->cls[i]), cv2, channels (y, out->box[i]),
          out->n_classes, out->n_bins);
  }
}

static void
network (Yolo *y, Y10Graph *out)
{
  Y10View *l = out->layer;

#define CAT(a, b) \
    y10_graph_builder_concat (y->graph, (Y10View[]) { a, b }, 2)
  l[0] = conv (y, y10_graph_builder_input (y->graph), "model.0",
      CONV (.stride = 2));
  l[1] = conv (y, l[0], "model.1", CONV (.stride = 2));
  l[2] = c2f (y, l[1], "model.2", TRUE);
  l[3] = conv (y, l[2], "model.3", CONV (.stride = 2));
  l[4] = c2f (y, l[3], "model.4", TRUE);
  l[5] = scdown (y, l[4], "model.5");
  l[6] = c2f (y, l[5], "model.6", TRUE);
  l[7] = scdown (y, l[6], "model.7");
  l[8] = c2f (y, l[7], "model.8", TRUE);
  l[9] = sppf (y, l[8], "model.9");
  l[10] = psa (y, l[9], "model.10");

  l[11] = upsample2x (y, l[10], "model.11");
  l[12] = CAT (l[11], l[6]);
  l[13] = c2f (y, l[12], "model.13", FALSE);
  l[14] = upsample2x (y, l[13], "model.14");
  l[15] = CAT (l[14], l[4]);
  l[16] = c2f (y, l[15], "model.16", FALSE);
  l[17] = conv (y, l[16], "model.17", CONV (.stride = 2));
  l[18] = CAT (l[17], l[13]);
  l[19] = c2f (y, l[18], "model.19", FALSE);
  l[20] = scdown (y, l[19], "model.20");
  l[21] = CAT (l[20], l[10]);
  l[22] = c2f (y, l[21], "model.22", FALSE);
  detect (y, (Y10View[]) { l[16], l[19], l[22] }, "model.23", out);
#undef CAT
}

static Y10Graph *
build (const Y10TensorFile *file, guint width, guint height,
    Y10Head head, GError **error)
{
  Y10Graph fields = {.width = width,.height = height,.head = head,
    .n_levels = N_LEVELS,.n_layers = N_LAYERS,
    .layer = g_new0 (Y10View, N_LAYERS)
  };
  Yolo y = {
    .graph = y10_graph_builder_new (file, width, height),
    .names = g_string_chunk_new (4096),
    .path = y10_tensor_file_get_path (file),
  };
  Y10Graph *graph;

  network (&y, &fields);
  if (!fields.n_bins)
    fail (&y, "the box branch of \"model.23\" has fewer than 4 channels");
  graph = y10_graph_builder_finish (y.graph, &fields, error);
  if (!graph)
    g_free (fields.layer);
  g_string_chunk_free (y.names);
  return graph;
}

static gboolean
has_head (const Y10TensorFile *file, Y10Head head)
{
  return y10_tensor_file_find (file, head == Y10_HEAD_ONE2MANY
      ? "model.23.cv3.2.2.weight" : "model.23.one2one_cv3.2.2.weight") != NULL;
}

static gboolean
probe (const Y10TensorFile *file)
{
  return has_head (file, Y10_HEAD_ONE2ONE)
      || has_head (file, Y10_HEAD_ONE2MANY);
}

/* Names the published variants by their channels and depth; others are
 * custom. */
static const char *
name_variant (const Y10TensorFile *file, const Y10Graph *graph)
{
  static const struct
  {
    const char *name;
    guint first, last, repeats; /* channels of modules 0 and 10, blocks of 4 */
  } variants[] = {
    {"yolov10n", 16, 256, 2}, {"yolov10s", 32, 512, 2},
    {"yolov10m", 48, 576, 4}, {"yolov10b", 64, 512, 4},
    {"yolov10l", 64, 512, 6}, {"yolov10x", 80, 640, 6},
  };
  guint first = y10_graph_view_channels (graph, graph->layer[0]);
  guint last = y10_graph_view_channels (graph, graph->layer[10]);
  guint repeats = 0;

  for (;; repeats++) {
    g_autofree char *folded =
        g_strdup_printf ("model.4.m.%u.cv1.conv.weight", repeats);
    if (!y10_tensor_file_find (file, folded))
      break;
  }
  for (guint i = 0; i < G_N_ELEMENTS (variants); i++)
    if (variants[i].first == first && variants[i].last == last
        && variants[i].repeats == repeats)
      return variants[i].name;
  return "yolov10 (custom)";
}

const Y10Structure y10_structure_yolov10 = {
  .name = "yolov10",
  .probe = probe,
  .has_head = has_head,
  .build = build,
  .name_variant = name_variant,
  .head_kind = Y10_HEAD_KIND_DFL,
};
