/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* What draw.c and recorder.c share. */

#include <gst/video/video.h>

#include "draw/draw.h"

/* Returns the path of the copy of @source, with @extension unless that is NULL. */
char *tool_draw_make_path (ToolDraw *draw, const char *source,
    const char *extension, GError **error);
/* Returns the extension that the user has chosen, or NULL. */
const char *tool_draw_get_extension (const ToolDraw *draw);
/* The yolov10overlay of a pipeline, with its properties. */
char *tool_draw_describe_overlay (const ToolDraw *draw);
/* No frame is inferred yet. */
#define TOOL_NO_RESULT G_MININT64
/* Attaches @rows to a frame of that size, for yolov10overlay. @ids: of their tracks, 0 for
 * none; may be NULL. @age: ns since the frame that they are of; 0: this one;
 * TOOL_NO_RESULT, or below 0: not known. */
void tool_draw_attach (ToolDraw *draw, GstBuffer *buffer, guint width,
    guint height, const Y10Detection *rows, guint n, const gint *ids,
    gint64 age);
/* Copies the pixels into a buffer with GStreamer's default layout. */
GstBuffer *tool_draw_copy_pixels (const Y10Image *image,
    const GstVideoInfo *info);
void tool_image_to_info (const Y10Image *image, GstVideoInfo *info);
/* Returns TRUE and sets @error if @message is an error; frees @message, which may be
 * NULL. */
gboolean tool_message_is_failure (GstMessage *message, const char *what,
    GError **error);
