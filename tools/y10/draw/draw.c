/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Annotated copies of inputs, drawn by the yolov10overlay element, so that y10
 * draws exactly what a pipeline draws; recorder.c writes those of videos. A copy of a
 * picture keeps its name; JPEG and PNG keep their format, all others become PNG. Inputs
 * are never overwritten; if two inputs have the same name, the second copy gets a
 * number. One copy may have a name of the user's, whose extension says what it is.
 * With privacy, the overlay covers the boxes, and relies on what is attached here. */

#include "config.h"

#include <errno.h>
#include <string.h>
#include <glib/gstdio.h>

#include "base/names.h"
#include "base/supervisor.h"
#include "draw/draw.h"
#include "media/frame.h"
#include "media/picture.h"

/* Of videos; those of pictures depend on what gdk-pixbuf writes. */
static const char *const extensions[] = { "mp4", "mkv", "webm", "avi", NULL };

gboolean
tool_draw_is_file (const char *path)
{
  const char *dot = strrchr (path, '.');
  g_autofree char *lower = g_ascii_strdown (dot ? dot + 1 : "", -1);
  const gboolean is_known = g_strv_contains (extensions, lower)
      || tool_picture_can_save (path);

  return is_known && !g_file_test (path, G_FILE_TEST_IS_DIR);
}

#ifdef HAVE_GST

#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/gst.h>

#include "common/seen.h"
#include "draw/shared.h"
#include "media/gst.h"
#include "meta/write.h"

#define POLL_INTERVAL (10 * GST_MSECOND)

struct _ToolDraw
{
  char *dir;
  char *file;          /* the only copy; NULL: @dir takes them */
  gboolean is_written; /* @file */
  GstY10Producer *producer;
  GHashTable *names;          /* file names written in this run */
  const ToolPrivacy *privacy; /* borrowed */
};

/* Creates the folder @dir, or checks that it is there where it is that of a file. */
static gboolean
check_folder (const char *path, const char *dir, gboolean is_file,
    GError **error)
{
  if (!is_file && g_mkdir_with_parents (dir, 0777) != 0)
    g_set_error (error, Y10_ERROR, Y10_ERROR_NOT_FOUND,
        "--draw %s: cannot create this folder: %s", path, g_strerror (errno));
  else if (is_file && !g_file_test (dir, G_FILE_TEST_IS_DIR))
    g_set_error (error, Y10_ERROR, Y10_ERROR_NOT_FOUND,
        "--draw %s: there is no folder %s", path, dir);
  else
    return TRUE;
  return FALSE;
}

ToolDraw *
tool_draw_new (const char *path, Y10Model *model, const ToolPrivacy *privacy,
    GError **error)
{
  const gboolean is_file = tool_draw_is_file (path);
  ToolDraw *draw;
  g_autofree char *dir = NULL;

  if (!tool_gst_init (error))
    return NULL;
  if (!tool_have_element ("yolov10overlay")) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_UNSUPPORTED,
        "--draw needs the yolov10overlay element, which GStreamer does not "
        "find; 'y10 doctor' reports the reason");
    return NULL;
  }
  dir = is_file ? g_path_get_dirname (path) : g_strdup (path);
  if (!check_folder (path, dir, is_file, error))
    return NULL;
  draw = g_new0 (ToolDraw, 1);
  draw->dir = g_steal_pointer (&dir);
  draw->file = is_file ? g_strdup (path) : NULL;
  draw->privacy = privacy;
  gst_y10_attach_register_metas ();
  draw->producer = gst_y10_producer_new (model, "y10");
  draw->names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  return draw;
}

static gboolean
is_source (const char *path, const char *source)
{
  g_autofree char *source_path = tool_source_to_path (source, NULL);

  return source_path && tool_is_same_file (source_path, path);
}

/* The file's path, once. Its extension was chosen by the user. */
static char *
take_file (ToolDraw *draw, GError **error)
{
  if (!draw->is_written) {
    draw->is_written = TRUE;
    return g_strdup (draw->file);
  }
  g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
      "--draw %s: the input has more than one picture; expected a folder",
      draw->file);
  return NULL;
}

/* A path in the folder that nothing in this run was written to. */
static char *
find_path (ToolDraw *draw, const char *source, const char *extension)
{
  g_autofree char *base = tool_source_basename (source), *stem = NULL;
  char *dot = strrchr (base, '.');

  if (!extension)
    extension = tool_picture_can_save (base) ? dot + 1 : "png";
  stem = dot && dot != base ? g_strndup (base, dot - base) : g_strdup (base);
  for (guint i = 1;; i++) {
    char *name = i == 1 ? g_strdup_printf ("%s.%s", stem, extension)
                        : g_strdup_printf ("%s-%u.%s", stem, i, extension);
    g_autofree char *path = g_build_filename (draw->dir, name, NULL);

    if (g_hash_table_add (draw->names, name)
        && !tool_supervisor_has_written (path))
      return g_steal_pointer (&path);
  }
}

const char *
tool_draw_get_extension (const ToolDraw *draw)
{
  const char *dot = draw->file ? strrchr (draw->file, '.') : NULL;

  return dot ? dot + 1 : NULL;
}

char *
tool_draw_make_path (ToolDraw *draw, const char *source, const char *extension,
    GError **error)
{
  char *path = draw->file ? take_file (draw, error)
                          : find_path (draw, source, extension);

  if (path && is_source (path, source)) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "--draw %s would overwrite it", draw->file ? draw->file : draw->dir);
    g_clear_pointer (&path, g_free);
  }
  return path;
}

/* Says which object a region shows, as trackers do. */
static void
attach_id (GstBuffer *buffer, gint region, gint id)
{
  gst_video_region_of_interest_meta_add_param (
      gst_buffer_get_video_region_of_interest_meta_id (buffer, region),
      gst_structure_new ("object_id", "id", G_TYPE_INT, id, NULL));
}

char *
tool_draw_describe_overlay (const ToolDraw *draw)
{
  const char *word = draw->privacy->word;

  return g_strconcat ("yolov10overlay", word ? " privacy=" : NULL, word, NULL);
}

/* Says what is known of a frame of that size, whose boxes have that age. */
static void
vouch (const ToolDraw *draw, GstY10Result *result, guint width, guint height,
    gint64 age)
{
  const Y10Image image = { .width = width, .height = height };

  result->age = (GstClockTime) MAX (age, 0);
  if (age == TOOL_NO_RESULT)
    result->state = GST_Y10_STATE_NO_RESULT;
  else if (age < 0)
    result->state = GST_Y10_STATE_NO_TIME;
  else if (!gst_y10_seen_find (draw->privacy->region, draw->privacy->anchor,
               &image, &result->region))
    result->state = GST_Y10_STATE_FRESH_PARTIAL;
  else if (age > 0)
    result->state = GST_Y10_STATE_HELD;
}

void
tool_draw_attach (ToolDraw *draw, GstBuffer *buffer, guint width, guint height,
    const Y10Detection *rows, guint n, const gint *ids, gint64 age)
{
  GstY10Result result = { .state = GST_Y10_STATE_FRESH };

  if (draw->privacy->word)
    vouch (draw, &result, width, height, age);
  gst_y10_detection_list_init (&result.list, n);
  gst_y10_detection_list_begin (&result.list, width, height);
  gst_y10_producer_fill (draw->producer, &result, rows, n);
  gst_y10_result_attach (&result, buffer, GST_YOLOV10_ATTACH_ROI, NULL, TRUE);
  for (guint i = 0; ids && i < result.list.n; i++)
    if (ids[i])
      attach_id (buffer, result.list.items[i].id, ids[i]);
  gst_y10_detection_list_clear (&result.list);
}

gboolean
tool_message_is_failure (GstMessage *message, const char *what, GError **error)
{
  g_autoptr (GError) cause = NULL;

  if (message && GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    gst_message_parse_error (message, &cause, NULL);
    g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED, "%s: %s", what,
        cause->message);
  }
  gst_clear_message (&message);
  return cause != NULL;
}

GstBuffer *
tool_draw_copy_pixels (const Y10Image *image, const GstVideoInfo *info)
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

void
tool_image_to_info (const Y10Image *image, GstVideoInfo *info)
{
  gst_video_info_set_format (info,
      image->format == Y10_PIXEL_RGBA ? GST_VIDEO_FORMAT_RGBA
                                      : GST_VIDEO_FORMAT_RGB,
      image->width, image->height);
}

/* Runs one buffer through the overlay; takes ownership of @buffer. */
static GstSample *
overlay_picture (const ToolDraw *draw, GstBuffer *buffer,
    const GstVideoInfo *info, GError **error)
{
  g_autofree char *overlay = tool_draw_describe_overlay (draw);
  g_autofree char *text = g_strdup_printf ("appsrc name=source format=time ! "
                                           "%s ! appsink name=sink sync=false",
      overlay);
  g_autoptr (GstElement) pipeline = gst_parse_launch (text, error);
  g_autoptr (GstElement) source = NULL, sink = NULL;
  GstSample *sample = NULL;
  g_autoptr (GstCaps) caps = NULL;
  g_autoptr (GstBus) bus = NULL;

  if (!pipeline) {
    gst_buffer_unref (buffer);
    return NULL;
  }
  source = gst_bin_get_by_name (GST_BIN (pipeline), "source");
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  caps = gst_video_info_to_caps (info);
  g_object_set (source, "caps", caps, NULL);
  g_object_set (sink, "caps", caps, NULL);

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  gst_app_src_push_buffer (GST_APP_SRC (source), buffer);
  gst_app_src_end_of_stream (GST_APP_SRC (source));
  bus = gst_element_get_bus (pipeline);
  while (!sample
      && !tool_message_is_failure (gst_bus_pop_filtered (bus,
                                       GST_MESSAGE_ERROR),
          "the boxes cannot be drawn", error)) {
    gboolean ended = gst_app_sink_is_eos (GST_APP_SINK (sink));

    sample = gst_app_sink_try_pull_sample (GST_APP_SINK (sink), POLL_INTERVAL);
    if (ended && !sample) {
      g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED,
          "the boxes cannot be drawn: yolov10overlay pushed no buffer");
      break;
    }
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  return sample;
}

gboolean
tool_draw_picture (ToolDraw *draw, const ToolFrame *frame,
    const Y10Detection *rows, guint n, GError **error)
{
  g_autofree char *path = NULL;
  Y10Image image = frame->image;
  GstVideoFrame drawn;
  GstVideoInfo info;
  GstBuffer *buffer;
  g_autoptr (GstSample) sample = NULL;
  gboolean ok = FALSE;

  if (draw->file && !tool_picture_can_save (draw->file)) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_INVALID_ARGUMENT,
        "--draw %s: the copy of a "
        "picture is expected to be .png or .jpg",
        draw->file);
    return FALSE;
  }
  path = tool_draw_make_path (draw, frame->source, NULL, error);
  if (!path)
    return FALSE;
  tool_image_to_info (&image, &info);
  buffer = tool_draw_copy_pixels (&image, &info);
  tool_draw_attach (draw, buffer, image.width, image.height, rows, n, NULL, 0);
  sample = overlay_picture (draw, buffer, &info, error);
  if (sample
      && gst_video_frame_map (&drawn, &info, gst_sample_get_buffer (sample),
          GST_MAP_READ)) {
    image.plane[0] = GST_VIDEO_FRAME_PLANE_DATA (&drawn, 0);
    image.stride[0] = (gsize) GST_VIDEO_FRAME_PLANE_STRIDE (&drawn, 0);
    ok = tool_picture_save (path, &image, error);
    gst_video_frame_unmap (&drawn);
  }
  return ok;
}

void
tool_draw_free (ToolDraw *draw)
{
  if (!draw)
    return;
  gst_y10_producer_free (draw->producer);
  g_hash_table_unref (draw->names);
  g_free (draw->dir);
  g_free (draw->file);
  g_free (draw);
}

#else /* !HAVE_GST */

ToolDraw *
tool_draw_new (const char *path, Y10Model *model, const ToolPrivacy *privacy,
    GError **error)
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

void
tool_draw_free (ToolDraw *draw)
{
}

#endif
