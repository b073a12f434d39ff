/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Detects videos that were not decoded completely. GStreamer ends a truncated
 * stream like a complete one, so this file compares the duration of the longest
 * stream (a video may be shorter than its audio) with the duration in the
 * container, and counts frames that decoders leave out or warn about. Decoders conceal
 * damage in H.264 and H.265 without marking the frames, so this file also checks
 * the lengths that MP4 and Matroska store before each NAL unit. */

#include "config.h"

#include <string.h>

#include "media/container.h"
#include "media/movie.h"

#ifdef HAVE_GST

#include <gst/video/video.h>

#include "media/moviepad.h"
#include "media/watch.h"

/* Durations in headers are rounded, and differ in whether they include the last
 * frame. */
#define TOLERANCE GST_SECOND
/* A stream that does not begin with a key frame loses its first frames. */
#define BEGINNING (GST_SECOND / 2)
/* A frame that is shown for less may not be. */
#define ROUNDING GST_MSECOND

struct _ToolWatch
{
  GstElement *pipeline; /* borrowed */
  const char *path;     /* of the file, borrowed; NULL: a stream */
  GMutex lock;
  GPtrArray *streams;      /* of Stream; guarded by the lock */
  GPtrArray *demuxers;     /* guarded by the lock */
  ToolMoviePad *movie_pad; /* NULL: not a qtdemux, or not yet; likewise */
  GstClockTime end;        /* of all streams; guarded by the lock */
  gboolean any_broken;     /* guarded by the lock */
  GstClockTime broken;     /* time of the first frame with wrong lengths */
  gint n_breaks_in;        /* atomic: gaps announced to the decoder */
  gboolean partial;

  guint64 n_decoded, n_corrupted;
  gboolean any_fields; /* a frame may consist of two of the container's */
  gint n_breaks_out;   /* as it announces them, when it drops one */
  GstClockTime first, first_break;
  char *warning; /* the first one */
};

/* One stream of a demuxer. The counts are guarded by the watch's lock. */
typedef struct
{
  ToolWatch *watch;
  guint n_length; /* bytes of length before each unit, or 0 */
  gboolean is_video;
  gboolean is_from_zero;   /* its demuxer shifts stream times */
  gboolean ended;          /* and was wanted until then */
  guint id;                /* of the track in the container */
  guint64 n_read, n_shown; /* frames: all, and those in the segment */
  guint64 n_partly;        /* those that begin before it */
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
             1)
          != 1)
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

/* Counts a frame, and returns when it ends. */
static GstClockTime
note_frame (Stream *stream, const GstSegment *segment, GstBuffer *buffer)
{
  const guint64 pts = GST_BUFFER_PTS (buffer);
  GstClockTime time = GST_CLOCK_TIME_IS_VALID (pts) ? pts
                                                    : GST_BUFFER_DTS (buffer),
               stream_time;

  if (gst_buffer_get_size (buffer) > 0) {
    stream->n_read++;
    stream->n_shown += !GST_CLOCK_TIME_IS_VALID (pts)
        || (pts >= segment->start && pts < segment->stop);
    stream->n_partly += GST_CLOCK_TIME_IS_VALID (pts) && pts < segment->start
        && GST_BUFFER_DURATION_IS_VALID (buffer)
        && pts + GST_BUFFER_DURATION (buffer) >= segment->start + ROUNDING;
  }
  if (segment->format != GST_FORMAT_TIME || !GST_CLOCK_TIME_IS_VALID (time))
    return 0;
  stream_time = gst_segment_to_stream_time (segment, GST_FORMAT_TIME, time);
  if (!GST_CLOCK_TIME_IS_VALID (stream_time))
    return 0;
  /* A Matroska file that does not begin at 0 has a duration from 0 on. */
  if (stream->is_from_zero)
    stream_time = MAX (time, stream_time);
  return stream_time
      + (GST_BUFFER_DURATION_IS_VALID (buffer) ? GST_BUFFER_DURATION (buffer)
                                               : 0);
}

static void
take_buffer (Stream *stream, GstPad *pad, GstBuffer *buffer)
{
  g_autoptr (GstEvent)
      event = gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT, 0);
  const gboolean broken = stream->n_length
      && !units_fit (buffer, stream->n_length);
  ToolWatch *self = stream->watch;
  const GstSegment *segment;
  GstClockTime end = 0;

  g_mutex_lock (&self->lock);
  if (event) {
    gst_event_parse_segment (event, &segment);
    end = note_frame (stream, segment, buffer);
  }
  self->end = MAX (self->end, end);
  if (broken && !self->any_broken) {
    self->any_broken = TRUE;
    self->broken = end;
  }
  g_mutex_unlock (&self->lock);
}

static void
take_caps (Stream *stream, const GstCaps *caps)
{
  const char *name = gst_structure_get_name (gst_caps_get_structure (caps, 0));

  stream->n_length = find_n_length (caps);
  stream->is_video = g_str_has_prefix (name, "video/")
      || g_str_has_prefix (name, "image/");
}

static void
take_event (Stream *stream, GstPad *pad, GstEvent *event)
{
  GstCaps *caps;

  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    gst_event_parse_caps (event, &caps);
    take_caps (stream, caps);
  } else if (GST_EVENT_TYPE (event) == GST_EVENT_EOS) {
    g_mutex_lock (&stream->watch->lock);
    stream->ended = gst_pad_get_last_flow_return (pad) != GST_FLOW_NOT_LINKED;
    g_mutex_unlock (&stream->watch->lock);
  }
}

/* Runs in a streaming thread. */
static GstPadProbeReturn
on_data (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  if (info->type & GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM)
    take_event (user, pad, GST_PAD_PROBE_INFO_EVENT (info));
  else
    take_buffer (user, pad, GST_PAD_PROBE_INFO_BUFFER (info));
  return GST_PAD_PROBE_OK;
}

/* The demuxers that matter end the name of a stream with the track's number;
 * matroskademux adds ":" and another number. */
static guint
find_track (GstPad *pad)
{
  g_autofree char *name = gst_pad_get_stream_id (pad);
  const char *slash = name ? strrchr (name, '/') : NULL;

  return slash ? (guint) g_ascii_strtoull (slash + 1, NULL, 10) : 0;
}

static gboolean
is_made_by (GstElement *element, const char *factory)
{
  GstElementFactory *made_by = gst_element_get_factory (element);

  return made_by && !strcmp (GST_OBJECT_NAME (made_by), factory);
}

/* Runs in a streaming thread. */
static void
on_pad_added (GstElement *demuxer, GstPad *pad, gpointer user)
{
  ToolWatch *self = user;
  Stream *stream;
  g_autoptr (GstCaps) caps = NULL;

  if (!GST_PAD_IS_SRC (pad))
    return;
  stream = g_new0 (Stream, 1);
  stream->watch = self;
  stream->is_from_zero = is_made_by (demuxer, "matroskademux");
  stream->id = find_track (pad);
  /* Some demuxers set the caps before they add the pad. */
  caps = gst_pad_get_current_caps (pad);
  if (caps)
    take_caps (stream, caps);
  g_mutex_lock (&self->lock);
  g_ptr_array_add (self->streams, stream);
  g_mutex_unlock (&self->lock);
  gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, on_data,
      stream, NULL);
}

static void
watch_demuxer (ToolWatch *self, GstElement *demuxer)
{
  g_signal_connect (demuxer, "pad-added", G_CALLBACK (on_pad_added), self);
  g_mutex_lock (&self->lock);
  g_ptr_array_add (self->demuxers, gst_object_ref (demuxer));
  if (!self->movie_pad && is_made_by (demuxer, "qtdemux"))
    self->movie_pad = tool_movie_pad_new (demuxer);
  g_mutex_unlock (&self->lock);
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
  g_autoptr (GstPad) pad = gst_element_get_static_pad (decoder, "sink");

  if (pad)
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_coded, self, NULL);
}

static void
on_element_added (GstBin *pipeline, GstBin *bin, GstElement *element,
    gpointer user)
{
  GstElementFactory *factory = gst_element_get_factory (element);

  if (factory
      && gst_element_factory_list_is_type (factory,
          GST_ELEMENT_FACTORY_TYPE_DEMUXER))
    watch_demuxer (user, element);
  else if (factory
      && gst_element_factory_list_is_type (factory,
          GST_ELEMENT_FACTORY_TYPE_DECODER)
      && gst_element_factory_list_is_type (factory,
          GST_ELEMENT_FACTORY_TYPE_MEDIA_VIDEO
              | GST_ELEMENT_FACTORY_TYPE_MEDIA_IMAGE))
    watch_decoder (user, element);
}

ToolWatch *
tool_watch_new (GstElement *pipeline, const char *path)
{
  ToolWatch *self = g_new0 (ToolWatch, 1);

  self->pipeline = pipeline;
  self->path = path;
  self->streams = g_ptr_array_new_with_free_func (g_free);
  self->demuxers = g_ptr_array_new_with_free_func (gst_object_unref);
  g_mutex_init (&self->lock);
  self->first = self->first_break = GST_CLOCK_TIME_NONE;
  g_signal_connect (pipeline, "deep-element-added",
      G_CALLBACK (on_element_added), self);
  return self;
}

void
tool_watch_frame (ToolWatch *self, GstBuffer *buffer, guint64 time)
{
  self->n_decoded++;
  if (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_CORRUPTED))
    self->n_corrupted++;
  if (GST_BUFFER_FLAG_IS_SET (buffer, GST_VIDEO_BUFFER_FLAG_INTERLACED))
    self->any_fields = TRUE;
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
  g_autoptr (GError) cause = NULL;

  gst_message_parse_warning (message, &cause, NULL);
  /* Other warnings concern missing plugins or speed. */
  if (!self->warning
      && (g_error_matches (cause, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE)
          || g_error_matches (cause, GST_STREAM_ERROR, GST_STREAM_ERROR_DEMUX)
          || g_error_matches (cause, GST_STREAM_ERROR,
              GST_STREAM_ERROR_FORMAT)))
    self->warning = g_strdup (cause->message);
}

/* Whether @demuxer has read the file and found no stream in it. */
static gboolean
is_done_with_nothing (GstElement *demuxer)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (demuxer, "sink");
  gboolean done;

  if (!pad)
    return FALSE;
  GST_OBJECT_LOCK (pad);
  done = GST_PAD_TASK (pad)
      && gst_task_get_state (GST_PAD_TASK (pad)) == GST_TASK_PAUSED;
  GST_OBJECT_UNLOCK (pad);
  GST_OBJECT_LOCK (demuxer);
  done = done && demuxer->numsrcpads == 0;
  GST_OBJECT_UNLOCK (demuxer);
  return done;
}

gboolean
tool_watch_is_stuck (ToolWatch *self)
{
  gboolean stuck = FALSE;

  g_mutex_lock (&self->lock);
  for (guint i = 0; i < self->demuxers->len; i++)
    stuck |= is_done_with_nothing (g_ptr_array_index (self->demuxers, i));
  g_mutex_unlock (&self->lock);
  return stuck;
}

void
tool_watch_set_partial (ToolWatch *self)
{
  self->partial = TRUE;
}

static const ToolMovie *
get_movie (ToolWatch *self)
{
  ToolMoviePad *pad;

  g_mutex_lock (&self->lock);
  pad = self->movie_pad;
  g_mutex_unlock (&self->lock);
  return pad ? tool_movie_pad_get (pad) : NULL;
}

guint64
tool_watch_get_duration (ToolWatch *self)
{
  const ToolMovie *movie = get_movie (self);
  gint64 duration = 0;

  /* qtdemux was told a longer one. */
  if (movie && movie->duration)
    return movie->duration;
  return gst_element_query_duration (self->pipeline, GST_FORMAT_TIME, &duration)
          && duration > 0
      ? (guint64) duration
      : 0;
}

/* Returns how many frames of a stream the container announces; 0: unknown. Sets
 * how many of those were read. */
static guint64
count_announced (ToolWatch *self, const Stream *stream, guint64 *n_read)
{
  const ToolMovie *movie = get_movie (self);
  const ToolTrack *track = movie ? tool_movie_find (movie, stream->id) : NULL;

  *n_read = stream->n_shown;
  if (track && !movie->fragmented)
    return track->n_shown;
  *n_read = stream->n_read;
  return self->path ? tool_container_count_frames (self->path, stream->id) : 0;
}

/* Call it with streams that no longer change. */
static char *
find_missing (ToolWatch *self)
{
  guint64 announced, n_read;

  for (guint i = 0; i < self->streams->len; i++) {
    const Stream *stream = g_ptr_array_index (self->streams, i);

    if (!stream->is_video || !stream->ended || !stream->n_read)
      continue;
    announced = count_announced (self, stream, &n_read);
    if (n_read < announced)
      return g_strdup_printf ("GStreamer's demuxer gave %" G_GUINT64_FORMAT
                              " of the %" G_GUINT64_FORMAT
                              " frames that the container announces",
          n_read, announced);
  }
  return NULL;
}

/* Counts what the decoder left out without a word. Only in MP4 and Matroska, and only
 * of H.264 and H.265, is each of a container's frames known to be one picture. */
static char *
find_undecoded (ToolWatch *self)
{
  const Stream *video = NULL;
  guint64 n_due;

  for (guint i = 0; i < self->streams->len; i++) {
    const Stream *stream = g_ptr_array_index (self->streams, i);

    if (!stream->is_video)
      continue;
    if (video || !stream->ended || !stream->n_length)
      return NULL;
    video = stream;
  }
  n_due = video ? video->n_shown + video->n_partly : 0;
  if (!self->n_decoded || self->any_fields || self->n_decoded >= n_due)
    return NULL;
  return g_strdup_printf ("the decoder gave %" G_GUINT64_FORMAT
                          " of the %" G_GUINT64_FORMAT " frames that are shown",
      self->n_decoded, n_due);
}

char *
tool_watch_find_damage (ToolWatch *self)
{
  const GstClockTime duration = tool_watch_get_duration (self);
  GstClockTime end, broken;
  gboolean any_broken;
  char *missing;

  g_mutex_lock (&self->lock);
  end = self->end;
  any_broken = self->any_broken;
  broken = self->broken;
  g_mutex_unlock (&self->lock);
  if (!self->partial && (missing = find_missing (self)))
    return missing;
  if (!self->partial && end && end + TOLERANCE < duration)
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
                            " frames as damaged",
        self->n_corrupted);
  return self->partial ? NULL : find_undecoded (self);
}

void
tool_watch_free (ToolWatch *self)
{
  g_mutex_clear (&self->lock);
  g_ptr_array_unref (self->streams);
  g_ptr_array_unref (self->demuxers);
  g_clear_pointer (&self->movie_pad, tool_movie_pad_free);
  g_free (self->warning);
  g_free (self);
}

#endif
