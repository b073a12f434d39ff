/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The yolov10overlay element: decides whether to draw boxes into the frame or attach
 * them as a composition, and when a frame passes
 * untouched. It does so before the base class makes the buffer writable, so a
 * frame without boxes is not copied. The other files of this folder decide how
 * things are drawn. */

/**
 * SECTION:element-yolov10overlay
 * @title: yolov10overlay
 * @short_description: draws detections: boxes, labels, confidences
 *
 * Draws the boxes that yolov10detect, or any other element, attached to a
 * frame as #GstAnalyticsODMtd, #GstVideoRegionOfInterestMeta or
 * GstYolov10FrameMeta. A detection attached in several forms is drawn once.
 *
 * Downstream of a tracker, such as ioutracker (GStreamer 1.28) or DL Streamer's
 * gvatrack, the badge also shows the object's track id, between the label and
 * the confidence: `person 7 92%`.
 *
 * A class has the same colour in every run. If downstream supports
 * #GstVideoOverlayComposition (most OpenGL sinks do), the element attaches
 * boxes and labels as a composition and leaves the frame alone; otherwise it
 * draws into the frame. #GstYolov10Overlay:privacy always changes the frame
 * itself.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 uridecodebin uri=file:///tmp/cars.mp4 ! videoconvert ! yolov10detect model-file=yolov10n.safetensors ! yolov10overlay ! videoconvert ! autovideosink
 * ]| Shows the detections in a video.
 * |[
 * gst-launch-1.0 v4l2src ! videoconvert ! yolov10detect model-file=yolov10n.safetensors ! yolov10overlay labels=person privacy=blur show-label=false show-confidence=false ! videoconvert ! autovideosink
 * ]| Blurs the people in front of a camera.
 * |[
 * gst-launch-1.0 v4l2src ! videoconvert ! yolov10detect ! ioutracker ! yolov10overlay ! videoconvert ! autovideosink
 * ]| Tracks objects and shows their ids (GStreamer 1.28).
 * |[
 * gst-launch-1.0 filesrc location=bus.jpg ! jpegdec ! videoconvert ! yolov10detect model-file=yolov10n.safetensors ! yolov10overlay line-width=4 font-desc="Monospace 16" min-confidence=0.5 ! videoconvert ! pngenc ! filesink location=boxes.png
 * ]| Writes a picture with boxes around objects with at least 50 % confidence.
 * |[
 * gst-launch-1.0 uridecodebin uri=file:///tmp/cars.mp4 ! videoconvert ! yolov10detect model-file=yolov10n.safetensors ! ioutracker ! videoconvert ! yolov10overlay ! videoconvert ! autovideosink
 * ]| Tracks the objects in a video, with an element of GStreamer 1.28.
 */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "overlay/element.h"

#include "overlay/caps.h"
#include "common/overlays.h"
#include "common/sinkpad.h"
#include "paint/cover.h"

GST_DEBUG_CATEGORY (gst_yolov10_overlay_debug);
#define GST_CAT_DEFAULT gst_yolov10_overlay_debug

G_DEFINE_FINAL_TYPE (GstYolov10Overlay, gst_yolov10_overlay,
    GST_TYPE_BASE_TRANSFORM)
GST_ELEMENT_REGISTER_DEFINE (yolov10overlay, "yolov10overlay", GST_RANK_NONE,
    GST_TYPE_YOLOV10_OVERLAY)

/* Checks whether the painter can draw on CUDA memory, which needs the CUDA
 * backend module and a driver. Opens no GPU; that waits for the first CUDA
 * frame. */
static void
look_for_cuda (GstYolov10Overlay *self)
{
  g_autoptr (GError) error = NULL;
  gboolean takes = gst_y10_painter_can (&error);

  if (!takes)
    GST_DEBUG_OBJECT (self, "cannot draw on frames in CUDA memory: %s",
        error->message);
  GST_OBJECT_LOCK (self);
  self->takes_cuda = takes;
  GST_OBJECT_UNLOCK (self);
}

static gboolean
takes_cuda (GstYolov10Overlay *self)
{
  gboolean takes;

  GST_OBJECT_LOCK (self);
  takes = self->takes_cuda;
  GST_OBJECT_UNLOCK (self);
  return takes;
}

static GstStateChangeReturn
gst_yolov10_overlay_change_state (GstElement *element,
    GstStateChange transition)
{
  GstYolov10Overlay *self = GST_YOLOV10_OVERLAY (element);
  GstStateChangeReturn result;

  if (transition == GST_STATE_CHANGE_NULL_TO_READY)
    look_for_cuda (self);
  result = GST_ELEMENT_CLASS (gst_yolov10_overlay_parent_class)
               ->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_READY_TO_NULL) {
    GST_OBJECT_LOCK (self);
    self->takes_cuda = TRUE;
    GST_OBJECT_UNLOCK (self);
  }
  return result;
}

static GstCaps *
gst_yolov10_overlay_transform_caps (GstBaseTransform *trans,
    GstPadDirection direction, GstCaps *caps, GstCaps *filter)
{
  return gst_y10_overlay_caps_transform (direction,
      takes_cuda (GST_YOLOV10_OVERLAY (trans)), caps, filter);
}

static GstCaps *
gst_yolov10_overlay_fixate_caps (GstBaseTransform *trans,
    GstPadDirection direction, GstCaps *caps, GstCaps *othercaps)
{
  GstYolov10Overlay *self = GST_YOLOV10_OVERLAY (trans);

  if (direction != GST_PAD_SINK)
    return gst_caps_fixate (othercaps);
  othercaps = gst_y10_overlay_caps_choose (GST_BASE_TRANSFORM_SRC_PAD (trans),
      othercaps);
  /* The query in gst_y10_overlay_caps_choose() may have set the source caps
   * already, and the base class does not call set_caps() for unchanged caps. */
  self->chosen = gst_y10_overlay_caps_compose (othercaps);
  return othercaps;
}

/* Describes what is drawn on: overlay pixels, the frame, or its unpacked
 * rows. */
static void
canvas_info (GstYolov10Overlay *self, GstVideoInfo *info)
{
  if (self->compose)
    gst_video_info_set_format (info, GST_VIDEO_OVERLAY_COMPOSITION_FORMAT_RGB,
        GST_VIDEO_INFO_WIDTH (&self->info),
        GST_VIDEO_INFO_HEIGHT (&self->info));
  else
    *info = self->unpacked.data ? self->unpacked.info : self->info;
}

static void
configure_style (GstYolov10Overlay *self)
{
  GstVideoInfo info;

  canvas_info (self, &info);
  gst_y10_style_init (&self->style, &info, GST_VIDEO_INFO_WIDTH (&self->info),
      GST_VIDEO_INFO_HEIGHT (&self->info), self->now->line_width);
}

static void
configure_labels (GstYolov10Overlay *self)
{
  GstVideoInfo info;

  canvas_info (self, &info);
  gst_y10_labels_configure (self->labels, &info,
      GST_VIDEO_INFO_WIDTH (&self->info), GST_VIDEO_INFO_HEIGHT (&self->info),
      self->now->font_desc, self->now->labels);
}

static gboolean
gst_yolov10_overlay_set_caps (GstBaseTransform *trans, GstCaps *incaps,
    GstCaps *outcaps)
{
  GstYolov10Overlay *self = GST_YOLOV10_OVERLAY (trans);
  const GstVideoInfo *info = &self->info;
  gboolean drawable;

  gst_y10_unpacked_clear (&self->unpacked);
  if (!gst_video_info_from_caps (&self->info, incaps)
      || GST_VIDEO_INFO_INTERLACE_MODE (info)
          == GST_VIDEO_INTERLACE_MODE_ALTERNATE)
    goto unsupported;
  self->compose = self->chosen = gst_y10_overlay_caps_compose (outcaps);
  self->in_cuda = takes_cuda (self) && gst_y10_overlay_caps_is_cuda (incaps);

  drawable = gst_y10_canvas_supports (info->finfo)
      || gst_y10_unpacked_init (&self->unpacked, info);
  if (!drawable && !self->compose)
    goto unsupported;
  if (drawable)
    gst_y10_cover_init_paint (&self->hidden,
        self->unpacked.data ? &self->unpacked.info : info);
  GST_INFO_OBJECT (self, "%s%s for %" GST_PTR_FORMAT,
      self->compose ? "attaching compositions" : "drawing",
      self->in_cuda ? " on the GPU" : "", incaps);

  self->now = gst_y10_filter_update_settings (self, self->now);
  configure_style (self);
  configure_labels (self);
  return TRUE;

unsupported:
  GST_ELEMENT_ERROR (self, STREAM, FORMAT,
      ("Cannot draw on this kind of video."),
      ("Expected progressive or interleaved raw video in one of the formats "
       "of the pad template, found %" GST_PTR_FORMAT,
          incaps));
  return FALSE;
}

static void
update_settings (GstYolov10Overlay *self, GstBuffer *buffer)
{
  GstBaseTransform *trans = GST_BASE_TRANSFORM (self);
  g_autoptr (GstY10OverlaySettings) before = self->now;
  GstClockTime time = GST_CLOCK_TIME_NONE;
  gboolean is_other;

  if (trans->segment.format == GST_FORMAT_TIME)
    time = gst_segment_to_stream_time (&trans->segment, GST_FORMAT_TIME,
        GST_BUFFER_PTS (buffer));
  if (GST_CLOCK_TIME_IS_VALID (time))
    gst_object_sync_values (GST_OBJECT (self), time);

  self->now = gst_y10_filter_get_settings (self);
  is_other = self->compose != self->chosen;
  self->compose = self->chosen;
  if (is_other || self->now->line_width != before->line_width)
    configure_style (self);
  if (is_other || self->now->font_desc != before->font_desc
      || self->now->labels != before->labels)
    configure_labels (self);
}

static void
warn_moved (GstYolov10Overlay *self)
{
  if (self->warned || (!self->reading.moved && !self->reading.foreign_width))
    return;
  self->warned = TRUE;
  GST_ELEMENT_WARNING (self, STREAM, FORMAT,
      ("Boxes are not drawn: an element downstream of the detector changed the "
       "picture."),
      ("It cropped, rotated, padded or distorted it without moving the boxes. Move "
       "the detector, or this element, so that both see the same picture. "
       "This is reported only once."));
}

static void
find_drawings (GstYolov10Overlay *self, GstBuffer *buffer)
{
  gst_y10_reading_collect (&self->reading, buffer,
      (guint) GST_VIDEO_INFO_WIDTH (&self->info),
      (guint) GST_VIDEO_INFO_HEIGHT (&self->info));
  gst_y10_labels_begin (self->labels);
  warn_moved (self);
  gst_y10_overlay_plan_boxes (self);
}

static gboolean
leaves_as_is (const GstYolov10Overlay *self)
{
  return self->drawings->len == 0 && self->covered->len == 0
      && self->outlines->len == 0;
}

static GstFlowReturn
gst_yolov10_overlay_prepare_output_buffer (GstBaseTransform *trans,
    GstBuffer *inbuf, GstBuffer **outbuf)
{
  GstYolov10Overlay *self = GST_YOLOV10_OVERLAY (trans);

  update_settings (self, inbuf);
  find_drawings (self, inbuf);
  gst_y10_overlay_plan_outlines (self, inbuf);
  gst_y10_overlay_plan_zones (self, inbuf);
  gst_y10_overlay_plan_privacy (self);
  if (leaves_as_is (self)) {
    *outbuf = inbuf;
    return GST_FLOW_OK;
  }
  return GST_BASE_TRANSFORM_CLASS (gst_yolov10_overlay_parent_class)
      ->prepare_output_buffer (trans, inbuf, outbuf);
}

static GstFlowReturn
gst_yolov10_overlay_transform_ip (GstBaseTransform *trans, GstBuffer *buffer)
{
  GstYolov10Overlay *self = GST_YOLOV10_OVERLAY (trans);

  if (leaves_as_is (self))
    return GST_FLOW_OK;
  if (!gst_y10_overlay_draw (self, buffer))
    return GST_FLOW_ERROR;
  return GST_FLOW_OK;
}

static gboolean
gst_yolov10_overlay_start (GstBaseTransform *trans)
{
  GstYolov10Overlay *self = GST_YOLOV10_OVERLAY (trans);

  self->warned = self->lost = self->asked_to_hold = FALSE;
  self->reasons_told = self->n_untold = 0;
  return TRUE;
}

static gboolean
gst_yolov10_overlay_stop (GstBaseTransform *trans)
{
  GstYolov10Overlay *self = GST_YOLOV10_OVERLAY (trans);

  gst_y10_unpacked_clear (&self->unpacked);
  gst_y10_painter_close (self->painter);
  return TRUE;
}

/* For CUDA memory, forwards the query and adds GstVideoMeta: frames never have
 * the default layout of the caps, and downstream's pool is the one to draw
 * in. */
static gboolean
gst_yolov10_overlay_propose_allocation (GstBaseTransform *trans,
    GstQuery *decide_query, GstQuery *query)
{
  GstCaps *caps;

  gst_query_parse_allocation (query, &caps, NULL);
  if (!caps || !gst_y10_overlay_caps_is_cuda (caps))
    return GST_BASE_TRANSFORM_CLASS (gst_yolov10_overlay_parent_class)
        ->propose_allocation (trans, decide_query, query);
  gst_pad_peer_query (trans->srcpad, query);
  if (!gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL))
    gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
  return TRUE;
}

static gboolean
gst_yolov10_overlay_query (GstBaseTransform *trans, GstPadDirection direction,
    GstQuery *query)
{
  return gst_y10_overlay_answer_privacy (GST_YOLOV10_OVERLAY (trans), direction,
             query)
      || GST_BASE_TRANSFORM_CLASS (gst_yolov10_overlay_parent_class)
             ->query (trans, direction, query);
}

static void
gst_yolov10_overlay_finalize (GObject *object)
{
  GstYolov10Overlay *self = GST_YOLOV10_OVERLAY (object);

  gst_y10_labels_free (self->labels);
  gst_y10_reading_clear (&self->reading);
  gst_y10_unpacked_clear (&self->unpacked);
  gst_y10_painter_free (self->painter);
  g_array_unref (self->drawings);
  g_array_unref (self->boxes);
  g_array_unref (self->outlines);
  g_array_unref (self->covered);
  gst_y10_settings_unref (self->now);
  gst_y10_settings_unref (self->parent.settings);
  G_OBJECT_CLASS (gst_yolov10_overlay_parent_class)->finalize (object);
}

static void
gst_yolov10_overlay_class_init (GstYolov10OverlayClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);
  g_autoptr (GstCaps) caps = gst_y10_overlay_caps_template ();

  GST_DEBUG_CATEGORY_INIT (gst_yolov10_overlay_debug, "yolov10overlay", 0,
      "draws detections");
  gst_y10_inspection_register ();

  object_class->finalize = gst_yolov10_overlay_finalize;
  gst_y10_overlay_props_install (object_class);

  gst_element_class_set_static_metadata (element_class, "YOLOv10 overlay",
      "Filter/Editor/Video",
      "Draws boxes, labels and confidences of detected objects",
      "the yolov10detect authors");
  gst_element_class_add_pad_template (element_class,
      gst_pad_template_new ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, caps));
  gst_element_class_add_pad_template (element_class,
      gst_pad_template_new ("src", GST_PAD_SRC, GST_PAD_ALWAYS, caps));

  element_class->change_state = GST_DEBUG_FUNCPTR (
      gst_yolov10_overlay_change_state);
  trans_class->start = GST_DEBUG_FUNCPTR (gst_yolov10_overlay_start);
  trans_class->stop = GST_DEBUG_FUNCPTR (gst_yolov10_overlay_stop);
  trans_class->transform_caps = GST_DEBUG_FUNCPTR (
      gst_yolov10_overlay_transform_caps);
  trans_class->fixate_caps = GST_DEBUG_FUNCPTR (
      gst_yolov10_overlay_fixate_caps);
  trans_class->query = GST_DEBUG_FUNCPTR (gst_yolov10_overlay_query);
  trans_class->set_caps = GST_DEBUG_FUNCPTR (gst_yolov10_overlay_set_caps);
  trans_class->propose_allocation = GST_DEBUG_FUNCPTR (
      gst_yolov10_overlay_propose_allocation);
  trans_class->prepare_output_buffer = GST_DEBUG_FUNCPTR (
      gst_yolov10_overlay_prepare_output_buffer);
  trans_class->transform_ip = GST_DEBUG_FUNCPTR (
      gst_yolov10_overlay_transform_ip);
}

static void
gst_yolov10_overlay_init (GstYolov10Overlay *self)
{
  self->parent.settings = gst_y10_settings_new (&gst_y10_overlay_properties);
  gst_y10_sink_pad_init (GST_BASE_TRANSFORM (self));
  self->takes_cuda = TRUE;
  self->painter = gst_y10_painter_new (GST_ELEMENT (self));
  self->labels = gst_y10_labels_new ();
  gst_y10_reading_init (&self->reading);
  self->drawings = g_array_sized_new (FALSE, FALSE, sizeof (GstY10Drawing), 64);
  self->boxes = g_array_sized_new (FALSE, FALSE, sizeof (GstY10Rect), 64);
  self->outlines = g_array_sized_new (FALSE, FALSE, sizeof (GstY10Drawing), 64);
  self->covered = g_array_sized_new (FALSE, FALSE, sizeof (GstY10Rect), 64);
  gst_base_transform_set_gap_aware (GST_BASE_TRANSFORM (self), TRUE);
  gst_y10_overlays_add (self);
}
