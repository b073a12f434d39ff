/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* show-regions: plans the outlines of a detector's region and parts, as boxes
 * without a badge. A sloping edge becomes a row of dots, since a box is all that
 * a canvas, a composition and the painter draw. Metadata is untrusted: no more
 * outlines are drawn than boxes. */

#include "overlay/element.h"

#include <math.h>

#include "meta/gstyolov10framemeta.h"

/* Dots of one edge; more than these do not look better. */
#define MAX_DOTS 100

static void
add (GstYolov10Overlay *self, gdouble x0, gdouble y0, gdouble x1, gdouble y1,
    const GstY10Label *label, gboolean filled)
{
  const GstY10Texts none = {
    NULL,
  };
  const GstY10Rect frame = { 0, 0, self->style.width, self->style.height };
  GstY10Rect rect = { (gint) floor (x0), (gint) floor (y0), (gint) ceil (x1),
    (gint) ceil (y1) };
  GstY10Drawing drawing;

  rect = gst_y10_rect_intersect (rect, frame);
  if (gst_y10_rect_is_empty (&rect) || self->outlines->len >= GST_Y10_READ_MAX)
    return;
  gst_y10_drawing_init (&drawing, &self->style, rect, label, &none);
  if (filled)
    drawing.line = MAX (drawing.box.x1 - drawing.box.x0,
        drawing.box.y1 - drawing.box.y0);
  g_array_append_val (self->outlines, drawing);
}

/* Adds an edge, or a line; @a, @b: x and y, fractions of the frame. */
void
gst_y10_overlay_add_edge (GstYolov10Overlay *self, const gfloat *a,
    const gfloat *b, const GstY10Label *label)
{
  const gdouble line = self->style.line, half = line / 2;
  const gdouble width = self->style.width, height = self->style.height;
  const gdouble x0 = a[0] * width, y0 = a[1] * height;
  const gdouble x1 = b[0] * width, y1 = b[1] * height;
  guint n = (guint) (MAX (fabs (x1 - x0), fabs (y1 - y0)) / (2 * line)) + 1;

  if (fabs (x1 - x0) <= line || fabs (y1 - y0) <= line) {
    add (self, MIN (x0, x1) - half, MIN (y0, y1) - half, MAX (x0, x1) + half,
        MAX (y0, y1) + half, label, TRUE);
    return;
  }
  n = MIN (n, MAX_DOTS);
  for (guint i = 0; i < n; i++) {
    const gdouble x = x0 + (x1 - x0) * i / n, y = y0 + (y1 - y0) * i / n;

    add (self, x - half, y - half, x + half, y + half, label, TRUE);
  }
}

static void
add_shapes (GstYolov10Overlay *self, const GstY10Label *label)
{
  const GstY10Areas *areas = &self->areas;
  guint first = 0;

  for (guint i = 0; i < areas->n_shapes; i++) {
    const guint n = areas->shapes[i];

    for (guint j = 0; j < n; j++)
      gst_y10_overlay_add_edge (self, areas->points[first + j],
          areas->points[first + (j + 1) % n], label);
    first += n;
  }
}

/* Fills @self->outlines. Needs the detections of the same frame to be read. */
void
gst_y10_overlay_plan_outlines (GstYolov10Overlay *self, GstBuffer *buffer)
{
  const gdouble width = self->style.width, height = self->style.height;
  const GstStructure *structure;
  gpointer state = NULL;

  g_array_set_size (self->outlines, 0);
  /* Boxes, and so areas, of another frame shape: a warning has been posted. */
  if (!self->now->show_regions || self->reading.moved
      || self->reading.foreign_width)
    return;
  while ((structure = gst_yolov10_frame_meta_find (buffer, &state))) {
    const GstY10Label *label = gst_y10_labels_get (self->labels, "part", 4);

    gst_y10_areas_read (&self->areas, structure);
    for (guint i = 0; i < self->areas.n_parts; i++) {
      const gfloat *part = self->areas.parts[i];

      add (self, part[0] * width, part[1] * height, part[2] * width,
          part[3] * height, label, FALSE);
    }
    add_shapes (self, gst_y10_labels_get (self->labels, "region", 6));
  }
}
