/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* What a camera is to do. */

#include "camera/settings.h"

/* Borrowed, also the texts of the settings; what it points to must outlive the camera or the
 * next tool_camera_change(). NULL: the default. */
typedef struct
{
  ToolCameraSettings settings;
  const char *media; /* as in camera/source.h */
  const char *model, *backend;
  guint model_turn;   /* another one: the model's file is read anew */
  const char *spool;  /* where events go; they name the settings' id */
  const char *thread; /* what its threads are called: TOOL_THREAD_NAME */
  guint64 max_age, max_bytes; /* of the spool, as yolov10publish takes them */
} ToolCameraSetup;
