/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The model, and the choice of another one, for requests. Who asks for another one is
 * answered when all cameras have it, or none has. */

#include "config.h"

#ifdef HAVE_SERVE

#include "base/json.h"
#include "http/body.h"
#include "http/connection.h"
#include "http/reply.h"
#include "serve/model.h"
#include "serve/modelapi.h"
#include "serve/modelfolder.h"

#define REPLY_TIME 30 /* s */

typedef struct
{
  ServeModel *model;
  SoupServerMessage *message; /* NULL: the client is gone */
} Waiting;

static void
add_names (GString *json, const char *member, char **names)
{
  y10_json_open (json, member, '[');
  for (guint i = 0; names[i]; i++)
    y10_json_add_string (json, NULL, names[i]);
  y10_json_close (json, ']');
}

/* What the detectors say is in use. */
static void
add_active (GString *json, ServeModel *model)
{
  static const char *const active[][2] = { { "backend", "active-backend" },
    { "device", "active-device" }, { "precision", "active-precision" } };

  for (guint i = 0; i < G_N_ELEMENTS (active); i++) {
    g_autofree char *value = serve_cameras_get_active (model->cameras,
        active[i][1]);

    y10_json_add_string (json, active[i][0], value);
  }
}

/* What may be chosen, and what is. */
static void
add_choice (GString *json, const ServeModel *model)
{
  const ServeSettings *settings = model->settings;
  const char *path = serve_model_get_kept (model);
  g_autofree char *file = settings->models && path
      ? serve_model_folder_get_name (settings->models, path)
      : NULL;

  y10_json_add_string (json, "file", file);
  y10_json_add_bool (json, "bundled", !path);
  y10_json_add_bool (json, "option", settings->model_is_option);
  if (settings->models) {
    g_auto (GStrv) names = serve_model_folder_list (settings->models);

    add_names (json, "models", names);
  } else {
    y10_json_add_string (json, "models", NULL);
  }
}

static void
tell_model (ServeModel *model, SoupServerMessage *message)
{
  const ServeModelInfo *info = model->settings->model_info;
  GString *json = g_string_new (NULL);

  y10_json_open (json, NULL, '{');
  y10_json_add_string (json, "name", info->name);
  add_names (json, "classes", info->classes);
  add_active (json, model);
  add_choice (json, model);
  serve_model_write (model, json);
  y10_json_close (json, '}');
  http_reply_json (message, SOUP_STATUS_OK, json);
}

static void
on_finished (SoupServerMessage *message, gpointer data)
{
  Waiting *waiting = data;

  g_signal_handlers_disconnect_by_data (message, waiting);
  g_clear_object (&waiting->message);
}

static void
on_done (gpointer data, guint status, const char *problem)
{
  Waiting *waiting = data;
  SoupServerMessage *message = g_steal_pointer (&waiting->message);

  if (message) {
    g_signal_handlers_disconnect_by_data (message, waiting);
    if (problem)
      http_reply_error (message, status, problem);
    else
      tell_model (waiting->model, message);
    http_connection_set_deadline (message, REPLY_TIME);
    soup_server_message_unpause (message);
    g_object_unref (message);
  }
  g_free (waiting);
}

static void
begin (ServeModel *model, SoupServerMessage *message, const char *name)
{
  Waiting *waiting = g_new0 (Waiting, 1);

  http_auth_log (message, "model: %s was chosen",
      name ? name : "the bundled one");
  waiting->model = model;
  waiting->message = g_object_ref (message);
  g_signal_connect (message, "finished", G_CALLBACK (on_finished), waiting);
  http_connection_set_deadline (message, 0);
  soup_server_message_pause (message);
  serve_model_begin (model, name, on_done, waiting);
}

/* Why none can be chosen now, or NULL. */
static const char *
find_obstacle (const ServeModel *model)
{
  if (model->settings->model_is_option)
    return "y10 serve was started with --model, which decides; start it without";
  if (!model->settings->models)
    return "there is no folder of models; expected models=DIR in the settings' [serve], "
           "or y10 serve --models DIR";
  return model->change ? "the model is being changed already" : NULL;
}

void
serve_model_patch (SoupServerMessage *message, const char *name, gpointer model)
{
  static const char *const names[] = { "model" };
  Y10Json root, wanted;
  g_autoptr (GBytes) body = http_body_parse (message, &root);
  g_autofree char *file = NULL;
  const char *obstacle = find_obstacle (model);
  gboolean is_only;

  if (!body)
    return;
  is_only = y10_json_find_all (root, names, 1, &wanted, NULL);
  file = y10_json_dup_text (wanted);
  if (!is_only || !(file || y10_json_get_kind (wanted) == Y10_JSON_NULL))
    http_reply_error (message, SOUP_STATUS_BAD_REQUEST,
        "expected {\"model\": NAME}, a file in the folder of models, or null for the "
        "bundled model");
  else if (obstacle)
    http_reply_error (message, SOUP_STATUS_CONFLICT, obstacle);
  else
    begin (model, message, file);
}

void
serve_model_get (SoupServerMessage *message, const char *name, gpointer model)
{
  tell_model (model, message);
}

#endif
