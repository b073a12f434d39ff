/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Detects videos that were not decoded completely. GStreamer ends a truncated
 * stream like a complete one, so this file compares the duration of the longest
 * stream (a video may be shorter than its audio) with the duration in the
 * container, and counts frames that decoders drop or warn about. Decoders conceal
 * damage in H.264 and H.265 without marking the frames, so this file also checks
 * the lengths that MP4 and Matroska store before each NAL unit. */

#include "config.h"

#include "tool.h"

#ifdef HAVE_GST

#include "media/watch.h"

/* Durations in headers are rounded, and differ in whether they include the last
 * frame. */
#define TOLERANCE GST_SECOND
/* A stream that does not begin with a key frame loses its first frames. */
#define BEGINNING (GST_SECOND / 2)

struct _ToolWatch
{
  GstElement *pipeline;         /* borrowed */
  GMutex lock;
  GstClockTime end;             /* of all streams; guarded by the lock */
  gboolean any_broken;          /* guarded by the lock */
  GstClockTime broken;          /* time of the first frame with wrong lengths */
  gint n_breaks_in;             /* atomic: gaps announced to the decoder */
  gboolean partial;

  guint64 n_corrupted;
  gint n_breaks_out;            /* as it announces them, when it drops one */
  GstClockTime first, first_break;
  char *warning;                /* the first one */
};

/* One stream of a demuxer. */
typedef struct
{
  ToolWatch *watch;
  guint n_length;               /* bytes of length before each unit, or 0 */
} Stream;

/* Reads lengthSizeMinusOne (ISO/IEC 14496-15, 5.3.3 and 8.3.3). */
static guint
find_n_length (const GstCaps *caps)
{
  const GstStructure *s = gst_caps_get_structure (caps, 0);
  const char *format = gst_structure_get_string (s, "stream-format");
  const GValue *value = gst_structure_get_value (s, "codec_data");
  gboolean avc = gst_structure_has_name (s, "video/x-h264")
      && g_strcmp0 (format, "byte-stream") != 0;
  gboolean hevc = gst_structure_has_name (s, "video/x-h265")
      && g_strcmp0 (format, "byte-stream") != 0;
  guint8 byte;

  if ((!avc && !hevc) || !value || !GST_VALUE_HOLDS_BUFFER (value)
      || gst_buffer_extract (gst_value_get_buffer (value), avc ? 4 : 21, &byte,
          1) != 1)
    return 0;
  return 1 + (byte & 3);
}

/* Checks that the NAL units of a frame fill it; zeros may follow them. */
static gboolean
units_fit (GstBuffer *buffer, guint n_length)
{
  const gsize size = gst_buffer_get_size (buffer);
  guint8 bytes[4];
  gsize at = 0, length;

  while (size - at >= n_length) {
    gst_buffer_extract (buffer, at, bytes, n_length);
    at += n_length;
    length = 0;
    for (guint i = 0; i < n_length; i++)
      length = length << 8 | bytes[i];
    if (length > size - at)
      return FALSE;
    at += length;
  }
  return TRUE;
}

static GstClockTime
end_of (GstPad *pad, GstBuffer *buffer)
{
  GstClockTime time = GST_BUFFER_DTS_OR_PTS (buffer), end = 0, stream_time;
  GstEvent *event;
  const GstSegment *segment;

  if (GST_BUFFER_PTS_IS_VALID (buffer))
    time = GST_BUFFER_PTS (buffer);
  event = gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT, 0);
  if (!event)
    return 0;
  gst_event_parse_segment (event, &segment);
  if (segment->format == GST_FORMAT_TIME && GST_CLOCK_TIME_IS_VALID (time)) {
    /* A Matroska file that does not begin at 0 has a duration from 0 on, but
     * its demuxer shifts the stream time. */
    stream_time = gst_segment_to_stream_time (segment, GST_FORMAT_TIME, time);
    if (GST_CLOCK_TIME_IS_VALID (stream_time))
      end = MAX (time, stream_time) + (GST_BUFFER_DURATION_IS_VALID (buffer)
          ? GST_BUFFER_DURATION (buffer) : 0);
  }
  gst_event_unref (event);
  return end;
}

/* Runs in a streaming thread. */
static GstPadProbeReturn
on_data (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  Stream *stream = user;
  ToolWatch *self = stream->watch;
  GstBuffer *buffer;
  GstCaps *caps;
  GstClockTime end;
  gboolean broken;

  if (info->type & GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM) {
    if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_CAPS) {
      gst_event_parse_caps (GST_PAD_PROBE_INFO_EVENT (info), &caps);
      stream->n_length = find_n_length (caps);
    }
    return GST_PAD_PROBE_OK;
  }
  buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  end = end_of (pad, buffer);
  broken = stream->n_length && !units_fit (buffer, stream->n_length);
  g_mutex_lock (&self->lock);
  self->end = MAX (self->end, end);
  if (broken && !self->any_broken) {
    self->any_broken = TRUE;
    self->broken = end;
  }
  g_mutex_unlock (&self->lock);
  return GST_PAD_PROBE_OK;
}

static void
on_pad_added (GstElement *demuxer, GstPad *pad, gpointer user)
{
  Stream *stream;
  GstCaps *caps;

  if (!GST_PAD_IS_SRC (pad))
    return;
  stream = g_new0 (Stream, 1);
  stream->watch = user;
  /* Some demuxers set the caps before they add the pad. */
  caps = gst_pad_get_current_caps (pad);
  if (caps) {
    stream->n_length = find_n_length (caps);
    gst_caps_unref (caps);
  }
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER
      | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, on_data, stream, g_free);
}

/* Runs in a streaming thread. */
static GstPadProbeReturn
on_coded (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  ToolWatch *self = user;

  if (GST_BUFFER_IS_DISCONT (GST_PAD_PROBE_INFO_BUFFER (info)))
    g_atomic_int_inc (&self->n_breaks_in);
  return GST_PAD_PROBE_OK;
}

static void
watch_decoder (ToolWatch *self, GstElement *decoder)
{
  GstPad *pad = gst_element_get_static_pad (decoder, "sink");

  if (pad)
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_coded, self, NULL);
  gst_clear_object (&pad);
}

static void
on_element_added (GstBin *pipeline, GstBin *bin, GstElement *element,
    gpointer user)
{
  GstElementFactory *factory = gst_element_get_factory (element);

  if (factory && gst_element_factory_list_is_type (factory,
          GST_ELEMENT_FACTORY_TYPE_DEMUXER))
    g_signal_connect (element, "pad-added", G_CALLBACK (on_pad_added), user);
  else if (factory && gst_element_factory_list_is_type (factory,
          GST_ELEMENT_FACTORY_TYPE_DECODER)
      && gst_element_factory_list_is_type (factory,
          GST_ELEMENT_FACTORY_TYPE_MEDIA_VIDEO
          | GST_ELEMENT_FACTORY_TYPE_MEDIA_IMAGE))
    watch_decoder (user, element);
}

ToolWatch *
tool_watch_new (GstElement *pipeline)
{
  ToolWatch *self = g_new0 (ToolWatch, 1);

  self->pipeline = pipeline;
  g_mutex_init (&self->lock);
  self->first = self->first_break = GST_CLOCK_TIME_NONE;
  g_signal_connect (pipeline, "deep-element-added",
      G_CALLBACK (on_element_added), self);
  return self;
}

void
tool_watch_frame (ToolWatch *self, GstBuffer *buffer, guint64 time)
{
  if (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_CORRUPTED))
    self->n_corrupted++;
  if (!GST_CLOCK_TIME_IS_VALID (time))
    return;
  if (!GST_CLOCK_TIME_IS_VALID (self->first))
    self->first = time;
  if (!GST_BUFFER_IS_DISCONT (buffer))
    return;
  self->n_breaks_out++;
  if (time >= self->first + BEGINNING
      && !GST_CLOCK_TIME_IS_VALID (self->first_break))
    self->first_break = time;
}

void
tool_watch_warning (ToolWatch *self, GstMessage *message)
{
  GError *cause = NULL;

  gst_message_parse_warning (message, &cause, NULL);
  /* Other warnings concern missing plugins or speed. */
  if (!self->warning && (g_error_matches (cause, GST_STREAM_ERROR,
              GST_STREAM_ERROR_DECODE)
          || g_error_matches (cause, GST_STREAM_ERROR, GST_STREAM_ERROR_DEMUX)
          || g_error_matches (cause, GST_STREAM_ERROR,
              GST_STREAM_ERROR_FORMAT)))
    self->warning = g_strdup (cause->message);
  g_error_free (cause);
}

void
tool_watch_set_partial (ToolWatch *self)
{
  self->partial = TRUE;
}

char *
tool_watch_find_damage (ToolWatch *self)
{
  gint64 duration = 0;
  GstClockTime end, broken;
  gboolean any_broken;

  g_mutex_lock (&self->lock);
  end = self->end;
  any_broken = self->any_broken;
  broken = self->broken;
  g_mutex_unlock (&self->lock);
  gst_element_query_duration (self->pipeline, GST_FORMAT_TIME, &duration);
  if (!self->partial && end && duration > 0
      && end + TOLERANCE < (GstClockTime) duration)
    return g_strdup_printf ("ends after %.1f of %.1f seconds",
        (double) end / GST_SECOND, (double) duration / GST_SECOND);
  if (self->warning)
    return g_strdup (self->warning);
  if (any_broken)
    return g_strdup_printf ("a frame near %.1f s has wrong NAL unit lengths",
        (double) broken / GST_SECOND);
  if (GST_CLOCK_TIME_IS_VALID (self->first_break)
      && self->n_breaks_out > g_atomic_int_get (&self->n_breaks_in))
    return g_strdup_printf ("the data near %.1f s cannot be decoded",
        (double) self->first_break / GST_SECOND);
  if (self->n_corrupted)
    return g_strdup_printf ("the decoder marked %" G_GUINT64_FORMAT
        " frames as damaged", self->n_corrupted);
  return NULL;
}

void
tool_watch_free (ToolWatch *self)
{
  g_mutex_clear (&self->lock);
  g_free (self->warning);
  g_free (self);
}

#endif
