/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The REST interface: cameras as JSON. A camera's source goes in and never
 * comes out: what is shown of it has no secrets. */

#include "config.h"

#ifdef HAVE_SERVE

#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "http/body.h"
#include "http/reply.h"
#include "http/sessionapi.h"
#include "serve/cameraapi.h"
#include "serve/capacity.h"
#include "serve/change.h"
#include "serve/describe.h"
#include "serve/modelapi.h"
#include "serve/release.h"

static void
reply_json (SoupServerMessage *message, guint status, JsonBuilder *builder)
{
  http_reply_text (message, status, "application/json",
      tool_json_to_line (builder));
}

static void
list_cameras (Serve *serve, SoupServerMessage *message)
{
  JsonBuilder *builder = json_builder_new ();

  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "cameras");
  json_builder_begin_array (builder);
  for (guint i = 0; i < serve->cameras->len; i++)
    serve_describe (builder, serve->cameras->pdata[i]);
  json_builder_end_array (builder);
  json_builder_end_object (builder);
  reply_json (message, SOUP_STATUS_OK, builder);
  g_object_unref (builder);
}

/* Tells the user in front of the page and in front of the terminal. */
static gboolean
save (Serve *serve, SoupServerMessage *message)
{
  GError *error = NULL;

  if (serve_config_save (serve->config, &error))
    return TRUE;
  tool_log (TOOL_LOG_WARNING, "cannot write the settings: %s", error->message);
  http_reply_error (message, SOUP_STATUS_INTERNAL_SERVER_ERROR, error->message);
  g_error_free (error);
  return FALSE;
}

static void
reply_camera (SoupServerMessage *message, guint status,
    const ServeCamera *camera)
{
  JsonBuilder *builder = json_builder_new ();

  serve_describe (builder, camera);
  reply_json (message, status, builder);
  g_object_unref (builder);
}

/* Answers 400. */
static void
refuse (SoupServerMessage *message, GError *error)
{
  http_reply_error (message, SOUP_STATUS_BAD_REQUEST, error->message);
  g_error_free (error);
}

/* Logs what has changed of a camera that was as @before says. */
static void
log_change (SoupServerMessage *message, const ServeCameraConfig *camera,
    const ServeCameraConfig *before)
{
  char *fields = serve_change_list (camera, before);

  if (*fields)
    http_auth_log (message, "camera %s: changed %s", camera->id, fields);
  g_free (fields);
}

/* Returns what the message's body makes of @camera, or of nothing; NULL after an answer. */
static ServeCameraConfig *
read_change (Serve *serve, SoupServerMessage *message,
    const ServeCameraConfig *camera)
{
  JsonNode *root = http_body_parse (message);
  ServeCameraConfig *changed;
  GError *error = NULL;

  if (!root)
    return NULL;
  changed = serve_change_read (serve->config, camera,
      json_node_get_object (root), &error);
  json_node_unref (root);
  if (!changed)
    refuse (message, error);
  return changed;
}

static void
create_camera (Serve *serve, SoupServerMessage *message)
{
  ServeCameraConfig *config = read_change (serve, message, NULL);
  GError *error = NULL;

  if (!config)
    return;
  if (!serve_config_add (serve->config, config, &error))
    refuse (message, error);
  else if (!save (serve, message))
    serve_config_drop (serve->config, config);
  else {
    http_auth_log (message, "camera %s: added", config->id);
    reply_camera (message, SOUP_STATUS_CREATED,
        serve_camera_start (serve, config, FALSE));
  }
}

static void
change_camera (Serve *serve, SoupServerMessage *message, ServeCamera *camera)
{
  ServeCameraConfig *other = read_change (serve, message, camera->config);

  if (!other)
    return;
  /* What is not kept does not apply. */
  serve_config_exchange (serve->config, camera->config, other);
  if (save (serve, message)) {
    log_change (message, camera->config, other);
    serve_camera_change (camera, other);
    reply_camera (message, SOUP_STATUS_OK, camera);
  } else {
    serve_config_exchange (serve->config, camera->config, other);
  }
  serve_camera_config_free (other);
}

static void
delete_camera (Serve *serve, SoupServerMessage *message, ServeCamera *camera)
{
  ServeCameraConfig *config = camera->config;

  serve_config_remove (serve->config, config);
  if (!save (serve, message))
    return;
  http_auth_log (message, "camera %s: removed", config->id);
  serve_camera_stop (serve, camera);
  /* Of a camera that the settings do not name, the next start forgets crashes. */
  serve_quarantine_forget (serve->quarantine, config, NULL);
  serve_config_drop (serve->config, config);
  soup_server_message_set_status (message, SOUP_STATUS_NO_CONTENT, NULL);
}

static void
answer_camera (Serve *serve, SoupServerMessage *message, const char *method,
    ServeCamera *camera)
{
  if (!strcmp (method, "GET"))
    reply_camera (message, SOUP_STATUS_OK, camera);
  else if (!strcmp (method, "PATCH"))
    change_camera (serve, message, camera);
  else if (!strcmp (method, "DELETE"))
    delete_camera (serve, message, camera);
  else
    http_reply_error (message, SOUP_STATUS_METHOD_NOT_ALLOWED,
        "expected GET, PATCH or DELETE");
}

void
serve_api_answer (Serve *serve, SoupServerMessage *message, const char *path)
{
  const char *method = soup_server_message_get_method (message);
  ServeCamera *camera = g_str_has_prefix (path, "cameras/")
      ? serve_camera_find (serve, path + 8)
      : NULL;

  if (serve_release_answer (serve, message, path)
      || serve_capacity_answer (serve, message, path)
      || serve_model_answer (serve, message, path)
      || serve_session_answer (serve, message, path))
    return;
  if (!strcmp (path, "cameras")) {
    if (!strcmp (method, "GET"))
      list_cameras (serve, message);
    else if (!strcmp (method, "POST"))
      create_camera (serve, message);
    else
      http_reply_error (message, SOUP_STATUS_METHOD_NOT_ALLOWED,
          "expected GET or POST");
  } else if (!camera) {
    http_reply_error (message, SOUP_STATUS_NOT_FOUND, "there is no such thing");
  } else {
    answer_camera (serve, message, method, camera);
  }
}

#endif
