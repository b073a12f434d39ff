/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Whether all of a video was decoded. GStreamer ends a stream that breaks off as
 * it ends a whole one, so its length is compared with what the container says,
 * and frames that decoders dropped or warned of are noticed. The length is that
 * of the longest stream: a video may be shorter than its sound. */

#include "config.h"

#include "tool.h"

#ifdef HAVE_GST

#include "watch.h"

/* Lengths in headers are rounded, and do not agree on how long the last frame
 * lasts. */
#define TOLERANCE GST_SECOND
/* A stream that begins in the middle of something loses its first frames. */
#define BEGINNING (GST_SECOND / 2)

struct _ToolWatch
{
  GstElement *pipeline;         /* borrowed */
  GMutex lock;
  GstClockTime end;             /* of what any demuxer gave; under the lock */
  gint n_breaks_in;             /* atomic: announced to the decoder */

  guint64 n_corrupted;
  gint n_breaks_out;            /* as it announces them, when it drops one */
  GstClockTime first, first_break;
  char *warning;                /* the first one */
};

static GstClockTime
end_of (GstPad *pad, GstBuffer *buffer)
{
  GstClockTime time = GST_BUFFER_DTS_OR_PTS (buffer), end = 0;
  GstEvent *event;
  const GstSegment *segment;

  if (GST_BUFFER_PTS_IS_VALID (buffer))
    time = GST_BUFFER_PTS (buffer);
  event = gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT, 0);
  if (!event)
    return 0;
  gst_event_parse_segment (event, &segment);
  if (segment->format == GST_FORMAT_TIME && GST_CLOCK_TIME_IS_VALID (time)) {
    time = gst_segment_to_stream_time (segment, GST_FORMAT_TIME, time);
    if (GST_CLOCK_TIME_IS_VALID (time))
      end = time + (GST_BUFFER_DURATION_IS_VALID (buffer)
          ? GST_BUFFER_DURATION (buffer) : 0);
  }
  gst_event_unref (event);
  return end;
}

/* In a streaming thread. */
static GstPadProbeReturn
on_buffer (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  ToolWatch *self = user;
  GstClockTime end = end_of (pad, GST_PAD_PROBE_INFO_BUFFER (info));

  g_mutex_lock (&self->lock);
  self->end = MAX (self->end, end);
  g_mutex_unlock (&self->lock);
  return GST_PAD_PROBE_OK;
}

static void
on_pad_added (GstElement *demuxer, GstPad *pad, gpointer user)
{
  if (GST_PAD_IS_SRC (pad))
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_buffer, user, NULL);
}

/* In a streaming thread. */
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
  /* Others are about what is not installed, or about speed. */
  if (!self->warning && (g_error_matches (cause, GST_STREAM_ERROR,
              GST_STREAM_ERROR_DECODE)
          || g_error_matches (cause, GST_STREAM_ERROR, GST_STREAM_ERROR_DEMUX)
          || g_error_matches (cause, GST_STREAM_ERROR,
              GST_STREAM_ERROR_FORMAT)))
    self->warning = g_strdup (cause->message);
  g_error_free (cause);
}

char *
tool_watch_find_damage (ToolWatch *self)
{
  gint64 duration = 0;
  GstClockTime end;

  g_mutex_lock (&self->lock);
  end = self->end;
  g_mutex_unlock (&self->lock);
  gst_element_query_duration (self->pipeline, GST_FORMAT_TIME, &duration);
  if (end && duration > 0 && end + TOLERANCE < (GstClockTime) duration)
    return g_strdup_printf ("it ends after %.1f of %.1f seconds",
        (double) end / GST_SECOND, (double) duration / GST_SECOND);
  if (self->warning)
    return g_strdup (self->warning);
  if (GST_CLOCK_TIME_IS_VALID (self->first_break)
      && self->n_breaks_out > g_atomic_int_get (&self->n_breaks_in))
    return g_strdup_printf ("what comes near %.1f s cannot be decoded",
        (double) self->first_break / GST_SECOND);
  if (self->n_corrupted)
    return g_strdup_printf ("the decoder marks %" G_GUINT64_FORMAT
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
