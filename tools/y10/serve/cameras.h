/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The cameras that run. Main thread only. */

#include "camera/camera.h"
#include "camera/threads.h"
#include "events/events.h"
#include "http/auth.h"
#include "serve/quarantine.h"
#include "serve/settings.h"

G_BEGIN_DECLS

#define SERVE_MOST_VIEWERS 32

typedef struct _Serve Serve;
typedef struct _ServePush ServePush;
typedef struct _ServeModelChange ServeModelChange;

typedef struct
{
  Serve *serve;
  ServeCameraConfig *config;
  ToolCamera *camera;
  char thread[TOOL_THREAD_NAME]; /* what its threads are called */
  GPtrArray *viewers;            /* of mjpeg.c */
  GBytes *chunk;  /* the newest picture, as mjpeg.c sends it, or NULL */
  guint64 number; /* of that picture */
  char *logged;   /* its state, as the log has it */
} ServeCamera;

struct _Serve
{
  ServeConfig *config;
  HttpAuth *auth;
  ServeQuarantine *quarantine;
  struct _ServeCapacity *capacity;
  GPtrArray *cameras;                /* ServeCamera */
  guint n_viewers;                   /* live views, snapshots and websockets */
  ServePush *push;                   /* of push.c */
  ServeEvents *events;               /* NULL: none are kept */
  guint events_look, events_reading; /* sources */
  ServeModelChange *model_change;    /* that is under way, or NULL */
  guint n_exports, n_pushed;
  GPtrArray *sent; /* of sent.c, or NULL */
};

/* Starts it, unless it is quarantined or has to wait until others were started. */
ServeCamera *serve_camera_start (Serve *serve, ServeCameraConfig *config,
    gboolean wait);
/* Lets it do what its settings say, which were exchanged with @before. */
void serve_camera_change (ServeCamera *camera, const ServeCameraConfig *before);
/* Lets all take the model of the settings; their pictures go on. */
void serve_cameras_change_model (Serve *serve);
/* Ends its views and stops it. */
void serve_camera_stop (Serve *serve, ServeCamera *camera);
/* Returns the camera with this id, or NULL. */
ServeCamera *serve_camera_find (Serve *serve, const char *id);
/* As tool_camera_get_active(), of the first camera that knows: they share an engine. */
char *serve_cameras_get_active (Serve *serve, const char *property);
/* Looks after all; to be called a few times a second. */
void serve_cameras_look (Serve *serve);

G_END_DECLS
