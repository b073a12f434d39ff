/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* show-zones: plans the outlines of zones and lines with their names and counts: of a
 * zone the objects in it, of a line how many crossed it in and out. They are drawn as
 * the outlines of regions are, so privacy covers nothing of them. */
#include "overlay/element.h"

#include <math.h>

static void
draw_edges (GstYolov10Overlay *self, guint first, guint n,
    const GstY10Label *label)
{
  gfloat a[2], b[2];

  for (guint i = 0; i < (n == 2 ? 1 : n); i++) {
    gst_y10_zone_views_get_point (&self->zones, first + i, a);
    gst_y10_zone_views_get_point (&self->zones, first + (i + 1) % n, b);
    gst_y10_overlay_add_edge (self, a, b, label);
  }
}

/* The badge stands on the upper left corner of the first shape, or at the line's first
 * end. */
static void
add_badge (GstYolov10Overlay *self, const GstY10ZoneView *view, guint n,
    const GstY10Label *label)
{
  const gint line = self->style.line;
  const gboolean is_line = view->zone.n_shapes == 0;
  GstY10Texts texts = { .label = &label->text };
  GstY10Drawing drawing;
  GstY10Rect rect;
  gfloat xy[2], x = 1, y = 1;

  if (self->outlines->len >= GST_Y10_READ_MAX)
    return;
  for (guint i = 0; i < (is_line ? 1 : n); i++) {
    gst_y10_zone_views_get_point (&self->zones, view->first_point + i, xy);
    x = MIN (x, xy[0]);
    y = MIN (y, xy[1]);
  }
  rect.x0 = CLAMP ((gint) (x * (gfloat) self->style.width), 0,
      MAX (self->style.width - line, 0));
  rect.y0 = CLAMP ((gint) (y * (gfloat) self->style.height), 0,
      MAX (self->style.height - line, 0));
  rect.x1 = rect.x0 + line;
  rect.y1 = rect.y0 + line;
  texts.number = gst_y10_labels_number (self->labels,
      is_line ? view->zone.n_in : view->zone.count);
  if (is_line)
    texts.percent = gst_y10_labels_number (self->labels, view->zone.n_out);
  gst_y10_drawing_init (&drawing, &self->style, rect, label, &texts);
  g_array_append_val (self->outlines, drawing);
}

static void
add_zone (GstYolov10Overlay *self, const GstY10ZoneView *view)
{
  const GstY10Label *label = gst_y10_labels_get (self->labels, view->name,
      view->name_length);
  guint first = view->first_point, n = 2;

  if (!view->zone.n_shapes)
    draw_edges (self, first, 2, label);
  for (guint i = 0; i < view->zone.n_shapes; i++) {
    n = gst_y10_zone_views_get_shape (&self->zones, view->first_shape + i);
    if (n > 2)
      draw_edges (self, first, n, label);
    first += n;
  }
  if (view->zone.n_shapes)
    n = gst_y10_zone_views_get_shape (&self->zones, view->first_shape);
  add_badge (self, view, n, label);
}

/* Adds to @self->outlines. Needs the detections of the same frame to be read. */
void
gst_y10_overlay_plan_zones (GstYolov10Overlay *self, GstBuffer *buffer)
{
  const GstStructure *structure;
  gpointer state = NULL;

  if (!self->now->show_zones || self->reading.moved
      || self->reading.foreign_width)
    return;
  while ((structure = gst_yolov10_frame_meta_find (buffer, &state))) {
    gst_y10_zone_views_read (&self->zones, structure);
    for (guint i = 0; i < self->zones.n; i++)
      add_zone (self, &self->zones.zones[i]);
  }
}
