/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The yolov10detect element: class, caps negotiation, state changes and context
 * sharing. Buffers pass through with the same memory, pixels and timestamps;
 * only metadata is added. detect/pads.c implements the data flow.
 *
 * The session (model and engine) exists from start() to stop(), that is, from
 * PAUSED to READY, unless a reload replaces it. The properties are an immutable
 * configuration, which each frame references; what is parsed from them is made once
 * for a configuration. */

/**
 * SECTION:element-yolov10detect
 * @title: yolov10detect
 * @short_description: finds objects with a YOLO network
 *
 * Runs a YOLOv8, YOLOv10, YOLO11 or YOLO26 on video frames and attaches the detections as metadata.
 * The frames themselves pass unchanged; add yolov10overlay downstream to draw
 * the boxes.
 *
 * The element accepts new frames while earlier ones are being inferred, and
 * pushes them in order. In a live pipeline, when inference is slower than the
 * frame rate, it skips inference, never frames: frames that are not inferred
 * carry the latest boxes together with their age.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 v4l2src ! videoconvert ! yolov10detect ! yolov10overlay \
 *     ! videoconvert ! autovideosink sync=false
 * ]| Shows codes and markers seen by a camera. Without model-file, the element
 * uses the bundled model.
 * |[
 * gst-launch-1.0 filesrc location=bus.jpg ! decodebin ! videoconvert \
 *     ! yolov10detect model-file=yolov10n.safetensors ! yolov10overlay \
 *     ! videoconvert ! imagefreeze ! autovideosink
 * ]| Shows the objects in a picture.
 * |[
 * gst-launch-1.0 uridecodebin uri=file:///tmp/cars.mp4 ! videoconvert \
 *     ! yolov10detect model-file=yolov10n.safetensors classes=car,truck \
 *     confidence=0.5 ! yolov10overlay ! videoconvert ! autovideosink
 * ]| Shows the cars and trucks in a video.
 * |[
 * gst-launch-1.0 -v v4l2src ! videoconvert \
 *     ! yolov10detect model-file=yolov10n.safetensors input-size=320 ! fakesink
 * ]| Runs on a camera with a small network input and prints the device used.
 * |[
 * gst-launch-1.0 -m rtspsrc location=rtsp://camera/stream latency=200 ! decodebin \
 *     ! videoconvert ! yolov10detect post-messages=true ! fakesink
 * ]| Prints a message with JSON for each frame of an RTSP camera.
 * |[
 * gst-launch-1.0 rtspsrc location=rtsp://camera/ ! decodebin ! videoconvert \
 *     ! yolov10detect model-file=yolov10n.safetensors \
 *     encoder-hints=person=-8 ! msdkh264enc rate-control=cbr bitrate=1000 \
 *     ! h264parse ! matroskamux ! filesink location=camera.mkv
 * ]| Records a camera, encoding people at higher quality than the background.
 *
 * ## Metadata
 *
 * Each detection becomes a #GstVideoRegionOfInterestMeta whose type is the
 * label, with one parameter structure `detection`, and, with GStreamer 1.24 or
 * later, a #GstAnalyticsODMtd with the same id. Each frame gets one
 * `GstYolov10FrameMeta`, see y10/gstyolov10framemeta.h, even when nothing was
 * found. Coordinates are relative to the whole frame as described by
 * #GstVideoMeta or the caps. If a #GstVideoCropMeta restricts the visible
 * region, only that region is inferred, but coordinates still start at the
 * frame's own corner. Pixel aspect ratio is ignored: the network gets the
 * pixels as they are.
 *
 * With #GstYolov10Detect:encoder-hints each region also has a parameter structure
 * for each encoder that is known to read one: `roi/msdk`, `roi/vaapi`,
 * `roi/omx-alg` and `roi/niquadra`.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "detect/detect.h"

#include "common/elementerror.h"
#include "common/frame.h"
#include "detect/input.h"
#include "detect/lifecycle.h"
#include "detect/messages.h"
#include "detect/pads.h"
#include "detect/props.h"
#include "detect/recovery.h"
#include "detect/reload.h"
#include "meta/write.h"

GST_DEBUG_CATEGORY_EXTERN (gst_yolov10_detect_debug);
#define GST_CAT_DEFAULT gst_yolov10_detect_debug

G_DEFINE_FINAL_TYPE (GstYolov10Detect, gst_yolov10_detect,
    GST_TYPE_BASE_TRANSFORM);
GST_ELEMENT_REGISTER_DEFINE (yolov10detect, "yolov10detect", GST_RANK_NONE,
    GST_TYPE_YOLOV10_DETECT);

static GstPadProbeReturn check_caps (GstPad *pad, GstPadProbeInfo *info,
    gpointer user_data);

static void
gst_yolov10_detect_init (GstYolov10Detect *self)
{
  gst_y10_props_init (self);
  self->takes_cuda = TRUE;
  self->cuda = gst_y10_cuda_new (GST_ELEMENT (self));
  self->recovery = gst_y10_recovery_new (self);
  self->reload = gst_y10_reload_new (self);
  gst_y10_pads_init (self);
  gst_pad_add_probe (GST_BASE_TRANSFORM_SINK_PAD (self),
      GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, check_caps, self, NULL);
  gst_base_transform_set_in_place (GST_BASE_TRANSFORM (self), TRUE);
  gst_base_transform_set_gap_aware (GST_BASE_TRANSFORM (self), TRUE);
}

static void
gst_yolov10_detect_finalize (GObject *object)
{
  GstYolov10Detect *self = GST_YOLOV10_DETECT (object);

  gst_y10_recovery_free (self->recovery);
  gst_y10_reload_free (self->reload);
  gst_y10_pads_clear (self);
  gst_y10_props_clear (self);
  gst_y10_cuda_free (self->cuda);
  G_OBJECT_CLASS (gst_yolov10_detect_parent_class)->finalize (object);
}

static gboolean
gst_yolov10_detect_start (GstBaseTransform *base)
{
  GstYolov10Detect *self = GST_YOLOV10_DETECT (base);
  g_autoptr (GError) error = NULL;

  GST_OBJECT_LOCK (self);
  memset (&self->stats, 0, sizeof self->stats);
  gst_y10_latency_begin (&self->latency);
  GST_OBJECT_UNLOCK (self);
  gst_y10_pads_begin (self);
  if (!gst_y10_lifecycle_begin (self, &error)) {
    gst_y10_pads_end (self);
    GST_Y10_ELEMENT_ERROR (self, error);
    return FALSE;
  }
  gst_y10_props_warn (self);
  return TRUE;
}

static gboolean
gst_yolov10_detect_stop (GstBaseTransform *base)
{
  GstYolov10Detect *self = GST_YOLOV10_DETECT (base);

  gst_y10_lifecycle_end (self);
  gst_y10_pads_end (self);
  gst_y10_messages_engine_changed (GST_ELEMENT (self));
  return TRUE;
}

/* Looks for a CUDA context before start(): decoders open theirs between NULL
 * and READY, and state changes run from sink to source, so this element comes
 * first. */
static GstStateChangeReturn
gst_yolov10_detect_change_state (GstElement *element, GstStateChange transition)
{
  GstYolov10Detect *self = GST_YOLOV10_DETECT (element);
  GstStateChangeReturn result;

  if (transition == GST_STATE_CHANGE_NULL_TO_READY)
    gst_y10_lifecycle_open_cuda (self);
  result = GST_ELEMENT_CLASS (gst_yolov10_detect_parent_class)
               ->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_READY_TO_NULL) {
    gst_y10_cuda_close (self->cuda);
    GST_OBJECT_LOCK (self);
    self->takes_cuda = TRUE;
    GST_OBJECT_UNLOCK (self);
  }
  return result;
}

static void
gst_yolov10_detect_set_context (GstElement *element, GstContext *context)
{
  GstYolov10Detect *self = GST_YOLOV10_DETECT (element);
  gint device_id;

  GST_OBJECT_LOCK (self);
  device_id = self->config->device_id;
  GST_OBJECT_UNLOCK (self);
  gst_y10_cuda_set_context (self->cuda, context, device_id);
  GST_ELEMENT_CLASS (gst_yolov10_detect_parent_class)
      ->set_context (element, context);
}

static GstCaps *
gst_yolov10_detect_transform_caps (GstBaseTransform *base,
    GstPadDirection direction, GstCaps *caps, GstCaps *filter)
{
  g_autoptr (GstCaps)
      all = gst_yolov10_detect_takes_cuda (GST_YOLOV10_DETECT (base))
      ? gst_caps_ref (caps)
      : gst_y10_frame_system_caps (caps);

  return filter
      ? gst_caps_intersect_full (filter, all, GST_CAPS_INTERSECT_FIRST)
      : g_steal_pointer (&all);
}

/* Pads reject caps outside their template before the element sees them, and the
 * user would only get "not-negotiated" from upstream. */
static GstPadProbeReturn
check_caps (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);
  GstCaps *caps;

  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    gst_event_parse_caps (event, &caps);
    gst_y10_input_check_caps (GST_YOLOV10_DETECT (user_data), caps);
  }
  return GST_PAD_PROBE_OK;
}

/* Runs only while the frame queue is empty. */
static gboolean
gst_yolov10_detect_set_caps (GstBaseTransform *base, GstCaps *incaps,
    GstCaps *outcaps)
{
  return gst_y10_input_set_caps (GST_YOLOV10_DETECT (base), incaps);
}

/* Forwards the query downstream, since the element allocates no frames itself,
 * and adds the number of frames it holds. For CUDA memory it answers even if
 * downstream does not. */
static gboolean
gst_yolov10_detect_propose_allocation (GstBaseTransform *base,
    GstQuery *decide_query, GstQuery *query)
{
  GstYolov10Detect *self = GST_YOLOV10_DETECT (base);
  gboolean answered = gst_pad_peer_query (base->srcpad, query), cuda, skip;
  GstCaps *caps;
  guint frames;

  gst_query_parse_allocation (query, &caps, NULL);
  cuda = caps
      && gst_caps_features_contains (gst_caps_get_features (caps, 0),
          GST_Y10_FEATURE_CUDA);
  if (!cuda && !answered)
    return FALSE;
  GST_OBJECT_LOCK (self);
  frames = self->config->max_queued_frames;
  skip = gst_y10_policy_skips (self->config->late_policy, self->live);
  if (!frames)
    frames = gst_y10_policy_auto_frames (skip,
        gst_y10_policy_max_running (self->config->in_flight, skip),
        self->latency.reported, self->frame_duration);
  GST_OBJECT_UNLOCK (self);
  gst_y10_frame_propose (query, cuda, frames);
  return TRUE;
}

static void
gst_yolov10_detect_class_init (GstYolov10DetectClass *class)
{
  GObjectClass *object_class = G_OBJECT_CLASS (class);
  GstElementClass *element_class = GST_ELEMENT_CLASS (class);
  GstBaseTransformClass *base_class = GST_BASE_TRANSFORM_CLASS (class);
  g_autoptr (GstCaps) caps = gst_y10_frame_get_caps ();

  GST_DEBUG_CATEGORY_INIT (gst_yolov10_detect_debug, "yolov10detect", 0,
      "YOLOv10 object detection");
  gst_y10_attach_register_metas ();

  object_class->set_property = gst_y10_props_set;
  object_class->get_property = gst_y10_props_get;
  object_class->finalize = gst_yolov10_detect_finalize;
  gst_y10_props_install (object_class);
  gst_y10_messages_install (object_class);
  gst_y10_pads_install (base_class);

  gst_element_class_set_static_metadata (element_class,
      "YOLOv10 object detector", "Filter/Analyzer/Video",
      "Finds objects in video frames and attaches them as metadata",
      "the yolov10detect authors");
  gst_element_class_add_pad_template (element_class,
      gst_pad_template_new ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, caps));
  gst_element_class_add_pad_template (element_class,
      gst_pad_template_new ("src", GST_PAD_SRC, GST_PAD_ALWAYS, caps));
  element_class->change_state = GST_DEBUG_FUNCPTR (
      gst_yolov10_detect_change_state);
  element_class->set_context = GST_DEBUG_FUNCPTR (
      gst_yolov10_detect_set_context);

  base_class->start = GST_DEBUG_FUNCPTR (gst_yolov10_detect_start);
  base_class->stop = GST_DEBUG_FUNCPTR (gst_yolov10_detect_stop);
  base_class->transform_caps = GST_DEBUG_FUNCPTR (
      gst_yolov10_detect_transform_caps);
  base_class->set_caps = GST_DEBUG_FUNCPTR (gst_yolov10_detect_set_caps);
  base_class->propose_allocation = GST_DEBUG_FUNCPTR (
      gst_yolov10_detect_propose_allocation);
}
