/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Runs frames through the engine's two slots. */

#include <y10/y10.h>

#include "media/frame.h"

/* What to infer of each frame. NULL: all of it, in one inference. */
typedef struct
{
  Y10Region *region;
  Y10RegionAnchor anchor;
  const Y10Tiles *tiles;
} ToolParts;

/* Receives the rows of a frame, or an error and no rows. Called in the order in
 * which the frames were pushed. */
typedef void (*ToolResultFunc) (const ToolFrame *frame,
    const Y10Detection *rows, guint n, const GError *error, gpointer user);

typedef struct _ToolRunner ToolRunner;

/* Borrows @parts. */
ToolRunner *tool_runner_new (Y10Engine *engine, const Y10HeadParams *params,
    const ToolParts *parts, ToolResultFunc result, gpointer user);
void tool_runner_free (ToolRunner *runner);
/* Takes pixels for square, whatever the video says. */
void tool_runner_ignore_par (ToolRunner *runner);
/* Submits @frame and takes ownership of its pixels. If all slots are in use,
 * first waits for the oldest frame and reports it. */
void tool_runner_push (ToolRunner *runner, ToolFrame *frame);
/* Waits for all submitted frames and reports them. */
void tool_runner_flush (ToolRunner *runner);
/* The sums over all frames that were reported. */
void tool_runner_get_times (const ToolRunner *runner, Y10StepTimes *times);
