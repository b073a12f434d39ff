/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The results of a frame as text. */

#include "base/supervisor.h"
#include "media/frame.h"

/* Returns one line of JSON for a frame, without the newline. @ids: of the objects; NULL:
 * 0, 1, 2, … */
char *tool_report_json (const Y10Model *model, const ToolFrame *frame,
    const Y10Detection *rows, guint n, const gint *ids);
/* Returns a human-readable table for a frame. */
char *tool_report_table (const Y10Model *model, const ToolFrame *frame,
    const Y10Detection *rows, guint n);
/* Returns the summary of what was counted in @counts and @classes, in @seconds. */
char *tool_report_summary (const Y10Model *model, const Y10Engine *engine,
    const ToolCounts *counts, const ToolClassCount *classes, double seconds);
