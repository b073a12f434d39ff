/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Covers areas for privacy: decides how what is covered looks, and in which order.
 * Which areas these are is up to the caller. y10 detect shares this with yolov10overlay,
 * so that both hide the same. */

#include "paint/cover.h"

/* Sets @paint to the colour that %GST_YOLOV10_PRIVACY_FILL covers with. */
void
gst_y10_cover_init_paint (GstY10Paint *paint, const GstVideoInfo *info)
{
  gst_y10_paint_init (paint, info, (GstY10Color){ 40, 40, 40 });
}

/* Covers @areas, in frame coordinates, one after the other: where areas overlap, each
 * blurs what the ones before it have left. Allocates nothing. */
void
gst_y10_cover (const GstY10Canvas *canvas, const GstY10Rect *areas,
    guint n_areas, GstYolov10Privacy privacy, const GstY10Paint *paint)
{
  if (privacy == GST_YOLOV10_PRIVACY_NONE)
    return;
  for (guint i = 0; i < n_areas; i++) {
    if (privacy == GST_YOLOV10_PRIVACY_FILL)
      gst_y10_canvas_fill (canvas, areas[i], paint);
    else
      gst_y10_canvas_blur (canvas, areas[i]);
  }
}
