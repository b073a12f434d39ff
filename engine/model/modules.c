/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The modules that networks consist of, with the names of the original
 * checkpoints. Widths, depths and the choice of blocks are read from the
 * weights, so no code here depends on the variant. Section numbers are those
 * of the paper on YOLOv10 (Wang et al., 2024, arXiv:2405.14458). */

#include "config.h"

#include "model/modules.h"

G_GNUC_PRINTF (2, 3)
static const char *
name (Y10Modules *m, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  return g_string_chunk_insert_const (m->names, text);
}

static gboolean
has (Y10Modules *m, const char *module)
{
  return y10_weights_has (y10_graph_builder_weights (m->graph), module);
}

static guint
channels (Y10Modules *m, Y10View x)
{
  return y10_graph_builder_channels (m->graph, x);
}

Y10View
y10_module_part (Y10View x, guint i)
{
  return (Y10View){ x.tensor, x.first + i, 1 };
}

Y10View
y10_module_concat (Y10Modules *m, Y10View a, Y10View b)
{
  return y10_graph_builder_concat (m->graph, (Y10View[]){ a, b }, 2);
}

G_GNUC_PRINTF (2, 3)
static Y10View
fail (Y10Modules *m, const char *format, ...)
{
  GError *error;
  va_list args;

  va_start (args, format);
  error = g_error_new_valist (Y10_ERROR, Y10_ERROR_MODEL, format, args);
  va_end (args);
  g_prefix_error (&error, "%s: ", y10_tensor_file_get_path (m->file));
  y10_graph_builder_fail (m->graph, error);
  return y10_graph_builder_input (m->graph);
}

/* Conv: k×k convolution with its BatchNorm folded, then SiLU. */
Y10View
y10_module_conv (Y10Modules *m, Y10View x, const char *module, Y10ConvSpec spec)
{
  Y10Weights *weights = y10_graph_builder_weights (m->graph);
  GError *error = NULL;
  const Y10ConvShape *shape;
  guint index, height, width, part_channels[2];
  Y10Op op;

  if (y10_graph_builder_failed (m->graph))
    return x;
  index = y10_weights_add_conv (weights, module, channels (m, x),
      spec.depthwise, &error);
  if (error) {
    y10_graph_builder_fail (m->graph, error);
    return x;
  }
  shape = y10_weights_get_shape (weights, index);
  op = (Y10Op){
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
    spec.n_segs = spec.halves ? 2 : 1;
    part_channels[0] = part_channels[1] = shape->out_channels / spec.n_segs;
    spec.segs = part_channels;
  }
  y10_graph_builder_size (m->graph, x, &height, &width);
  op.out = spec.in_place
      ? spec.add
      : y10_graph_builder_tensor (m->graph,
          spec.logits ? Y10_ROLE_LOGITS : Y10_ROLE_ACTIVATION,
          (height - 1) / op.stride + 1, (width - 1) / op.stride + 1, spec.segs,
          spec.n_segs);
  y10_graph_builder_op (m->graph, &op);
  if (channels (m, op.out) != shape->out_channels
      || (spec.add.n && channels (m, spec.add) != shape->out_channels))
    return fail (m, "\"%s\" has %u output channels; expected %u", module,
        shape->out_channels, channels (m, spec.add.n ? spec.add : op.out));
  return op.out;
}

Y10View
y10_module_conv_in (Y10Modules *m, Y10View x, const char *module,
    const char *leaf, Y10ConvSpec spec)
{
  return y10_module_conv (m, x, name (m, "%s.%s", module, leaf), spec);
}

/* Bottleneck: two convolutions; @shortcut adds the input to the output. */
static Y10View
bottleneck (Y10Modules *m, Y10View x, const char *module, gboolean shortcut)
{
  Y10View h = y10_module_conv_in (m, x, module, "cv1", Y10_CONV ());

  return y10_module_conv_in (m, h, module, "cv2",
      Y10_CONV (.add = shortcut ? x : (Y10View){ 0 }));
}

/* C3k: a chain of bottlenecks beside a single convolution. */
static Y10View
c3k (Y10Modules *m, Y10View x, const char *module, gboolean shortcut)
{
  Y10View chain = y10_module_conv_in (m, x, module, "cv1", Y10_CONV ());

  for (guint i = 0; has (m, name (m, "%s.m.%u.cv1", module, i)); i++)
    chain = bottleneck (m, chain, name (m, "%s.m.%u", module, i), shortcut);
  x = y10_module_conv_in (m, x, module, "cv2", Y10_CONV ());
  return y10_module_conv_in (m, y10_module_concat (m, chain, x), module, "cv3",
      Y10_CONV ());
}

/* RepVGGDW, the large-kernel convolution (§3.3): depthwise 7×7 plus
 * depthwise 3×3, merged when the weights are fetched. */
static Y10View
repvggdw (Y10Modules *m, Y10View x, const char *module)
{
  return y10_module_conv (m, x, module, Y10_CONV (.depthwise = TRUE));
}

/* CIB, the compact inverted block (§3.2): depthwise convolutions for spatial
 * mixing, pointwise ones for channel mixing. */
static Y10View
cib (Y10Modules *m, Y10View x, const char *module)
{
  Y10View h;

  h = y10_module_conv_in (m, x, module, "cv1.0", Y10_CONV (.depthwise = TRUE));
  h = y10_module_conv_in (m, h, module, "cv1.1", Y10_CONV ());
  h = repvggdw (m, h, name (m, "%s.cv1.2", module));
  h = y10_module_conv_in (m, h, module, "cv1.3", Y10_CONV ());
  return y10_module_conv_in (m, h, module, "cv1.4",
      Y10_CONV (.depthwise = TRUE, .add = x));
}

/* C2f: splits the channels in two, runs a chain of blocks on the second half
 * and concatenates all outputs. With CIB blocks it is C2fCIB, which always
 * has the shortcut; with C3k blocks, or with attention behind bottlenecks, it is
 * C3k2. */
Y10View
y10_module_c2f (Y10Modules *m, Y10View x, const char *module, gboolean shortcut)
{
  g_autoptr (GArray) views = g_array_new (FALSE, FALSE, sizeof (Y10View));
  Y10View h = y10_module_conv_in (m, x, module, "cv1",
      Y10_CONV (.halves = TRUE));

  if (y10_graph_builder_failed (m->graph))
    return h;
  g_array_append_val (views, h);
  h = y10_module_part (h, 1);
  for (guint i = 0;; i++) {
    const char *block = name (m, "%s.m.%u", module, i);

    if (has (m, name (m, "%s.cv3", block)))
      h = c3k (m, h, block, shortcut);
    else if (has (m, name (m, "%s.cv1", block)))
      h = bottleneck (m, h, block, shortcut);
    else if (has (m, name (m, "%s.cv1.0", block)))
      h = cib (m, h, block);
    else if (has (m, name (m, "%s.1.attn.qkv", block)))
      h = y10_module_psa_block (m,
          bottleneck (m, h, name (m, "%s.0", block), shortcut),
          name (m, "%s.1", block));
    else
      break;
    g_array_append_val (views, h);
  }
  x = y10_graph_builder_concat (m->graph, (const Y10View *) views->data,
      views->len);
  return y10_module_conv_in (m, x, module, "cv2", Y10_CONV ());
}

static Y10View
maxpool5 (Y10Modules *m, Y10View x, const char *module)
{
  guint height, width, c = channels (m, x);
  Y10Op op = { .kind = Y10_OP_MAXPOOL5, .name = g_strdup (module), .in = x };

  y10_graph_builder_size (m->graph, x, &height, &width);
  op.out = y10_graph_builder_tensor (m->graph, Y10_ROLE_ACTIVATION, height,
      width, &c, 1);
  y10_graph_builder_op (m->graph, &op);
  return op.out;
}

/* SPPF: three 5×5 max pools in sequence, with windows of 5, 9 and 13 pixels. */
Y10View
y10_module_sppf (Y10Modules *m, Y10View x, const char *module,
    gboolean residual)
{
  Y10View v[4], add = residual ? x : (Y10View){ 0 };

  v[0] = y10_module_conv_in (m, x, module, "cv1",
      Y10_CONV (.linear = residual
              || y10_tensor_file_has_linear_sppf (m->file)));
  for (guint i = 1; i < 4; i++)
    v[i] = maxpool5 (m, v[i - 1], name (m, "%s.m", module));
  x = y10_graph_builder_concat (m->graph, v, 4);
  return y10_module_conv_in (m, x, module, "cv2", Y10_CONV (.add = add));
}

/* Attention: multi-head self-attention over all positions plus the
 * positional encoding, a depthwise convolution @pe of the values; the result
 * is added to @x. */
static Y10View
attention (Y10Modules *m, Y10View x, const char *module)
{
  guint dim = channels (m, x), heads = MAX (1, dim / 64);
  guint head_dim = dim / heads, key_dim = head_dim / 2;
  g_autoptr (GArray) segs = g_array_new (FALSE, FALSE, sizeof (guint));
  Y10Op op = {
    .kind = Y10_OP_ATTENTION,
    .name = g_strdup (module),
    .kernel = 3,
    .stride = 1,
    .pad = 1,
    .groups = dim,
    .heads = heads,
    .key_dim = key_dim,
    .head_dim = head_dim,
  };
  GError *error = NULL;
  guint height, width;

  for (guint i = 0; i < heads; i++)
    g_array_append_vals (segs, ((guint[]){ key_dim, key_dim, head_dim }), 3);
  op.in = y10_module_conv_in (m, x, module, "qkv",
      Y10_CONV (.linear = TRUE, .segs = (const guint *) segs->data,
          .n_segs = segs->len));
  op.conv = y10_weights_add_conv (y10_graph_builder_weights (m->graph),
      name (m, "%s.pe", module), dim, TRUE, &error);
  if (error || y10_graph_builder_failed (m->graph)) {
    g_free (op.name);
    if (error)
      y10_graph_builder_fail (m->graph, error);
    return x;
  }
  g_array_set_size (segs, 0);
  for (guint i = 0; i < heads; i++)
    g_array_append_val (segs, head_dim);
  y10_graph_builder_size (m->graph, x, &height, &width);
  op.out = y10_graph_builder_tensor (m->graph, Y10_ROLE_ACTIVATION, height,
      width, (const guint *) segs->data, segs->len);
  y10_graph_builder_op (m->graph, &op);
  return y10_module_conv_in (m, op.out, module, "proj",
      Y10_CONV (.linear = TRUE, .add = x, .in_place = TRUE));
}

/* Attention, then a feed-forward network of two convolutions, each added to its
 * input in place. */
Y10View
y10_module_psa_block (Y10Modules *m, Y10View x, const char *module)
{
  Y10View h;

  x = attention (m, x, name (m, "%s.attn", module));
  h = y10_module_conv_in (m, x, module, "ffn.0", Y10_CONV ());
  return y10_module_conv_in (m, h, module, "ffn.1",
      Y10_CONV (.linear = TRUE, .add = x, .in_place = TRUE));
}

Y10View
y10_module_c2psa (Y10Modules *m, Y10View x, const char *module)
{
  x = y10_module_conv_in (m, x, module, "cv1", Y10_CONV (.halves = TRUE));
  if (y10_graph_builder_failed (m->graph))
    return x;
  for (guint i = 0; has (m, name (m, "%s.m.%u.attn.qkv", module, i)); i++)
    y10_module_psa_block (m, y10_module_part (x, 1),
        name (m, "%s.m.%u", module, i));
  return y10_module_conv_in (m, x, module, "cv2", Y10_CONV ());
}

Y10View
y10_module_upsample2x (Y10Modules *m, Y10View x, const char *module)
{
  guint height, width, c = channels (m, x);
  Y10Op op = { .kind = Y10_OP_UPSAMPLE2X, .name = g_strdup (module), .in = x };

  y10_graph_builder_size (m->graph, x, &height, &width);
  op.out = y10_graph_builder_tensor (m->graph, Y10_ROLE_ACTIVATION, 2 * height,
      2 * width, &c, 1);
  y10_graph_builder_op (m->graph, &op);
  return op.out;
}

/* The class branch of a level: of two convolutions, or lighter (§3.2), before the
 * last one. */
static Y10View
class_branch (Y10Modules *m, Y10View x, const char *cv3)
{
  if (has (m, name (m, "%s.0", cv3))) {
    x = y10_module_conv_in (m, x, cv3, "0", Y10_CONV ());
    x = y10_module_conv_in (m, x, cv3, "1", Y10_CONV ());
  } else {
    x = y10_module_conv_in (m, x, cv3, "0.0", Y10_CONV (.depthwise = TRUE));
    x = y10_module_conv_in (m, x, cv3, "0.1", Y10_CONV ());
    x = y10_module_conv_in (m, x, cv3, "1.0", Y10_CONV (.depthwise = TRUE));
    x = y10_module_conv_in (m, x, cv3, "1.1", Y10_CONV ());
  }
  return y10_module_conv_in (m, x, cv3, "2",
      Y10_CONV (.linear = TRUE, .logits = TRUE));
}

/* Detect: per level a box branch (edge distances as distributions, DFL) and a
 * class branch; the one2one copies are the end-to-end head. Box ops come last,
 * so that a backend may run them only at the anchors that the class scores
 * select. */
void
y10_module_detect (Y10Modules *m, const Y10View *x, const char *module,
    Y10Graph *out)
{
  const char *prefix = out->head == Y10_HEAD_ONE2MANY ? "" : "one2one_";

  for (guint i = 0; i < out->n_levels; i++)
    out->cls[i] = class_branch (m, x[i],
        name (m, "%s.%scv3.%u", module, prefix, i));
  for (guint i = 0; i < out->n_levels; i++) {
    const char *cv2 = name (m, "%s.%scv2.%u", module, prefix, i);
    const char *cv3 = name (m, "%s.%scv3.%u", module, prefix, i);
    guint height, width;
    Y10View h;

    h = y10_module_conv_in (m, x[i], cv2, "0", Y10_CONV ());
    h = y10_module_conv_in (m, h, cv2, "1", Y10_CONV ());
    out->box[i] = y10_module_conv_in (m, h, cv2, "2",
        Y10_CONV (.linear = TRUE, .logits = TRUE));
    if (y10_graph_builder_failed (m->graph))
      return;
    y10_graph_builder_size (m->graph, out->box[i], &height, &width);
    out->stride[i] = out->width / width;
    out->n_anchors += width * height;
    if (!i) {
      out->n_classes = channels (m, out->cls[0]);
      out->n_bins = channels (m, out->box[0]) / 4;
    }
    if (channels (m, out->cls[i]) != out->n_classes
        || channels (m, out->box[i]) != 4 * out->n_bins)
      fail (m,
          "\"%s\" has %u classes and \"%s\" %u box values; expected %u "
          "and 4 × %u as on the first level",
          cv3, channels (m, out->cls[i]), cv2, channels (m, out->box[i]),
          out->n_classes, out->n_bins);
  }
  if (!out->n_bins)
    fail (m, "the box branch of \"%s\" has fewer than 4 channels", module);
}
