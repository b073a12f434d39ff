/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The yolov10record element: times and formats of what arrives. All else is the writer's
 * thread. */

/**
 * SECTION:element-yolov10record
 * @title: yolov10record
 * @short_description: records a camera's own H.264 or H.265
 *
 * Writes what the camera has encoded, without encoding it again, into files of fragmented
 * MP4 that can be played at any time, even after the program was killed. A slow or full
 * disk costs recorded frames; the stream never waits for it.
 *
 * A stream with B-frames from RTP needs h264timestamper or h265timestamper behind the
 * parser, before anything that compares times with the recording.
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 -e rtspsrc location=rtsp://camera/stream protocols=tcp ! rtph264depay ! h264parse ! h264timestamper ! yolov10record location=/var/lib/recordings/yard
 * ]| A file for every ten minutes.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "record/record.h"

#include "common/elementerror.h"
#include "record/privacy.h"
#include "record/writer.h"

GST_DEBUG_CATEGORY (gst_yolov10_record_debug);
#define GST_CAT_DEFAULT gst_yolov10_record_debug

#define DEFAULT_FILE_DURATION (600 * GST_SECOND)
#define DEFAULT_RING_BYTES (G_GUINT64_CONSTANT (32) << 20)

#define GST_TYPE_YOLOV10_RECORD (gst_yolov10_record_get_type ())
G_DECLARE_FINAL_TYPE (GstYolov10Record, gst_yolov10_record, GST, YOLOV10_RECORD,
    GstElement)

struct _GstYolov10Record
{
  GstElement parent;

  /* Settings, under the object lock. */
  gchar *location, *stream;
  GstClockTime file_duration, max_age;
  guint64 max_bytes, ring_bytes;

  GstY10RecordWriter *writer; /* from READY to PAUSED until back in READY */
  /* The streaming thread's. */
  GstSegment segment;
  GstY10RecordFormat *format;
  GstY10RecordPrivacy privacy;
};

G_DEFINE_FINAL_TYPE (GstYolov10Record, gst_yolov10_record, GST_TYPE_ELEMENT)
GST_ELEMENT_REGISTER_DEFINE (yolov10record, "yolov10record", GST_RANK_NONE,
    GST_TYPE_YOLOV10_RECORD)

enum
{
  PROP_0,
  PROP_LOCATION,
  PROP_FILE_DURATION,
  PROP_MAX_AGE,
  PROP_MAX_BYTES,
  PROP_RING_BYTES,
  PROP_STREAM,
  PROP_STATS,
};

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (
        "video/x-h264, stream-format=(string)avc, alignment=(string)au; "
        "video/x-h265, stream-format=(string)hvc1, alignment=(string)au"));

/* On the writer's thread. */
static void
on_report (const gchar *name, const GError *error, gpointer user)
{
  GstYolov10Record *self = user;

  if (error)
    GST_Y10_ELEMENT_WARNING (self, error);
  else
    gst_element_post_message (GST_ELEMENT (self),
        gst_message_new_element (GST_OBJECT (self),
            gst_structure_new ("yolov10record", "file", G_TYPE_STRING, name,
                NULL)));
}

static gboolean
open_writer (GstYolov10Record *self)
{
  g_autofree gchar *location = NULL;
  g_autoptr (GError) error = NULL;
  GstY10RecordWriterConfig config = { .report = on_report, .user = self };
  GstY10RecordWriter *writer;

  GST_OBJECT_LOCK (self);
  location = g_strdup (self->location);
  config.file_duration = self->file_duration;
  config.max_age = self->max_age;
  config.max_bytes = self->max_bytes;
  config.ring_bytes = self->ring_bytes;
  GST_OBJECT_UNLOCK (self);
  config.location = location;
  if (!location || !*location) {
    g_set_error (&error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        "location is not set; expected a folder");
    GST_Y10_ELEMENT_ERROR (self, error);
    return FALSE;
  }
  writer = gst_y10_record_writer_open (&config, &error);
  if (!writer) {
    GST_Y10_ELEMENT_ERROR (self, error);
    return FALSE;
  }
  GST_OBJECT_LOCK (self);
  self->writer = writer;
  gst_y10_record_privacy_init (&self->privacy, self->stream);
  GST_OBJECT_UNLOCK (self);
  gst_segment_init (&self->segment, GST_FORMAT_UNDEFINED);
  return TRUE;
}

static void
close_writer (GstYolov10Record *self)
{
  GstY10RecordWriter *writer;

  GST_OBJECT_LOCK (self);
  writer = g_steal_pointer (&self->writer);
  GST_OBJECT_UNLOCK (self);
  if (writer)
    gst_y10_record_writer_close (writer);
  g_clear_pointer (&self->format, gst_y10_record_format_unref);
  gst_y10_record_privacy_clear (&self->privacy);
}

static GstStateChangeReturn
gst_yolov10_record_change_state (GstElement *element, GstStateChange transition)
{
  GstYolov10Record *self = GST_YOLOV10_RECORD (element);
  GstStateChangeReturn ret;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED && !open_writer (self))
    return GST_STATE_CHANGE_FAILURE;
  ret = GST_ELEMENT_CLASS (gst_yolov10_record_parent_class)
            ->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY
      || (transition == GST_STATE_CHANGE_READY_TO_PAUSED
          && ret == GST_STATE_CHANGE_FAILURE))
    close_writer (self);
  return ret;
}

static gboolean
set_caps (GstYolov10Record *self, const GstCaps *caps)
{
  g_autoptr (GError) error = NULL;
  GstY10RecordFormat *format = gst_y10_record_format_new (caps, 1, &error);

  if (!format) {
    GST_Y10_ELEMENT_ERROR (self, error);
    return FALSE;
  }
  if (self->format && gst_y10_record_format_equal (self->format, format)) {
    gst_y10_record_format_unref (format);
    return TRUE;
  }
  g_clear_pointer (&self->format, gst_y10_record_format_unref);
  self->format = format;
  return TRUE;
}

static gboolean
gst_yolov10_record_sink_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstYolov10Record *self = GST_YOLOV10_RECORD (parent);
  gboolean ok = TRUE;
  GstCaps *caps;

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
      gst_event_parse_caps (event, &caps);
      ok = set_caps (self, caps);
      break;
    case GST_EVENT_SEGMENT:
      gst_event_copy_segment (event, &self->segment);
      gst_y10_record_privacy_doubt (&self->privacy);
      break;
    case GST_EVENT_FLUSH_STOP:
      gst_segment_init (&self->segment, GST_FORMAT_UNDEFINED);
      break;
    case GST_EVENT_EOS: {
      GstMessage *message = gst_message_new_eos (parent);

      gst_y10_record_writer_drain (self->writer);
      gst_message_set_seqnum (message, gst_event_get_seqnum (event));
      gst_element_post_message (GST_ELEMENT (self), message);
      break;
    }
    default:
      return gst_pad_event_default (pad, parent, event);
  }
  gst_event_unref (event);
  return ok;
}

/* Returns whether @time has a running time, which is negative before the segment. */
static gboolean
get_running_time (const GstYolov10Record *self, GstClockTime time,
    gint64 *running)
{
  guint64 distance;
  const gint sign = gst_segment_to_running_time_full (&self->segment,
      GST_FORMAT_TIME, time, &distance);

  *running = sign < 0 ? -(gint64) distance : (gint64) distance;
  return sign != 0;
}

static GstFlowReturn
gst_yolov10_record_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstYolov10Record *self = GST_YOLOV10_RECORD (parent);
  GstY10RecordFrame frame = {
    .buffer = buffer,
    .duration = GST_CLOCK_TIME_NONE,
    .utc = g_get_real_time (),
    .sync = !GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT),
  };
  GstClockTime shown, decoded;
  gint64 pts;

  if (!gst_y10_record_privacy_admits (&self->privacy, pad, frame.sync)) {
    gst_buffer_unref (buffer);
    return GST_FLOW_ERROR;
  }
  if (!self->format || self->segment.format != GST_FORMAT_TIME) {
    GST_ELEMENT_ERROR (self, CORE, NEGOTIATION, (NULL),
        ("found a buffer before caps and a segment in time"));
    gst_buffer_unref (buffer);
    return GST_FLOW_NOT_NEGOTIATED;
  }
  shown = GST_BUFFER_PTS_IS_VALID (buffer) ? GST_BUFFER_PTS (buffer)
                                           : GST_BUFFER_DTS (buffer);
  decoded = GST_BUFFER_DTS_IS_VALID (buffer) ? GST_BUFFER_DTS (buffer) : shown;
  if (!get_running_time (self, shown, &pts)
      || !get_running_time (self, decoded, &frame.dts)) {
    GST_WARNING_OBJECT (pad, "a frame without a time is not recorded");
    gst_buffer_unref (buffer);
    return GST_FLOW_OK;
  }
  frame.offset = pts - frame.dts;
  frame.format = gst_y10_record_format_ref (self->format);
  gst_y10_record_writer_push (self->writer, &frame);
  return GST_FLOW_OK;
}

static GstStructure *
get_stats (GstYolov10Record *self)
{
  GstY10RecordCounts counts = { 0 };

  if (self->writer)
    counts = gst_y10_record_writer_count (self->writer);
  return gst_structure_new ("stats", "frames", G_TYPE_UINT64, counts.n_frames,
      "lost", G_TYPE_UINT64, counts.n_lost, "files", G_TYPE_UINT64,
      counts.n_files, NULL);
}

static void
gst_yolov10_record_get_property (GObject *object, guint id, GValue *value,
    GParamSpec *pspec)
{
  GstYolov10Record *self = GST_YOLOV10_RECORD (object);

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_LOCATION:
      g_value_set_string (value, self->location);
      break;
    case PROP_FILE_DURATION:
      g_value_set_uint64 (value, self->file_duration);
      break;
    case PROP_MAX_AGE:
      g_value_set_uint64 (value, self->max_age);
      break;
    case PROP_MAX_BYTES:
      g_value_set_uint64 (value, self->max_bytes);
      break;
    case PROP_RING_BYTES:
      g_value_set_uint64 (value, self->ring_bytes);
      break;
    case PROP_STREAM:
      g_value_set_string (value, self->stream);
      break;
    case PROP_STATS:
      g_value_take_boxed (value, get_stats (self));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  }
  GST_OBJECT_UNLOCK (self);
}

static void
gst_yolov10_record_set_property (GObject *object, guint id, const GValue *value,
    GParamSpec *pspec)
{
  GstYolov10Record *self = GST_YOLOV10_RECORD (object);

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_LOCATION:
      g_free (self->location);
      self->location = g_value_dup_string (value);
      break;
    case PROP_FILE_DURATION:
      self->file_duration = g_value_get_uint64 (value);
      break;
    case PROP_MAX_AGE:
      self->max_age = g_value_get_uint64 (value);
      break;
    case PROP_MAX_BYTES:
      self->max_bytes = g_value_get_uint64 (value);
      break;
    case PROP_RING_BYTES:
      self->ring_bytes = g_value_get_uint64 (value);
      break;
    case PROP_STREAM:
      g_free (self->stream);
      self->stream = g_value_dup_string (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  }
  GST_OBJECT_UNLOCK (self);
}

static void
gst_yolov10_record_finalize (GObject *object)
{
  GstYolov10Record *self = GST_YOLOV10_RECORD (object);

  g_free (self->location);
  g_free (self->stream);
  G_OBJECT_CLASS (gst_yolov10_record_parent_class)->finalize (object);
}

static void
gst_yolov10_record_class_init (GstYolov10RecordClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
      | GST_PARAM_MUTABLE_READY;

  GST_DEBUG_CATEGORY_INIT (gst_yolov10_record_debug, "yolov10record", 0,
      "recordings");
  object_class->get_property = gst_yolov10_record_get_property;
  object_class->set_property = gst_yolov10_record_set_property;
  object_class->finalize = gst_yolov10_record_finalize;
  element_class->change_state = gst_yolov10_record_change_state;

  g_object_class_install_property (object_class, PROP_LOCATION,
      g_param_spec_string ("location", "Location",
          "Folder of the recordings of this stream alone; it is made if it is "
          "missing",
          NULL, flags));
  g_object_class_install_property (object_class, PROP_FILE_DURATION,
      g_param_spec_uint64 ("file-duration", "File duration",
          "A file ends at the first key frame after this time, in nanoseconds",
          GST_SECOND, 24 * 3600 * GST_SECOND, DEFAULT_FILE_DURATION, flags));
  g_object_class_install_property (object_class, PROP_MAX_AGE,
      g_param_spec_uint64 ("max-age", "Maximum age",
          "Delete recordings that ended longer ago than this, in nanoseconds. "
          "0: never",
          0, G_MAXINT64, 0, flags));
  g_object_class_install_property (object_class, PROP_MAX_BYTES,
      g_param_spec_uint64 ("max-bytes", "Maximum bytes",
          "Delete the oldest recordings beyond this size of all in the "
          "folder. 0: never",
          0, G_MAXINT64, 0, flags));
  g_object_class_install_property (object_class, PROP_RING_BYTES,
      g_param_spec_uint64 ("ring-bytes", "Ring bytes",
          "Frames that wait for a slow disk, in bytes; beyond that, the oldest "
          "are lost",
          1 << 20, G_MAXUINT64 / 2, DEFAULT_RING_BYTES, flags));
  /**
   * GstYolov10Record:stream:
   *
   * If a yolov10overlay of this process declares the same name in its
   * #GstYolov10Overlay:stream and has #GstYolov10Overlay:privacy on, or
   * controlled, only what it has covered is recorded. If anything else arrives,
   * the element posts an error and records nothing more. It follows the links
   * upstream, which end at appsrc.
   *
   * Since: 0.2
   */
  g_object_class_install_property (object_class, PROP_STREAM,
      g_param_spec_string ("stream", "Stream",
          "Name of the stream. While a yolov10overlay with privacy has the same, "
          "only what it has covered is recorded. Empty: what arrives is recorded",
          "", flags));
  g_object_class_install_property (object_class, PROP_STATS,
      g_param_spec_boxed ("stats", "Stats",
          "Frames written, frames lost and files, since the element started",
          GST_TYPE_STRUCTURE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_set_static_metadata (element_class, "Camera recorder",
      "Sink/Video", "Records a camera's own H.264 or H.265",
      "the yolov10detect authors");
}

static void
gst_yolov10_record_init (GstYolov10Record *self)
{
  GstPad *pad = gst_pad_new_from_static_template (&sink_template, "sink");

  self->file_duration = DEFAULT_FILE_DURATION;
  self->ring_bytes = DEFAULT_RING_BYTES;
  self->stream = g_strdup ("");
  gst_pad_set_chain_function (pad, gst_yolov10_record_chain);
  gst_pad_set_event_function (pad, gst_yolov10_record_sink_event);
  gst_element_add_pad (GST_ELEMENT (self), pad);
  GST_OBJECT_FLAG_SET (self, GST_ELEMENT_FLAG_SINK);
}
