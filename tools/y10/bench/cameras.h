/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <y10/y10.h>

#include "bench/clip.h"

typedef struct
{
  guint n;                       /* cameras */
  double seconds;                /* measured */
  guint64 frames_in, frames_out; /* of all cameras */
  guint64 n_inferences; /* of all cameras, as their detectors count them */
  guint64 n_engine_inferences;                /* as the engine counts them */
  double least_inferences, median_inferences; /* of a camera, in a second */
  double delay_median, delay_p95, delay_max;  /* ms */
  double cpus;                                /* that this process kept busy */
  const char *decoder; /* name of its element; interned */
} ToolCamerasResult;

/* Runs @n cameras that send @clip, each with a detector as @detector describes it, for
 * @seconds after a warm-up. @engine: what the detectors share. Returns FALSE with an
 * error, or without one when interrupted. */
gboolean tool_cameras_run (const ToolClip *clip, guint n, double seconds,
    const char *detector, Y10EngineStream *engine, ToolCamerasResult *result,
    GError **error);
