/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Reads videos with GStreamer. Frames go from the decoder to the engine, and are
 * converted only if the engine does not support the decoder's format. The plugin
 * need not be installed. Frames are rotated upright according to the file's
 * orientation tag. A range of frames is cut behind the decoder: after a seek alone,
 * the first frames of an open GOP would differ. */

#include "config.h"

#include "base/interrupt.h"
#include "base/names.h"
#include "media/container.h"
#include "media/frame.h"
#include "media/pages.h"
#include "media/stream.h"
#include "media/video.h"

#ifdef HAVE_GST

#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/gst.h>
#include <stdio.h>
#include <string.h>

#include "media/chain.h"
#include "media/fetch.h"
#include "media/gst.h"
#include "media/remote.h"
#include "media/sample.h"
#include "media/watch.h"
#include "media/y4m.h"

#define BLOCK_SIZE 65536
#define START_SIZE 256
#define POLL_INTERVAL (50 * GST_MSECOND)
#define NO_VIDEO "it contains no picture or video"

struct _ToolVideo
{
  const char *source, *path; /* borrowed */
  ToolStream *stream;        /* borrowed; NULL: reads @path */
  guint8 start[START_SIZE];  /* of the file or stream */
  gsize n_start;
  gint stop; /* atomic: stop waiting for @stream */
  GstElement *pipeline;
  ToolWatch *watch;
  GstAppSink *sink;
  GstBus *bus;
  char *missing; /* name of a missing decoder */
  char *uri;
  ToolAddress *address; /* of a URI; may be NULL */
  ToolRemoteOptions options;
  gboolean udp;            /* is offered and TCP is not */
  gboolean is_other_worth; /* a try: the error was about that */
  gint no_video;           /* atomic: the input has no video stream */
  gint has_sound;          /* atomic */
  gboolean cannot_start;
  GstClockTime duration;
  guint64 n_frames;
  gboolean ranged;
  ToolRange range;    /* if ranged */
  gboolean is_before; /* a frame before the range was decoded */
};

static void
sample_free (gpointer data)
{
  ToolSample *sample = data;

  gst_y10_frame_unmap (&sample->frame);
  gst_sample_unref (sample->sample);
  g_free (sample);
}

/* Runs in a streaming thread, once all streams of the input are known. */
static void
on_no_more_pads (GstElement *source, gpointer user)
{
  ToolVideo *video = user;
  g_autoptr (GstElement)
      convert = gst_bin_get_by_name (GST_BIN (video->pipeline), "convert");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (convert, "sink");

  if (!gst_pad_is_linked (pad))
    g_atomic_int_set (&video->no_video, TRUE);
}

/* Runs in a streaming thread. */
static void
on_pad_added (GstElement *source, GstPad *pad, gpointer user)
{
  ToolVideo *video = user;
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);

  if (caps
      && g_str_has_prefix (gst_structure_get_name (
                               gst_caps_get_structure (caps, 0)),
          "audio/"))
    g_atomic_int_set (&video->has_sound, TRUE);
}

/* Runs in a streaming thread. */
static void
on_need_data (GstAppSrc *source, guint size, gpointer user)
{
  ToolVideo *video = user;
  guint8 *block = g_malloc (BLOCK_SIZE);
  gssize got = tool_stream_read (video->stream, block, BLOCK_SIZE,
      &video->stop);

  if (got > 0) {
    gst_app_src_push_buffer (source,
        gst_buffer_new_wrapped (block, (gsize) got));
  } else {
    g_free (block);
    gst_app_src_end_of_stream (source);
  }
}

static void
on_source_setup (GstElement *bin, GstElement *source, gpointer user)
{
  GstAppSrcCallbacks callbacks = { .need_data = on_need_data };

  if (GST_IS_APP_SRC (source))
    gst_app_src_set_callbacks (GST_APP_SRC (source), &callbacks, user, NULL);
}

static gboolean
is_remote (const ToolVideo *video)
{
  return !video->stream && tool_is_remote (video->path);
}

static ToolRemoteKind
get_kind (const ToolVideo *video)
{
  return video->address ? tool_remote_get_kind (video->address)
                        : TOOL_REMOTE_NONE;
}

/* uridecodebin says other things of errors, and buffers what is live. */
static void
set_up_source (ToolVideo *video, GstElement *source, GstElement *decoder)
{
  const ToolRemoteKind kind = get_kind (video);

  if (kind != TOOL_REMOTE_NONE) {
    tool_remote_set_up (source, video->address, &video->options, video->udp);
  } else {
    g_object_set (source, "uri", video->uri, NULL);
    g_signal_connect (source, "source-setup", G_CALLBACK (on_source_setup),
        video);
  }
  /* Audio is not linked, so it stops at the decoder. */
  tool_chain_set_up (video->pipeline, decoder,
      kind == TOOL_REMOTE_RTSP ? 1 : video->options.stream,
      kind == TOOL_REMOTE_RTSP);
  g_signal_connect (decoder, "no-more-pads", G_CALLBACK (on_no_more_pads),
      video);
  g_signal_connect (decoder, "pad-added", G_CALLBACK (on_pad_added), video);
}

static gboolean
make_pipeline (ToolVideo *video, GError **error)
{
  const char *element = tool_remote_get_element (get_kind (video));
  g_autofree char *play = element
      ? g_strconcat (element, " name=source ! decodebin name=decoder ", NULL)
      : g_strdup ("uridecodebin name=source ");
  g_autofree char *upright = tool_chain_describe (TRUE);
  g_autofree char *text = g_strconcat (play, upright,
      " ! appsink name=sink sync=false max-buffers=2", NULL);
  g_autoptr (GstElement) source = NULL;
  g_autoptr (GstElement) decoder = NULL;
  g_autoptr (GstCaps) caps = NULL;

  video->pipeline = gst_parse_launch_full (text, NULL,
      GST_PARSE_FLAG_FATAL_ERRORS, error);
  if (!video->pipeline)
    return FALSE;
  source = gst_bin_get_by_name (GST_BIN (video->pipeline), "source");
  decoder = gst_bin_get_by_name (GST_BIN (video->pipeline), "decoder");
  set_up_source (video, source, decoder ? decoder : source);
  video->sink = GST_APP_SINK (
      gst_bin_get_by_name (GST_BIN (video->pipeline), "sink"));
  caps = gst_caps_from_string (GST_Y10_FRAME_CAPS);
  gst_app_sink_set_caps (video->sink, caps);
  video->bus = gst_element_get_bus (video->pipeline);
  video->watch = tool_watch_new (video->pipeline,
      video->stream || strstr (video->path, "://") ? NULL : video->path);
  return TRUE;
}

static void
drop_pipeline (ToolVideo *video)
{
  if (video->pipeline)
    gst_element_set_state (video->pipeline, GST_STATE_NULL);
  g_clear_pointer (&video->watch, tool_watch_free);
  gst_clear_object (&video->bus);
  gst_clear_object (&video->sink);
  gst_clear_object (&video->pipeline);
}

static void
read_start (ToolVideo *video)
{
  FILE *file;

  if (video->stream) {
    video->n_start = tool_stream_get_start (video->stream, video->start,
        START_SIZE);
  } else if ((file = fopen (video->path, "rbe"))) {
    video->n_start = fread (video->start, 1, START_SIZE, file);
    fclose (file);
  }
}

static ToolVideo *
video_new (const char *source, const char *path, ToolStream *stream,
    const ToolRemoteOptions *options, GError **error)
{
  ToolAddress *address = NULL;
  ToolVideo *video;
  char *uri;

  if (!tool_gst_init (error))
    return NULL;
  uri = stream                ? g_strdup ("appsrc://")
      : tool_is_remote (path) ? tool_remote_open (path, &address, error)
      : strstr (path, "://")  ? g_strdup (path)
                              : gst_filename_to_uri (path, error);
  if (!uri)
    return NULL;
  video = g_new0 (ToolVideo, 1);
  video->source = source;
  video->path = path;
  video->stream = stream;
  video->uri = uri;
  video->address = address;
  if (options)
    video->options = *options;
  video->duration = GST_CLOCK_TIME_NONE;
  read_start (video);
  if (!tool_y4m_check (video->start, video->n_start, error)
      || !make_pipeline (video, error))
    g_clear_pointer (&video, tool_video_close);
  return video;
}

/* tool_video_next() takes failures from the bus. */
static void
start (ToolVideo *video)
{
  video->cannot_start = gst_element_set_state (video->pipeline,
                            GST_STATE_PLAYING)
      == GST_STATE_CHANGE_FAILURE;
}

ToolVideo *
tool_video_open (const char *source, const char *path, ToolStream *stream,
    const ToolRemoteOptions *options, GError **error)
{
  ToolVideo *video = video_new (source, path, stream, options, error);

  if (video)
    start (video);
  return video;
}

gboolean
tool_video_has_end (ToolVideo *video)
{
  return tool_pipeline_has_end (video->pipeline);
}

gboolean
tool_video_is_live (ToolVideo *video)
{
  return tool_pipeline_is_live (video->pipeline,
      is_remote (video) ? video->uri : NULL);
}

guint64
tool_video_get_n_frames (ToolVideo *video)
{
  return video->n_frames;
}

gboolean
tool_video_has_sound (ToolVideo *video)
{
  return g_atomic_int_get (&video->has_sound);
}

const char *
tool_video_get_uri (ToolVideo *video)
{
  return video->stream || is_remote (video) ? NULL : video->uri;
}

/* Returns the text after "file.c(12): function (): /pipeline/element:", or NULL. */
static const char *
detail_of (const char *debug)
{
  const char *line = debug ? strchr (debug, '\n') : NULL;

  return line && line[1] ? line + 1 : NULL;
}

/* What an element says, without secrets. */
static char *
read_cause (const ToolVideo *video, GstMessage *message)
{
  g_autoptr (GError) cause = NULL;
  g_autofree char *debug = NULL, *text = NULL;
  const char *detail;
  char *why = NULL;

  if (video->address)
    why = tool_remote_explain (message, video->address, &video->options);
  if (why)
    return why;
  gst_message_parse_error (message, &cause, &debug);
  detail = detail_of (debug);
  text = g_strconcat (cause->message, detail ? " (" : NULL, detail,
      detail ? ")" : NULL, NULL);
  return video->address ? tool_address_censor (video->address, text)
                        : g_steal_pointer (&text);
}

static void
set_message_error (ToolVideo *video, GstMessage *message, GError **error)
{
  g_autoptr (GError) cause = NULL;
  g_autofree char *what = NULL;
  g_autofree char *why = NULL;

  gst_message_parse_error (message, &cause, NULL);
  why = read_cause (video, message);
  video->is_other_worth = video->address
      && tool_remote_wants_other (message, video->address, &video->options);
  if (g_atomic_int_get (&video->no_video)) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED, NO_VIDEO);
  } else if (video->missing) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_UNSUPPORTED,
        "GStreamer has no plugin for it: %s", video->missing);
  } else {
    if (video->n_frames)
      what = g_strdup_printf ("decoding failed after %" G_GUINT64_FORMAT
                              " frames",
          video->n_frames);
    else if (is_remote (video)
        && GST_OBJECT_FLAG_IS_SET (message->src, GST_ELEMENT_FLAG_SOURCE))
      what = g_strdup (tool_fetch_explain (cause));
    else
      what = g_strdup ("not a picture, and cannot be played as a video");
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED, "%s: %s", what, why);
  }
}

static void
note_missing (ToolVideo *video, GstMessage *message)
{
  const GstStructure *s = gst_message_get_structure (message);

  if (gst_structure_has_name (s, "missing-plugin")) {
    g_free (video->missing);
    video->missing = g_strdup (gst_structure_get_string (s, "name"));
  }
}

/* Returns FALSE and sets @error if there is an error on the bus. */
static gboolean
check_bus (ToolVideo *video, GError **error)
{
  GstMessage *message;
  gboolean ok = TRUE;

  while (ok
      && (message = gst_bus_pop_filtered (video->bus,
              GST_MESSAGE_ERROR | GST_MESSAGE_WARNING | GST_MESSAGE_ELEMENT))) {
    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ELEMENT)
      note_missing (video, message);
    else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING)
      tool_watch_warning (video->watch, message);
    else
      set_message_error (video, message, error);
    ok = GST_MESSAGE_TYPE (message) != GST_MESSAGE_ERROR;
    gst_message_unref (message);
  }
  return ok;
}

/* The stream time, or GST_CLOCK_TIME_NONE. */
static GstClockTime
time_of (GstSample *sample)
{
  return gst_segment_to_stream_time (gst_sample_get_segment (sample),
      GST_FORMAT_TIME, GST_BUFFER_PTS (gst_sample_get_buffer (sample)));
}

/* Fills @frame with @taken; takes ownership of it. */
static gboolean
sample_to_frame (ToolVideo *video, GstSample *taken, ToolFrame *frame,
    GError **error)
{
  GstBuffer *buffer = gst_sample_get_buffer (taken);
  ToolSample *sample = g_new0 (ToolSample, 1);
  GstY10FrameFormat format;
  guint64 time;

  sample->sample = taken;
  if (!gst_y10_frame_format_init (&format, gst_sample_get_caps (taken), FALSE,
          error)
      || !gst_y10_frame_map (&sample->frame, &format, buffer, error)) {
    gst_sample_unref (taken);
    g_free (sample);
    return FALSE;
  }
  time = time_of (taken);
  memset (frame, 0, sizeof *frame);
  frame->source = video->source;
  frame->timestamp = GST_CLOCK_TIME_IS_VALID (time) ? (gint64) time : -1;
  frame->image = sample->frame.image;
  frame->pixels = sample;
  frame->free_pixels = sample_free;
  frame->is_sample = TRUE;
  frame->number = video->n_frames++;
  if (video->ranged)
    frame->number += video->range.first_frame;
  tool_watch_frame (video->watch, buffer, time);
  return TRUE;
}

static char *
find_container_damage (const ToolVideo *video)
{
  /* That of a range was looked for when the range was made. */
  return video->stream || video->ranged || strstr (video->path, "://")
      ? NULL
      : tool_container_find_damage (video->path);
}

char *
tool_video_find_damage (ToolVideo *video)
{
  char *damage = find_container_damage (video);

  check_bus (video, NULL);
  return damage ? damage : tool_watch_find_damage (video->watch);
}

/* Prefers the reason that a file is truncated to a demuxer's error: a truncated
 * MP4 lacks its index. */
static void
explain_error (const ToolVideo *video, GError **error)
{
  g_autofree char *why = video->n_frames ? NULL : find_container_damage (video);

  if (!why && !video->n_frames)
    why = tool_pages_find_need (video->start, video->n_start);
  if (why) {
    g_clear_error (error);
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
        "no frame can be decoded: %s", why);
  }
}

/* A decoded frame; NULL at the end, or with an error. */
static GstSample *
pull_sample (ToolVideo *video, GError **error)
{
  GstSample *sample;
  guint n_stuck = 0;

  while (
      !(sample = gst_app_sink_try_pull_sample (video->sink, POLL_INTERVAL))) {
    /* Check first: a demuxer may post an error and send end of stream. */
    if (!check_bus (video, error)) {
      explain_error (video, error);
      return NULL;
    }
    if (video->cannot_start) {
      g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
          "GStreamer cannot start to play it");
      return NULL;
    }
    /* Twice: a demuxer that stops posts its error a moment later. */
    n_stuck = tool_watch_is_stuck (video->watch) ? n_stuck + 1 : 0;
    /* An audio stream may end before it gets the error of an unlinked pad. */
    if (gst_app_sink_is_eos (video->sink) || n_stuck > 1
        || g_atomic_int_get (&video->no_video) || tool_interrupted ())
      return NULL;
  }
  return sample;
}

/* NULL and no error at the end of the range. */
static GstSample *
pull_in_range (ToolVideo *video, GError **error)
{
  const ToolRange *range = &video->range;
  GstSample *sample;

  while ((sample = pull_sample (video, error))) {
    const GstClockTime time = time_of (sample);

    if (GST_CLOCK_TIME_IS_VALID (time) && (gint64) time >= range->end)
      break;
    if (!GST_CLOCK_TIME_IS_VALID (time) || (gint64) time >= range->start)
      return sample;
    video->is_before = TRUE;
    gst_sample_unref (sample);
  }
  g_clear_pointer (&sample, gst_sample_unref);
  return NULL;
}

static gboolean
check_range (ToolVideo *video, GError **error)
{
  const ToolRange *range = &video->range;

  if (video->n_frames != range->n_frames)
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
        "%" G_GUINT64_FORMAT " frames were decoded from %" G_GINT64_FORMAT
        " to %" G_GINT64_FORMAT " ns; expected %" G_GUINT64_FORMAT,
        video->n_frames, range->start, range->end, range->n_frames);
  else if (range->seek >= 0 && !video->is_before)
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
        "decoding from %" G_GINT64_FORMAT
        " ns on gave no frame before %" G_GINT64_FORMAT
        " ns, so the first frames may be wrong",
        range->seek, range->start);
  else
    return TRUE;
  return FALSE;
}

/* A camera that takes no TCP gets another offer. */
static GstSample *
pull_first (ToolVideo *video, GError **error)
{
  GError *why = NULL;
  GstSample *sample = pull_sample (video, &why);

  if (!sample && why && video->is_other_worth && !video->udp
      && !video->n_frames) {
    g_clear_error (&why);
    drop_pipeline (video);
    video->udp = TRUE;
    if (make_pipeline (video, &why)) {
      start (video);
      sample = pull_sample (video, &why);
    }
  }
  if (why)
    g_propagate_error (error, why);
  return sample;
}

int
tool_video_next (ToolVideo *video, ToolFrame *frame, GError **error)
{
  GError *why = NULL;
  GstSample *sample = NULL;

  if (!tool_interrupted ())
    sample = video->ranged ? pull_in_range (video, &why)
                           : pull_first (video, &why);
  if (sample)
    return sample_to_frame (video, sample, frame, error) ? 1 : -1;
  if (!why && tool_interrupted ())
    return 0;
  if (!why && video->ranged) {
    check_range (video, &why);
  } else if (!why && !video->n_frames) {
    g_set_error_literal (&why, Y10_ERROR, Y10_ERROR_FAILED, NO_VIDEO);
    explain_error (video, &why);
  }
  if (!why)
    return 0;
  g_propagate_error (error, why);
  return -1;
}

/* Waits for the first frame, from which a seek is possible. */
static gboolean
preroll (ToolVideo *video, GError **error)
{
  GstStateChangeReturn state;

  gst_element_set_state (video->pipeline, GST_STATE_PAUSED);
  do {
    if (!check_bus (video, error))
      return FALSE;
    if (tool_interrupted ()) {
      g_set_error_literal (error, Y10_ERROR, Y10_ERROR_FAILED, "interrupted");
      return FALSE;
    }
    state = gst_element_get_state (video->pipeline, NULL, NULL, POLL_INTERVAL);
  } while (
      state == GST_STATE_CHANGE_ASYNC && !g_atomic_int_get (&video->no_video));
  if (state == GST_STATE_CHANGE_SUCCESS)
    return TRUE;
  if (check_bus (video, error))
    g_set_error_literal (error, Y10_ERROR, Y10_ERROR_FAILED, NO_VIDEO);
  return FALSE;
}

/* The last key frame from @time back is the first that is decoded. */
static gboolean
seek (ToolVideo *video, gint64 time, GError **error)
{
  if (!preroll (video, error))
    return FALSE;
  if (gst_element_seek (video->pipeline, 1, GST_FORMAT_TIME,
          GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE, GST_SEEK_TYPE_SET, time,
          GST_SEEK_TYPE_NONE, -1))
    return TRUE;
  g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
      "seeking to %" G_GINT64_FORMAT " ns failed", time);
  return FALSE;
}

ToolVideo *
tool_video_open_range (const char *source, const char *path,
    const ToolRange *range, GError **error)
{
  ToolVideo *video = video_new (source, path, NULL, NULL, error);

  if (!video)
    return NULL;
  video->ranged = TRUE;
  video->range = *range;
  tool_watch_set_partial (video->watch);
  if (range->seek >= 0 && !seek (video, range->seek, error)) {
    tool_video_close (video);
    return NULL;
  }
  start (video);
  return video;
}

double
tool_video_get_progress (ToolVideo *video, gint64 timestamp)
{
  if (!GST_CLOCK_TIME_IS_VALID (video->duration))
    video->duration = tool_watch_get_duration (video->watch);
  if (video->duration == 0 || timestamp < 0)
    return -1;
  return (double) timestamp / (double) video->duration;
}

void
tool_video_close (ToolVideo *video)
{
  g_atomic_int_set (&video->stop, TRUE);
  drop_pipeline (video);
  g_free (video->missing);
  g_free (video->uri);
  tool_address_free (video->address);
  g_free (video);
}

#endif
