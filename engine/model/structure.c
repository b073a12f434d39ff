/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Table of supported network structures, and of those that are refused by
 * name. A new one needs a file with its builder and a row here. */

#include "config.h"

#include <string.h>

#include "model/structure.h"

#define N_LEVELS 3

/* In the order in which they are tried: YOLO26 has YOLO11's modules, and their heads have
 * the names of YOLOv10's. */
static const Y10Structure *const structures[] = {
  &y10_structure_yolov8,
  &y10_structure_yolo26,
  &y10_structure_yolo11,
  &y10_structure_yolov10,
};

#define FAMILIES "YOLOv8, YOLOv10, YOLO11 or YOLO26"

/* Other networks that the same tools train, by a tensor that only they have.
 * The last matching row is the most specific one. */
static const struct
{
  const char *name, *tensor;
} other_networks[] = {
  { "YOLOv5", "model.24.m.0.weight" },
  { "YOLOv5", "model.33.m.0.weight" },
  { "YOLOv5u", "model.24.cv3.0.0.conv.weight" },
  { "YOLOv5u", "model.33.cv3.0.0.conv.weight" },
  { "YOLOv3", "model.28.m.0.weight" },
  { "YOLOv3u", "model.28.cv3.0.0.conv.weight" },
  { "YOLOv7", "model.105.m.0.weight" },
  { "YOLOv9", "model.2.cv4.conv.weight" },
  { "YOLO12", "model.6.m.0.0.attn.qkv.conv.weight" },
  { "YOLOv8-p2, with four levels", "model.28.cv3.3.0.conv.weight" },
  { "YOLOv8-p6, with four levels", "model.30.cv3.3.0.conv.weight" },
  { "YOLO26-p2, with four levels", "model.29.cv3.3.0.0.conv.weight" },
  { "YOLO26-p2, with four levels", "model.29.one2one_cv3.3.0.0.conv.weight" },
  { "YOLO26-p6, with four levels", "model.31.cv3.3.0.0.conv.weight" },
  { "YOLO26-p6, with four levels", "model.31.one2one_cv3.3.0.0.conv.weight" },
  { "RT-DETR", "model.28.decoder.layers.0.linear1.weight" },
  { "network for classification", "model.9.linear.weight" },
  { "network for classification", "model.10.linear.weight" },
};

/* What networks with other heads compute, by the head's class in files of whole modules
 * and by the beginning of its tensors' names. "26" may follow the class. */
static const struct
{
  const char *head_class, *task, *tensors;
} other_tasks[] = {
  { "Segment", "segmentation", "proto." },
  { "Pose", "keypoints", "cv4_kpts." },
  { "OBB", "oriented boxes", "cv4_angle." },
  { "WorldDetect", "text prompts", NULL },
  { "YOLOEDetect", "text prompts", NULL },
  { "YOLOESegment", "text prompts", NULL },
  /* The class is unknown: a state_dict. */
  { "", "more than boxes", "cv4." },
};

static const char *
find_other_network (const Y10TensorFile *file)
{
  for (guint i = G_N_ELEMENTS (other_networks); i-- > 0;)
    if (y10_tensor_file_find (file, other_networks[i].tensor))
      return other_networks[i].name;
  return NULL;
}

static gboolean
has_tensors (const Y10TensorFile *file, const char *module, const char *prefix)
{
  g_autofree char *start = g_strconcat (module, ".", prefix, NULL);

  for (guint i = 0; i < y10_tensor_file_get_n (file); i++)
    if (g_str_has_prefix (y10_tensor_file_get (file, i)->name, start))
      return TRUE;
  return FALSE;
}

/* Returns what the network computes other than detections, or NULL. */
static const char *
find_other_task (const Y10Structure *structure, const Y10TensorFile *file,
    const char *head_class)
{
  for (guint i = 0; i < G_N_ELEMENTS (other_tasks); i++) {
    const char *of = other_tasks[i].head_class;

    if (head_class && *of && g_str_has_prefix (head_class, of)
        && (!head_class[strlen (of)]
            || !strcmp (head_class + strlen (of), "26")))
      return other_tasks[i].task;
    if (!head_class && other_tasks[i].tensors
        && has_tensors (file, structure->head, other_tasks[i].tensors))
      return other_tasks[i].task;
  }
  return NULL;
}

static gboolean
check_task (const Y10Structure *structure, const Y10TensorFile *file,
    GError **error)
{
  const char *head_class = y10_tensor_file_get_meta (file, "head-class");
  const char *task = find_other_task (structure, file, head_class);
  const char *wrong_eps = y10_tensor_file_get_meta (file, "wrong-eps");

  if (task) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_MODEL,
        "%s is a %s for %s; expected one for detection, such as %s.pt",
        y10_tensor_file_get_path (file), structure->title, task,
        structure->variants[0].name);
    return FALSE;
  }
  if (wrong_eps) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_MODEL, "%s: %s",
        y10_tensor_file_get_path (file), wrong_eps);
    return FALSE;
  }
  if (!head_class || !strcmp (head_class, structure->head_class))
    return TRUE;
  g_set_error (error, Y10_ERROR, Y10_ERROR_MODEL,
      "%s is a network with the head %s; expected a %s, whose head is %s",
      y10_tensor_file_get_path (file), head_class, structure->title,
      structure->head_class);
  return FALSE;
}

const Y10Structure *
y10_structure_find (const Y10TensorFile *file, GError **error)
{
  const char *path = y10_tensor_file_get_path (file);
  const char *other = find_other_network (file);

  if (other) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_MODEL,
        "%s is %s %s; expected a " FAMILIES " for detection%s", path,
        *other == 'R' ? "an" : "a", other,
        g_str_has_prefix (other, "network")
            ? ""
            : ", which can be trained on the same data");
    return NULL;
  }
  for (guint i = 0; i < G_N_ELEMENTS (structures); i++)
    if (structures[i]->probe (file))
      return check_task (structures[i], file, error) ? structures[i] : NULL;
  g_set_error (error, Y10_ERROR, Y10_ERROR_MODEL,
      "%s is not a " FAMILIES ": the last tensor of its head is missing, "
      "\"model.22.cv3.2.2.weight\", \"model.23.cv3.2.2.weight\" or "
      "\"model.23.one2one_cv3.2.2.weight\"",
      path);
  return NULL;
}

gboolean
y10_structure_has_head (const Y10Structure *structure,
    const Y10TensorFile *file, Y10Head head)
{
  g_autofree char *last = g_strdup_printf ("%s.%scv3.2.2.weight",
      structure->head, head == Y10_HEAD_ONE2MANY ? "" : "one2one_");

  return y10_tensor_file_find (file, last) != NULL;
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
        ? y10_tensor_file_get_activation (file, op->name)
        : NULL;

    if (found && strcmp (found, expected)) {
      g_set_error (error, Y10_ERROR, Y10_ERROR_MODEL,
          "%s: module \"%s\" has the activation %s; expected %s",
          y10_tensor_file_get_path (file), op->name, found, expected);
      return FALSE;
    }
  }
  return TRUE;
}

static Y10Graph *
build (const Y10Structure *structure, const Y10TensorFile *file, guint width,
    guint height, Y10Head head, GError **error)
{
  Y10Graph fields = {
    .width = width,
    .height = height,
    .head = head,
    .n_levels = N_LEVELS,
    .n_layers = structure->n_layers,
    .layer = g_new0 (Y10View, structure->n_layers),
  };
  Y10Modules m = {
    .graph = y10_graph_builder_new (file, width, height),
    .names = g_string_chunk_new (4096),
    .file = file,
  };
  Y10Graph *graph;

  y10_weights_set_network (y10_graph_builder_weights (m.graph),
      structure->title);
  structure->network (&m, &fields);
  fields.head_kind = fields.n_bins == 1 ? Y10_HEAD_KIND_LTRB
                                        : Y10_HEAD_KIND_DFL;
  graph = y10_graph_builder_finish (m.graph, &fields, error);
  if (!graph)
    g_free (fields.layer);
  g_string_chunk_free (m.names);
  return graph;
}

Y10Graph *
y10_structure_build (const Y10Structure *structure, const Y10TensorFile *file,
    guint width, guint height, Y10Head head, GError **error)
{
  Y10Graph *graph = build (structure, file, width, height, head, error);

  if (!graph)
    return NULL;
  if (check_activations (graph, file, error)
      && y10_graph_read_scales (graph, y10_tensor_file_get_path (file), error))
    return graph;
  y10_graph_free (graph);
  return NULL;
}

const char *
y10_structure_name_variant (const Y10Structure *structure,
    const Y10TensorFile *file, const Y10Graph *graph)
{
  guint first = y10_graph_view_channels (graph, graph->layer[0]);
  guint last = y10_graph_view_channels (graph, graph->layer[structure->last]);
  guint repeats = 0;

  for (;; repeats++) {
    g_autofree char *folded = g_strdup_printf ("model.4.m.%u.cv1.conv.weight",
        repeats);
    if (!y10_tensor_file_find (file, folded))
      break;
  }
  for (const Y10Variant *v = structure->variants; v->name; v++)
    if (v->first == first && v->last == last && v->repeats == repeats)
      return v->name;
  return structure->custom;
}
