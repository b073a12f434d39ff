/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <gst/base/gstbasetransform.h>

G_BEGIN_DECLS

#define GST_TYPE_YOLOV10_PUBLISH (gst_yolov10_publish_get_type ())
G_DECLARE_FINAL_TYPE (GstYolov10Publish, gst_yolov10_publish, GST,
    YOLOV10_PUBLISH, GstBaseTransform)
GST_ELEMENT_REGISTER_DECLARE (yolov10publish)

G_END_DECLS
