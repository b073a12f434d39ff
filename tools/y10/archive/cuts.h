/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <glib.h>

/* A coded frame, in the order of the file. */
typedef struct
{
  gint64 time;     /* stream time of its display, ns; -1: not shown */
  gint64 duration; /* ns, at least 1 */
  gboolean entry;  /* a decoder can start here */
} ToolCodedFrame;

/* Appends ranges (ToolRange) of at least @length ns that begin at entries; NULL,
 * or why there is only one range. */
const char *tool_cuts_find (const ToolCodedFrame *frames, guint n,
    gint64 length, GArray *ranges);
