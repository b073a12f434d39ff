/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Decides which areas privacy covers. It fails closed: single boxes are covered
 * only if a detector vouches for this very picture; otherwise all of it is.
 * Objects move after inference, and new ones enter from outside the inspected
 * region. So boxes grow, and the region considered known shrinks, by
 * privacy-growth times the age of the result. */

#include "overlay/element.h"

#include <math.h>

typedef struct
{
  const gchar *message, *hint;
} Reason;

static const Reason reasons[GST_Y10_N_STATES] = {
  [GST_Y10_STATE_NO_RESULT] = { "no inference has finished yet",
      "The detector has just been started, activated or flushed." },
  [GST_Y10_STATE_OTHER_STREAM] = { "the new stream or segment has no result yet",
      "The picture may come from another source, as behind input-selector. "
      "Covering single boxes resumes after the first inference." },
  [GST_Y10_STATE_NOT_HELD] = { "the frame was not inferred",
      "The detector's skipped-boxes is \"none\"; \"hold\" covers the latest boxes." },
  [GST_Y10_STATE_EXPIRED] = { "the latest result is too old",
      "Infer more often, or lower privacy-growth." },
  [GST_Y10_STATE_NO_TIME] = { "the frame was not inferred",
      "Without timestamps the age of the latest boxes is unknown." },
  [GST_Y10_STATE_OTHER_SIZE] = { "the latest result is of frames of another size",
      "Covering single boxes resumes after the first inference with the new "
      "caps." },
  [GST_Y10_STATE_HELD_OTHER_MODEL] = { "the new model has no result yet",
      "Covering single boxes resumes after the first inference of the new "
      "model." },
  [GST_Y10_STATE_HELD_OTHER_SETTINGS] = { "the changed settings have no result yet",
      "Covering single boxes resumes after the first inference with the new "
      "value of classes, confidence, min-size or what else selects objects." },
  [GST_Y10_STATE_LOST] = { "the detector has lost its GPU",
      "Covering single boxes resumes once it has recovered." },
  [GST_Y10_STATE_FRESH_PARTIAL] = { "the detector reports only a part of the objects",
      "Its region excludes some. A region of one rectangle with "
      "region-anchor=overlap covers the area outside it instead." },
  [GST_Y10_STATE_NO_DETECTOR] = { "no detector has seen the picture",
      "There is no yolov10detect upstream, it is inactive (active=false) or "
      "attaches nothing (attach=0), or an element in between created a new "
      "picture, as compositor does. privacy-trust=roi trusts other detectors." },
  [GST_Y10_STATE_UNTRUSTED] = { "its regions of interest are not yolov10detect's",
      "Regions cannot tell that nothing else was found. privacy-trust=roi "
      "trusts them." },
  [GST_Y10_STATE_MOVED] = { "an element downstream of the detector changed the picture",
      "It cropped, rotated, padded or distorted it. Move the detector or this "
      "element so that both see the same picture." },
  [GST_Y10_STATE_MISSING] = { "the detector's boxes did not come through",
      "An element in between removed them, or the detector's attach lists only "
      "metadata that this GStreamer lacks." },
  [GST_Y10_STATE_OVERFLOW] = { "there are too many boxes",
      "Lower max-detections or raise confidence." },
};

static void
warn (GstYolov10Overlay *self, GstY10State reason)
{
  if (reason == GST_Y10_STATE_HELD_PARTIAL) /* the same reason */
    reason = GST_Y10_STATE_FRESH_PARTIAL;
  if (self->reasons_told & (1u << reason))
    return;
  self->reasons_told |= 1u << reason;
  GST_ELEMENT_WARNING (self, STREAM, FAILED,
      ("Privacy covers the whole picture: %s.", reasons[reason].message),
      ("%s This is reported only once.", reasons[reason].hint));
}

/* Frames between repeated events to a detector that does not get them, because
 * an element in between, such as appsrc, does not forward upstream events. */
#define TELL_AGAIN 64

/* Asks upstream detectors to hold their latest result while privacy is on. */
static void
tell_detectors (GstYolov10Overlay *self, gboolean active)
{
  gst_pad_push_event (GST_BASE_TRANSFORM_SINK_PAD (self),
      gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM,
          gst_structure_new (GST_Y10_PRIVACY_EVENT, "active", G_TYPE_BOOLEAN,
              active, "element", G_TYPE_STRING, GST_OBJECT_NAME (self), NULL)));
}

/* Answers whoever wants to know whether frames are covered, downstream of him or upstream.
 * What is controlled may be on by the time that a frame arrives. */
gboolean
gst_y10_overlay_answer_privacy (GstYolov10Overlay *self,
    GstPadDirection direction, GstQuery *query)
{
  const GstStructure *asked = gst_query_get_structure (query);
  g_autoptr (GstY10OverlaySettings) now = NULL;
  GstStructure *answer;
  gboolean is_on;

  if (GST_QUERY_TYPE (query) != GST_QUERY_CUSTOM || !asked
      || !gst_structure_has_name (asked, GST_Y10_PRIVACY_QUERY))
    return FALSE;
  now = gst_y10_filter_get_settings (self);
  is_on = now->privacy != GST_YOLOV10_PRIVACY_NONE;
  if (direction == GST_PAD_SINK) {
    g_autoptr (GstControlBinding)
        binding = gst_object_get_control_binding (GST_OBJECT (self), "privacy");

    is_on |= binding != NULL;
  }
  if (!is_on)
    return FALSE;
  answer = gst_query_writable_structure (query);
  gst_structure_set (answer, "element", G_TYPE_STRING, GST_OBJECT_NAME (self),
      NULL);
  if (direction == GST_PAD_SRC)
    gst_structure_set (answer, "covered", G_TYPE_BOOLEAN, TRUE, NULL);
  return TRUE;
}

static void
cover (GstYolov10Overlay *self, gint x0, gint y0, gint x1, gint y1)
{
  GstY10Rect rect = { x0, y0, x1, y1 };

  if (!gst_y10_rect_is_empty (&rect))
    g_array_append_val (self->covered, rect);
}

static void
cover_all (GstYolov10Overlay *self)
{
  g_array_set_size (self->covered, 0);
  cover (self, 0, 0, (gint) self->reading.picture_width,
      (gint) self->reading.picture_height);
}

/* Predictions add to what is covered: they may be wrong, as of a person who stops. */
static void
cover_boxes (GstYolov10Overlay *self, gint growth)
{
  const gint width = (gint) self->reading.picture_width;
  const gint height = (gint) self->reading.picture_height;

  for (guint i = 0; i < self->boxes->len; i++) {
    GstY10Rect box = g_array_index (self->boxes, GstY10Rect, i);

    cover (self, MAX (box.x0 - growth, 0), MAX (box.y0 - growth, 0),
        MIN (box.x1 + growth, width), MIN (box.y1 + growth, height));
  }
  for (guint i = 0; i < self->drawings->len; i++) {
    const GstY10Drawing *drawing = &g_array_index (self->drawings,
        GstY10Drawing, i);

    if (drawing->predicted)
      cover (self, drawing->box.x0, drawing->box.y0, drawing->box.x1,
          drawing->box.y1);
  }
}

/* Covers the rest of the picture, from where new objects may have entered. */
static void
cover_outside (GstYolov10Overlay *self, GstY10Rect region)
{
  const gint width = (gint) self->reading.picture_width;
  const gint height = (gint) self->reading.picture_height;

  cover (self, 0, 0, width, region.y0);
  cover (self, 0, region.y1, width, height);
  cover (self, 0, region.y0, region.x0, region.y1);
  cover (self, region.x1, region.y0, width, region.y1);
}

/* Returns the margin in pixels, capped at the longer side, which covers
 * everything. */
static gint
growth_of (const GstYolov10Overlay *self)
{
  const GstY10Reading *reading = &self->reading;
  gdouble growth = self->now->privacy_growth * reading->result.age / GST_SECOND;

  return (gint) ceil (
      MIN (growth, 1) * MAX (reading->picture_width, reading->picture_height));
}

static void
cover_known (GstYolov10Overlay *self)
{
  const GstVideoRectangle *seen = &self->reading.result.region;
  gint growth = growth_of (self);
  GstY10Rect region = { seen->x + growth, seen->y + growth,
    seen->x + seen->w - growth, seen->y + seen->h - growth };

  if (gst_y10_rect_is_empty (&region)) {
    cover_all (self);
    warn (self, GST_Y10_STATE_EXPIRED);
    return;
  }
  cover_boxes (self, growth);
  cover_outside (self, region);
}

/* Fills @self->covered with the areas to cover. Needs the reading and the drawings
 * of the same frame. */
void
gst_y10_overlay_plan_privacy (GstYolov10Overlay *self)
{
  GstY10State state;

  g_array_set_size (self->covered, 0);
  if (self->now->privacy == GST_YOLOV10_PRIVACY_NONE) {
    if (self->asked_to_hold)
      tell_detectors (self, FALSE);
    self->asked_to_hold = FALSE;
    self->n_untold = 0;
    return;
  }
  /* Repeat the event: a detector may be linked or restarted at any time. */
  if (self->reading.for_privacy)
    self->n_untold = 0;
  else if (self->n_untold++ % TELL_AGAIN == 0)
    tell_detectors (self, TRUE);
  self->asked_to_hold = TRUE;
  state = gst_y10_reading_judge (&self->reading,
      self->now->privacy_trust == GST_YOLOV10_PRIVACY_TRUST_ROI);
  if (gst_y10_state_is_known (state)) {
    cover_known (self);
  } else {
    cover_all (self);
    warn (self, state);
  }
}
