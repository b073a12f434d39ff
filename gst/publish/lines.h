/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Frames and events as lines of JSON. */

#include <gst/gst.h>

G_BEGIN_DECLS

/* What lines of frames are made with; keeps its memory from frame to frame. */
typedef struct
{
  GArray *rows;     /* Y10Detection */
  GArray *ids;      /* gint */
  GPtrArray *names; /* of classes, in @labels */
  GString *labels;
} GstY10FrameLines;

/* Gets one JSON object, without a newline. */
typedef void (*GstY10LineFunc) (const gchar *json, gpointer user);

void gst_y10_frame_lines_init (GstY10FrameLines *lines);
void gst_y10_frame_lines_clear (GstY10FrameLines *lines);
void gst_y10_frame_lines_make (GstY10FrameLines *lines, GstBuffer *buffer,
    GstY10LineFunc func, gpointer user);

gboolean gst_y10_frame_find_track (GstBuffer *frame, guint64 id, gfloat box[4]);

const gchar *gst_y10_event_line (const GstStructure *structure);

G_END_DECLS
