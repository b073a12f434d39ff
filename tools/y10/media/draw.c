/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Annotated copies of inputs, drawn by the yolov10overlay element, so that y10
 * draws exactly what a pipeline draws. A copy of a picture keeps its name; JPEG
 * and PNG keep their format, all others become PNG. A copy of a video has the
 * extension of its container. Inputs are never overwritten; if two inputs have
 * the same name, the second copy gets a number. */

#include "config.h"

#include <errno.h>
#include <string.h>
#include <glib/gstdio.h>

#include "tool.h"

#ifdef HAVE_GST

#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/gst.h>

#include "meta/write.h"
#include "media/sample.h"

#define POLL_INTERVAL (10 * GST_MSECOND)
#define MAX_QUEUED 4            /* frames waiting for the encoder */
#define CANNOT_WRITE "the drawn video cannot be written"

typedef struct
{
  const char *needs[4];
  const char *extension;
  const char *launch;
} Encoder;

/* In order of preference. All use 4:2:0: many players support nothing else. */
static const Encoder encoders[] = {
  {{"x264enc", "h264parse", "mp4mux"}, "mp4",
      "x264enc speed-preset=veryfast pass=qual quantizer=20 ! h264parse ! "
      "mp4mux"},
  {{"openh264enc", "h264parse", "mp4mux"}, "mp4",
      "openh264enc bitrate=8000000 ! h264parse ! mp4mux"},
  {{"vp8enc", "webmmux"}, "webm",
      "vp8enc deadline=1 cpu-used=8 target-bitrate=8000000 ! webmmux"},
  {{"jpegenc", "avimux"}, "avi", "jpegenc quality=90 ! avimux"},
};

struct _ToolDraw
{
  char *dir;
  GstY10Attacher *attacher;
  GHashTable *names;            /* file names written in this run */

  /* The video being written. */
  GstElement *pipeline;
  GstAppSrc *source;
  GstBus *bus;
  gsize max_queued;             /* bytes */
  guint64 n_frames;
  GstClockTime frame_duration;
};

static const Encoder *
find_encoder (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (encoders); i++) {
    gboolean all = TRUE;

    for (guint k = 0; all && encoders[i].needs[k]; k++)
      all = tool_have_element (encoders[i].needs[k]);
    if (all)
      return &encoders[i];
  }
  return NULL;
}

ToolDraw *
tool_draw_new (const char *dir, Y10Model *model, GError **error)
{
  ToolDraw *draw;

  if (!tool_gst_init (error))
    return NULL;
  if (!tool_have_element ("yolov10overlay")) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_UNSUPPORTED,
        "--draw needs the yolov10overlay element, which GStreamer does not "
        "find; 'y10 doctor' reports the reason");
    return NULL;
  }
  if (g_mkdir_with_parents (dir, 0777) != 0) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_NOT_FOUND,
        "--draw %s: cannot create this folder: %s", dir, g_strerror (errno));
    return NULL;
  }
  draw = g_new0 (ToolDraw, 1);
  draw->dir = g_strdup (dir);
  gst_y10_attach_register_metas ();
  draw->attacher = gst_y10_attacher_new (model, "y10");
  draw->names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  return draw;
}

static gboolean
is_source (const char *path, const char *source)
{
  char *source_path = tool_source_to_path (source, NULL);
  GStatBuf a, b;
  gboolean same = source_path && g_stat (path, &a) == 0
      && g_stat (source_path, &b) == 0 && a.st_dev == b.st_dev
      && a.st_ino == b.st_ino;

  g_free (source_path);
  return same;
}

/* Returns the path of the copy of @source, with @extension unless that is NULL. */
static char *
output_path (ToolDraw *draw, const char *source, const char *extension,
    GError **error)
{
  char *base = tool_source_basename (source), *stem, *path = NULL, *name;
  char *dot = strrchr (base, '.');

  if (!extension)
    extension = tool_picture_can_save (base) ? dot + 1 : "png";
  stem = dot && dot != base ? g_strndup (base, dot - base) : g_strdup (base);
  for (guint i = 1;; i++) {
    name = i == 1 ? g_strdup_printf ("%s.%s", stem, extension)
        : g_strdup_printf ("%s-%u.%s", stem, i, extension);
    if (g_hash_table_add (draw->names, g_strdup (name)))
      break;
    g_free (name);
  }
  path = g_build_filename (draw->dir, name, NULL);
  if (is_source (path, source)) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "--draw %s would overwrite it", draw->dir);
    g_clear_pointer (&path, g_free);
  }
  g_free (name);
  g_free (stem);
  g_free (base);
  return path;
}

static void
attach (ToolDraw *draw, GstBuffer *buffer, const ToolFrame *frame,
    const Y10Detection *rows, guint n)
{
  GstY10DetectionList list;
  const GstY10Findings findings = {.attach = GST_YOLOV10_ATTACH_ROI,
    .detections = &list
  };

  gst_y10_detection_list_init (&list, n);
  gst_y10_detection_list_begin (&list, frame->image.width,
      frame->image.height);
  gst_y10_attacher_list (draw->attacher, &list, rows, n);
  gst_y10_attacher_attach (draw->attacher, buffer, &findings);
  gst_y10_detection_list_clear (&list);
}

/* Returns TRUE and sets @error if @message is an error; frees @message. */
static gboolean
is_failure (GstMessage *message, const char *what, GError **error)
{
  GError *cause = NULL;

  if (message && GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    gst_message_parse_error (message, &cause, NULL);
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED, "%s: %s", what,
        cause->message);
    g_error_free (cause);
  }
  gst_clear_message (&message);
  return cause != NULL;
}

/* Copies the pixels into a buffer with GStreamer's default layout. */
static GstBuffer *
picture_buffer (const Y10Image *image, const GstVideoInfo *info)
{
  const gsize row = (gsize) image->width
      * (gsize) GST_VIDEO_INFO_COMP_PSTRIDE (info, 0);
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, info->size, NULL);
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (guint y = 0; y < image->height; y++)
    memcpy (map.data + y * (gsize) info->stride[0],
        image->plane[0] + y * image->stride[0], row);
  gst_buffer_unmap (buffer, &map);
  return buffer;
}

static void
image_to_info (const Y10Image *image, GstVideoInfo *info)
{
  gst_video_info_set_format (info, image->format == Y10_PIXEL_RGBA
      ? GST_VIDEO_FORMAT_RGBA : GST_VIDEO_FORMAT_RGB, image->width,
      image->height);
}

/* Runs one buffer through the overlay; takes ownership of @buffer. */
static GstSample *
overlay_picture (GstBuffer *buffer, const GstVideoInfo *info, GError **error)
{
  GstElement *pipeline = gst_parse_launch ("appsrc name=source format=time ! "
      "yolov10overlay ! appsink name=sink sync=false", error);
  GstElement *source, *sink;
  GstSample *sample = NULL;
  GstCaps *caps;
  GstBus *bus;

  if (!pipeline) {
    gst_buffer_unref (buffer);
    return NULL;
  }
  source = gst_bin_get_by_name (GST_BIN (pipeline), "source");
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  caps = gst_video_info_to_caps (info);
  g_object_set (source, "caps", caps, NULL);
  g_object_set (sink, "caps", caps, NULL);
  gst_caps_unref (caps);

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  gst_app_src_push_buffer (GST_APP_SRC (source), buffer);
  gst_app_src_end_of_stream (GST_APP_SRC (source));
  bus = gst_element_get_bus (pipeline);
  while (!sample && !is_failure (gst_bus_pop_filtered (bus,
              GST_MESSAGE_ERROR), "the boxes cannot be drawn", error)) {
    gboolean ended = gst_app_sink_is_eos (GST_APP_SINK (sink));

    sample = gst_app_sink_try_pull_sample (GST_APP_SINK (sink),
        POLL_INTERVAL);
    if (ended && !sample) {
      g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
          "the boxes cannot be drawn: yolov10overlay pushed no buffer");
      break;
    }
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (source);
  gst_object_unref (sink);
  gst_object_unref (pipeline);
  return sample;
}

gboolean
tool_draw_picture (ToolDraw *draw, const ToolFrame *frame,
    const Y10Detection *rows, guint n, GError **error)
{
  char *path = output_path (draw, frame->source, NULL, error);
  Y10Image image = frame->image;
  GstVideoFrame drawn;
  GstVideoInfo info;
  GstBuffer *buffer;
  GstSample *sample;
  gboolean ok = FALSE;

  if (!path)
    return FALSE;
  image_to_info (&image, &info);
  buffer = picture_buffer (&image, &info);
  attach (draw, buffer, frame, rows, n);
  sample = overlay_picture (buffer, &info, error);
  if (sample && gst_video_frame_map (&drawn, &info,
          gst_sample_get_buffer (sample), GST_MAP_READ)) {
    image.plane[0] = GST_VIDEO_FRAME_PLANE_DATA (&drawn, 0);
    image.stride[0] = (gsize) GST_VIDEO_FRAME_PLANE_STRIDE (&drawn, 0);
    ok = tool_picture_save (path, &image, error);
    gst_video_frame_unmap (&drawn);
  }
  g_clear_pointer (&sample, gst_sample_unref);
  g_free (path);
  return ok;
}

static gboolean
open_video (ToolDraw *draw, const ToolFrame *frame, const GstVideoInfo *info,
    const GstCaps *caps, GError **error)
{
  const Encoder *encoder = find_encoder ();
  GstElement *sink;
  char *path, *launch;

  if (!encoder) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_UNSUPPORTED,
        "GStreamer has no encoder for the drawn video (x264enc, openh264enc, "
        "vp8enc or jpegenc, with their muxers)");
    return FALSE;
  }
  path = output_path (draw, frame->source, encoder->extension, error);
  if (!path)
    return FALSE;
  /* Encoders of 4:2:0 video need even sizes. */
  launch = g_strdup_printf ("appsrc name=source format=time ! yolov10overlay "
      "! queue ! videoconvert ! videoscale ! "
      "video/x-raw,format=I420,width=%d,height=%d,pixel-aspect-ratio=%d/%d ! "
      "%s ! filesink name=sink", MAX (2, GST_VIDEO_INFO_WIDTH (info) & ~1),
      MAX (2, GST_VIDEO_INFO_HEIGHT (info) & ~1), GST_VIDEO_INFO_PAR_N (info),
      GST_VIDEO_INFO_PAR_D (info), encoder->launch);
  draw->pipeline = gst_parse_launch_full (launch, NULL,
      GST_PARSE_FLAG_FATAL_ERRORS, error);
  g_free (launch);
  if (!draw->pipeline) {
    g_free (path);
    return FALSE;
  }
  sink = gst_bin_get_by_name (GST_BIN (draw->pipeline), "sink");
  g_object_set (sink, "location", path, NULL);
  gst_object_unref (sink);
  g_free (path);

  draw->source = GST_APP_SRC (gst_bin_get_by_name (GST_BIN (draw->pipeline),
          "source"));
  gst_app_src_set_caps (draw->source, caps);
  gst_app_src_set_max_bytes (draw->source, 0);
  draw->bus = gst_element_get_bus (draw->pipeline);
  draw->max_queued = MAX_QUEUED * info->size;
  draw->n_frames = 0;
  draw->frame_duration = GST_VIDEO_INFO_FPS_N (info) > 0
      ? gst_util_uint64_scale (GST_SECOND, GST_VIDEO_INFO_FPS_D (info),
      GST_VIDEO_INFO_FPS_N (info)) : 40 * GST_MSECOND;
  gst_element_set_state (draw->pipeline, GST_STATE_PLAYING);
  return TRUE;
}

/* Waits for the encoder. A blocking appsrc would hang after a downstream error. */
static gboolean
wait_for_room (ToolDraw *draw, GError **error)
{
  while (gst_app_src_get_current_level_bytes (draw->source)
      >= draw->max_queued) {
    if (is_failure (gst_bus_timed_pop_filtered (draw->bus, POLL_INTERVAL,
                GST_MESSAGE_ERROR), CANNOT_WRITE, error))
      return FALSE;
  }
  return TRUE;
}

gboolean
tool_draw_frame (ToolDraw *draw, const ToolFrame *frame,
    const Y10Detection *rows, guint n, GError **error)
{
  const ToolSample *sample = frame->is_sample ? frame->pixels : NULL;
  GstVideoInfo info;
  GstBuffer *buffer;
  GstCaps *caps;
  gboolean open;

  if (sample)
    info = sample->frame.frame.info;
  else
    image_to_info (&frame->image, &info);
  caps = sample ? gst_caps_ref (gst_sample_get_caps (sample->sample))
      : gst_video_info_to_caps (&info);
  open = draw->pipeline || open_video (draw, frame, &info, caps, error);
  gst_caps_unref (caps);
  if (!open)
    return FALSE;
  if (!wait_for_room (draw, error))
    return FALSE;
  /* Copies the buffer but not its memory: the overlay copies the memory that it
   * writes to. */
  buffer = sample ? gst_buffer_copy (gst_sample_get_buffer (sample->sample))
      : picture_buffer (&frame->image, &info);
  GST_BUFFER_DTS (buffer) = GST_CLOCK_TIME_NONE;
  GST_BUFFER_PTS (buffer) = frame->timestamp >= 0
      ? (GstClockTime) frame->timestamp : draw->n_frames * draw->frame_duration;
  draw->n_frames++;
  attach (draw, buffer, frame, rows, n);
  gst_app_src_push_buffer (draw->source, buffer);
  return TRUE;
}

static void
close_video (ToolDraw *draw)
{
  if (!draw->pipeline)
    return;
  gst_element_set_state (draw->pipeline, GST_STATE_NULL);
  gst_clear_object (&draw->bus);
  gst_clear_object (&draw->source);
  gst_clear_object (&draw->pipeline);
}

gboolean
tool_draw_finish (ToolDraw *draw, GError **error)
{
  gboolean failed;

  if (!draw->pipeline)
    return TRUE;
  gst_app_src_end_of_stream (draw->source);
  failed = is_failure (gst_bus_timed_pop_filtered (draw->bus,
          GST_CLOCK_TIME_NONE, GST_MESSAGE_EOS | GST_MESSAGE_ERROR),
      CANNOT_WRITE, error);
  close_video (draw);
  return !failed;
}

void
tool_draw_free (ToolDraw *draw)
{
  if (!draw)
    return;
  close_video (draw);
  gst_y10_attacher_free (draw->attacher);
  g_hash_table_unref (draw->names);
  g_free (draw->dir);
  g_free (draw);
}

#else /* !HAVE_GST */

ToolDraw *
tool_draw_new (const char *dir, Y10Model *model, GError **error)
{
  g_set_error (error, Y10_ERROR, Y10_ERROR_UNSUPPORTED,
      "--draw: this y10 was built without GStreamer and cannot draw");
  return NULL;
}

gboolean
tool_draw_picture (ToolDraw *draw, const ToolFrame *frame,
    const Y10Detection *rows, guint n, GError **error)
{
  return FALSE;
}

gboolean
tool_draw_frame (ToolDraw *draw, const ToolFrame *frame,
    const Y10Detection *rows, guint n, GError **error)
{
  return FALSE;
}

gboolean
tool_draw_finish (ToolDraw *draw, GError **error)
{
  return TRUE;
}

void
tool_draw_free (ToolDraw *draw)
{
}

#endif
