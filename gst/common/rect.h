/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Integer pixel rectangles, for reading and drawing boxes. */

#include <glib.h>

G_BEGIN_DECLS

/* x1 and y1 are exclusive. */
typedef struct
{
  gint x0, y0, x1, y1;
} GstY10Rect;

static inline gboolean
gst_y10_rect_is_empty (const GstY10Rect *rect)
{
  return rect->x0 >= rect->x1 || rect->y0 >= rect->y1;
}

static inline GstY10Rect
gst_y10_rect_intersect (GstY10Rect a, GstY10Rect b)
{
  return (GstY10Rect){ MAX (a.x0, b.x0), MAX (a.y0, b.y0), MIN (a.x1, b.x1),
    MIN (a.y1, b.y1) };
}

G_END_DECLS
