/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Covers areas of a picture for privacy. */

#include "common/enums.h"
#include "paint/canvas.h"

G_BEGIN_DECLS

void gst_y10_cover_init_paint (GstY10Paint *paint, const GstVideoInfo *info);
void gst_y10_cover (const GstY10Canvas *canvas, const GstY10Rect *areas,
    guint n_areas, GstYolov10Privacy privacy, const GstY10Paint *paint);

G_END_DECLS
