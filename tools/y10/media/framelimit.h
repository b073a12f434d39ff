/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The largest frames that a pipeline takes. */

#include <gst/gst.h>

/* Frames of more pixels than those of the highest level of H.264, 8192x4352, are an error
 * of @pipeline, before memory is taken for them. To be called before it starts. */
void tool_frame_limit_set_up (GstElement *pipeline);
