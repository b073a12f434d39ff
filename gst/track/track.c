/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The yolov10track element: an in-place filter that looks at metadata only. It decides
 * when to begin anew; the other files of this folder decide what a frame tells
 * (observe.c), who is who (tracker.c) and what is written (annotate.c). */

/**
 * SECTION:element-yolov10track
 * @title: yolov10track
 * @short_description: gives objects an id that they keep from frame to frame
 *
 * Follows the objects that yolov10detect, or any other element, attached to frames, by
 * ByteTrack without appearance: by overlap with where each object is expected. Never
 * looks at pixels, so frames may be in any memory.
 *
 * Ids are unique in the stream. A detection gets its object's id as `object_id` (uint64)
 * in the region's `detection`, as `id` (int) in its structure `object_id`, and since
 * GStreamer 1.24 as a #GstAnalyticsTrackingMtd that it is related to. The frame meta gets
 * the places of all objects at the frame's time, also while boxes are held.
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 uridecodebin uri=file:///tmp/cars.mp4 ! videoconvert ! yolov10detect model-file=yolov10n.safetensors ! yolov10track class-groups="car,truck,bus" ! yolov10overlay ! videoconvert ! autovideosink
 * ]| Shows ids in a video; a car that is taken for a truck now and then stays the same.
 *
 * Since: 0.2
 */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "track/element.h"

#include "common/askclasses.h"
#include "common/elementerror.h"
#include "common/sinkpad.h"
#include "meta/write.h"

GST_DEBUG_CATEGORY_STATIC (gst_yolov10_tracker_debug);
#define GST_CAT_DEFAULT gst_yolov10_tracker_debug

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS ("video/x-raw(ANY)"));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS ("video/x-raw(ANY)"));

G_DEFINE_FINAL_TYPE (GstYolov10Tracker, gst_yolov10_tracker,
    GST_TYPE_BASE_TRANSFORM)
GST_ELEMENT_REGISTER_DEFINE (yolov10track, "yolov10track", GST_RANK_NONE,
    GST_TYPE_YOLOV10_TRACKER)

static gboolean
gst_yolov10_tracker_start (GstBaseTransform *trans)
{
  GstYolov10Tracker *self = GST_YOLOV10_TRACKER (trans);
  g_autoptr (GError) error = NULL;

  self->now = gst_y10_filter_update_settings (self, self->now);
  if (!gst_y10_class_groups_set (self->groups, self->now->class_groups,
          &error)) {
    GST_Y10_ELEMENT_ERROR (self, error);
    return FALSE;
  }
  g_free (self->name);
  self->name = gst_object_get_name (GST_OBJECT (self));
  self->width = self->height = 0;
  self->n_jumps = self->n_asked = 0;
  self->unchecked = TRUE;
  self->told_no_time = self->told_moved = self->told_far = FALSE;
  gst_y10_track_reset (self);
  return TRUE;
}

static gboolean
gst_yolov10_tracker_set_caps (GstBaseTransform *trans, GstCaps *incaps,
    GstCaps *outcaps)
{
  GstYolov10Tracker *self = GST_YOLOV10_TRACKER (trans);
  const GstStructure *structure = gst_caps_get_structure (incaps, 0);
  gint width = 0, height = 0;

  if (!gst_structure_get_int (structure, "width", &width)
      || !gst_structure_get_int (structure, "height", &height) || width <= 0
      || height <= 0) {
    GST_ELEMENT_ERROR (self, STREAM, FORMAT, ("The video has no size."),
        ("Expected width and height in the caps, found %" GST_PTR_FORMAT,
            incaps));
    return FALSE;
  }
  if (self->width != (guint) width || self->height != (guint) height)
    gst_y10_track_reset (self);
  self->width = (guint) width;
  self->height = (guint) height;
  return TRUE;
}

/* Whether frames behind @event may show something else than those before it. Live
 * sources often repeat their segment, and what is in @position differs by itself. */
static gboolean
begins_anew (GstYolov10Tracker *self, GstEvent *event)
{
  const GstSegment *before = &GST_BASE_TRANSFORM (self)->segment, *after;
  GstSegment same;

  if (GST_EVENT_TYPE (event) != GST_EVENT_SEGMENT)
    return GST_EVENT_TYPE (event) == GST_EVENT_STREAM_START
        || GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP;
  gst_event_parse_segment (event, &after);
  same = *after;
  same.position = before->position;
  return !gst_segment_is_equal (&same, before);
}

static gboolean
gst_yolov10_tracker_sink_event (GstBaseTransform *trans, GstEvent *event)
{
  GstYolov10Tracker *self = GST_YOLOV10_TRACKER (trans);

  if (begins_anew (self, event))
    gst_y10_track_reset (self);
  return GST_BASE_TRANSFORM_CLASS (gst_yolov10_tracker_parent_class)
      ->sink_event (trans, event);
}

/* What downstream asks for is asked of upstream: frames pass as they are. */
static gboolean
gst_yolov10_tracker_propose_allocation (GstBaseTransform *trans,
    GstQuery *decide_query, GstQuery *query)
{
  return gst_pad_peer_query (trans->srcpad, query);
}

/* A frame that others hold, too, is copied without its memory. */
static GstFlowReturn
gst_yolov10_tracker_prepare_output_buffer (GstBaseTransform *trans,
    GstBuffer *inbuf, GstBuffer **outbuf)
{
  *outbuf = gst_buffer_is_writable (inbuf) ? inbuf : gst_buffer_copy (inbuf);
  return GST_FLOW_OK;
}

/* Once there are results, detectors have their models. */
static void
check_groups (GstYolov10Tracker *self)
{
  g_autofree gchar *models = NULL;
  g_auto (GStrv)
      classes = gst_y10_classes_ask (GST_BASE_TRANSFORM_SINK_PAD (self),
          &models);
  g_autoptr (GError) error = NULL;

  self->unchecked = FALSE;
  if (classes
      && !gst_y10_class_groups_check (self->groups, "class-groups",
          (const gchar *const *) classes, models, &error))
    GST_Y10_ELEMENT_WARNING (self, error);
}

static GstFlowReturn
gst_yolov10_tracker_transform_ip (GstBaseTransform *trans, GstBuffer *buffer)
{
  GstYolov10Tracker *self = GST_YOLOV10_TRACKER (trans);

  self->now = gst_y10_filter_update_settings (self, self->now);
  gst_y10_track_ask_for_weak (self);
  gst_y10_reading_collect (&self->reading, buffer, self->width, self->height);
  gst_y10_track_observe (self);
  gst_y10_track_annotate (self, buffer);
  if (self->unchecked && self->observations.any)
    check_groups (self);
  GST_LOG_OBJECT (self, "%" GST_TIME_FORMAT ": %u detections, %u objects",
      GST_TIME_ARGS (GST_BUFFER_PTS (buffer)), self->reading.result.list.n,
      self->tracks.n);
  return GST_FLOW_OK;
}

static void
gst_yolov10_tracker_finalize (GObject *object)
{
  GstYolov10Tracker *self = GST_YOLOV10_TRACKER (object);

  gst_y10_reading_clear (&self->reading);
  gst_y10_track_list_clear (&self->tracks);
  gst_y10_class_groups_free (self->groups);
  gst_y10_tracker_free (self->tracker);
  g_free (self->observed);
  g_free (self->observed_ids);
  g_free (self->known);
  g_free (self->name);
  g_free (self->sender);
  gst_y10_settings_unref (self->now);
  gst_y10_settings_unref (self->parent.settings);
  G_OBJECT_CLASS (gst_yolov10_tracker_parent_class)->finalize (object);
}

static void
gst_yolov10_tracker_class_init (GstYolov10TrackerClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (gst_yolov10_tracker_debug, "yolov10track", 0,
      "follows objects");
  gst_y10_attach_register_metas ();

  object_class->finalize = gst_yolov10_tracker_finalize;
  gst_y10_track_props_install (object_class);

  gst_element_class_set_static_metadata (element_class, "YOLOv10 tracker",
      "Filter/Analyzer/Video",
      "Gives detected objects an id that they keep from frame to frame",
      "the yolov10detect authors");
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);

  trans_class->start = GST_DEBUG_FUNCPTR (gst_yolov10_tracker_start);
  trans_class->set_caps = GST_DEBUG_FUNCPTR (gst_yolov10_tracker_set_caps);
  trans_class->sink_event = GST_DEBUG_FUNCPTR (gst_yolov10_tracker_sink_event);
  trans_class->propose_allocation = GST_DEBUG_FUNCPTR (
      gst_yolov10_tracker_propose_allocation);
  trans_class->prepare_output_buffer = GST_DEBUG_FUNCPTR (
      gst_yolov10_tracker_prepare_output_buffer);
  trans_class->transform_ip = GST_DEBUG_FUNCPTR (
      gst_yolov10_tracker_transform_ip);
}

static void
gst_yolov10_tracker_init (GstYolov10Tracker *self)
{
  static gint n_trackers;

  self->parent.settings = gst_y10_settings_new (&gst_y10_track_properties);
  gst_y10_sink_pad_init (GST_BASE_TRANSFORM (self));
  gst_y10_reading_init (&self->reading);
  gst_y10_track_list_init (&self->tracks, GST_Y10_READ_MAX);
  self->groups = gst_y10_class_groups_new ();
  self->tracker = gst_y10_tracker_new ();
  self->observed = g_new (GstY10Observed, GST_Y10_MAX_OBSERVED);
  self->observed_ids = g_new (guint64, GST_Y10_MAX_OBSERVED);
  self->known = g_new (GstY10KnownBox, GST_Y10_MAX_OBSERVED);
  self->sender = g_strdup_printf ("yolov10track-%d",
      g_atomic_int_add (&n_trackers, 1));
  self->pts = self->interval = GST_CLOCK_TIME_NONE;
  gst_base_transform_set_gap_aware (GST_BASE_TRANSFORM (self), TRUE);
}
