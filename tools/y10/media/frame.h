/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* What pictures, animations and videos give. */

#include <y10/y10.h>

/* One picture or video frame. */
typedef struct
{
  const char *source; /* name of the input, borrowed */
  gint64 timestamp;   /* nanoseconds, or -1 for a picture */
  guint64 number;     /* index of the frame in its source, from 0 */
  guint input;        /* of a picture: index of its source */
  guint stretch;   /* of the video's time, between gaps; see detect/tracks.h */
  Y10Image image;  /* the input of the engine */
  gpointer pixels; /* owns the pixels; a GdkPixbuf or ToolSample */
  gboolean is_sample; /* TRUE: ToolSample */
  GDestroyNotify free_pixels;
} ToolFrame;
