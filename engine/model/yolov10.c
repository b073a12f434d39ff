/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Builds the graph of a YOLOv10 (Wang et al., 2024, arXiv:2405.14458):
 * network () connects the modules as the models' yaml files do. What only
 * this family has is here; modules.c has the rest. */

#include "config.h"

#include "model/modules.h"
#include "model/structure.h"

#define N_LEVELS 3              /* strides 8, 16, 32 */
#define N_LAYERS 23             /* the modules before the head */

/* SCDown, spatial-channel decoupled downsampling (§3.2): a pointwise
 * convolution, then a depthwise 3×3 of stride 2 without activation. */
static Y10View
scdown (Y10Modules *m, Y10View x, const char *module)
{
  x = y10_module_conv_in (m, x, module, "cv1", Y10_CONV ());
  return y10_module_conv_in (m, x, module, "cv2",
      Y10_CONV (.stride = 2, .depthwise = TRUE, .linear = TRUE));
}

/* PSA, partial self-attention (§3.3): one half of the channels is passed
 * through, the other half goes through a block with attention. */
static Y10View
psa (Y10Modules *m, Y10View x, const char *module)
{
  x = y10_module_conv_in (m, x, module, "cv1", Y10_CONV (.split = 2));
  if (y10_graph_builder_failed (m->graph))
    return x;
  y10_module_psa_block (m, y10_module_part (x, 1), module);
  return y10_module_conv_in (m, x, module, "cv2", Y10_CONV ());
}

static void
network (Y10Modules *m, Y10Graph *out)
{
  Y10View *l = out->layer;

  l[0] = y10_module_conv (m, y10_graph_builder_input (m->graph), "model.0",
      Y10_CONV (.stride = 2));
  l[1] = y10_module_conv (m, l[0], "model.1", Y10_CONV (.stride = 2));
  l[2] = y10_module_c2f (m, l[1], "model.2", TRUE);
  l[3] = y10_module_conv (m, l[2], "model.3", Y10_CONV (.stride = 2));
  l[4] = y10_module_c2f (m, l[3], "model.4", TRUE);
  l[5] = scdown (m, l[4], "model.5");
  l[6] = y10_module_c2f (m, l[5], "model.6", TRUE);
  l[7] = scdown (m, l[6], "model.7");
  l[8] = y10_module_c2f (m, l[7], "model.8", TRUE);
  l[9] = y10_module_sppf (m, l[8], "model.9");
  l[10] = psa (m, l[9], "model.10");

  l[11] = y10_module_upsample2x (m, l[10], "model.11");
  l[12] = y10_module_concat (m, l[11], l[6]);
  l[13] = y10_module_c2f (m, l[12], "model.13", FALSE);
  l[14] = y10_module_upsample2x (m, l[13], "model.14");
  l[15] = y10_module_concat (m, l[14], l[4]);
  l[16] = y10_module_c2f (m, l[15], "model.16", FALSE);
  l[17] = y10_module_conv (m, l[16], "model.17", Y10_CONV (.stride = 2));
  l[18] = y10_module_concat (m, l[17], l[13]);
  l[19] = y10_module_c2f (m, l[18], "model.19", FALSE);
  l[20] = scdown (m, l[19], "model.20");
  l[21] = y10_module_concat (m, l[20], l[10]);
  l[22] = y10_module_c2f (m, l[21], "model.22", FALSE);
  y10_module_detect (m, (Y10View[]) { l[16], l[19], l[22] }, "model.23", out);
}

static Y10Graph *
build (const Y10TensorFile *file, guint width, guint height,
    Y10Head head, GError **error)
{
  Y10Graph fields = {.width = width,.height = height,.head = head,
    .n_levels = N_LEVELS,.n_layers = N_LAYERS,
    .layer = g_new0 (Y10View, N_LAYERS)
  };
  Y10Modules m = {
    .graph = y10_graph_builder_new (file, width, height),
    .names = g_string_chunk_new (4096),
    .file = file,
  };
  Y10Graph *graph;

  network (&m, &fields);
  graph = y10_graph_builder_finish (m.graph, &fields, error);
  if (!graph)
    g_free (fields.layer);
  g_string_chunk_free (m.names);
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
