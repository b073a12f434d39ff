/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The cameras that run: one for each of the settings. */

#include "config.h"

#ifdef HAVE_SERVE

#include <string.h>

#include "serve/cameras.h"
#include "serve/mjpeg.h"

ServeCamera *
serve_camera_start (Serve *serve, ServeCameraConfig *config)
{
  const ToolCameraSetup setup = {
    .source = config->source,
    .media = serve->config->media,
    .model = serve->config->model,
    .backend = serve->config->backend,
    .classes = serve->config->classes,
    .confidence = serve->config->confidence,
    .id = config->id,
    .spool = serve->config->spool,
    .max_age = serve->config->keep_days * G_TIME_SPAN_DAY * 1000,
    .max_bytes = (guint64) serve->config->keep_mib << 20,
  };
  ServeCamera *camera = g_new0 (ServeCamera, 1);

  camera->serve = serve;
  camera->config = config;
  camera->viewers = g_ptr_array_new ();
  g_ptr_array_add (serve->cameras, camera);
  camera->camera = tool_camera_new (&setup, serve_mjpeg_on_picture, camera);
  return camera;
}

void
serve_camera_stop (Serve *serve, ServeCamera *camera)
{
  serve_mjpeg_end (camera);
  tool_camera_free (camera->camera);
  g_ptr_array_remove (serve->cameras, camera);
  g_ptr_array_unref (camera->viewers);
  g_clear_pointer (&camera->chunk, g_bytes_unref);
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

void
serve_cameras_look (Serve *serve)
{
  for (guint i = 0; i < serve->cameras->len; i++) {
    ServeCamera *camera = serve->cameras->pdata[i];

    tool_camera_look_for_stall (camera->camera);
    serve_mjpeg_look (camera);
  }
}

#endif
