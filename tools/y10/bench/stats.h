/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Statistics over many runs. */

#include <glib.h>

typedef struct
{
  double median, p95, min, mean;
} ToolStats;

/* Sorts @values. */
void tool_stats (double *values, guint n, ToolStats *stats);
