/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The key of a result is the SHA-256 of everything that its bytes depend on, as
 * JSON. Options are included as they are resolved: the backend that "auto"
 * chose, the numbers of the classes that --classes names. The number of CPU
 * threads is not included, since it does not change a result. */

#include "config.h"

#include <glib/gstdio.h>
#include <string.h>

#include "archive/digest.h"
#include "archive/key.h"

/* The instruction set and libraries of a CPU; what a GPU is. The name of the
 * processor and the number of threads come before them and change nothing. */
static const char *
get_arithmetic (const Y10Engine *engine)
{
  static const char *const ends[] = { " threads, ", " thread, " };
  const char *device = y10_engine_get_device (engine), *found;

  for (guint i = 0; i < G_N_ELEMENTS (ends); i++)
    if ((found = strstr (device, ends[i])))
      return found + strlen (ends[i]);
  return device;
}

/* The digest of the weights. An ONNX file may have tensors in other files, so
 * that of its conversion to one file counts. */
static char *
digest_model (const Y10Model *model, GError **error)
{
  char *dir, *path, *digest = NULL;
  ToolFileStamp stamp;

  if (g_ascii_strncasecmp (y10_model_get_format (model), "onnx", 4) != 0)
    return tool_digest_file (y10_model_get_path (model), &stamp, error);
  dir = g_dir_make_tmp ("y10-XXXXXX", error);
  if (!dir)
    return NULL;
  path = g_build_filename (dir, "model.safetensors", NULL);
  if (y10_model_save (model, path, error))
    digest = tool_digest_file (path, &stamp, error);
  g_unlink (path);
  g_rmdir (dir);
  g_free (path);
  g_free (dir);
  return digest;
}

static char *
digest_labels (const Y10Model *model)
{
  GString *names = g_string_new (NULL);
  char *digest;

  for (guint i = 0; i < y10_model_get_n_classes (model); i++)
    g_string_append_printf (names, "%s\n", y10_model_get_class_name (model, i));
  digest = tool_digest_text (names->str);
  g_string_free (names, TRUE);
  return digest;
}

static void
add_classes (JsonBuilder *builder, const ToolKeySettings *self)
{
  const Y10HeadParams *params = self->params;

  json_builder_set_member_name (builder, "classes");
  json_builder_begin_array (builder);
  for (guint i = 0; i < y10_model_get_n_classes (self->model); i++)
    if (!params->classes || params->classes[i])
      json_builder_add_int_value (builder, i);
  json_builder_end_array (builder);
  json_builder_set_member_name (builder, "class_confidence");
  json_builder_begin_array (builder);
  for (guint i = 0; i < y10_model_get_n_classes (self->model); i++) {
    const gfloat own = params->class_confidence
        ? params->class_confidence[i] : -1;

    json_builder_add_double_value (builder,
        (double) (own < 0 ? params->confidence : own));
  }
  json_builder_end_array (builder);
}

static void
add_settings (JsonBuilder *builder, const ToolKeySettings *self)
{
  static const char *const texts[] = { "region", "region_anchor", "tiles",
    "tile_overlap"
  };
  const Y10HeadParams *params = self->params;
  guint width, height;

  y10_engine_get_input_size (self->engine, &width, &height);
  tool_json_string (builder, "backend",
      y10_backend_get_name (y10_engine_get_backend (self->engine)));
  tool_json_string (builder, "precision",
      y10_precision_get_name (y10_engine_get_precision (self->engine)));
  tool_json_string (builder, "arithmetic", get_arithmetic (self->engine));
  tool_json_string (builder, "head",
      y10_head_get_name (y10_engine_get_head (self->engine)));
  tool_json_size (builder, "input", width, height);
  add_classes (builder, self);
  tool_json_double (builder, "iou", (double) params->iou);
  tool_json_bool (builder, "class_agnostic", params->class_agnostic);
  tool_json_double (builder, "min_width", (double) params->min_width);
  tool_json_double (builder, "min_height", (double) params->min_height);
  tool_json_double (builder, "max_width", (double) params->max_width);
  tool_json_double (builder, "max_height", (double) params->max_height);
  tool_json_int (builder, "max_detections", params->max_detections);
  tool_json_int (builder, "interval", self->interval);
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    tool_json_string (builder, texts[i], self->texts[i]);
}

char *
tool_key_describe_settings (const ToolKeySettings *self, GError **error)
{
  char *model = digest_model (self->model, error), *labels, *text;
  JsonBuilder *builder;

  if (!model)
    return NULL;
  labels = digest_labels (self->model);
  builder = json_builder_new ();
  json_builder_begin_object (builder);
  tool_json_string (builder, "version", PACKAGE_VERSION);
  tool_json_string (builder, "model", model);
  tool_json_string (builder, "labels", labels);
  add_settings (builder, self);
  json_builder_end_object (builder);
  text = tool_json_to_line (builder);
  g_object_unref (builder);
  g_free (labels);
  g_free (model);
  return text;
}

char *
tool_key_make (const char *settings, const char *content,
    const ToolRange *range)
{
  char *part = range ? g_strdup_printf ("%" G_GINT64_FORMAT " %"
      G_GINT64_FORMAT " %" G_GUINT64_FORMAT, range->start, range->end,
      range->first_frame) : g_strdup ("all");
  char *text = g_strdup_printf ("%s\n%s\n%s", settings, content, part);
  char *key = tool_digest_text (text);

  g_free (text);
  g_free (part);
  return key;
}
