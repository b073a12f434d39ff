/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Makes the video that the cameras of a measurement send: it encodes a scene, or reads
 * the beginning of a file, and keeps the encoded frames in memory, so that neither a
 * disk nor an encoder takes part later. Which encoder is taken depends on what is
 * installed; one whose video nothing here decodes is passed over. Frames keep the order
 * of decoding, and their ranks say in which order a decoder returns them. */

#include "config.h"

#include "base/address.h"
#include "base/interrupt.h"
#include "bench/capacity.h"

#ifdef HAVE_GST

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <gst/app/gstappsrc.h>

#include "bench/clip.h"
#include "media/gst.h"

#define SCENE_SECONDS 4
#define BITS_PER_PIXEL 0.15 /* what cameras send of H.264 */
#define MAX_FRAMES 600      /* of a file */
#define MAX_BYTES (64 * 1024 * 1024)
#define POLL_INTERVAL (50 * GST_MSECOND)

/* In order of preference. */
static const struct
{
  const char *encoder, *caps, *options;
  const char *rate,
      *distance; /* properties for the bit rate and key frames; or NULL */
  guint unit;    /* of the bit rate */
} encoders[] = {
  { "x264enc", "video/x-h264", "tune=zerolatency speed-preset=veryfast",
      "bitrate", "key-int-max", 1000 },
  { "openh264enc", "video/x-h264", "rate-control=bitrate", "bitrate",
      "gop-size", 1 },
  { "nvh264enc", "video/x-h264", "", "bitrate", "gop-size", 1000 },
  { "vah264enc", "video/x-h264", "b-frames=0", "bitrate", "key-int-max", 1000 },
  { "vah264lpenc", "video/x-h264", "", "bitrate", "key-int-max", 1000 },
  { "avenc_mpeg4", "video/mpeg,mpegversion=4,systemstream=false", "", "bitrate",
      "gop-size", 1 },
  { "jpegenc", "image/jpeg", "", NULL, NULL, 1 },
};

static const struct
{
  const char *caps, *name;
} codecs[] = {
  { "video/x-h264", "H.264" },
  { "video/x-h265", "H.265" },
  { "video/x-av1", "AV1" },
  { "video/x-vp8", "VP8" },
  { "video/x-vp9", "VP9" },
  { "image/jpeg", "Motion JPEG" },
  { "video/mpeg", "MPEG" },
};

/* What comes out of an encoder or a parser. */
typedef struct
{
  GMutex lock;
  GstElement *pipeline; /* of a file */
  GstCaps *caps;
  GPtrArray *frames;
  gsize n_bytes;
  gboolean is_full, has_video;
} Collector;

static void
collector_init (Collector *collector)
{
  memset (collector, 0, sizeof *collector);
  g_mutex_init (&collector->lock);
  collector->frames = g_ptr_array_new_with_free_func (
      (GDestroyNotify) gst_buffer_unref);
}

static void
collector_clear (Collector *collector)
{
  if (collector->pipeline) {
    gst_element_set_state (collector->pipeline, GST_STATE_NULL);
    gst_object_unref (collector->pipeline);
  }
  gst_clear_caps (&collector->caps);
  g_ptr_array_unref (collector->frames);
  g_mutex_clear (&collector->lock);
}

/* A clip has one format, begins with a key frame and is not longer than necessary. */
static void
collect (Collector *collector, GstPad *pad, GstBuffer *buffer)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);

  if (!collector->caps)
    collector->caps = gst_caps_copy (caps);
  else if (!gst_caps_is_equal (caps, collector->caps))
    collector->is_full = TRUE;
  if (collector->frames->len >= MAX_FRAMES || collector->n_bytes >= MAX_BYTES)
    collector->is_full = TRUE;
  if (collector->is_full || gst_buffer_get_size (buffer) == 0
      || (collector->frames->len == 0
          && GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT)))
    return;
  collector->n_bytes += gst_buffer_get_size (buffer);
  /* The memory may be a pool's or a mapped file's. */
  g_ptr_array_add (collector->frames, gst_buffer_copy_deep (buffer));
}

/* In a streaming thread. */
static GstPadProbeReturn
on_buffer (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  Collector *collector = user;

  g_mutex_lock (&collector->lock);
  collect (collector, pad, GST_PAD_PROBE_INFO_BUFFER (info));
  g_mutex_unlock (&collector->lock);
  return GST_PAD_PROBE_OK;
}

static void
collect_from (Collector *collector, GstElement *sink)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (sink, "sink");

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_buffer, collector,
      NULL);
}

/* Until the end, an error, or as much as a clip may have. */
static gboolean
wait_for_end (Collector *collector, const char *what, GError **error)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (collector->pipeline);
  g_autoptr (GstMessage) message = NULL;
  gboolean ok = TRUE, done = FALSE;
  g_autoptr (GError) cause = NULL;

  while (!done && !tool_interrupted ()) {
    message = gst_bus_timed_pop_filtered (bus, POLL_INTERVAL,
        GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
    g_mutex_lock (&collector->lock);
    done = message || collector->is_full;
    g_mutex_unlock (&collector->lock);
  }
  if (message && GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    gst_message_parse_error (message, &cause, NULL);
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED, "%s: %s", what,
        cause->message);
    ok = FALSE;
  }
  return ok;
}

static const char *
name_codec (const GstCaps *caps)
{
  const char *name = gst_structure_get_name (gst_caps_get_structure (caps, 0));

  for (guint i = 0; i < G_N_ELEMENTS (codecs); i++)
    if (!strcmp (codecs[i].caps, name))
      return codecs[i].name;
  return g_intern_string (name);
}

static int
compare_times (gconstpointer a, gconstpointer b, gpointer user)
{
  const GPtrArray *frames = user;
  const guint i = *(const guint *) a, k = *(const guint *) b;
  const GstClockTime x = GST_BUFFER_PTS (g_ptr_array_index (frames, i));
  const GstClockTime y = GST_BUFFER_PTS (g_ptr_array_index (frames, k));

  return x != y ? (x > y) - (x < y) : (i > k) - (i < k);
}

/* Without timestamps, the order of decoding is taken for that of presentation. */
static void
rank_frames (ToolClip *clip)
{
  const guint n = clip->frames->len;
  gboolean timed = TRUE;

  clip->rank = g_new (guint, n);
  clip->at_rank = g_new (guint, n);
  for (guint i = 0; i < n; i++) {
    timed = timed
        && GST_BUFFER_PTS_IS_VALID (g_ptr_array_index (clip->frames, i));
    clip->at_rank[i] = i;
  }
  if (timed)
    g_qsort_with_data (clip->at_rank, (gint) n, sizeof *clip->at_rank,
        compare_times, clip->frames);
  for (guint r = 0; r < n; r++) {
    clip->rank[clip->at_rank[r]] = r;
    if (clip->at_rank[r] > r)
      clip->reorder = MAX (clip->reorder, clip->at_rank[r] - r);
  }
}

/* The frame that follows the last one is the first one, a key frame: where a file was
 * read in part, the clip ends before a key frame, too. */
static void
cut_end (Collector *collector)
{
  GPtrArray *frames = collector->frames;

  for (guint i = frames->len - 1; collector->is_full && i > 0; i--) {
    if (!GST_BUFFER_FLAG_IS_SET (g_ptr_array_index (frames, i),
            GST_BUFFER_FLAG_DELTA_UNIT)) {
      g_ptr_array_set_size (frames, (gint) i);
      return;
    }
  }
}

static ToolClip *
make_clip (Collector *collector, double fps)
{
  ToolClip *clip = g_new0 (ToolClip, 1);
  GstStructure *s;
  int width = 0, height = 0, n = 0, d = 1;

  cut_end (collector);
  clip->caps = gst_caps_make_writable (g_steal_pointer (&collector->caps));
  clip->frames = g_ptr_array_ref (collector->frames);
  s = gst_caps_get_structure (clip->caps, 0);
  gst_structure_get_int (s, "width", &width);
  gst_structure_get_int (s, "height", &height);
  gst_structure_get_fraction (s, "framerate", &n, &d);
  if (fps <= 0)
    fps = n > 0 && d > 0 ? (double) n / d : 0;
  if (fps < 1 || fps > 240)
    fps = TOOL_CAMERA_FPS;
  gst_util_double_to_fraction (fps, &n, &d);
  gst_caps_set_simple (clip->caps, "framerate", GST_TYPE_FRACTION, n, d, NULL);
  clip->width = (guint) width;
  clip->height = (guint) height;
  clip->fps = fps;
  clip->codec = name_codec (clip->caps);
  rank_frames (clip);
  return clip;
}

/* A scene, encoded. */

static gboolean
can_decode (const char *text)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (text);
  GList *all =
      gst_element_factory_list_get_elements (GST_ELEMENT_FACTORY_TYPE_DECODER,
          GST_RANK_MARGINAL);
  GList *found = gst_element_factory_list_filter (all, caps, GST_PAD_SINK,
      FALSE);
  const gboolean can = found != NULL;

  gst_plugin_feature_list_free (found);
  gst_plugin_feature_list_free (all);
  return can;
}

static void
feed_scene (GstAppSrc *source, guint width, guint height, guint n_frames,
    double fps)
{
  const gsize size = (gsize) width * height * 3 / 2;
  ToolScene *scene = tool_scene_new (width, height, n_frames);
  GstFlowReturn flow = GST_FLOW_OK;

  for (guint i = 0; i < n_frames && flow == GST_FLOW_OK && !tool_interrupted ();
       i++) {
    guint8 *pixels = g_malloc (size);
    GstBuffer *buffer = gst_buffer_new_wrapped (pixels, size);

    tool_scene_draw (scene, i, pixels);
    GST_BUFFER_PTS (buffer) = (GstClockTime) (i * (GST_SECOND / fps));
    GST_BUFFER_DURATION (buffer) = (GstClockTime) (GST_SECOND / fps);
    flow = gst_app_src_push_buffer (source, buffer);
  }
  gst_app_src_end_of_stream (source);
  tool_scene_free (scene);
}

static char *
describe_encoding (guint which, guint width, guint height, double fps)
{
  const double bits = BITS_PER_PIXEL * width * height * fps;
  GString *text = g_string_new (NULL);
  int n, d;

  gst_util_double_to_fraction (fps, &n, &d);
  g_string_printf (text,
      "appsrc name=source format=time block=true max-bytes=%" G_GSIZE_FORMAT
      " caps=video/x-raw,format=I420,width=%u,height=%u,"
      "framerate=%d/%d,interlace-mode=progressive ! videoconvert ! %s %s",
      (gsize) width * height * 6, width, height, n, d, encoders[which].encoder,
      encoders[which].options);
  if (encoders[which].rate)
    g_string_append_printf (text, " %s=%u %s=%u", encoders[which].rate,
        (guint) MAX (bits, 64000) / encoders[which].unit,
        encoders[which].distance, (guint) (fps + 0.5));
  g_string_append_printf (text, " ! %s ! fakesink name=sink sync=false",
      encoders[which].caps);
  return g_string_free (text, FALSE);
}

static ToolClip *
encode (guint which, guint width, guint height, double fps, GError **error)
{
  const guint n_frames = (guint) (SCENE_SECONDS * fps + 0.5);
  g_autofree char *text = describe_encoding (which, width, height, fps);
  ToolClip *clip = NULL;
  Collector collector;
  g_autoptr (GstElement) source = NULL, sink = NULL;

  collector_init (&collector);
  collector.pipeline = gst_parse_launch_full (text, NULL,
      GST_PARSE_FLAG_FATAL_ERRORS, error);
  if (collector.pipeline) {
    source = gst_bin_get_by_name (GST_BIN (collector.pipeline), "source");
    sink = gst_bin_get_by_name (GST_BIN (collector.pipeline), "sink");
    collect_from (&collector, sink);
    gst_element_set_state (collector.pipeline, GST_STATE_PLAYING);
    feed_scene (GST_APP_SRC (source), width, height, n_frames, fps);
    if (wait_for_end (&collector, encoders[which].encoder, error)) {
      if (collector.frames->len == n_frames) {
        clip = make_clip (&collector, fps);
        clip->encoder = encoders[which].encoder;
      } else {
        g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
            "%s: %u of %u frames were encoded", encoders[which].encoder,
            collector.frames->len, n_frames);
      }
    }
  }
  collector_clear (&collector);
  return clip;
}

ToolClip *
tool_clip_make (guint width, guint height, double fps, GError **error)
{
  ToolClip *clip = NULL;
  gboolean have_encoder = FALSE;

  if (!tool_gst_init (error))
    return NULL;
  for (guint i = 0;
       i < G_N_ELEMENTS (encoders) && !clip && !tool_interrupted (); i++) {
    if (!tool_have_element (encoders[i].encoder))
      continue;
    have_encoder = TRUE;
    if (!can_decode (encoders[i].caps))
      continue;
    /* The last encoder's error stays. */
    g_clear_error (error);
    clip = encode (i, width, height, fps, error);
  }
  if (clip) {
    g_clear_error (error);
  } else if (error && !*error) {
    if (have_encoder)
      g_set_error (error, Y10_ERROR, Y10_ERROR_UNSUPPORTED,
          "GStreamer has no "
          "decoder for what its encoders make here; avdec_h264 (Debian: "
          "gstreamer1.0-libav) would do, or --source FILE");
    else
      g_set_error (error, Y10_ERROR, Y10_ERROR_UNSUPPORTED,
          "GStreamer has no "
          "encoder to make the cameras' video; x264enc (Debian: "
          "gstreamer1.0-plugins-ugly) would do, or --source FILE");
  }
  return clip;
}

/* A file. */

/* A parser's pad has no caps yet when it comes, but knows which it may have. */
static gboolean
is_video (GstPad *pad)
{
  g_autoptr (GstCaps) caps = gst_pad_has_current_caps (pad)
      ? gst_pad_get_current_caps (pad)
      : gst_pad_query_caps (pad, NULL);
  const char *name = caps && gst_caps_get_size (caps)
      ? gst_structure_get_name (gst_caps_get_structure (caps, 0))
      : "";

  return g_str_has_prefix (name, "video/") || g_str_has_prefix (name, "image/");
}

/* In a streaming thread. The first video is taken; the rest goes nowhere. */
static void
on_pad_added (GstElement *parser, GstPad *pad, gpointer user)
{
  Collector *collector = user;
  GstElement *sink = gst_element_factory_make ("fakesink", NULL);
  g_autoptr (GstPad) sink_pad = NULL;

  g_object_set (sink, "async", FALSE, "sync", FALSE, NULL);
  gst_bin_add (GST_BIN (collector->pipeline), sink);
  gst_element_sync_state_with_parent (sink);
  if (is_video (pad) && !collector->has_video) {
    collector->has_video = TRUE;
    collect_from (collector, sink);
  }
  sink_pad = gst_element_get_static_pad (sink, "sink");
  gst_pad_link (pad, sink_pad);
}

/* A picture comes in pieces of any size, without times. */
static gboolean
has_times (const Collector *collector)
{
  for (guint i = 0; i < collector->frames->len; i++)
    if (!GST_CLOCK_TIME_IS_VALID (
            GST_BUFFER_DTS_OR_PTS (g_ptr_array_index (collector->frames, i))))
      return FALSE;
  return TRUE;
}

static gboolean
can_read (const char *path, GError **error)
{
  const int fd = open (path, O_RDONLY | O_CLOEXEC);

  if (fd >= 0) {
    close (fd);
    return TRUE;
  }
  g_set_error (error, Y10_ERROR, Y10_ERROR_NOT_FOUND, "--source %s: %s",
      tool_address_name (path), g_strerror (errno));
  return FALSE;
}

ToolClip *
tool_clip_read (const char *path, double fps, GError **error)
{
  g_autofree char *what =
      g_strdup_printf ("--source %s: it cannot be read as a video", path);
  ToolClip *clip = NULL;
  Collector collector;
  g_autoptr (GstElement) file = NULL, parser = NULL;

  if (!tool_gst_init (error) || !can_read (path, error))
    return NULL;
  collector_init (&collector);
  collector.pipeline = gst_parse_launch_full ("filesrc name=file ! "
                                              "parsebin name=parser",
      NULL, GST_PARSE_FLAG_FATAL_ERRORS, error);
  if (collector.pipeline) {
    file = gst_bin_get_by_name (GST_BIN (collector.pipeline), "file");
    parser = gst_bin_get_by_name (GST_BIN (collector.pipeline), "parser");
    g_object_set (file, "location", path, NULL);
    g_signal_connect (parser, "pad-added", G_CALLBACK (on_pad_added),
        &collector);
    gst_element_set_state (collector.pipeline, GST_STATE_PLAYING);
    if (wait_for_end (&collector, what, error)) {
      gst_element_set_state (collector.pipeline, GST_STATE_NULL);
      if (collector.frames->len > 1 && has_times (&collector))
        clip = make_clip (&collector, fps);
      else if (!tool_interrupted ())
        g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
            "--source %s: found %s, "
            "expected a video",
            path, collector.has_video ? "a picture" : "no video in it");
    }
  }
  collector_clear (&collector);
  return clip;
}

double
tool_clip_get_bit_rate (const ToolClip *clip)
{
  gsize size = 0;

  for (guint i = 0; i < clip->frames->len; i++)
    size += gst_buffer_get_size (g_ptr_array_index (clip->frames, i));
  return 8.0 * (double) size * clip->fps / clip->frames->len;
}

void
tool_clip_free (ToolClip *clip)
{
  if (!clip)
    return;
  gst_caps_unref (clip->caps);
  g_ptr_array_unref (clip->frames);
  g_free (clip->rank);
  g_free (clip->at_rank);
  g_free (clip);
}

#endif
