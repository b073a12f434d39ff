/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Covers what is detected in a picture of its own; in builds with GStreamer. */

#include <gst/video/video.h>
#include <y10/y10.h>

/* Covers the boxes, as they are cropped, in @frame, which is mapped for reading and
 * writing; @word as in ToolPrivacy. */
void tool_cover (GstVideoFrame *frame, const Y10Detection *rows, guint n,
    const char *word);
