/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Decides where points are: in a polygon, or on which side of a line. Borders belong
 * to one side only, so that a point on the edge of two zones is in exactly one, and a
 * path through the end that two lines share crosses exactly one:
 *
 * - A polygon has its left and upper edges but not its right and lower ones, as a
 *   detector's region does; the even-odd rule applies where it crosses itself.
 * - A point on a line is on its right side, seen from the line's first point.
 * - Points on the frame's right and lower edge count as just inside the frame.
 * - Next to a line, a quarter of a box is within what a detector's boxes move by while
 *   their object stands still. */
#include "zones/geometry.h"

/* As for a detector's region. */
#define INSIDE (1 - 1e-9)

/* Part of a box's width and height. */
#define CLEARANCE 0.25

/* Where a box is, for zones; edges are fractions of the frame. */
GstY10Point
gst_y10_anchor_place (GstYolov10ZoneAnchor anchor, gdouble x0, gdouble y0,
    gdouble x1, gdouble y1)
{
  const gdouble y = anchor == GST_YOLOV10_ZONE_ANCHOR_BOTTOM_CENTER ? y1
      : anchor == GST_YOLOV10_ZONE_ANCHOR_TOP_CENTER                ? y0
                                                     : (y0 + y1) / 2;

  return (GstY10Point){ MIN ((x0 + x1) / 2, INSIDE), MIN (y, INSIDE) };
}

gboolean
gst_y10_polygon_has_point (const GstY10Point *corners, guint n_corners,
    GstY10Point point)
{
  gboolean inside = FALSE;

  for (guint i = 0, j = n_corners - 1; i < n_corners; j = i++) {
    const GstY10Point a = corners[i], b = corners[j];

    if ((a.y > point.y) != (b.y > point.y)
        && point.x < (b.x - a.x) * (point.y - a.y) / (b.y - a.y) + a.x)
      inside = !inside;
  }
  return inside;
}

/* How far @point is from the line through @a and @b, in units that are the same for all
 * points; positive on its right. */
static gdouble
get_offset (GstY10Point a, GstY10Point b, GstY10Point point)
{
  return (b.x - a.x) * (point.y - a.y) - (b.y - a.y) * (point.x - a.x);
}

/* Whether @point is on the right of the line from @a to @b; y goes down. */
gboolean
gst_y10_line_is_right (GstY10Point a, GstY10Point b, GstY10Point point)
{
  return get_offset (a, b, point) >= 0;
}

/* Whether and how the path between two places crosses the line from @a to @b, seen
 * from @a: 1 from left to right, -1 from right to left, 0 if it does not. */
gint
gst_y10_line_cross (GstY10Point a, GstY10Point b, GstY10Point from,
    GstY10Point to)
{
  const gboolean ends_right = gst_y10_line_is_right (a, b, to);

  if (gst_y10_line_is_right (a, b, from) == ends_right
      || gst_y10_line_is_right (from, to, a)
          == gst_y10_line_is_right (from, to, b))
    return 0;
  return ends_right ? 1 : -1;
}

/* How far points of the picture can be on that side. */
static gdouble
get_room (GstY10Point a, GstY10Point b, gboolean is_right)
{
  gdouble most = 0;

  for (guint i = 0; i < 4; i++) {
    const GstY10Point corner = { i & 1, i >> 1 };
    const gdouble offset = get_offset (a, b, corner);

    most = MAX (most, is_right ? offset : -offset);
  }
  return most;
}

/* Whether a box of @width and @height whose anchor is at @point stands clear of the line
 * from @a to @b, which ends there: by CLEARANCE, or by half of the room that the picture
 * leaves. Distances count in widths and heights of the box, as its edges move by parts of
 * them; here they are all multiplied by both. */
gboolean
gst_y10_line_is_clear (GstY10Point a, GstY10Point b, GstY10Point point,
    gdouble width, gdouble height)
{
  const gdouble offset = get_offset (a, b, point);
  const gdouble dx = (b.x - a.x) * height, dy = (b.y - a.y) * width;
  const gdouble x = (point.x - a.x) * height, y = (point.y - a.y) * width;
  const gdouble least = CLEARANCE * width * height;
  const gdouble square = dx * dx + dy * dy, along = x * dx + y * dy;

  if (2 * ABS (offset) >= get_room (a, b, offset >= 0))
    return TRUE;
  if (along <= 0)
    return x * x + y * y >= least * least;
  if (along >= square)
    return (x - dx) * (x - dx) + (y - dy) * (y - dy) >= least * least;
  return offset * offset >= CLEARANCE * CLEARANCE * square;
}
