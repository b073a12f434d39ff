/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Model: a weights file whose network was recognized. Loading builds the
 * graph once, which checks the names and shapes of all tensors, and keeps
 * only its properties; each engine builds its own graph. */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include <y10/engine.h>

#include "base/coco.h"
#include "base/paths.h"
#include "model/labels.h"
#include "model/model.h"
#include "model/onnx-proof.h"
#include "model/structure.h"

#define DEFAULT_INPUT_SIZE 640
/* The model that ships with the project, see models/README.md. */
#define BUNDLED "codes.safetensors"

struct _Y10Model
{
  int refs;
  Y10TensorFile *file;
  const Y10Structure *structure;
  char **labels;
  char *labels_note; /* what is wrong with the file's names; NULL: nothing */
  const char *variant, *dtype;
  guint n_classes, n_bins;
  guint width, height;
  guint64 n_parameters;
  gboolean has_one2one, has_one2many;
  Y10Head head; /* resolution of AUTO; never AUTO itself */
};

/* Accepts "640", "[480, 640]" (height first, as training tools write it) and
 * "640x480" (width first); ignores anything else. */
static void
read_input_size (Y10Model *model)
{
  const char *text = y10_tensor_file_get_meta (model->file, "imgsz");
  guint v[2] = { 0, 0 }, n = 0;
  gboolean by = text && strchr (text, 'x');

  model->width = model->height = DEFAULT_INPUT_SIZE;
  for (const char *p = text; p && *p && n < 2;) {
    char *end;
    guint64 value;

    if (!g_ascii_isdigit (*p)) {
      p++;
      continue;
    }
    value = g_ascii_strtoull (p, &end, 10);
    if (!y10_is_input_size (value))
      return;
    v[n++] = value;
    p = end;
  }
  if (n) {
    model->height = v[0];
    model->width = n == 2 ? v[1] : v[0];
  }
  if (by && n == 2) {
    model->width = v[0];
    model->height = v[1];
  }
}

static gboolean
load_labels (Y10Model *model, const char *label_path, GError **error)
{
  g_autofree char *note = NULL;

  if (label_path) {
    model->labels = y10_labels_load (label_path, model->n_classes, error);
    return model->labels != NULL;
  }
  model->labels = y10_labels_parse (y10_tensor_file_get_meta (model->file,
                                        "names"),
      model->n_classes, &note);
  if (note) {
    g_autofree char *path = g_filename_display_name (
        y10_model_get_path (model));

    model->labels_note = g_strdup_printf ("%s: %s", path, note);
  }
  return TRUE;
}

/* The head named in the metadata if its weights exist; else one2one if they
 * do. */
static gboolean
read_head (Y10Model *model, GError **error)
{
  const char *text = y10_tensor_file_get_meta (model->file, "head");
  const char *end2end = y10_tensor_file_get_meta (model->file, "end2end");
  g_autofree char *shown = NULL;

  model->head = model->has_one2one || !model->has_one2many ? Y10_HEAD_ONE2ONE
                                                           : Y10_HEAD_ONE2MANY;
  if (!text && end2end && !g_ascii_strcasecmp (end2end, "false")
      && model->has_one2many)
    model->head = Y10_HEAD_ONE2MANY;
  if (!text)
    return TRUE;
  for (int head = Y10_HEAD_ONE2ONE; head <= Y10_HEAD_ONE2ONE_NMS; head++)
    if (!strcmp (text, y10_head_get_name ((Y10Head) head))) {
      if (y10_model_has_head (model, (Y10Head) head))
        model->head = (Y10Head) head;
      return TRUE;
    }
  shown = g_strescape (text, NULL);
  g_set_error (error, Y10_ERROR, Y10_ERROR_MODEL,
      "%s: the metadata \"head\" is \"%.40s%s\"; expected \"one2one\", "
      "\"one2many\" or \"one2one-nms\"",
      y10_model_get_path (model), shown, strlen (shown) > 40 ? "…" : "");
  return FALSE;
}

/* A file that contains a graph must compute what our graph computes. */
static gboolean
prove (const Y10Model *model, const Y10Graph *graph, GError **error)
{
  const Y10OnnxGraph *onnx = y10_tensor_file_get_onnx (model->file);

  return !onnx
      || y10_onnx_prove (onnx, graph, model->file, model->structure->title,
          error);
}

/* Opens @path, or the bundled model if it is NULL. */
static Y10TensorFile *
open_file (const char *path, GError **error)
{
  g_autoptr (GString) why = NULL;
  g_autofree char *bundled = NULL;

  if (path)
    return y10_tensor_file_open (path, error);
  why = g_string_new (NULL);
  bundled = y10_paths_find_data (BUNDLED, why);
  if (bundled)
    return y10_tensor_file_open (bundled, error);
  g_set_error (error, Y10_ERROR, Y10_ERROR_NOT_FOUND,
      "no model was given, and the bundled one is missing: %s", why->str);
  return NULL;
}

/**
 * y10_model_load:
 * @path: (nullable): a weights file, or %NULL for the bundled model, which
 *   detects codes and markers
 * @label_path: (nullable): a file with one class name per line, which replaces
 *   the names in the weights file; %NULL for the names in the weights file, or
 *   "class N" if it has none
 * @error: return location for a #GError, or %NULL
 *
 * Reads a weights file and recognizes the network from the names and shapes of
 * its tensors: any size of YOLOv8, YOLOv10, YOLO11 and YOLO26 for detection, or any
 * other width, depth, number of classes and number of box bins. The model keeps the file open; creating an
 * engine reads the weights and checks them for NaN. That fails if the file was
 * modified in the meantime, so replace a weights file by renaming a new one over
 * it. @path and @label_path must be regular files.
 *
 * The bundled model is searched for relative to the library, in a build folder
 * or as installed, and then in the configured data directory. The error lists
 * these folders.
 *
 * Returns: (transfer full): a model, or %NULL with %Y10_ERROR_NOT_FOUND,
 *   %Y10_ERROR_MODEL_FORMAT, %Y10_ERROR_MODEL or %Y10_ERROR_LABELS
 *
 * Since: 0.1
 */
Y10Model *
y10_model_load (const char *path, const char *label_path, GError **error)
{
  g_autoptr (Y10Model) model = NULL;
  Y10Graph *graph;
  Y10TensorFile *file;

  file = open_file (path, error);
  if (!file)
    return NULL;
  model = g_new0 (Y10Model, 1);
  model->refs = 1;
  model->file = file;
  model->structure = y10_structure_find (file, error);
  if (!model->structure)
    return NULL;
  model->has_one2one = y10_structure_has_head (model->structure, file,
      Y10_HEAD_ONE2ONE);
  model->has_one2many = y10_structure_has_head (model->structure, file,
      Y10_HEAD_ONE2MANY);
  read_input_size (model);
  if (!read_head (model, error))
    return NULL;
  graph = y10_model_build_graph (model, model->width, model->height,
      model->head, error);
  if (!graph)
    return NULL;
  if (!prove (model, graph, error)) {
    y10_graph_free (graph);
    return NULL;
  }
  model->n_classes = graph->n_classes;
  model->n_bins = graph->n_bins;
  model->n_parameters = y10_weights_get_n_parameters (graph->weights);
  model->variant = y10_structure_name_variant (model->structure, file, graph);
  model->dtype = y10_weights_get_dtype (graph->weights, 0);
  y10_graph_free (graph);
  if (!load_labels (model, label_path, error))
    return NULL;
  return g_steal_pointer (&model);
}

/**
 * y10_model_ref:
 * @model: a model
 *
 * Returns: (transfer full): @model
 *
 * Since: 0.1
 */
Y10Model *
y10_model_ref (Y10Model *model)
{
  __atomic_add_fetch (&model->refs, 1, __ATOMIC_RELAXED);
  return model;
}

/**
 * y10_model_unref:
 * @model: (transfer full) (nullable): a model
 *
 * Since: 0.1
 */
void
y10_model_unref (Y10Model *model)
{
  if (!model || __atomic_sub_fetch (&model->refs, 1, __ATOMIC_ACQ_REL))
    return;
  y10_tensor_file_unref (model->file);
  g_strfreev (model->labels);
  g_free (model->labels_note);
  g_free (model);
}

Y10Graph *
y10_model_build_graph (const Y10Model *model, guint width, guint height,
    Y10Head head, GError **error)
{
  return y10_structure_build (model->structure, model->file, width, height,
      head, error);
}

const char *
y10_model_get_identity (const Y10Model *model)
{
  return y10_tensor_file_get_identity (model->file);
}

/**
 * y10_model_get_path:
 * @model: a model
 *
 * Returns: (transfer none): the path it was loaded from
 *
 * Since: 0.1
 */
const char *
y10_model_get_path (const Y10Model *model)
{
  return y10_tensor_file_get_path (model->file);
}

/**
 * y10_model_get_variant:
 * @model: a model
 *
 * Returns: (transfer none): the family and size, such as "yolov10n" or "yolo11x",
 *   or "yolov10 (custom)", "yolo11 (custom)" and so on for any other size
 *
 * Since: 0.1
 */
const char *
y10_model_get_variant (const Y10Model *model)
{
  return model->variant;
}

/**
 * y10_model_get_n_classes:
 * @model: a model
 *
 * Returns: the number of classes, at least 1
 *
 * Since: 0.1
 */
guint
y10_model_get_n_classes (const Y10Model *model)
{
  return model->n_classes;
}

/**
 * y10_model_get_class_name:
 * @model: a model
 * @class_id: a class, 0 to the number of classes - 1
 *
 * Returns: (transfer none) (nullable): its name, UTF-8, or %NULL if there is no
 *   such class
 *
 * Since: 0.1
 */
const char *
y10_model_get_class_name (const Y10Model *model, guint class_id)
{
  return class_id < model->n_classes ? model->labels[class_id] : NULL;
}

/**
 * y10_model_get_labels_note:
 * @model: a model
 *
 * Tells users why they see "class N" although the weights file has class names: there are
 * too few or too many, or they are not understood.
 *
 * Returns: (transfer none) (nullable): one line, UTF-8, that names the file, or %NULL
 *
 * Since: 0.2
 */
const char *
y10_model_get_labels_note (const Y10Model *model)
{
  return model->labels_note;
}

/**
 * y10_model_get_coco_id:
 * @model: a model
 * @class_id: a class, 0 to the number of classes - 1
 *
 * Returns: the category that stands for the class in results of COCO: for the 80 classes
 *   of COCO that of its annotations, 1 to 90 with gaps, for others @class_id + 1
 *
 * Since: 0.2
 */
guint
y10_model_get_coco_id (const Y10Model *model, guint class_id)
{
  return y10_coco_id ((const char *const *) model->labels, model->n_classes,
      class_id);
}

/**
 * y10_model_find_class:
 * @model: a model
 * @name: a class name, compared exactly
 *
 * Returns: the id of the class, or -1 if there is none with that name
 *
 * Since: 0.1
 */
gint
y10_model_find_class (const Y10Model *model, const char *name)
{
  for (guint i = 0; i < model->n_classes; i++)
    if (!strcmp (model->labels[i], name))
      return i;
  return -1;
}

/**
 * y10_model_get_n_bins:
 * @model: a model
 *
 * Returns: number of bins in the distribution of each box edge (reg_max),
 *   usually 16; 1 if the network predicts the distances themselves, like YOLO26
 *
 * Since: 0.1
 */
guint
y10_model_get_n_bins (const Y10Model *model)
{
  return model->n_bins;
}

/**
 * y10_model_get_input_size:
 * @model: a model
 * @width: (out): width, pixels
 * @height: (out): height, pixels
 *
 * Gets the input size that the model was trained for according to its file,
 * or 640 × 640. An engine may use any other multiple of 32.
 *
 * Since: 0.1
 */
void
y10_model_get_input_size (const Y10Model *model, guint *width, guint *height)
{
  *width = model->width;
  *height = model->height;
}

/**
 * y10_model_has_head:
 * @model: a model
 * @head: a head
 *
 * Returns: whether the file contains the weights of @head
 *
 * Since: 0.1
 */
gboolean
y10_model_has_head (const Y10Model *model, Y10Head head)
{
  switch (head) {
    case Y10_HEAD_ONE2ONE:
    case Y10_HEAD_ONE2ONE_NMS:
      return model->has_one2one;
    case Y10_HEAD_ONE2MANY:
      return model->has_one2many;
    case Y10_HEAD_AUTO:
      break;
  }
  return TRUE;
}

/**
 * y10_model_get_head:
 * @model: a model
 *
 * Resolves %Y10_HEAD_AUTO. The metadata of the file select the head by "head"
 * ("one2one", "one2many" or "one2one-nms"), or one2many by "end2end" set to
 * "False", if the file contains its weights. Otherwise the result is one2one if
 * the file contains it, else one2many. Any other value of "head" makes
 * y10_model_load() fail with %Y10_ERROR_MODEL.
 *
 * Returns: a head, never %Y10_HEAD_AUTO
 *
 * Since: 0.1
 */
Y10Head
y10_model_get_head (const Y10Model *model)
{
  return model->head;
}

/**
 * y10_model_get_n_parameters:
 * @model: a model
 *
 * Returns: number of weights and biases of the network with one head, with
 *   BatchNorm folded
 *
 * Since: 0.1
 */
guint64
y10_model_get_n_parameters (const Y10Model *model)
{
  return model->n_parameters;
}

/**
 * y10_model_get_dtype:
 * @model: a model
 *
 * Returns: (transfer none): data type of the first convolution in the file:
 *   "F32", "F16" or "BF16"
 *
 * Since: 0.1
 */
const char *
y10_model_get_dtype (const Y10Model *model)
{
  return model->dtype;
}

/**
 * y10_model_get_format:
 * @model: a model
 *
 * Returns: (transfer none): format of the file: "safetensors", "PyTorch" or
 *   "ONNX"
 *
 * Since: 0.2
 */
const char *
y10_model_get_format (const Y10Model *model)
{
  return y10_tensor_file_get_format (model->file);
}

/**
 * y10_model_save:
 * @model: a model
 * @path: the file to create or replace
 * @error: return location for a #GError, or %NULL
 *
 * Writes a safetensors file with the tensors of the model's file in their data
 * types, the class names, the input size and the head that y10_model_get_head()
 * returns. Replaces @path only after the whole file has been written. Any
 * thread.
 *
 * Returns: %FALSE with %Y10_ERROR_FAILED, or with the error of reading the
 *   model's file
 *
 * Since: 0.2
 */
gboolean
y10_model_save (const Y10Model *model, const char *path, GError **error)
{
  return y10_model_save_changed (model, NULL, path, error);
}

gboolean
y10_model_save_changed (const Y10Model *model, const Y10TensorChanges *changes,
    const char *path, GError **error)
{
  return y10_safetensors_save (model->file, changes, path,
      (const char *const *) model->labels, model->width, model->height,
      y10_head_get_name (model->head), error);
}

/**
 * y10_model_digest:
 * @model: a model
 * @error: return location for a #GError, or %NULL
 *
 * Computes the SHA-256 of the file that y10_model_save() writes. It identifies what
 * was loaded, even if another file has taken its name since: the weights in their data
 * types, the class names, the input size and the head. Reads the whole file. Any thread.
 *
 * Returns: (transfer full): 64 hexadecimal digits, or %NULL with the error of reading
 *   the model's file. Free with g_free().
 *
 * Since: 0.2
 */
char *
y10_model_digest (const Y10Model *model, GError **error)
{
  return y10_safetensors_digest (model->file,
      (const char *const *) model->labels, model->width, model->height,
      y10_head_get_name (model->head), error);
}
