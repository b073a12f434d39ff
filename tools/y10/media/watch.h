/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <gst/gst.h>

/* Watches a pipeline for signs that it did not decode all of its input. For
 * video.c only. */
typedef struct _ToolWatch ToolWatch;

/* Call it before @pipeline, which reads the borrowed @path (NULL: not a file),
 * starts. */
ToolWatch *tool_watch_new (GstElement *pipeline, const char *path);
/* Returns that of what is shown, in ns; 0: unknown. */
guint64 tool_watch_get_duration (ToolWatch *watch);
/* Records a decoded frame and its stream time, in order. */
void tool_watch_frame (ToolWatch *watch, GstBuffer *buffer, guint64 time);
void tool_watch_warning (ToolWatch *watch, GstMessage *message);
/* Returns TRUE if a demuxer found no stream: decodebin drops an error that comes
 * while it starts the demuxer, and then nothing follows. */
gboolean tool_watch_is_stuck (ToolWatch *watch);
/* Call it if only a part of the stream is decoded. */
void tool_watch_set_partial (ToolWatch *watch);
/* Call it at the end of the stream. Returns NULL if nothing is missing. */
char *tool_watch_find_damage (ToolWatch *watch);
/* Call it after @pipeline has stopped. */
void tool_watch_free (ToolWatch *watch);
