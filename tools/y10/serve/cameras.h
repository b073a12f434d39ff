/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The cameras that run. Main thread only. */

#include "camera/camera.h"
#include "camera/threads.h"
#include "serve/crash.h"
#include "serve/views.h"

typedef struct _ServeCameras ServeCameras;

typedef struct
{
  ServeCameras *cameras;
  ToolCameraSettings *settings; /* one of ServeSettings.cameras */
  ToolCamera *camera;
  ServeViews *views;
  char thread[TOOL_THREAD_NAME]; /* what its threads are called */
  char *logged;                  /* its state, as the log has it */
} ServeCamera;

struct _ServeCameras
{
  ServeSettings *settings;
  ServeCrashes *crashes;
  GPtrArray *all; /* ServeCamera */
  guint look_id, release_id;
  /* While cameras start one by one: the latest one's id, or NULL; when it was released, and
   * when it was live or had failed, or 0. */
  char *alone;
  gint64 released, settled;
};

/* Borrows @settings and @crashes. None runs yet. */
ServeCameras *serve_cameras_new (ServeSettings *settings,
    ServeCrashes *crashes);
/* Adds the cameras of the settings: all at once, or one by one after a crash. */
void serve_cameras_start (ServeCameras *cameras);
/* Removes all; from then on no camera is suspected. */
void serve_cameras_stop (ServeCameras *cameras);
void serve_cameras_free (ServeCameras *cameras);
/* Lets all take the model of the settings; their pictures go on. */
void serve_cameras_change_model (ServeCameras *cameras);
/* As tool_camera_get_active(), of the first camera that knows: they share an engine. */
char *serve_cameras_get_active (const ServeCameras *cameras,
    const char *property);
guint serve_cameras_count (const ServeCameras *cameras, ToolCameraState state);

/* Returns the camera with this id, or NULL. */
ServeCamera *serve_camera_find (const ServeCameras *cameras, const char *id);
/* Starts the camera of @settings, which are borrowed. It is held where it is quarantined, or,
 * with @wait, until others were started. */
ServeCamera *serve_camera_add (ServeCameras *cameras,
    ToolCameraSettings *settings, gboolean wait);
/* Applies its settings, which were @before. */
void serve_camera_change (ServeCamera *camera,
    const ToolCameraSettings *before);
/* Ends its views, stops and frees it. */
void serve_camera_remove (ServeCamera *camera);
/* Adds it as JSON: what is shown of its source has no secrets. @counters: also what changes
 * with each frame. */
void serve_camera_write (const ServeCamera *camera, GString *json,
    gboolean counters);
