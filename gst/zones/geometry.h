/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "common/enums.h"

G_BEGIN_DECLS

/* Fractions of the frame, from its upper left corner. */
typedef struct
{
  gdouble x, y;
} GstY10Point;

GstY10Point gst_y10_anchor_place (GstYolov10ZoneAnchor anchor, gdouble x0,
    gdouble y0, gdouble x1, gdouble y1);
gboolean gst_y10_polygon_has_point (const GstY10Point *corners, guint n_corners,
    GstY10Point point);
gboolean gst_y10_line_is_right (GstY10Point a, GstY10Point b,
    GstY10Point point);
gboolean gst_y10_line_is_clear (GstY10Point a, GstY10Point b, GstY10Point point,
    gdouble width, gdouble height);
gint gst_y10_line_cross (GstY10Point a, GstY10Point b, GstY10Point from,
    GstY10Point to);

G_END_DECLS
