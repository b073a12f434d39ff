/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Input side: runs on the upstream streaming thread. */

#include "detect/element.h"

G_BEGIN_DECLS

GstFlowReturn gst_y10_input_push (GstYolov10Detect * detect, GstBuffer * buffer);
gboolean gst_y10_input_push_event (GstYolov10Detect * detect, GstEvent * event);

G_END_DECLS
