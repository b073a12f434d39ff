/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <gst/gst.h>

#include "common/enums.h"
#include "meta/encoderhints.h"
#include "meta/result.h"

G_BEGIN_DECLS

void gst_y10_attach_register_metas (void);
gboolean gst_y10_attach_has_analytics (void);
void gst_y10_result_attach (GstY10Result *result, GstBuffer *buffer,
    GstYolov10Attach attach, const GstY10Hints *hints, gboolean for_privacy);
GstStructure *gst_y10_frame_meta_add (GstBuffer *buffer,
    const GstY10Result *result);
GstStructure *gst_y10_result_describe (const GstY10Result *result,
    const gchar *name);

G_END_DECLS
