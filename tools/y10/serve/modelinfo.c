/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The model: its name and classes. The weights are the detectors', so they are not kept
 * here. */

#include "config.h"

#ifdef HAVE_SERVE

#include <y10/y10.h>

#include "common/classes.h"
#include "serve/modelinfo.h"
#include "zones/parse.h"

/* What weights are worth is known when an engine has them. This one computes nothing. */
static gboolean
read_weights (Y10Model *weights, GError **error)
{
  Y10EngineConfig config;
  g_autoptr (Y10Engine) engine = NULL;

  y10_engine_config_init (&config, sizeof config);
  config.backend = Y10_BACKEND_REF;
  config.width = config.height = 32;
  config.threads = config.n_slots = 1;
  engine = y10_engine_new (weights, &config, NULL, error);
  if (!engine)
    return FALSE;
  return TRUE;
}

ServeModelInfo *
serve_model_info_load (const char *path, gboolean whole, GError **error)
{
  g_autoptr (Y10Model) weights = y10_model_load (path, NULL, error);
  ServeModelInfo *model;
  guint n;

  if (!weights || (whole && !read_weights (weights, error)))
    return NULL;
  n = y10_model_get_n_classes (weights);
  model = g_new0 (ServeModelInfo, 1);
  model->name = g_path_get_basename (y10_model_get_path (weights));
  model->classes = g_new0 (char *, n + 1);
  for (guint i = 0; i < n; i++)
    model->classes[i] = g_strdup (y10_model_get_class_name (weights, i));
  return model;
}

void
serve_model_info_free (ServeModelInfo *model)
{
  g_free (model->name);
  g_strfreev (model->classes);
  g_free (model);
}

/* As the detector: names take precedence; otherwise digits are an id. */
static gboolean
check_class (const ServeModelInfo *model, const char *token, GError **error)
{
  const char *const *classes = (const char *const *) model->classes;
  guint64 id;

  return g_ascii_string_to_unsigned (token, 10, 0,
             g_strv_length (model->classes) - 1, &id, NULL)
      || gst_y10_classes_check ("classes", classes, model->name, token, error);
}

gboolean
serve_model_info_check_classes (const ServeModelInfo *model,
    const char *classes, GError **error)
{
  g_auto (GStrv) tokens = g_strsplit (classes, ",", -1);
  gboolean ok = TRUE;

  for (guint i = 0; ok && tokens[i]; i++)
    ok = !*g_strstrip (tokens[i]) || check_class (model, tokens[i], error);
  return ok;
}

gboolean
serve_model_info_check_zones (const ServeModelInfo *model, const char *zones,
    GError **error)
{
  const GstY10ZoneDefaults defaults = GST_Y10_ZONE_DEFAULTS_INIT;
  g_autoptr (GstY10ZoneSet) set = gst_y10_zones_parse (zones, &defaults, error);

  if (!set)
    return FALSE;
  return !model
      || gst_y10_zone_set_check_classes (set, "zones",
          (const char *const *) model->classes, model->name, error);
}

#endif
