/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Table of supported network structures. A new one needs a file with its
 * builder and a row here. */

#include "config.h"

#include <string.h>

#include "model/structure.h"

static const Y10Structure *const structures[] = {
  &y10_structure_yolov10,
};

/* In Ultralytics' files of whole modules. */
#define HEAD_CLASS "v10Detect"

/* Other networks that the same tools train, by a tensor that only they have.
 * The last matching row is the most specific one. */
static const struct
{
  const char *name, *tensor;
} other_networks[] = {
  {"YOLOv5", "model.24.m.0.weight"},
  {"YOLOv5", "model.33.m.0.weight"},
  {"YOLOv5u", "model.24.cv3.0.0.conv.weight"},
  {"YOLOv5u", "model.33.cv3.0.0.conv.weight"},
  {"YOLOv3", "model.28.m.0.weight"},
  {"YOLOv3u", "model.28.cv3.0.0.conv.weight"},
  {"YOLOv7", "model.105.m.0.weight"},
  {"YOLOv8", "model.22.cv3.0.0.conv.weight"},
  {"YOLOv9", "model.2.cv4.conv.weight"},
  {"YOLO11", "model.10.m.0.attn.qkv.conv.weight"},
  {"YOLO12", "model.6.m.0.0.attn.qkv.conv.weight"},
  {"YOLO26", "model.22.m.0.1.attn.qkv.conv.weight"},
  {"RT-DETR", "model.28.decoder.layers.0.linear1.weight"},
};

static const char *
find_other_network (const Y10TensorFile *file)
{
  for (guint i = G_N_ELEMENTS (other_networks); i-- > 0;)
    if (y10_tensor_file_find (file, other_networks[i].tensor))
      return other_networks[i].name;
  return NULL;
}

const Y10Structure *
y10_structure_find (const Y10TensorFile *file)
{
  for (guint i = 0; i < G_N_ELEMENTS (structures); i++)
    if (structures[i]->probe (file))
      return structures[i];
  return structures[0];
}

/* A file of whole modules stores the activation that each convolution was
 * trained with. */
static gboolean
check_activations (const Y10Graph *graph, const Y10TensorFile *file,
    GError **error)
{
  for (guint i = 0; i < graph->n_ops; i++) {
    const Y10Op *op = &graph->ops[i];
    const char *expected = op->act == Y10_ACT_SILU ? "SiLU" : "Identity";
    const char *found = op->kind == Y10_OP_CONV
        ? y10_tensor_file_get_activation (file, op->name) : NULL;

    if (found && strcmp (found, expected)) {
      g_set_error (error, Y10_ERROR, Y10_ERROR_MODEL,
          "%s: module \"%s\" has the activation %s; expected %s",
          y10_tensor_file_get_path (file), op->name, found, expected);
      return FALSE;
    }
  }
  return TRUE;
}

Y10Graph *
y10_structure_build (const Y10Structure *structure, const Y10TensorFile *file,
    guint width, guint height, Y10Head head, GError **error)
{
  const char *other = find_other_network (file);
  const char *head_class = y10_tensor_file_get_meta (file, "head-class");
  Y10Graph *graph;

  if (other) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_MODEL,
        "%s is a %s; expected a YOLOv10", y10_tensor_file_get_path (file),
        other);
    return NULL;
  }
  if (head_class && strcmp (head_class, HEAD_CLASS) != 0) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_MODEL,
        "%s is a network with the head %s; expected a YOLOv10, whose head is "
        HEAD_CLASS, y10_tensor_file_get_path (file), head_class);
    return NULL;
  }
  graph = structure->build (file, width, height, head, error);
  if (!graph)
    return NULL;
  graph->head_kind = structure->head_kind;
  if (check_activations (graph, file, error)
      && y10_graph_read_scales (graph, y10_tensor_file_get_path (file), error))
    return graph;
  y10_graph_free (graph);
  return NULL;
}
