/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The key of a result is the SHA-256 of everything that its bytes depend on, as
 * JSON. Options are included as they are resolved: the backend that "auto"
 * chose, the numbers of the classes that --classes names. The number of CPU
 * threads is not included, since it does not change a result. */

#include "config.h"

#include <string.h>

#include "archive/digest.h"
#include "archive/key.h"
#include "base/json.h"
#include "media/video.h"

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
    const gfloat own = params->class_confidence ? params->class_confidence[i]
                                                : -1;

    json_builder_add_double_value (builder,
        (double) (own < 0 ? params->confidence : own));
  }
  json_builder_end_array (builder);
}

static void
add_settings (JsonBuilder *builder, const ToolKeySettings *self)
{
  static const char *const texts[] = { "region", "region_anchor", "tiles",
    "tile_overlap" };
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
  if (y10_engine_get_auto_size (self->engine))
    tool_json_bool (builder, "auto_size", TRUE);
  add_classes (builder, self);
  tool_json_double (builder, "iou", (double) params->iou);
  tool_json_bool (builder, "class_agnostic", params->class_agnostic);
  tool_json_double (builder, "min_width", (double) params->min_width);
  tool_json_double (builder, "min_height", (double) params->min_height);
  tool_json_double (builder, "max_width", (double) params->max_width);
  tool_json_double (builder, "max_height", (double) params->max_height);
  tool_json_int (builder, "max_detections", params->max_detections);
  tool_json_int (builder, "interval", self->interval);
  tool_json_bool (builder, "ignore_par", self->ignore_par);
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    tool_json_string (builder, texts[i], self->texts[i]);
}

char *
tool_key_describe_settings (const ToolKeySettings *self, GError **error)
{
  char *model = y10_model_digest (self->model, error), *text;
  JsonBuilder *builder;

  if (!model)
    return NULL;
  builder = json_builder_new ();
  json_builder_begin_object (builder);
  tool_json_string (builder, "version", PACKAGE_VERSION);
  tool_json_string (builder, "model", model);
  add_settings (builder, self);
  json_builder_end_object (builder);
  text = tool_json_to_line (builder);
  g_object_unref (builder);
  g_free (model);
  return text;
}

char *
tool_key_make (const char *settings, const char *content,
    const ToolRange *range)
{
  char *part = range ? g_strdup_printf ("%" G_GINT64_FORMAT " %" G_GINT64_FORMAT
                                        " %" G_GUINT64_FORMAT,
                   range->start, range->end, range->first_frame)
                     : g_strdup ("all");
  char *text = g_strdup_printf ("%s\n%s\n%s", settings, content, part);
  char *key = tool_digest_text (text);

  g_free (text);
  g_free (part);
  return key;
}
