/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <gst/base/gstbasetransform.h>

G_BEGIN_DECLS

#define GST_TYPE_YOLOV10_ZONES (gst_yolov10_zones_get_type ())
G_DECLARE_FINAL_TYPE (GstYolov10Zones, gst_yolov10_zones, GST, YOLOV10_ZONES,
    GstBaseTransform)

GST_ELEMENT_REGISTER_DECLARE (yolov10zones);

G_END_DECLS
