/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Judges what was read of a frame's metadata: whether it is all that detectors know of this
 * very picture. Privacy relies on it, so whatever is in doubt counts against the boxes. */

#include "meta/inspection.h"
#include "meta/read.h"

/* Whether boxes that the detector attached are not there. Others may have the same
 * ids, since GStreamer gives regions of interest the id 0 by default. */
static gboolean
lacks_boxes (const GstY10Reading *reading, const GstY10InspectionMeta *meta)
{
  const GstY10DetectionList *list = &reading->result.list;
  guint n = 0;
  gint64 sum = 0;

  for (guint i = 0; i < list->n; i++) {
    const gint id = list->items[i].id;
    gboolean is_first = id >= meta->first_id && id <= meta->last_id;

    for (guint k = 0; k < i && is_first; k++)
      is_first = list->items[k].id != id;
    n += is_first;
    sum += is_first ? id : 0;
  }
  return meta->n_detections && (n != meta->n_detections || sum != meta->id_sum);
}

static void
intersect (GstVideoRectangle *region, const GstVideoRectangle *other)
{
  const gint x1 = MIN (region->x + region->w, other->x + other->w);
  const gint y1 = MIN (region->y + region->h, other->y + other->h);

  region->x = MAX (region->x, other->x);
  region->y = MAX (region->y, other->y);
  region->w = MAX (x1 - region->x, 0);
  region->h = MAX (y1 - region->y, 0);
}

/* Each detector must know all objects of this very picture. */
static void
add_inspection (GstY10Reading *reading, const GstY10InspectionMeta *meta)
{
  GstY10Result *result = &reading->result;

  if (!reading->n_inspections++)
    result->state = GST_Y10_STATE_FRESH;
  reading->n_attached += meta->n_detections;
  reading->for_privacy &= meta->held_for_privacy;
  result->age = MAX (result->age, meta->age);
  intersect (&result->region, &meta->region);
  if (!gst_y10_state_is_known (meta->state))
    result->state = meta->state;
  else if (meta->width != reading->picture_width
      || meta->height != reading->picture_height)
    result->state = GST_Y10_STATE_MOVED;
  else if (gst_y10_state_is_known (result->state))
    result->state = MAX (result->state, meta->state);
}

/**
 * gst_y10_reading_inspect:
 * @reading: a reading of all detections of @buffer
 * @buffer: a frame
 *
 * Reads what detectors vouch for. Elements that crop, turn or pad a picture drop the
 * inspection, and some keep the frame meta that was beside it.
 */
void
gst_y10_reading_inspect (GstY10Reading *reading, GstBuffer *buffer)
{
  const GstVideoMeta *video = gst_buffer_get_video_meta (buffer);
  const GstY10InspectionMeta *meta;
  GstY10Result *result = &reading->result;
  gpointer state = NULL;

  reading->picture_width = video ? video->width : result->list.width;
  reading->picture_height = video ? video->height : result->list.height;
  result->state = GST_Y10_STATE_NO_DETECTOR;
  result->age = 0;
  result->region = (GstVideoRectangle){ 0, 0, (gint) reading->picture_width,
    (gint) reading->picture_height };
  reading->for_privacy = TRUE;
  while ((meta = gst_y10_inspection_next (buffer, &state))) {
    add_inspection (reading, meta);
    reading->moved |= meta->state == GST_Y10_STATE_MOVED;
    reading->missing |= lacks_boxes (reading, meta);
  }
  reading->moved |= reading->n_inspected > reading->n_inspections;
}

/**
 * gst_y10_reading_judge:
 * @self: a reading of one buffer
 * @trust: whether regions of interest count that no yolov10detect vouches for
 *
 * Judges whether the boxes that were read are all objects of the picture, in their
 * places: whether the detectors know them all, and whether what they attached
 * arrived. The only place that does; the flags of the reading are its grounds.
 *
 * Returns: a state that is known if so, else the reason
 */
GstY10State
gst_y10_reading_judge (const GstY10Reading *self, gboolean trust)
{
  const GstY10State state = self->result.state;

  if (self->n_inspections && !gst_y10_state_is_known (state))
    return state;
  if (self->overflow)
    return GST_Y10_STATE_OVERFLOW;
  if (self->foreign_width || self->moved
      || (self->n_frame_metas > self->n_inspections && !trust))
    return GST_Y10_STATE_MOVED;
  if (self->n_inspections == 0 && !trust)
    return self->any ? GST_Y10_STATE_UNTRUSTED : state;
  if (self->n_attached > 0 && (trust ? !self->any : self->missing))
    return GST_Y10_STATE_MISSING;
  return self->n_inspections ? state : GST_Y10_STATE_FRESH;
}
