/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The model, and the choice of another one, for requests. Who asks for another one is
 * answered when all cameras have it, or none has. */

#include "config.h"

#ifdef HAVE_SERVE

#include <string.h>

#include "base/json.h"
#include "serve/body.h"
#include "serve/listener.h"
#include "serve/modelapi.h"
#include "serve/modelchange.h"
#include "serve/modelfolder.h"
#include "serve/reply.h"

#define REPLY_TIME 30 /* s */

typedef struct
{
  Serve *serve;
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
add_active (GString *json, Serve *serve)
{
  static const char *const active[][2] = { { "backend", "active-backend" },
    { "device", "active-device" }, { "precision", "active-precision" } };

  for (guint i = 0; i < G_N_ELEMENTS (active); i++) {
    char *value = serve_cameras_get_active (serve, active[i][1]);

    y10_json_add_string (json, active[i][0], value);
    g_free (value);
  }
}

/* What may be chosen, and what is. */
static void
add_choice (GString *json, const Serve *serve)
{
  const ServeConfig *config = serve->config;
  const char *path = serve_model_change_get_kept (serve);
  char *file = config->models && path
      ? serve_model_folder_get_name (config->models, path)
      : NULL;

  y10_json_add_string (json, "file", file);
  y10_json_add_bool (json, "bundled", !path);
  y10_json_add_bool (json, "option", config->model_is_option);
  if (config->models) {
    char **names = serve_model_folder_list (config->models);

    add_names (json, "models", names);
    g_strfreev (names);
  } else {
    y10_json_add_string (json, "models", NULL);
  }
  g_free (file);
}

static void
tell_model (Serve *serve, SoupServerMessage *message)
{
  const ServeModel *model = serve->config->known;
  GString *json = g_string_new (NULL);

  y10_json_open (json, NULL, '{');
  y10_json_add_string (json, "name", model->name);
  add_names (json, "classes", model->classes);
  add_active (json, serve);
  add_choice (json, serve);
  serve_model_change_write (serve, json);
  y10_json_close (json, '}');
  serve_reply_text (message, SOUP_STATUS_OK, "application/json",
      g_string_free (json, FALSE));
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
      serve_reply_error (message, status, problem);
    else
      tell_model (waiting->serve, message);
    serve_connection_set_deadline (message, REPLY_TIME);
    soup_server_message_unpause (message);
    g_object_unref (message);
  }
  g_free (waiting);
}

static void
begin (Serve *serve, SoupServerMessage *message, const char *name)
{
  Waiting *waiting = g_new0 (Waiting, 1);

  serve_auth_log (message, "model: %s was chosen",
      name ? name : "the bundled one");
  waiting->serve = serve;
  waiting->message = g_object_ref (message);
  g_signal_connect (message, "finished", G_CALLBACK (on_finished), waiting);
  serve_connection_set_deadline (message, 0);
  soup_server_message_pause (message);
  serve_model_change_begin (serve, name, on_done, waiting);
}

/* Why none can be chosen now, or NULL. */
static const char *
find_obstacle (const Serve *serve)
{
  if (serve->config->model_is_option)
    return "y10 serve was started with --model, which decides; start it without";
  if (!serve->config->models)
    return "there is no folder of models; expected models=DIR in the settings' [serve], "
           "or y10 serve --models DIR";
  return serve->model_change ? "the model is being changed already" : NULL;
}

static void
change_model (Serve *serve, SoupServerMessage *message)
{
  static const char *const names[] = { "model" };
  const char *obstacle = find_obstacle (serve);
  gboolean is_only;
  Y10Json root, wanted;
  GBytes *body = serve_body_parse (message, &root);
  char *name;

  if (!body)
    return;
  is_only = y10_json_find_all (root, names, 1, &wanted, NULL);
  name = y10_json_dup_text (wanted);
  if (!is_only || !(name || y10_json_get_kind (wanted) == Y10_JSON_NULL))
    serve_reply_error (message, SOUP_STATUS_BAD_REQUEST,
        "expected {\"model\": NAME}, a file in the folder of models, or null for the "
        "bundled model");
  else if (obstacle)
    serve_reply_error (message, SOUP_STATUS_CONFLICT, obstacle);
  else
    begin (serve, message, name);
  g_free (name);
  g_bytes_unref (body);
}

gboolean
serve_model_answer (Serve *serve, SoupServerMessage *message, const char *path)
{
  const char *method = soup_server_message_get_method (message);

  if (strcmp (path, "model") != 0)
    return FALSE;
  if (!strcmp (method, "GET"))
    tell_model (serve, message);
  else if (!strcmp (method, "PATCH"))
    change_model (serve, message);
  else
    serve_reply_error (message, SOUP_STATUS_METHOD_NOT_ALLOWED,
        "expected GET or PATCH");
  return TRUE;
}

#endif
