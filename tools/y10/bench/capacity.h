/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* How many live cameras this machine carries. */

#include <glib.h>

#include "base/options.h"

#define TOOL_CAMERA_FPS 15

typedef struct
{
  gboolean wanted;
  char *fps, *source;    /* as given, or NULL */
  double min_inferences; /* of each camera, in a second */
  double max_delay;      /* ms */
  double seconds;
  guint batch;
  gboolean json;
} ToolCameraOptions;

/* Measures how many cameras this machine carries, and returns the exit status. */
int tool_bench_cameras (const ToolEngineOptions *engine,
    const ToolCameraOptions *options);
