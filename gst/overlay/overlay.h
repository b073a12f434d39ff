/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <gst/base/gstbasetransform.h>

#include "common/enums.h"

G_BEGIN_DECLS

/**
 * GstYolov10PrivacyTrust:
 * @GST_YOLOV10_PRIVACY_TRUST_DETECTOR: only inspections by yolov10detect
 * @GST_YOLOV10_PRIVACY_TRUST_ROI: also regions of interest of any producer
 *
 * Whose boxes privacy relies on.
 *
 * Since: 0.1
 */
typedef enum
{
  GST_YOLOV10_PRIVACY_TRUST_DETECTOR,
  GST_YOLOV10_PRIVACY_TRUST_ROI,
} GstYolov10PrivacyTrust;

#define GST_TYPE_YOLOV10_PRIVACY_TRUST (gst_yolov10_privacy_trust_get_type ())
GType gst_yolov10_privacy_trust_get_type (void);

#define GST_TYPE_YOLOV10_OVERLAY (gst_yolov10_overlay_get_type ())
G_DECLARE_FINAL_TYPE (GstYolov10Overlay, gst_yolov10_overlay, GST,
    YOLOV10_OVERLAY, GstBaseTransform)

GST_ELEMENT_REGISTER_DECLARE (yolov10overlay);

G_END_DECLS
