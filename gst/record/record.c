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
 * MP4 that can be played at any time, even after the program was killed. Records all the
 * time, or only what is around events, from seconds before. A slow or full disk costs
 * recorded frames; the stream never waits for it.
 *
 * A pad `audio` that is requested takes AAC or Opus.
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
#include "record/element.h"
#include "spool/utc.h"

GST_DEBUG_CATEGORY (gst_yolov10_record_debug);
#define GST_CAT_DEFAULT gst_yolov10_record_debug

/* Between 1900, where NTP's time begins, and 1970; seconds. */
#define NTP_EPOCH G_GUINT64_CONSTANT (2208988800)

/* A camera's clock that is farther off is worth a warning, microseconds. */
#define MAX_CLOCK_ERROR (5 * G_USEC_PER_SEC)

/* Without a duration of its own, what is usual for a frame of Opus. AAC has the next two. */
#define OPUS_DURATION (20 * GST_MSECOND)
#define AAC_SAMPLES 1024

G_DEFINE_FINAL_TYPE (GstYolov10Record, gst_yolov10_record, GST_TYPE_ELEMENT)
GST_ELEMENT_REGISTER_DEFINE (yolov10record, "yolov10record", GST_RANK_NONE,
    GST_TYPE_YOLOV10_RECORD)

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (
        "video/x-h264, stream-format=(string)avc, alignment=(string)au; "
        "video/x-h265, stream-format=(string)hvc1, alignment=(string)au"));

static GstStaticPadTemplate audio_template = GST_STATIC_PAD_TEMPLATE ("audio",
    GST_PAD_SINK, GST_PAD_REQUEST,
    GST_STATIC_CAPS (
        "audio/mpeg, mpegversion=(int)4, stream-format=(string)raw, framed=(boolean)true; "
        "audio/x-opus, channel-mapping-family=(int)0"));

static GstY10RecordTrack
get_track (const GstYolov10Record *self, const GstPad *pad)
{
  return pad == self->pads[GST_Y10_RECORD_AUDIO] ? GST_Y10_RECORD_AUDIO
                                                 : GST_Y10_RECORD_VIDEO;
}

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

/* On the writer's thread. */
static void
on_clip (const GstY10RecordClip *clip, gpointer user)
{
  GstYolov10Record *self = user;
  g_autoptr (GString) from = g_string_new (NULL), to = g_string_new (NULL);

  gst_y10_utc_append (from, clip->from);
  gst_y10_utc_append (to, clip->to);
  gst_element_post_message (GST_ELEMENT (self),
      gst_message_new_element (GST_OBJECT (self),
          gst_structure_new ("yolov10record", "clip", G_TYPE_STRING, clip->file,
              "of", G_TYPE_STRING, clip->event, "reason", G_TYPE_STRING,
              clip->reason, "from", G_TYPE_STRING, from->str, "to",
              G_TYPE_STRING, to->str, NULL)));
}

static gboolean
is_set (const gchar *text)
{
  return text && *text;
}

static gboolean
open_writer (GstYolov10Record *self)
{
  g_autoptr (GstY10RecordSettings)
      settings = gst_y10_record_get_settings (self);
  g_autoptr (GError) error = NULL;
  const GstY10RecordWriterConfig config = {
    .location = settings->location,
    .events = is_set (settings->events) ? settings->events : NULL,
    .has_audio = self->pads[GST_Y10_RECORD_AUDIO] != NULL,
    .is_continuous = settings->mode != GST_YOLOV10_RECORD_EVENTS,
    .has_clips = settings->mode != GST_YOLOV10_RECORD_CONTINUOUS,
    .before = settings->before,
    .after = settings->after,
    .file_duration = settings->file_duration,
    .limits = { .max_age = { settings->max_age, settings->clip_max_age },
        .max_bytes = settings->max_bytes },
    .ring_bytes = settings->ring_bytes,
    .report = on_report,
    .on_clip = on_clip,
    .user = self,
  };
  GstY10RecordWriter *writer = NULL;

  if (is_set (settings->location))
    writer = gst_y10_record_writer_open (&config, &error);
  else
    g_set_error (&error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        "location is not set; expected a folder");
  if (!writer) {
    GST_Y10_ELEMENT_ERROR (self, error);
    return FALSE;
  }
  GST_OBJECT_LOCK (self);
  self->writer = writer;
  gst_y10_record_privacy_init (&self->privacy, settings->stream);
  GST_OBJECT_UNLOCK (self);
  for (guint i = 0; i < GST_Y10_RECORD_N_TRACKS; i++) {
    gst_segment_init (&self->segments[i], GST_FORMAT_UNDEFINED);
    self->has_ended[i] = FALSE;
  }
  self->told_clock = FALSE;
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
  for (guint i = 0; i < GST_Y10_RECORD_N_TRACKS; i++)
    gst_clear_caps (&self->caps[i]);
  g_clear_pointer (&self->format, gst_y10_record_format_unref);
  gst_y10_record_privacy_clear (&self->privacy);
}

/* Says that the stream has ended, once all pads have, and in PLAYING: bins forget what was
 * said before. */
static void
post_eos (GstYolov10Record *self)
{
  GstMessage *message;
  gboolean ended;

  g_mutex_lock (&self->lock);
  ended = self->is_playing;
  for (guint i = 0; i < GST_Y10_RECORD_N_TRACKS; i++)
    ended = ended && (!self->pads[i] || self->has_ended[i]);
  g_mutex_unlock (&self->lock);
  if (!ended)
    return;
  gst_y10_record_writer_drain (self->writer);
  message = gst_message_new_eos (GST_OBJECT (self));
  gst_message_set_seqnum (message, self->eos_seqnum);
  gst_element_post_message (GST_ELEMENT (self), message);
}

static void
set_playing (GstYolov10Record *self, gboolean is_playing)
{
  g_mutex_lock (&self->lock);
  self->is_playing = is_playing;
  g_mutex_unlock (&self->lock);
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
  if (transition == GST_STATE_CHANGE_PAUSED_TO_PLAYING) {
    set_playing (self, TRUE);
    post_eos (self);
  } else if (transition == GST_STATE_CHANGE_PLAYING_TO_PAUSED) {
    set_playing (self, FALSE);
  }
  return ret;
}

/* Keeps the format if it is the same, so that files need not end. Call with the lock. */
static gboolean
update_format (GstYolov10Record *self, GError **error)
{
  GstY10RecordFormat *format;

  if (!self->caps[GST_Y10_RECORD_VIDEO])
    return TRUE;
  format = gst_y10_record_format_new (self->caps[GST_Y10_RECORD_VIDEO],
      self->caps[GST_Y10_RECORD_AUDIO], error);
  if (!format)
    return FALSE;
  if (self->format && gst_y10_record_format_equal (self->format, format)) {
    gst_y10_record_format_unref (format);
    return TRUE;
  }
  g_clear_pointer (&self->format, gst_y10_record_format_unref);
  self->format = format;
  return TRUE;
}

static gboolean
set_caps (GstYolov10Record *self, GstY10RecordTrack track, GstCaps *caps)
{
  g_autoptr (GError) error = NULL;
  gboolean ok;

  g_mutex_lock (&self->lock);
  gst_caps_replace (&self->caps[track], caps);
  ok = update_format (self, &error);
  g_mutex_unlock (&self->lock);
  if (!ok)
    GST_Y10_ELEMENT_ERROR (self, error);
  return ok;
}

static void
end_stream (GstYolov10Record *self, GstY10RecordTrack track, GstEvent *event)
{
  g_mutex_lock (&self->lock);
  self->has_ended[track] = TRUE;
  self->eos_seqnum = gst_event_get_seqnum (event);
  g_mutex_unlock (&self->lock);
  post_eos (self);
}

static gboolean
gst_yolov10_record_sink_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstYolov10Record *self = GST_YOLOV10_RECORD (parent);
  const GstY10RecordTrack track = get_track (self, pad);
  gboolean ok = TRUE;
  GstCaps *caps;

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
      gst_event_parse_caps (event, &caps);
      ok = set_caps (self, track, caps);
      break;
    case GST_EVENT_SEGMENT:
      gst_event_copy_segment (event, &self->segments[track]);
      if (track == GST_Y10_RECORD_VIDEO)
        gst_y10_record_privacy_doubt (&self->privacy);
      break;
    case GST_EVENT_STREAM_START:
      self->has_ended[track] = FALSE;
      break;
    case GST_EVENT_FLUSH_STOP:
      gst_segment_init (&self->segments[track], GST_FORMAT_UNDEFINED);
      self->has_ended[track] = FALSE;
      break;
    case GST_EVENT_EOS:
      end_stream (self, track, event);
      break;
    default:
      return gst_pad_event_default (pad, parent, event);
  }
  gst_event_unref (event);
  return ok;
}

/* Returns whether @time has a running time, which is negative before the segment. */
static gboolean
get_running_time (const GstSegment *segment, GstClockTime time, gint64 *running)
{
  guint64 distance;
  const gint sign = gst_segment_to_running_time_full (segment, GST_FORMAT_TIME,
      time, &distance);

  *running = sign < 0 ? -(gint64) distance : (gint64) distance;
  return sign != 0;
}

/* When a frame was taken by its camera's clock, microseconds since 1970; 0: not known. */
static gint64
get_utc (GstYolov10Record *self, GstBuffer *buffer)
{
  const GstReferenceTimestampMeta *meta =
      gst_buffer_get_reference_timestamp_meta (buffer, self->ntp);

  if (meta)
    return meta->timestamp / GST_USECOND - NTP_EPOCH * G_USEC_PER_SEC;
  meta = gst_buffer_get_reference_timestamp_meta (buffer, self->unix_time);
  return meta ? (gint64) (meta->timestamp / GST_USECOND) : 0;
}

static void
check_clock (GstYolov10Record *self, const GstY10RecordFrame *frame)
{
  const gint64 ahead = frame->utc - frame->arrival;
  g_autoptr (GError) error = NULL;

  if (frame->utc == 0 || ABS (ahead) <= MAX_CLOCK_ERROR || self->told_clock)
    return;
  self->told_clock = TRUE;
  error = g_error_new (GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED,
      "the camera's clock is %" G_GINT64_FORMAT " s %s that of this machine",
      ABS (ahead) / G_USEC_PER_SEC, ahead < 0 ? "behind" : "ahead of");
  GST_Y10_ELEMENT_WARNING (self, error);
}

/* Returns: (transfer full): @buffer, or a copy where its memory is one of few, which a
 * camera or an encoder waits for. */
static GstBuffer *
keep (GstBuffer *buffer)
{
  GstBuffer *copy;

  if (!buffer->pool
      && gst_memory_is_type (gst_buffer_peek_memory (buffer, 0),
          GST_ALLOCATOR_SYSMEM))
    return buffer;
  copy = gst_buffer_copy_deep (buffer);
  gst_buffer_unref (buffer);
  return copy;
}

/* Audio says how long it is; all that follows from its caps. */
static GstClockTime
get_audio_duration (const GstBuffer *buffer, const GstY10Mp4Track *track)
{
  if (GST_BUFFER_DURATION_IS_VALID (buffer))
    return GST_BUFFER_DURATION (buffer);
  return track->codec == GST_Y10_MP4_OPUS
      ? OPUS_DURATION
      : gst_util_uint64_scale (AAC_SAMPLES, GST_SECOND, track->rate);
}

/* Sets what @frame's buffer says of its time. Returns whether it says it. */
static gboolean
set_times (GstY10RecordFrame *frame, const GstSegment *segment)
{
  const GstBuffer *buffer = frame->buffer;
  GstClockTime decoded;
  gint64 shown;

  frame->pts = GST_BUFFER_PTS (buffer);
  decoded = GST_BUFFER_DTS_IS_VALID (buffer) ? GST_BUFFER_DTS (buffer)
                                             : frame->pts;
  if (!get_running_time (segment, decoded, &frame->dts))
    return FALSE;
  if (!GST_BUFFER_PTS_IS_VALID (buffer))
    return TRUE;
  if (!get_running_time (segment, frame->pts, &shown))
    return FALSE;
  frame->offset = shown - frame->dts;
  return TRUE;
}

static GstFlowReturn
gst_yolov10_record_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstYolov10Record *self = GST_YOLOV10_RECORD (parent);
  GstY10RecordFrame frame = {
    .buffer = buffer,
    .track = get_track (self, pad),
    .duration = GST_CLOCK_TIME_NONE,
    .arrival = g_get_real_time (),
  };

  frame.sync = frame.track == GST_Y10_RECORD_VIDEO
      && !GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT);
  if (frame.track == GST_Y10_RECORD_VIDEO
      && !gst_y10_record_privacy_admits (&self->privacy, pad, frame.sync)) {
    gst_buffer_unref (buffer);
    gst_y10_record_writer_forget (self->writer);
    return GST_FLOW_ERROR;
  }
  g_mutex_lock (&self->lock);
  if (self->format)
    frame.format = gst_y10_record_format_ref (self->format);
  g_mutex_unlock (&self->lock);
  /* Before the video's caps are known, there is no file that audio could be in. */
  if (!frame.format && frame.track == GST_Y10_RECORD_AUDIO) {
    gst_buffer_unref (buffer);
    return GST_FLOW_OK;
  }
  if (!frame.format || frame.track >= frame.format->n_tracks
      || self->segments[frame.track].format != GST_FORMAT_TIME) {
    GST_ELEMENT_ERROR (self, CORE, NEGOTIATION, (NULL),
        ("found a buffer before caps and a segment in time"));
    gst_buffer_unref (buffer);
    g_clear_pointer (&frame.format, gst_y10_record_format_unref);
    return GST_FLOW_NOT_NEGOTIATED;
  }
  if (!set_times (&frame, &self->segments[frame.track])
      || gst_buffer_n_memory (buffer) == 0) {
    GST_WARNING_OBJECT (pad, "a frame without a time or data is not recorded");
    gst_y10_record_frame_clear (&frame);
    return GST_FLOW_OK;
  }
  if (frame.track == GST_Y10_RECORD_AUDIO) {
    frame.offset = 0;
    frame.duration = get_audio_duration (buffer,
        &frame.format->tracks[frame.track]);
  } else {
    frame.utc = get_utc (self, buffer);
    check_clock (self, &frame);
  }
  frame.buffer = keep (buffer);
  gst_y10_record_writer_push (self->writer, &frame);
  return GST_FLOW_OK;
}

static GstPad *
add_pad (GstYolov10Record *self, GstStaticPadTemplate *template,
    GstY10RecordTrack track)
{
  GstPad *pad = gst_pad_new_from_static_template (template,
      template->name_template);

  gst_pad_set_chain_function (pad, gst_yolov10_record_chain);
  gst_pad_set_event_function (pad, gst_yolov10_record_sink_event);
  g_mutex_lock (&self->lock);
  self->pads[track] = pad;
  self->has_ended[track] = FALSE;
  gst_segment_init (&self->segments[track], GST_FORMAT_UNDEFINED);
  g_mutex_unlock (&self->lock);
  gst_element_add_pad (GST_ELEMENT (self), pad);
  return pad;
}

static GstPad *
gst_yolov10_record_request_new_pad (GstElement *element,
    GstPadTemplate *template, const gchar *name, const GstCaps *caps)
{
  GstYolov10Record *self = GST_YOLOV10_RECORD (element);
  GstPad *pad;

  if (self->pads[GST_Y10_RECORD_AUDIO])
    return NULL;
  pad = add_pad (self, &audio_template, GST_Y10_RECORD_AUDIO);
  gst_pad_set_active (pad, TRUE);
  return pad;
}

static void
gst_yolov10_record_release_pad (GstElement *element, GstPad *pad)
{
  GstYolov10Record *self = GST_YOLOV10_RECORD (element);

  gst_pad_set_active (pad, FALSE);
  g_mutex_lock (&self->lock);
  self->pads[GST_Y10_RECORD_AUDIO] = NULL;
  gst_clear_caps (&self->caps[GST_Y10_RECORD_AUDIO]);
  update_format (self, NULL);
  g_mutex_unlock (&self->lock);
  gst_element_remove_pad (element, pad);
  if (self->writer)
    post_eos (self);
}

static void
request_clip (GstYolov10Record *self, guint64 before, guint64 after,
    const gchar *reason)
{
  g_autoptr (GError) error = NULL;

  GST_OBJECT_LOCK (self);
  if (!self->writer)
    error = g_error_new (GST_CORE_ERROR, GST_CORE_ERROR_STATE_CHANGE,
        "record: there is nothing to record below PAUSED");
  else if (self->settings->mode == GST_YOLOV10_RECORD_CONTINUOUS)
    error = g_error_new (GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
        "record: found mode=continuous, expected events or both");
  else
    gst_y10_record_writer_request (self->writer, before, after, reason);
  GST_OBJECT_UNLOCK (self);
  if (error)
    GST_Y10_ELEMENT_WARNING (self, error);
}

static void
gst_yolov10_record_finalize (GObject *object)
{
  GstYolov10Record *self = GST_YOLOV10_RECORD (object);

  gst_y10_settings_unref (self->settings);
  gst_clear_caps (&self->ntp);
  gst_clear_caps (&self->unix_time);
  g_mutex_clear (&self->lock);
  G_OBJECT_CLASS (gst_yolov10_record_parent_class)->finalize (object);
}

static void
gst_yolov10_record_class_init (GstYolov10RecordClass *klass)
{
  GObjectClass *class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (gst_yolov10_record_debug, "yolov10record", 0,
      "recordings");
  class->finalize = gst_yolov10_record_finalize;
  element_class->change_state = gst_yolov10_record_change_state;
  element_class->request_new_pad = gst_yolov10_record_request_new_pad;
  element_class->release_pad = gst_yolov10_record_release_pad;

  gst_y10_record_props_install (class);
  /**
   * GstYolov10Record::record:
   * @self: the element
   * @before: how much the clip is to have from before now, up to
   *   #GstYolov10Record:before, in nanoseconds
   * @after: how much from then on, in nanoseconds
   * @reason: (nullable): is told with the clip
   *
   * Makes a clip, as an event does. Any thread.
   *
   * Since: 0.2
   */
  g_signal_new_class_handler ("record", G_TYPE_FROM_CLASS (klass),
      G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION, G_CALLBACK (request_clip), NULL,
      NULL, NULL, G_TYPE_NONE, 3, G_TYPE_UINT64, G_TYPE_UINT64, G_TYPE_STRING);
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &audio_template);
  gst_element_class_set_static_metadata (element_class, "Camera recorder",
      "Sink/Video", "Records a camera's own H.264 or H.265",
      "the yolov10detect authors");
}

static void
gst_yolov10_record_init (GstYolov10Record *self)
{
  g_mutex_init (&self->lock);
  self->settings = gst_y10_settings_new (&gst_y10_record_properties);
  self->ntp = gst_caps_new_empty_simple ("timestamp/x-ntp");
  self->unix_time = gst_caps_new_empty_simple ("timestamp/x-unix");
  add_pad (self, &sink_template, GST_Y10_RECORD_VIDEO);
  GST_OBJECT_FLAG_SET (self, GST_ELEMENT_FLAG_SINK);
}
