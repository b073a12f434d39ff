/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The cameras that run: one for each of the settings. */

#include "config.h"

#ifdef HAVE_SERVE

#include <string.h>

#include "base/log.h"
#include "http/sent.h"
#include "serve/cameras.h"
#include "serve/views.h"

/* Also has what crashes in its threads recorded. */
static ToolCameraSetup
make_setup (ServeCamera *entry)
{
  const ServeConfig *config = entry->serve->config;
  const ServeCameraConfig *camera = entry->config;

  serve_quarantine_name (entry->serve->quarantine, camera, entry->thread);
  return (ToolCameraSetup){
    .source = camera->source,
    .remote = { camera->transport, camera->fingerprint, camera->stream },
    .media = config->media,
    .model = config->model,
    .model_turn = config->model_turn,
    .backend = config->backend,
    .classes = camera->classes ? camera->classes : config->classes,
    .confidence = camera->confidence > 0 ? camera->confidence
                                         : config->confidence,
    .tiles = camera->tiles,
    .zones = camera->zones,
    .privacy = camera->privacy,
    .thread = entry->thread,
    .id = camera->id,
    .spool = config->spool,
    .max_age = config->keep_days * G_TIME_SPAN_DAY * 1000,
    .max_bytes = (guint64) config->keep_mib << 20,
  };
}

ServeCamera *
serve_camera_start (Serve *serve, ServeCameraConfig *config, gboolean wait)
{
  const char *why = serve_quarantine_judge (serve->quarantine, config);
  ServeCamera *camera = g_new0 (ServeCamera, 1);
  ToolCameraSetup setup;

  camera->serve = serve;
  camera->config = config;
  camera->viewers = g_ptr_array_new ();
  g_ptr_array_add (serve->cameras, camera);
  setup = make_setup (camera);
  if (why || wait)
    camera->camera = tool_camera_new_held (&setup,
        why ? TOOL_CAMERA_QUARANTINED : TOOL_CAMERA_WAITING,
        why ? why : "cameras are started one by one, to find out which crashes",
        serve_mjpeg_on_picture, camera);
  else
    camera->camera = tool_camera_new (&setup, serve_mjpeg_on_picture, camera);
  return camera;
}

void
serve_camera_change (ServeCamera *camera, const ServeCameraConfig *before)
{
  Serve *serve = camera->serve;
  ToolCameraStatus status;
  const ToolCameraSetup setup = make_setup (camera);

  if (!tool_camera_change (camera->camera, &setup)
      || camera->config->privacy != before->privacy)
    serve_mjpeg_forget (camera);
  tool_camera_get_status (camera->camera, &status);
  if (status.state == TOOL_CAMERA_QUARANTINED
      && !serve_quarantine_judge (serve->quarantine, camera->config))
    tool_camera_release (camera->camera);
}

void
serve_cameras_change_model (Serve *serve)
{
  serve->config->model_turn++;
  for (guint i = 0; i < serve->cameras->len; i++) {
    ServeCamera *camera = serve->cameras->pdata[i];
    const ToolCameraSetup setup = make_setup (camera);

    tool_camera_change (camera->camera, &setup);
  }
}

/* While a camera is tried again and again for the same reason, nothing is new. */
static void
log_state (ServeCamera *camera)
{
  ToolCameraStatus status;
  char *state;

  tool_camera_get_status (camera->camera, &status);
  if (status.state == TOOL_CAMERA_CONNECTING && status.reason)
    return;
  state = g_strconcat (tool_camera_state_name (status.state),
      status.reason ? ": " : NULL, status.reason, NULL);
  if (g_strcmp0 (state, camera->logged) != 0) {
    tool_log (status.reason ? TOOL_LOG_WARNING : TOOL_LOG_NOTICE,
        "camera %s: %s", camera->config->id, state);
    g_free (camera->logged);
    camera->logged = g_steal_pointer (&state);
  }
  g_free (state);
}

void
serve_camera_stop (Serve *serve, ServeCamera *camera)
{
  serve_mjpeg_end (camera);
  tool_camera_free (camera->camera);
  g_ptr_array_remove (serve->cameras, camera);
  g_ptr_array_unref (camera->viewers);
  g_clear_pointer (&camera->chunk, g_bytes_unref);
  g_free (camera->logged);
  g_free (camera);
}

ServeCamera *
serve_camera_find (Serve *serve, const char *id)
{
  for (guint i = 0; i < serve->cameras->len; i++) {
    ServeCamera *camera = serve->cameras->pdata[i];

    if (!strcmp (camera->config->id, id))
      return camera;
  }
  return NULL;
}

char *
serve_cameras_get_active (Serve *serve, const char *property)
{
  char *value = NULL;

  for (guint i = 0; !value && i < serve->cameras->len; i++) {
    const ServeCamera *camera = serve->cameras->pdata[i];

    value = tool_camera_get_active (camera->camera, property);
  }
  return value;
}

void
serve_cameras_look (Serve *serve)
{
  for (guint i = 0; i < serve->cameras->len; i++) {
    ServeCamera *camera = serve->cameras->pdata[i];

    tool_camera_look_for_stall (camera->camera);
    serve_mjpeg_look (camera);
    log_state (camera);
  }
  serve_sent_look (serve);
}

#endif
