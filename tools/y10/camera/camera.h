/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* A camera whose objects are detected, and which is reconnected when it fails. All
 * functions are for the main thread, whose default context must run. */

#include <gst/gst.h>

#include "camera/setup.h"

typedef enum
{
  TOOL_CAMERA_CONNECTING,
  TOOL_CAMERA_LIVE,
  TOOL_CAMERA_RETRY,   /* in the pause before the next attempt */
  TOOL_CAMERA_WAITING, /* held, as is the next: until tool_camera_release() */
  TOOL_CAMERA_QUARANTINED,
} ToolCameraState;

typedef struct
{
  ToolCameraState state;
  const char *reason; /* why it is not live, or NULL; borrowed */
  guint64 frames, inferred, held;
  guint reconnects; /* attempts after the first */
  double fps;       /* of the last seconds */
  double
      inferences_per_second; /* likewise; NAN: it is not live for so long yet */
  /* Of a camera that was live when its model changed: it has not taken it yet; why it
   * did not, or NULL, borrowed. */
  gboolean model_changes;
  const char *model_refused;
} ToolCameraStatus;

typedef struct _ToolCamera ToolCamera;

/* @on_picture is called when there is a new picture. */
ToolCamera *tool_camera_new (const ToolCameraSetup *setup,
    void (*on_picture) (gpointer user), gpointer user);
/* As that, without opening it. @state: one that is held; @reason is copied. */
ToolCamera *tool_camera_new_held (const ToolCameraSetup *setup,
    ToolCameraState state, const char *reason,
    void (*on_picture) (gpointer user), gpointer user);
/* Opens a camera that is held. */
void tool_camera_release (ToolCamera *camera);
gboolean tool_camera_is_held (const ToolCamera *camera);
/* Closes and frees it; its pipeline stops in a thread. */
void tool_camera_free (ToolCamera *camera);
void tool_camera_get_status (ToolCamera *camera, ToolCameraStatus *status);
/* Takes another setup. Returns FALSE if that ended the attempt and its pictures, so that
 * those that come later are of the new setup. */
gboolean tool_camera_change (ToolCamera *camera, const ToolCameraSetup *setup);
/* What a property of the detector says is in use, such as "active-device", or NULL. Free
 * with g_free(). */
char *tool_camera_get_active (const ToolCamera *camera, const char *property);
/* As tool_pipeline_get_stats(); NULL between attempts, too. */
GstStructure *tool_camera_get_stats (const ToolCamera *camera,
    const char *element, const char *property);
/* Whether frames are drawn and encoded; at first they are not. */
void tool_camera_want_pictures (ToolCamera *camera, gboolean want);
/* Returns the newest picture since pictures are wanted, a JPEG, or NULL. */
GBytes *tool_camera_get_picture (ToolCamera *camera);
/* To be called a few times a second. */
void tool_camera_look_for_stall (ToolCamera *camera);
/* Whether the pipelines of all cameras have stopped. */
gboolean tool_cameras_have_stopped (void);

const char *tool_camera_state_name (ToolCameraState state);
