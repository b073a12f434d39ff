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
add_classes (GString *json, const ToolKeySettings *self)
{
  const Y10HeadParams *params = self->params;

  y10_json_open (json, "classes", '[');
  for (guint i = 0; i < y10_model_get_n_classes (self->model); i++)
    if (!params->classes || params->classes[i])
      y10_json_add_int (json, NULL, i);
  y10_json_close (json, ']');
  y10_json_open (json, "class_confidence", '[');
  for (guint i = 0; i < y10_model_get_n_classes (self->model); i++) {
    const gfloat own = params->class_confidence ? params->class_confidence[i]
                                                : -1;

    y10_json_add_double (json, NULL,
        (double) (own < 0 ? params->confidence : own));
  }
  y10_json_close (json, ']');
}

static void
add_settings (GString *json, const ToolKeySettings *self)
{
  static const char *const texts[] = { "region", "region_anchor", "tiles",
    "tile_overlap" };
  const Y10HeadParams *params = self->params;
  guint width, height;

  y10_engine_get_input_size (self->engine, &width, &height);
  y10_json_add_string (json, "backend",
      y10_backend_get_name (y10_engine_get_backend (self->engine)));
  y10_json_add_string (json, "precision",
      y10_precision_get_name (y10_engine_get_precision (self->engine)));
  y10_json_add_string (json, "arithmetic", get_arithmetic (self->engine));
  y10_json_add_string (json, "head",
      y10_head_get_name (y10_engine_get_head (self->engine)));
  y10_json_add_size (json, "input", width, height);
  if (y10_engine_get_auto_size (self->engine))
    y10_json_add_bool (json, "auto_size", TRUE);
  add_classes (json, self);
  y10_json_add_double (json, "iou", (double) params->iou);
  y10_json_add_bool (json, "class_agnostic", params->class_agnostic);
  y10_json_add_double (json, "min_width", (double) params->min_width);
  y10_json_add_double (json, "min_height", (double) params->min_height);
  y10_json_add_double (json, "max_width", (double) params->max_width);
  y10_json_add_double (json, "max_height", (double) params->max_height);
  y10_json_add_int (json, "max_detections", params->max_detections);
  y10_json_add_int (json, "interval", self->interval);
  y10_json_add_bool (json, "ignore_par", self->ignore_par);
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    y10_json_add_string (json, texts[i], self->texts[i]);
}

char *
tool_key_describe_settings (const ToolKeySettings *self, GError **error)
{
  g_autofree char *model = y10_model_digest (self->model, error);
  GString *json;

  if (!model)
    return NULL;
  json = g_string_new (NULL);
  y10_json_open (json, NULL, '{');
  y10_json_add_string (json, "version", PACKAGE_VERSION);
  y10_json_add_string (json, "model", model);
  add_settings (json, self);
  y10_json_close (json, '}');
  return g_string_free (json, FALSE);
}

char *
tool_key_make (const char *settings, const char *content,
    const ToolRange *range)
{
  g_autofree char *part = range
      ? g_strdup_printf ("%" G_GINT64_FORMAT " %" G_GINT64_FORMAT
                         " %" G_GUINT64_FORMAT,
          range->start, range->end, range->first_frame)
      : g_strdup ("all");
  g_autofree char *text = g_strdup_printf ("%s\n%s\n%s", settings, content,
      part);

  return tool_digest_text (text);
}
