/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "meta/detectionlist.h"

/* Allocates room for @capacity detections, so that frames allocate nothing. */
void
gst_y10_detection_list_init (GstY10DetectionList * self, guint capacity)
{
  *self = (GstY10DetectionList) {.capacity = capacity,
    .items = g_new (GstY10Detection, capacity)
  };
}

void
gst_y10_detection_list_clear (GstY10DetectionList * self)
{
  g_free (self->items);
  *self = (GstY10DetectionList) { 0 };
}

/* Empties the list for a frame of @width x @height pixels. */
void
gst_y10_detection_list_begin (GstY10DetectionList * self, guint width,
    guint height)
{
  self->width = width;
  self->height = height;
  self->n = 0;
}

/* Returns FALSE if the list is full. */
gboolean
gst_y10_detection_list_add (GstY10DetectionList * self,
    const GstY10Detection * detection)
{
  if (self->n == self->capacity)
    return FALSE;
  self->items[self->n++] = *detection;
  return TRUE;
}

/* Rounds edges, not sizes: boxes that share an edge still share it. */
GstY10Rect
gst_y10_detection_get_rect (const GstY10Detection * self)
{
  return (GstY10Rect) {
    (gint) (self->x0 + 0.5), (gint) (self->y0 + 0.5),
    (gint) (self->x1 + 0.5), (gint) (self->y1 + 0.5)
  };
}

/* For the functions of the library, such as y10_detection_to_pixels(). */
Y10Detection
gst_y10_detection_to_row (const GstY10Detection * self)
{
  return (Y10Detection) {
    .x0 = (gfloat) self->x0,.y0 = (gfloat) self->y0,
    .x1 = (gfloat) self->x1,.y1 = (gfloat) self->y1,
    .confidence = self->confidence,.class_id = self->class_id
  };
}
