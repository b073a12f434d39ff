/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* What shows that a pipeline has not decoded all of its input: between video.c
 * and watch.c only. */
typedef struct _ToolWatch ToolWatch;

/* Before @pipeline starts. */
ToolWatch *tool_watch_new (GstElement *pipeline);
/* A decoded frame with its stream time, in order. */
void tool_watch_frame (ToolWatch *watch, GstBuffer *buffer, guint64 time);
void tool_watch_warning (ToolWatch *watch, GstMessage *message);
/* At the end of the stream; NULL where nothing is missing. */
char *tool_watch_find_damage (ToolWatch *watch);
/* After @pipeline has stopped. */
void tool_watch_free (ToolWatch *watch);

G_END_DECLS
