/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The yolov10publish element: which frames and events become lines, and when a line may
 * wait. It changes nothing that passes, so any caps do; only for pictures of
 * events must they be raw video. Where nothing follows it, it is a sink. */

/**
 * SECTION:element-yolov10publish
 * @title: yolov10publish
 * @short_description: writes results and events as lines of JSON
 *
 * Writes what yolov10detect and yolov10zones upstream have found, to a file or a spool.
 * Frames and events are in the order in which they pass.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 -q uridecodebin uri=file:///tmp/street.mp4 ! videoconvert ! yolov10detect model-file=yolov10n.safetensors ! yolov10publish location=-
 * ]| Prints a line for each frame.
 * |[
 * gst-launch-1.0 -e v4l2src ! videoconvert ! yolov10detect model-file=yolov10n.safetensors ! yolov10track ! yolov10zones zones="yard=0,0.5 1,1" ! yolov10publish spool=/var/lib/events content=events max-age=604800000000000 ! fakesink
 * ]| Keeps for a week who entered and left the lower half of the picture.
 * |[
 * gst-launch-1.0 -e v4l2src ! videoconvert ! yolov10detect model-file=yolov10n.safetensors ! yolov10track ! yolov10zones zones="yard=0,0.5 1,1" ! yolov10publish spool=/var/lib/events content=events uri=mqtt://broker.local/y10 home-assistant=true ! fakesink
 * ]| Tells Home Assistant who enters and leaves, and how many are there.
 */
#include "publish/publish.h"

#include "common/elementerror.h"
#include "common/sinkpad.h"
#include "meta/inspection.h"
#include "publish/element.h"

GST_DEBUG_CATEGORY (gst_yolov10_publish_debug);
#define GST_CAT_DEFAULT gst_yolov10_publish_debug

G_DEFINE_FINAL_TYPE (GstYolov10Publish, gst_yolov10_publish,
    GST_TYPE_BASE_TRANSFORM)
GST_ELEMENT_REGISTER_DEFINE (yolov10publish, "yolov10publish", GST_RANK_NONE,
    GST_TYPE_YOLOV10_PUBLISH)

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

static gboolean
gst_yolov10_publish_start (GstBaseTransform *trans)
{
  GstYolov10Publish *self = GST_YOLOV10_PUBLISH (trans);
  g_autoptr (GError) error = NULL;

  g_atomic_int_set (&self->live_known, 0);
  g_atomic_int_set (&self->privacy_known, 0);
  self->info.finfo = NULL;
  self->told_caps = FALSE;
  GST_OBJECT_LOCK (self);
  g_clear_pointer (&self->covers_below, g_free);
  GST_OBJECT_UNLOCK (self);
  if (gst_y10_publish_open (self, &error))
    return TRUE;
  GST_Y10_ELEMENT_ERROR (self, error);
  return FALSE;
}

static gboolean
gst_yolov10_publish_stop (GstBaseTransform *trans)
{
  gst_y10_publish_close (GST_YOLOV10_PUBLISH (trans));
  return TRUE;
}

/* Asks upstream whether it is live, and so must not wait, where that is not known. */
static void
find_live (GstYolov10Publish *self)
{
  g_autoptr (GstQuery) query = NULL;
  gboolean is_live = FALSE;

  if (!g_atomic_int_compare_and_exchange (&self->live_known, 0, 1))
    return;
  query = gst_query_new_latency ();
  if (gst_pad_peer_query (GST_BASE_TRANSFORM_SINK_PAD (self), query))
    gst_query_parse_latency (query, &is_live, NULL, NULL);
  else
    g_atomic_int_set (&self->live_known, 0);
  self->is_live = is_live;
}

static void
on_frame_line (const gchar *json, gpointer user)
{
  gst_y10_publish_put (user, GST_Y10_LINE_FRAME, json);
}

static void
warn_caps (GstYolov10Publish *self)
{
  g_autoptr (GstCaps)
      caps = gst_pad_get_current_caps (GST_BASE_TRANSFORM_SINK_PAD (self));

  if (!self->told_caps)
    GST_ELEMENT_WARNING (self, STREAM, FORMAT,
        ("Events have no pictures, since their frames are no raw video."),
        ("snapshots: found %" GST_PTR_FORMAT
         ", expected video/x-raw; put the element behind a decoder",
            caps));
  self->told_caps = TRUE;
}

/* Gives the frame to the events before it. Returns FALSE where pictures must not be taken,
 * and looks for that at the first frame, too, before there are events. */
static gboolean
take_picture (GstYolov10Publish *self, GstBuffer *buffer)
{
  const gboolean wanted = gst_y10_snapshots_wants_frame (self->snapshots);
  gboolean is_covered;

  if (!wanted && g_atomic_int_get (&self->privacy_known))
    return TRUE;
  g_atomic_int_set (&self->privacy_known, 1);
  if (!gst_y10_publish_check_privacy (self, &is_covered)) {
    gst_y10_snapshots_drop (self->snapshots);
    return FALSE;
  }
  if (!wanted)
    return TRUE;
  if (self->info.finfo) {
    gst_y10_snapshots_put_frame (self->snapshots, buffer, &self->info,
        is_covered, !self->is_live);
  } else {
    warn_caps (self);
    gst_y10_snapshots_drop (self->snapshots);
  }
  return TRUE;
}

static GstFlowReturn
gst_yolov10_publish_transform_ip (GstBaseTransform *trans, GstBuffer *buffer)
{
  GstYolov10Publish *self = GST_YOLOV10_PUBLISH (trans);
  GstFlowReturn result;
  const gboolean is_sink = gst_y10_sink_wait (&self->sink, &result);

  if (result != GST_FLOW_OK)
    return result;
  gst_y10_publish_note_zones (self, buffer);
  if (self->snapshots && !take_picture (self, buffer))
    return GST_FLOW_ERROR;
  if (self->content == GST_YOLOV10_PUBLISH_FRAMES
      || self->content == GST_YOLOV10_PUBLISH_ALL) {
    find_live (self);
    gst_y10_frame_lines_make (&self->frames, buffer, on_frame_line, self);
  }
  return is_sink ? GST_BASE_TRANSFORM_FLOW_DROPPED : GST_FLOW_OK;
}

static void
take_event (GstYolov10Publish *self, GstEvent *event)
{
  const gchar *json = gst_y10_event_line (gst_event_get_structure (event));

  if (!json || self->content == GST_YOLOV10_PUBLISH_FRAMES
      || self->content == GST_YOLOV10_PUBLISH_NONE)
    return;
  find_live (self);
  gst_y10_publish_put_event (self, gst_event_get_structure (event), json);
}

static void
take_caps (GstYolov10Publish *self, GstEvent *event)
{
  GstCaps *caps;

  gst_event_parse_caps (event, &caps);
  if (!gst_structure_has_name (gst_caps_get_structure (caps, 0), "video/x-raw")
      || !gst_video_info_from_caps (&self->info, caps))
    self->info.finfo = NULL;
  self->told_caps = FALSE;
}

static gboolean
gst_yolov10_publish_sink_event (GstBaseTransform *trans, GstEvent *event)
{
  GstYolov10Publish *self = GST_YOLOV10_PUBLISH (trans);

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CUSTOM_DOWNSTREAM:
      take_event (self, event);
      break;
    case GST_EVENT_STREAM_START:
      g_atomic_int_set (&self->live_known, 0);
      g_atomic_int_set (&self->privacy_known, 0);
      break;
    case GST_EVENT_CAPS:
      take_caps (self, event);
      break;
    case GST_EVENT_FLUSH_START:
      gst_y10_sink_set_flushing (&self->sink, TRUE);
      gst_y10_publish_set_flushing (self, TRUE);
      break;
    case GST_EVENT_FLUSH_STOP:
      gst_y10_sink_set_flushing (&self->sink, FALSE);
      gst_y10_publish_set_flushing (self, FALSE);
      break;
    case GST_EVENT_EOS:
      gst_y10_publish_flush (self);
      break;
    default:
      break;
  }
  gst_y10_sink_post (&self->sink, event);
  return GST_BASE_TRANSFORM_CLASS (gst_yolov10_publish_parent_class)
      ->sink_event (trans, event);
}

static gboolean
gst_yolov10_publish_src_event (GstBaseTransform *trans, GstEvent *event)
{
  GstYolov10Publish *self = GST_YOLOV10_PUBLISH (trans);

  if (GST_EVENT_TYPE (event) == GST_EVENT_LATENCY)
    g_atomic_int_set (&self->live_known, 0);
  else if (GST_EVENT_TYPE (event) == GST_EVENT_RECONFIGURE)
    g_atomic_int_set (&self->privacy_known, 0);
  else if (gst_event_has_name (event, GST_Y10_PRIVACY_EVENT))
    gst_y10_publish_note_privacy (self, event);
  return GST_BASE_TRANSFORM_CLASS (gst_yolov10_publish_parent_class)
      ->src_event (trans, event);
}

static GstStateChangeReturn
gst_yolov10_publish_change_state (GstElement *element,
    GstStateChange transition)
{
  GstYolov10Publish *self = GST_YOLOV10_PUBLISH (element);

  /* What waits for room holds the lock that the pads' end needs. */
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    gst_y10_publish_set_flushing (self, TRUE);
  gst_y10_sink_change_state (&self->sink, transition);
  return GST_ELEMENT_CLASS (gst_yolov10_publish_parent_class)
      ->change_state (element, transition);
}

static void
gst_yolov10_publish_finalize (GObject *object)
{
  GstYolov10Publish *self = GST_YOLOV10_PUBLISH (object);

  gst_y10_publish_close (self);
  gst_y10_sink_clear (&self->sink);
  gst_y10_frame_lines_clear (&self->frames);
  g_string_free (self->line, TRUE);
  g_free (self->stream);
  g_free (self->covers_below);
  gst_y10_settings_unref (self->parent.settings);
  g_mutex_clear (&self->lock);
  G_OBJECT_CLASS (gst_yolov10_publish_parent_class)->finalize (object);
}

static void
gst_yolov10_publish_class_init (GstYolov10PublishClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (gst_yolov10_publish_debug, "yolov10publish", 0,
      "writes results and events");

  object_class->finalize = gst_yolov10_publish_finalize;
  gst_y10_publish_props_install (object_class);

  gst_element_class_set_static_metadata (element_class, "YOLOv10 publish",
      "Filter/Analyzer/Video",
      "Writes results and events as lines of JSON, to a file or a spool",
      "the yolov10detect authors");
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);

  element_class->change_state = GST_DEBUG_FUNCPTR (
      gst_yolov10_publish_change_state);
  trans_class->start = GST_DEBUG_FUNCPTR (gst_yolov10_publish_start);
  trans_class->stop = GST_DEBUG_FUNCPTR (gst_yolov10_publish_stop);
  trans_class->sink_event = GST_DEBUG_FUNCPTR (gst_yolov10_publish_sink_event);
  trans_class->src_event = GST_DEBUG_FUNCPTR (gst_yolov10_publish_src_event);
  trans_class->transform_ip = GST_DEBUG_FUNCPTR (
      gst_yolov10_publish_transform_ip);
}

static void
gst_yolov10_publish_init (GstYolov10Publish *self)
{
  GstBaseTransform *trans = GST_BASE_TRANSFORM (self);

  gst_y10_sink_pad_init (trans);
  gst_y10_sink_init (&self->sink, GST_ELEMENT (self),
      GST_BASE_TRANSFORM_SRC_PAD (trans));
  g_mutex_init (&self->lock);
  self->parent.settings = gst_y10_settings_new (&gst_y10_publish_properties);
  gst_y10_frame_lines_init (&self->frames);
  self->line = g_string_sized_new (4096);
  gst_base_transform_set_passthrough (trans, TRUE);
  gst_base_transform_set_gap_aware (trans, TRUE);
}
