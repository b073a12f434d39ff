/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* One pass over an input without decoding: the demuxer gives the time of each
 * frame and which are key frames. An input is cut only where the frames of its
 * segments are provably those of the whole; any doubt makes it one segment, with
 * the reason. The digest is computed in another thread at the same time, so that
 * both read the file once. */

#include "config.h"

#include <string.h>

#include "archive/digest.h"
#include "archive/manifest.h"
#include "archive/scan.h"
#include "base/names.h"
#include "media/container.h"
#include "media/picture.h"

#ifdef HAVE_GST

#include <gst/base/gsttypefindhelper.h>

#include "archive/coded.h"
#include "archive/cuts.h"
#include "media/gst.h"
#include "media/watch.h"

#define N_TYPE_BYTES 65536
/* What GstVideoDecoder assumes for a frame without a duration. */
#define ASSUMED_DURATION (40 * GST_MSECOND)
/* Matroska: frames before the demuxer has settled where the video begins. */
#define MAX_UNSETTLED 16

typedef struct
{
  GstElement *pipeline;
  ToolWatch *watch;
  GArray *frames; /* of ToolCodedFrame; in the streaming thread */
  ToolCodedFormat format;
  GstSegment segment;
  GstCaps *caps; /* the first */
  gboolean have_segment, is_matroska;
  struct
  {
    guint64 pts, duration;
  } unsettled[MAX_UNSETTLED]; /* of the first frames */
  guint n_videos;
  const char *doubt; /* why it is not cut, or NULL */
} Scan;

/* Sets when a frame is displayed, as the decoder will, which also shows what is
 * partly inside the segment. */
static void
set_time (const Scan *scan, guint64 pts, guint64 duration,
    ToolCodedFrame *frame)
{
  guint64 start, stop;

  frame->time = -1;
  frame->duration = 1;
  if (!gst_segment_clip (&scan->segment, GST_FORMAT_TIME, pts, pts + duration,
          &start, &stop))
    return;
  frame->time = (gint64) gst_segment_to_stream_time (&scan->segment,
      GST_FORMAT_TIME, start);
  frame->duration = MAX ((gint64) (stop - start), 1);
}

static void
add_buffer (Scan *scan, GstBuffer *buffer)
{
  const guint at = scan->frames->len;
  ToolCodedFrame frame = { .entry = FALSE };
  GstClockTime duration = GST_BUFFER_DURATION (buffer);

  if (!GST_BUFFER_PTS_IS_VALID (buffer)) {
    scan->doubt = "a frame has no time";
    return;
  }
  if (!GST_CLOCK_TIME_IS_VALID (duration))
    duration = ASSUMED_DURATION;
  set_time (scan, GST_BUFFER_PTS (buffer), duration, &frame);
  if (at < MAX_UNSETTLED) {
    scan->unsettled[at].pts = GST_BUFFER_PTS (buffer);
    scan->unsettled[at].duration = duration;
  }
  if (!GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT)) {
    frame.entry = tool_coded_is_entry (&scan->format, buffer);
    if (!frame.entry)
      scan->doubt = "decoding cannot start at its key frames (intra refresh)";
  }
  g_array_append_val (scan->frames, frame);
}

/* matroskademux begins at the first frame, and at 0 as soon as another stream
 * turns out to begin earlier. After a seek only the second is true. Frames that
 * the decoder may give in either way are not cut at. */
static void
settle (Scan *scan)
{
  for (guint i = 0; i < scan->frames->len; i++) {
    ToolCodedFrame *frame = &g_array_index (scan->frames, ToolCodedFrame, i);

    set_time (scan, scan->unsettled[i].pts, scan->unsettled[i].duration, frame);
    frame->entry = frame->entry && i == 0;
  }
}

static void
take_segment (Scan *scan, const GstSegment *segment)
{
  const gboolean changed = scan->have_segment && scan->frames->len > 0
      && (segment->start != scan->segment.start
          || segment->time != scan->segment.time);

  if (segment->format != GST_FORMAT_TIME)
    scan->doubt = "its demuxer gives no times";
  scan->segment = *segment;
  scan->have_segment = TRUE;
  if (changed && scan->is_matroska && scan->frames->len <= MAX_UNSETTLED)
    settle (scan);
  else if (changed)
    scan->doubt = "it is edited from several parts";
}

/* Whether a decoder goes on with frames of @b after those of @a. Caps also come
 * again with what is known later, such as a bit rate. */
static gboolean
is_same_format (const GstCaps *a, const GstCaps *b)
{
  static const char *const fields[] = { "stream-format", "codec_data", "width",
    "height" };
  const GstStructure *s = gst_caps_get_structure (a, 0);
  const GstStructure *t = gst_caps_get_structure (b, 0);
  gboolean same = gst_structure_has_name (t, gst_structure_get_name (s));

  for (guint i = 0; same && i < G_N_ELEMENTS (fields); i++) {
    const GValue *x = gst_structure_get_value (s, fields[i]);
    const GValue *y = gst_structure_get_value (t, fields[i]);

    same = x && y ? gst_value_compare (x, y) == GST_VALUE_EQUAL : x == y;
  }
  return same;
}

static void
take_caps (Scan *scan, GstCaps *caps)
{
  if (!scan->caps) {
    scan->caps = gst_caps_ref (caps);
    if (!tool_coded_format_init (&scan->format, caps))
      scan->doubt = "seeking is not known to be exact with its codec";
  } else if (!is_same_format (scan->caps, caps)) {
    scan->doubt = "the format changes within it";
  }
}

static void
take_event (Scan *scan, GstEvent *event)
{
  const GstSegment *segment;
  GstCaps *caps;

  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    gst_event_parse_caps (event, &caps);
    take_caps (scan, caps);
  } else if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT) {
    gst_event_parse_segment (event, &segment);
    take_segment (scan, segment);
  }
}

/* In a streaming thread. */
static GstPadProbeReturn
on_data (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  Scan *scan = user;

  if (info->type & GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM)
    take_event (scan, GST_PAD_PROBE_INFO_EVENT (info));
  else if (scan->have_segment && !scan->doubt)
    add_buffer (scan, GST_PAD_PROBE_INFO_BUFFER (info));
  return GST_PAD_PROBE_OK;
}

static gboolean
is_video (GstPad *pad)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  const char *name = caps
      ? gst_structure_get_name (gst_caps_get_structure (caps, 0))
      : "";

  return g_str_has_prefix (name, "video/") || g_str_has_prefix (name, "image/");
}

static gboolean
replay_event (GstPad *pad, GstEvent **event, gpointer user)
{
  take_event (user, *event);
  return TRUE;
}

/* In a streaming thread. */
static void
on_pad_added (GstElement *demuxer, GstPad *pad, gpointer user)
{
  Scan *scan = user;
  GstElement *sink;
  g_autoptr (GstPad) sink_pad = NULL;

  if (!GST_PAD_IS_SRC (pad))
    return;
  sink = gst_element_factory_make ("fakesink", NULL);
  g_object_set (sink, "async", FALSE, "sync", FALSE, NULL);
  gst_bin_add (GST_BIN (scan->pipeline), sink);
  gst_element_sync_state_with_parent (sink);
  if (is_video (pad) && scan->n_videos++ == 0) {
    gst_pad_sticky_events_foreach (pad, replay_event, scan);
    gst_pad_add_probe (pad,
        GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
        on_data, scan, NULL);
  }
  sink_pad = gst_element_get_static_pad (sink, "sink");
  gst_pad_link (pad, sink_pad);
}

/* NULL where frames cannot be found by their time. */
static const char *
choose_demuxer (const char *path)
{
  static const char *const matroska[] = { "video/webm", "video/x-matroska",
    "video/x-matroska-3d", NULL };
  g_autofree guint8 *bytes = g_malloc (N_TYPE_BYTES);
  FILE *file = fopen (path, "rbe");
  gsize n = file ? fread (bytes, 1, N_TYPE_BYTES, file) : 0;
  g_autoptr (GstCaps)
      caps = n ? gst_type_find_helper_for_data (NULL, bytes, n, NULL) : NULL;
  const char *name = caps
      ? gst_structure_get_name (gst_caps_get_structure (caps, 0))
      : "";
  const char *demuxer = !strcmp (name, "video/quicktime") ? "qtdemux"
      : g_strv_contains (matroska, name)                  ? "matroskademux"
                                                          : NULL;

  if (file)
    fclose (file);
  return demuxer;
}

static gboolean
make_pipeline (Scan *scan, const char *path, const char *demuxer)
{
  GstElement *source = gst_element_factory_make ("filesrc", NULL);
  GstElement *demux = gst_element_factory_make (demuxer, NULL);

  scan->is_matroska = !strcmp (demuxer, "matroskademux");
  scan->pipeline = gst_object_ref_sink (gst_pipeline_new (NULL));
  scan->watch = tool_watch_new (scan->pipeline, path);
  if (!source || !demux) {
    gst_clear_object (&source);
    gst_clear_object (&demux);
    return FALSE;
  }
  g_object_set (source, "location", path, NULL);
  gst_bin_add_many (GST_BIN (scan->pipeline), source, demux, NULL);
  g_signal_connect (demux, "pad-added", G_CALLBACK (on_pad_added), scan);
  return gst_element_link (source, demux);
}

/* The error of a stream that cannot be read to its end, or NULL. */
static char *
play (Scan *scan)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (scan->pipeline);
  gboolean done = FALSE;
  GstMessage *message;
  g_autoptr (GError) cause = NULL;
  char *error = NULL;

  gst_element_set_state (scan->pipeline, GST_STATE_PLAYING);
  while (!done) {
    message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
        GST_MESSAGE_EOS | GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);
    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING) {
      tool_watch_warning (scan->watch, message);
    } else {
      done = TRUE;
      if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
        gst_message_parse_error (message, &cause, NULL);
        error = g_strdup_printf ("cannot be played as a video: %s",
            cause->message);
      }
    }
    gst_message_unref (message);
  }
  if (!error)
    error = tool_watch_find_damage (scan->watch);
  gst_element_set_state (scan->pipeline, GST_STATE_NULL);
  return error;
}

static const char *
find_cuts (Scan *scan, gint64 length, GArray *segments)
{
  const ToolCodedFrame *frames = (const ToolCodedFrame *) scan->frames->data;
  const char *why;

  if (scan->n_videos == 0)
    return "there is no video in it";
  if (scan->n_videos > 1)
    return "it has several videos";
  if (scan->doubt)
    return scan->doubt;
  why = tool_cuts_find (frames, scan->frames->len, length, segments);
  if (!why && segments->len == 1)
    why = "there is no key frame at which it could be cut";
  return why;
}

/* Sets the segments of @input, or why it is not cut or cannot be read. */
static void
scan_video (ToolManifestInput *input, gint64 length)
{
  const char *demuxer = choose_demuxer (input->path), *why;
  Scan scan = { .frames = g_array_new (FALSE, FALSE, sizeof (ToolCodedFrame)) };

  if (!demuxer)
    why = "its container has no exact index";
  else if (!(why = tool_container_find_doubt (input->path))) {
    if (make_pipeline (&scan, input->path, demuxer))
      input->error = play (&scan);
    why = scan.watch && scan.caps ? find_cuts (&scan, length, input->segments)
                                  : "there is no video in it";
  }
  if (why && !input->error)
    input->whole = g_strdup (why);
  gst_clear_caps (&scan.caps);
  g_clear_pointer (&scan.watch, tool_watch_free);
  gst_clear_object (&scan.pipeline);
  g_array_unref (scan.frames);
}

#endif

static gpointer
compute_digest (gpointer data)
{
  ToolManifestInput *input = data;
  GError *error = NULL;

  input->content = tool_digest_file (input->path, &input->stamp, &error);
  return error;
}

static void
find_segments (ToolManifestInput *input, gint64 length)
{
  if (length == 0) {
    input->whole = g_strdup ("no segments were asked for");
    return;
  }
  if (tool_picture_probe (input->path)) {
    input->whole = g_strdup ("it is a picture");
    return;
  }
  input->error = tool_container_find_damage (input->path);
#ifdef HAVE_GST
  if (!input->error && tool_gst_init (NULL))
    scan_video (input, length);
#else
  input->whole = g_strdup ("this y10 was built without GStreamer");
#endif
}

ToolManifestInput *
tool_scan (const char *source, gint64 length)
{
  ToolManifestInput *input = tool_manifest_input_new ();
  g_autoptr (GError) error = NULL;
  g_autofree char *path = tool_source_to_path (source, &error);
  GThread *thread;

  input->source = tool_source_to_utf8 (source);
  input->path = g_canonicalize_filename (path ? path : input->source, NULL);
  if (tool_is_remote (source) || tool_is_stdin (source)) {
    input->error = g_strdup ("only files are cut into segments");
    return input;
  }
  if (error || !tool_file_stamp (input->path, &input->stamp, &error)) {
    input->error = g_strdup (error->message);
    return input;
  }
  thread = g_thread_new ("digest", compute_digest, input);
  find_segments (input, length);
  error = g_thread_join (thread);
  if (error && !input->error)
    input->error = g_strdup (error->message);
  if (input->whole || input->segments->len == 0)
    g_array_set_size (input->segments, 1);
  return input;
}
