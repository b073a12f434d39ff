/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Results and their parts: what a state means, and the list of a frame's objects,
 * which a producer fills from the engine's rows. Labels are interned once per
 * model, so that no frame needs a lookup. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "meta/result.h"

#include <string.h>

typedef struct
{
  GQuark quark;
  const gchar *name; /* interned: buffers may outlive the producer */
  gsize length;
} Label;

struct _GstY10Producer
{
  gchar *name, *model;
  guint n_labels;
  Label *labels;
};

/**
 * gst_y10_state_is_known:
 * @state: a state
 *
 * Returns: whether all objects of the picture are known, for privacy
 */
gboolean
gst_y10_state_is_known (GstY10State state)
{
  return state <= GST_Y10_STATE_HELD;
}

/**
 * gst_y10_state_is_fresh:
 * @state: a state that a detector wrote
 *
 * Returns: whether the objects are of this picture
 */
gboolean
gst_y10_state_is_fresh (GstY10State state)
{
  return state == GST_Y10_STATE_FRESH || state == GST_Y10_STATE_FRESH_PARTIAL;
}

/**
 * gst_y10_state_is_held:
 * @state: a state that a detector wrote
 *
 * Returns: whether the objects are of an earlier picture
 */
gboolean
gst_y10_state_is_held (GstY10State state)
{
  return state <= GST_Y10_STATE_HELD_OTHER_SETTINGS
      && !gst_y10_state_is_fresh (state);
}

/**
 * gst_y10_state_get_name:
 * @state: a state that a detector wrote
 *
 * Returns: `inference` of the frame meta: "fresh", "held" or "skipped"
 */
const gchar *
gst_y10_state_get_name (GstY10State state)
{
  return gst_y10_state_is_fresh (state) ? "fresh"
      : gst_y10_state_is_held (state)   ? "held"
                                        : "skipped";
}

/**
 * gst_y10_detection_list_init:
 * @self: (out caller-allocates): a list
 * @capacity: maximum number of detections
 *
 * Allocates the list once, so that no frame allocates. Free it with
 * gst_y10_detection_list_clear().
 */
void
gst_y10_detection_list_init (GstY10DetectionList *self, guint capacity)
{
  *self = (GstY10DetectionList){
    .capacity = capacity,
    .items = g_new (GstY10Detection, capacity),
  };
}

/**
 * gst_y10_detection_list_clear:
 * @self: a list
 *
 * Frees the memory that gst_y10_detection_list_init() allocated.
 */
void
gst_y10_detection_list_clear (GstY10DetectionList *self)
{
  g_free (self->items);
  *self = (GstY10DetectionList){ 0 };
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
gst_y10_detection_list_begin (GstY10DetectionList *self, guint width,
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
gst_y10_detection_list_add (GstY10DetectionList *self,
    const GstY10Detection *detection)
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
gst_y10_detection_get_rect (const GstY10Detection *self)
{
  return (GstY10Rect){ (gint) (self->x0 + 0.5), (gint) (self->y0 + 0.5),
    (gint) (self->x1 + 0.5), (gint) (self->y1 + 0.5) };
}

/**
 * gst_y10_producer_new:
 * @model: the model, which provides the class names; not kept
 * @name: name of the element
 *
 * Interns the labels of @model. Free it with gst_y10_producer_free().
 *
 * Returns: (transfer full): a new producer
 */
GstY10Producer *
gst_y10_producer_new (const Y10Model *model, const gchar *name)
{
  GstY10Producer *self = g_new0 (GstY10Producer, 1);

  self->name = g_strdup (name);
  self->model = g_strdup (y10_model_get_variant (model));
  self->n_labels = y10_model_get_n_classes (model);
  self->labels = g_new0 (Label, self->n_labels);
  for (guint i = 0; i < self->n_labels; i++) {
    Label *label = &self->labels[i];

    label->quark = g_quark_from_string (y10_model_get_class_name (model, i));
    label->name = g_quark_to_string (label->quark);
    label->length = strlen (label->name);
  }
  return self;
}

/**
 * gst_y10_producer_free:
 * @self: (nullable): a producer
 */
void
gst_y10_producer_free (GstY10Producer *self)
{
  if (!self)
    return;
  g_free (self->labels);
  g_free (self->model);
  g_free (self->name);
  g_free (self);
}

/**
 * gst_y10_producer_fill_list:
 * @self: a producer
 * @list: a list
 * @rows: (array length=n_rows): the engine's rows, in pixels of the frame
 * @n_rows: number of rows; the list drops those beyond its capacity
 *
 * Adds detections without an id. Allocates nothing.
 */
void
gst_y10_producer_fill_list (const GstY10Producer *self,
    GstY10DetectionList *list, const Y10Detection *rows, guint n_rows)
{
  for (guint i = 0; i < n_rows; i++) {
    const Y10Detection *row = &rows[i];
    const Label *label = &self->labels[row->class_id];

    gst_y10_detection_list_add (list,
        &(GstY10Detection){
            .x0 = row->x0,
            .y0 = row->y0,
            .x1 = row->x1,
            .y1 = row->y1,
            .class_id = row->class_id,
            .id = -1,
            .parent_id = -1,
            .confidence = row->confidence,
            .label = label->name,
            .label_length = label->length,
            .quark = label->quark,
        });
  }
}

/**
 * gst_y10_producer_fill:
 * @self: a producer
 * @result: a result whose list gst_y10_detection_list_begin() has prepared
 * @rows: (array length=n_rows): the engine's rows, in pixels of the frame, which
 *   must outlive the use of @result
 * @n_rows: number of rows; the list drops those beyond its capacity
 *
 * Sets the objects of @result and where they come from. Allocates nothing.
 */
void
gst_y10_producer_fill (const GstY10Producer *self, GstY10Result *result,
    const Y10Detection *rows, guint n_rows)
{
  result->producer = self->name;
  result->model = self->model;
  result->rows = rows;
  gst_y10_producer_fill_list (self, &result->list, rows, n_rows);
}
