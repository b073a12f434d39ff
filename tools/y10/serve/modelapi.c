/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The model, and the choice of another one, for requests. Who asks for another one is
 * answered when all cameras have it, or none has. */

#include "config.h"

#ifdef HAVE_SERVE

#include <string.h>

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
add_names (JsonBuilder *builder, const char *member, char **names)
{
  json_builder_set_member_name (builder, member);
  json_builder_begin_array (builder);
  for (guint i = 0; names[i]; i++)
    json_builder_add_string_value (builder, names[i]);
  json_builder_end_array (builder);
}

/* What the detectors say is in use. */
static void
add_active (JsonBuilder *builder, ServeModel *model)
{
  static const char *const active[][2] = { { "backend", "active-backend" },
    { "device", "active-device" }, { "precision", "active-precision" } };

  for (guint i = 0; i < G_N_ELEMENTS (active); i++) {
    char *value = serve_cameras_get_active (model->cameras, active[i][1]);

    tool_json_string (builder, active[i][0], value);
    g_free (value);
  }
}

/* What may be chosen, and what is. */
static void
add_choice (JsonBuilder *builder, const ServeModel *model)
{
  const ServeConfig *config = model->config;
  const char *path = serve_model_get_kept (model);
  char *file = config->models && path
      ? serve_model_folder_get_name (config->models, path)
      : NULL;

  tool_json_string (builder, "file", file);
  tool_json_bool (builder, "bundled", !path);
  tool_json_bool (builder, "option", config->model_is_option);
  if (config->models) {
    char **names = serve_model_folder_list (config->models);

    add_names (builder, "models", names);
    g_strfreev (names);
  } else {
    tool_json_string (builder, "models", NULL);
  }
  g_free (file);
}

static void
tell_model (ServeModel *model, SoupServerMessage *message)
{
  const ServeModelInfo *info = model->config->known;
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  json_builder_begin_object (builder);
  tool_json_string (builder, "name", info->name);
  add_names (builder, "classes", info->classes);
  add_active (builder, model);
  add_choice (builder, model);
  serve_model_write (model, builder);
  json_builder_end_object (builder);
  http_reply_text (message, SOUP_STATUS_OK, "application/json",
      tool_json_to_line (builder));
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
  if (model->config->model_is_option)
    return "y10 serve was started with --model, which decides; start it without";
  if (!model->config->models)
    return "there is no folder of models; expected models=DIR in the settings' [serve], "
           "or y10 serve --models DIR";
  return model->change ? "the model is being changed already" : NULL;
}

void
serve_model_patch (SoupServerMessage *message, const char *name, gpointer model)
{
  g_autoptr (JsonNode) root = http_body_parse (message);
  const char *obstacle = find_obstacle (model), *file;
  JsonNode *wanted;

  if (!root)
    return;
  wanted = json_object_get_member (json_node_get_object (root), "model");
  file = http_body_get_text (root, "model");
  if (json_object_get_size (json_node_get_object (root)) != 1 || !wanted
      || !(file || JSON_NODE_HOLDS_NULL (wanted)))
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
