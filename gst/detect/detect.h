/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <gst/base/gstbasetransform.h>

G_BEGIN_DECLS

#define GST_TYPE_YOLOV10_DETECT (gst_yolov10_detect_get_type ())
G_DECLARE_FINAL_TYPE (GstYolov10Detect, gst_yolov10_detect, GST,
    YOLOV10_DETECT, GstBaseTransform)
GST_ELEMENT_REGISTER_DECLARE (yolov10detect);

G_END_DECLS
