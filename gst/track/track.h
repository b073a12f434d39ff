/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <gst/base/gstbasetransform.h>

G_BEGIN_DECLS

#define GST_TYPE_YOLOV10_TRACKER (gst_yolov10_tracker_get_type ())
G_DECLARE_FINAL_TYPE (GstYolov10Tracker, gst_yolov10_tracker, GST,
    YOLOV10_TRACKER, GstBaseTransform)

GST_ELEMENT_REGISTER_DECLARE (yolov10track);

G_END_DECLS
