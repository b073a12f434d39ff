/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* What a camera is to do. */

#include "base/address.h"

G_BEGIN_DECLS

/* Borrowed; what it points to must outlive the camera or the next
 * tool_camera_change(). NULL: the default. */
typedef struct
{
  const char *source, *media; /* as in camera/source.h */
  ToolRemoteOptions remote;
  const char *model, *backend, *classes;
  guint model_turn;       /* another one: the model's file is read anew */
  double confidence;      /* 0: the default */
  const char *tiles;      /* as yolov10detect's */
  const char *zones;      /* as yolov10zones' */
  gboolean privacy;       /* what is detected is covered in whatever leaves */
  const char *id, *spool; /* where events go, and the stream that they name */
  const char *thread;     /* what its threads are called: TOOL_THREAD_NAME */
  guint64 max_age, max_bytes; /* of the spool, as yolov10publish takes them */
} ToolCameraSetup;

G_END_DECLS
