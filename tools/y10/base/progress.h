/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* A bar on stderr. */

#include <y10/y10.h>

#include "base/supervisor.h"

typedef struct _ToolProgress ToolProgress;

/* The bar also shows the progress of @engine's tuning. @engine is borrowed until
 * the bar is freed. */
ToolProgress *tool_progress_new (guint n_inputs, Y10Engine *engine);
/* Counts one more frame and shows that @fraction of input number @input is done,
 * -1: unknown. */
void tool_progress_update (ToolProgress *progress, guint input, double fraction,
    const char *name);
/* Prints a summary if stderr is a terminal or the command was interrupted. */
void tool_progress_summarise (ToolProgress *progress, guint n_inputs,
    const Y10Model *model, const ToolClassCount *classes);
/* Seconds since the work began. */
double tool_progress_get_seconds (const ToolProgress *progress);
/* Removes the bar before other output. */
void tool_progress_hide (ToolProgress *progress);
void tool_progress_free (ToolProgress *progress);
/* Shows one line in place of a bar, if stderr is a terminal; NULL: removes it. */
void tool_progress_show (const char *line);
/* Waits until @engine's tuning has finished, and shows its progress. */
void tool_progress_wait_tuned (Y10Engine *engine);
