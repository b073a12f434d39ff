/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* GStreamer itself: whether it can be used, and what a pipeline of it plays. */

#include <gst/gst.h>

gboolean tool_gst_init (GError **error);
gboolean tool_have_element (const char *name);
/* Whether the end of what @pipeline plays is known. */
gboolean tool_pipeline_has_end (GstElement *pipeline);
/* Whether @pipeline plays in real time; @uri: where from, NULL for files and pipes. */
gboolean tool_pipeline_is_live (GstElement *pipeline, const char *uri);
