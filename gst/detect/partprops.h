/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "detect/detect.h"
#include "infer/session.h"
#include "infer/partrules.h"

G_BEGIN_DECLS

#define GST_Y10_DEFAULT_TILES "none"

void gst_y10_part_props_init (GstYolov10Detect * self);
void gst_y10_part_props_clear (GstYolov10Detect * self);
gboolean gst_y10_part_props_set (GstYolov10Detect * self, guint id,
    const GValue * value);

gboolean gst_y10_part_props_check (GstYolov10Detect * self, GError ** error);
gboolean gst_y10_part_props_set_image (GstYolov10Detect * self,
    const Y10Image * image, GError ** error);
void gst_y10_part_props_warn (GstYolov10Detect * self);
void gst_y10_part_props_expect (GstYolov10Detect * self,
    GstY10Session * session);
GstY10PartRules *gst_y10_part_props_get_rules (GstYolov10Detect * self);

G_END_DECLS
