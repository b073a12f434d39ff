/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Cameras, for requests: as JSON, and as pictures. A camera's source goes in and never
 * comes out. */

#include "config.h"

#ifdef HAVE_SERVE

#include "base/json.h"
#include "base/log.h"
#include "http/auth.h"
#include "http/body.h"
#include "serve/cameraapi.h"
#include "serve/cameras.h"
#include "serve/camerajson.h"

#define NO_THING "there is no such thing"
#define NO_PAGE "there is no such page"

/* Answers 404 with @why for one that there is not. */
static ServeCamera *
find (const ServeCameras *cameras, SoupServerMessage *message, const char *id,
    const char *why)
{
  ServeCamera *camera = serve_camera_find (cameras, id);

  if (!camera)
    http_reply_error (message, SOUP_STATUS_NOT_FOUND, why);
  return camera;
}

void
serve_cameras_list (SoupServerMessage *message, const char *name, gpointer data)
{
  const ServeCameras *cameras = data;
  GString *json = g_string_new (NULL);

  y10_json_open (json, NULL, '{');
  y10_json_open (json, "cameras", '[');
  for (guint i = 0; i < cameras->all->len; i++)
    serve_camera_write (cameras->all->pdata[i], json, TRUE);
  y10_json_close (json, ']');
  y10_json_close (json, '}');
  http_reply_json (message, SOUP_STATUS_OK, json);
}

/* Tells the user in front of the page and in front of the terminal. */
static gboolean
save (ServeSettings *settings, SoupServerMessage *message)
{
  g_autoptr (GError) error = NULL;

  if (serve_settings_save (settings, &error))
    return TRUE;
  tool_log (TOOL_LOG_WARNING, "cannot write the settings: %s", error->message);
  http_reply_error (message, SOUP_STATUS_INTERNAL_SERVER_ERROR, error->message);
  return FALSE;
}

static void
reply_camera (SoupServerMessage *message, guint status,
    const ServeCamera *camera)
{
  GString *json = g_string_new (NULL);

  serve_camera_write (camera, json, TRUE);
  http_reply_json (message, status, json);
}

/* Returns what the message's body makes of @camera, or of nothing; NULL after an answer. */
static ToolCameraSettings *
read_change (const ServeSettings *settings, SoupServerMessage *message,
    const ToolCameraSettings *camera)
{
  Y10Json root;
  g_autoptr (GBytes) body = http_body_parse (message, &root);
  g_autoptr (GError) error = NULL;
  ToolCameraSettings *changed;

  if (!body)
    return NULL;
  changed = serve_camera_json_read (settings, camera, root, &error);
  if (!changed)
    http_reply_error (message, SOUP_STATUS_BAD_REQUEST, error->message);
  return changed;
}

void
serve_camera_create (SoupServerMessage *message, const char *name,
    gpointer data)
{
  ServeCameras *cameras = data;
  ServeSettings *settings = cameras->settings;
  ToolCameraSettings *camera = read_change (settings, message, NULL);
  g_autoptr (GError) error = NULL;

  if (!camera)
    return;
  if (!serve_settings_add (settings, camera, &error))
    http_reply_error (message, SOUP_STATUS_BAD_REQUEST, error->message);
  else if (!save (settings, message))
    serve_settings_drop (settings, camera);
  else {
    http_auth_log (message, "camera %s: added", camera->id);
    reply_camera (message, SOUP_STATUS_CREATED,
        serve_camera_add (cameras, camera, FALSE));
  }
}

void
serve_camera_get (SoupServerMessage *message, const char *id, gpointer cameras)
{
  const ServeCamera *camera = find (cameras, message, id, NO_THING);

  if (camera)
    reply_camera (message, SOUP_STATUS_OK, camera);
}

/* What is not kept does not apply. */
static void
apply (ServeSettings *settings, SoupServerMessage *message, ServeCamera *camera,
    ToolCameraSettings *other)
{
  g_autofree char *fields = NULL;

  serve_settings_exchange (settings, camera->settings, other);
  if (!save (settings, message)) {
    serve_settings_exchange (settings, camera->settings, other);
    return;
  }
  fields = serve_camera_json_list_changes (camera->settings, other);
  if (*fields)
    http_auth_log (message, "camera %s: changed %s", camera->settings->id,
        fields);
  serve_camera_change (camera, other);
  reply_camera (message, SOUP_STATUS_OK, camera);
}

void
serve_camera_patch (SoupServerMessage *message, const char *id, gpointer data)
{
  ServeSettings *settings = ((ServeCameras *) data)->settings;
  ServeCamera *camera = find (data, message, id, NO_THING);
  g_autoptr (ToolCameraSettings)
      other = camera ? read_change (settings, message, camera->settings) : NULL;

  if (!other)
    return;
  apply (settings, message, camera, other);
}

void
serve_camera_delete (SoupServerMessage *message, const char *id, gpointer data)
{
  const ServeCameras *cameras = data;
  ServeCamera *camera = find (cameras, message, id, NO_THING);
  ToolCameraSettings *settings = camera ? camera->settings : NULL;

  if (!camera)
    return;
  serve_settings_remove (cameras->settings, settings);
  if (!save (cameras->settings, message))
    return;
  http_auth_log (message, "camera %s: removed", settings->id);
  serve_camera_remove (camera);
  /* Of a camera that the settings do not name, the next start forgets crashes. */
  serve_crashes_forget (cameras->crashes, settings, NULL);
  serve_settings_drop (cameras->settings, settings);
  soup_server_message_set_status (message, SOUP_STATUS_NO_CONTENT, NULL);
}

void
serve_camera_release (SoupServerMessage *message, const char *id, gpointer data)
{
  const ServeCameras *cameras = data;
  const ServeCamera *camera = find (cameras, message, id,
      "there is no such camera");
  g_autoptr (GError) error = NULL;

  if (!camera)
    return;
  if (!tool_camera_is_held (camera->camera)) {
    http_reply_error (message, SOUP_STATUS_CONFLICT,
        "the camera is not quarantined");
  } else if (!serve_crashes_forget (cameras->crashes, camera->settings,
                 &error)) {
    tool_log (TOOL_LOG_WARNING, "cannot write the crashes: %s", error->message);
    http_reply_error (message, SOUP_STATUS_INTERNAL_SERVER_ERROR,
        error->message);
  } else {
    http_auth_log (message, "camera %s: released", camera->settings->id);
    tool_camera_release (camera->camera);
    soup_server_message_set_status (message, SOUP_STATUS_NO_CONTENT, NULL);
  }
}

void
serve_camera_view (SoupServerMessage *message, const char *id, gpointer cameras)
{
  const ServeCamera *camera = find (cameras, message, id, NO_PAGE);

  if (camera)
    serve_views_begin (camera->views, message, FALSE);
}

void
serve_camera_snapshot (SoupServerMessage *message, const char *id,
    gpointer cameras)
{
  const ServeCamera *camera = find (cameras, message, id, NO_PAGE);

  if (camera)
    serve_views_begin (camera->views, message, TRUE);
}

/* Ready: a camera is live, or there is none. */
void
serve_cameras_probe (SoupServerMessage *message, const char *name,
    gpointer data)
{
  const ServeCameras *cameras = data;

  soup_server_message_set_status (message,
      !cameras->all->len || serve_cameras_count (cameras, TOOL_CAMERA_LIVE)
          ? SOUP_STATUS_OK
          : SOUP_STATUS_SERVICE_UNAVAILABLE,
      NULL);
}

#endif
