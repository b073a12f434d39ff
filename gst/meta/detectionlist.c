/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "meta/detectionlist.h"

/**
 * gst_y10_detection_list_init:
 * @self: (out caller-allocates): a list
 * @capacity: maximum number of detections
 *
 * Allocates the list once, so that no frame allocates. Free it with
 * gst_y10_detection_list_clear().
 */
void
gst_y10_detection_list_init (GstY10DetectionList * self, guint capacity)
{
  *self = (GstY10DetectionList) {.capacity = capacity,
    .items = g_new (GstY10Detection, capacity)
  };
}

/**
 * gst_y10_detection_list_clear:
 * @self: a list
 *
 * Frees the memory that gst_y10_detection_list_init() allocated.
 */
void
gst_y10_detection_list_clear (GstY10DetectionList * self)
{
  g_free (self->items);
  *self = (GstY10DetectionList) { 0 };
}

/**
 * gst_y10_detection_list_begin:
 * @self: a list
 * @width: width of the frame in pixels
 * @height: height of the frame in pixels
 *
 * Empties the list for a new frame.
 */
void
gst_y10_detection_list_begin (GstY10DetectionList * self, guint width,
    guint height)
{
  self->width = width;
  self->height = height;
  self->n = 0;
}

/**
 * gst_y10_detection_list_add:
 * @self: a list
 * @detection: a detection; the list copies it, but not its label
 *
 * Returns: %TRUE, or %FALSE if the list is full
 */
gboolean
gst_y10_detection_list_add (GstY10DetectionList * self,
    const GstY10Detection * detection)
{
  if (self->n == self->capacity)
    return FALSE;
  self->items[self->n++] = *detection;
  return TRUE;
}

/**
 * gst_y10_detection_get_rect:
 * @self: a detection
 *
 * Rounds the edges, not the size, so that boxes with a common edge keep it.
 *
 * Returns: the box in whole pixels
 */
GstY10Rect
gst_y10_detection_get_rect (const GstY10Detection * self)
{
  return (GstY10Rect) {
    (gint) (self->x0 + 0.5), (gint) (self->y0 + 0.5),
    (gint) (self->x1 + 0.5), (gint) (self->y1 + 0.5)
  };
}

/**
 * gst_y10_detection_to_row:
 * @self: a detection
 *
 * Converts @self for library functions such as y10_detection_to_pixels().
 *
 * Returns: the engine's row, in pixels of the frame
 */
Y10Detection
gst_y10_detection_to_row (const GstY10Detection * self)
{
  return (Y10Detection) {
    .x0 = (gfloat) self->x0,.y0 = (gfloat) self->y0,
    .x1 = (gfloat) self->x1,.y1 = (gfloat) self->y1,
    .confidence = self->confidence,.class_id = self->class_id
  };
}
