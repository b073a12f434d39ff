/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "detect/element.h"

G_BEGIN_DECLS

void gst_y10_lifecycle_open_cuda (GstYolov10Detect *detect);
gboolean gst_y10_lifecycle_begin (GstYolov10Detect *detect, GError **error);
/* Call with an empty frame queue. */
void gst_y10_lifecycle_end (GstYolov10Detect *detect);
/* Moves to the CUDA context of @buffer. Call with an empty frame queue. */
gboolean gst_y10_lifecycle_restart_in_context (GstYolov10Detect *detect,
    GstBuffer *buffer, GError **error);
/* Input thread only. */
gboolean gst_y10_lifecycle_apply_reload (GstYolov10Detect *detect,
    gboolean withdraw);

G_END_DECLS
