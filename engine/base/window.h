/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Number of images in the window. */
#define Y10_WINDOW_SIZE 512

typedef struct
{
  gint64 waited, answered_at; /* ns: for its step; time of the answer */
  gint64 busy;                /* total of the device until then, ns */
} Y10Wait;

/* A ring of the latest images; all zeros when empty. */
typedef struct
{
  guint64 n; /* images recorded since the beginning */
  Y10Wait waits[Y10_WINDOW_SIZE];
} Y10LatencyWindow;

/* Of the images in the window: nanoseconds, and images per second; 0 if there
 * are too few. */
typedef struct
{
  gint64 median, p95, max;
  gdouble per_second;
} Y10WindowSummary;

void y10_window_record (Y10LatencyWindow *window, gint64 waited,
    gint64 answered_at, gint64 busy);
gdouble y10_window_busy (const Y10LatencyWindow *window, gint64 now,
    gint64 busy);
void y10_window_summarize (Y10LatencyWindow *window, Y10WindowSummary *summary);

G_END_DECLS
