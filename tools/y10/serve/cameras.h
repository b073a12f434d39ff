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
  ServeCameras *owner;
  ToolCameraSettings *config;
  ToolCamera *camera;
  ServeViews *views;
  char thread[TOOL_THREAD_NAME]; /* what its threads are called */
  char *logged;                  /* its state, as the log has it */
} ServeCamera;

struct _ServeCameras
{
  ServeConfig *config;
  ServeCrashes *crashes;
  GPtrArray *all;           /* ServeCamera */
  guint looking, releasing; /* sources */
  char *alone; /* the latest that was released by itself, or NULL */
  gint64 released, settled;
};

/* Borrows @config and @crashes. None runs yet. */
ServeCameras *serve_cameras_new (ServeConfig *config, ServeCrashes *crashes);
/* Starts those of the settings: all at once, or one by one after a crash. */
void serve_cameras_start (ServeCameras *cameras);
/* Stops all; from then on no camera is suspected. */
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
/* Starts it, unless it is quarantined or has to wait until others were started. */
ServeCamera *serve_camera_start (ServeCameras *cameras,
    ToolCameraSettings *config, gboolean wait);
/* Lets it do what its settings say, which were exchanged with @before. */
void serve_camera_change (ServeCamera *camera,
    const ToolCameraSettings *before);
/* Ends its views, stops and frees it. */
void serve_camera_stop (ServeCamera *camera);
/* Adds it as JSON: what is shown of its source has no secrets. @counters: also what changes
 * with each frame. */
void serve_camera_write (const ServeCamera *camera, GString *json,
    gboolean counters);
