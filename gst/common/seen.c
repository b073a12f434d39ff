/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Decides in which part of a frame all objects are known, which privacy relies on. */

#include "common/seen.h"

#include <math.h>

static gboolean
is_rectangle (const Y10Region *region)
{
  gdouble x[4], y[4];

  if (y10_region_get_n_shapes (region) != 1
      || y10_region_get_n_points (region, 0) != 4)
    return FALSE;
  for (guint i = 0; i < 4; i++)
    y10_region_get_point (region, 0, i, &x[i], &y[i]);
  return (x[0] == x[1] && y[1] == y[2] && x[2] == x[3] && y[3] == y[0])
      || (y[0] == y[1] && x[1] == x[2] && y[2] == y[3] && x[3] == x[0]);
}

/**
 * gst_y10_seen_find:
 * @region: (nullable): where objects count; %NULL: everywhere
 * @anchor: what of a box must be in the region
 * @image: the part of the frame that was inferred
 * @seen: (out caller-allocates): the area of the frame in which all objects are
 *   reported, however small the visible part of them, in pixels of the frame
 *
 * Returns: %FALSE if there is none that is a rectangle; @seen is then unchanged
 */
gboolean
gst_y10_seen_find (const Y10Region *region, Y10RegionAnchor anchor,
    const Y10Image *image, GstVideoRectangle *seen)
{
  gdouble x0 = 0, y0 = 0, x1 = 1, y1 = 1;
  gint left, upper;

  if (region && (anchor != Y10_REGION_ANCHOR_OVERLAP || !is_rectangle (region)))
    return FALSE;
  if (region)
    y10_region_get_bounds (region, &x0, &y0, &x1, &y1);
  left = (gint) ceil (x0 * image->width);
  upper = (gint) ceil (y0 * image->height);
  *seen = (GstVideoRectangle){ (gint) image->x + left, (gint) image->y + upper,
    MAX ((gint) (x1 * image->width) - left, 0),
    MAX ((gint) (y1 * image->height) - upper, 0) };
  return TRUE;
}
