/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The model: its name and classes. The weights are the detectors', so they are not kept
 * here. */

#include "config.h"

#ifdef HAVE_SERVE

#include <string.h>
#include <y10/y10.h>

#include "serve/model.h"

/* What weights are worth is known when an engine has them. This one computes nothing. */
static gboolean
read_weights (Y10Model *weights, GError **error)
{
  Y10EngineConfig config;
  Y10Engine *engine;

  y10_engine_config_init (&config, sizeof config);
  config.backend = Y10_BACKEND_REF;
  config.width = config.height = 32;
  config.threads = config.n_slots = 1;
  engine = y10_engine_new (weights, &config, NULL, error);
  if (!engine)
    return FALSE;
  y10_engine_unref (engine);
  return TRUE;
}

ServeModel *
serve_model_load (const char *path, gboolean whole, GError **error)
{
  Y10Model *weights = y10_model_load (path, NULL, error);
  ServeModel *model;
  guint n;

  if (weights && whole && !read_weights (weights, error))
    g_clear_pointer (&weights, y10_model_unref);
  if (!weights)
    return NULL;
  n = y10_model_get_n_classes (weights);
  model = g_new0 (ServeModel, 1);
  model->name = g_path_get_basename (y10_model_get_path (weights));
  model->classes = g_new0 (char *, n + 1);
  for (guint i = 0; i < n; i++)
    model->classes[i] = g_strdup (y10_model_get_class_name (weights, i));
  y10_model_unref (weights);
  return model;
}

void
serve_model_free (ServeModel *model)
{
  g_free (model->name);
  g_strfreev (model->classes);
  g_free (model);
}

/* As the detector: names take precedence; otherwise digits are an id. */
static gboolean
has_class (const ServeModel *model, const char *token)
{
  guint64 id;

  return g_strv_contains ((const char *const *) model->classes, token)
      || g_ascii_string_to_unsigned (token, 10, 0,
          g_strv_length (model->classes) - 1, &id, NULL);
}

/* Always FALSE. */
static gboolean
refuse_class (const ServeModel *model, const char *class, GError **error)
{
  const guint n = g_strv_length (model->classes);

  g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
      "classes contains \"%s\", which is not a class of %s: expected one of its "
      "%u classes, 0 \"%s\" to %u \"%s\"",
      class, model->name, n, model->classes[0], n - 1, model->classes[n - 1]);
  return FALSE;
}

gboolean
serve_model_check_name (const ServeModel *model, const char *name,
    GError **error)
{
  return g_strv_contains ((const char *const *) model->classes, name)
      || refuse_class (model, name, error);
}

gboolean
serve_model_check_classes (const ServeModel *model, const char *classes,
    GError **error)
{
  char **tokens = g_strsplit (classes, ",", -1);
  gboolean ok = TRUE;

  for (guint i = 0; ok && tokens[i]; i++) {
    const char *token = g_strstrip (tokens[i]);

    ok = !*token || has_class (model, token)
        || refuse_class (model, token, error);
  }
  g_strfreev (tokens);
  return ok;
}

#endif
