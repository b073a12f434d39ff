/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Decides which boxes are drawn, and where. Between two inferences a detector's boxes are
 * those of an earlier frame; where a tracker has said where their objects are expected by
 * now, they are drawn there, marked as predicted. Privacy needs all boxes, also those
 * that are drawn elsewhere or not at all. */

#include "overlay/element.h"

/* Of one of the items of an array. */
static gfloat
confidence_at (const gfloat *first, gsize stride, guint i)
{
  return *(const gfloat *) ((const guint8 *) first + i * stride);
}

/* Sorts indices by confidence; unknown ones come first. A detector's list is sorted the
 * other way; those of several, or of others, are not. */
static void
sort (const gfloat *first, gsize stride, guint n, guint16 *order)
{
  for (guint i = 0; i < n; i++) {
    const guint from = n - 1 - i;
    guint k;

    for (k = i; k > 0
         && confidence_at (first, stride, order[k - 1])
             > confidence_at (first, stride, from);
         k--)
      order[k] = order[k - 1];
    order[k] = (guint16) from;
  }
}

/* What is drawn at a box. */
typedef struct
{
  GstY10Rect rect;
  const gchar *label;
  gsize label_length;
  gfloat confidence; /* -1: unknown */
  gboolean tracked;
  guint64 track_id;
} Object;

/* Returns FALSE if the properties exclude it. */
static gboolean
prepare (GstYolov10Overlay *self, const Object *object, GstY10Drawing *drawing)
{
  GstY10Texts texts = {
    NULL,
  };
  const GstY10Label *label;

  if (object->confidence >= 0
      && object->confidence < (gfloat) self->now->min_confidence)
    return FALSE;
  label = gst_y10_labels_get (self->labels, object->label,
      object->label_length);
  if (!label->wanted)
    return FALSE;
  if (self->now->show_label)
    texts.label = &label->text;
  if (self->now->show_id && object->tracked)
    texts.number = gst_y10_labels_number (self->labels, object->track_id);
  if (self->now->show_confidence && object->confidence >= 0)
    texts.percent = gst_y10_labels_percent (self->labels,
        (guint) (object->confidence * 100 + 0.5f));
  gst_y10_drawing_init (drawing, &self->style, object->rect, label, &texts);
  return TRUE;
}

/* Whether an object is not where a box of this frame is: the boxes are those of an
 * earlier one, or it has none. In an inferred frame a tracker knows no better. */
static gboolean
is_predicted (const GstY10Reading *reading, const GstY10TrackedObject *object)
{
  const GstY10State state = reading->result.state;

  return gst_y10_state_is_held (state)
      || (!gst_y10_state_is_fresh (state) && object->record_id < 0);
}

static gboolean
has_prediction (const GstY10Reading *reading, const GstY10Detection *box)
{
  for (guint i = 0; i < reading->tracks.n; i++)
    if (reading->tracks.items[i].record_id == box->id
        && is_predicted (reading, &reading->tracks.items[i]))
      return TRUE;
  return FALSE;
}

/* A box whose object is expected elsewhere by now is not drawn; privacy covers it
 * nevertheless. */
static void
add_detections (GstYolov10Overlay *self)
{
  const GstY10DetectionList *list = &self->reading.result.list;
  guint16 order[GST_Y10_READ_MAX];

  sort (&list->items->confidence, sizeof *list->items, list->n, order);
  for (guint i = 0; i < list->n; i++) {
    const GstY10Detection *box = &list->items[order[i]];
    const Object object = {
      .rect = gst_y10_detection_get_rect (box),
      .label = box->label,
      .label_length = box->label_length,
      .confidence = box->confidence,
      .tracked = box->tracked,
      .track_id = box->track_id,
    };
    GstY10Drawing drawing;

    if (!prepare (self, &object, &drawing))
      continue;
    g_array_append_val (self->boxes, drawing.box);
    if (!has_prediction (&self->reading, box))
      g_array_append_val (self->drawings, drawing);
  }
}

static void
add_predictions (GstYolov10Overlay *self)
{
  const GstY10TrackList *list = &self->reading.tracks;
  guint16 order[GST_Y10_READ_MAX];

  sort (&list->items->confidence, sizeof *list->items, list->n, order);
  for (guint i = 0; i < list->n; i++) {
    const GstY10TrackedObject *track = &list->items[order[i]];
    const Object object = {
      .rect = gst_y10_tracked_object_get_rect (track),
      .label = track->label,
      .label_length = track->label_length,
      .confidence = track->confidence,
      .tracked = TRUE,
      .track_id = track->id,
    };
    GstY10Drawing drawing;

    if (!is_predicted (&self->reading, track)
        || !prepare (self, &object, &drawing))
      continue;
    drawing.predicted = TRUE;
    g_array_append_val (self->drawings, drawing);
  }
}

/* Fills @self->drawings and @self->boxes from the reading. The most confident ones come
 * last, on top. */
void
gst_y10_overlay_plan_boxes (GstYolov10Overlay *self)
{
  g_array_set_size (self->drawings, 0);
  g_array_set_size (self->boxes, 0);
  if (self->reading.moved)
    return;
  add_detections (self);
  add_predictions (self);
  gst_y10_drawings_spread_badges ((GstY10Drawing *) self->drawings->data,
      self->drawings->len, &self->style);
}
