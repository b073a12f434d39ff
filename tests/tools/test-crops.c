/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Crops of a video's frame of which a GstVideoCropMeta shows a part: boxes refer to that
 * part, so a crop has what is at its place in the part, and so does what is covered. */

#include "config.h"

#include <gdk-pixbuf/gdk-pixbuf.h>
#include <glib/gstdio.h>

#include "draw/crops.h"
#include "media/sample.h"

#define WIDTH 320
#define HEIGHT 240

static char *folder;
static Y10Model *model;

/* Of gray 80, with a white square from 200,120 to 240,160; shown from 150,90 on. */
static void
make_frame (ToolFrame *frame, ToolSample *sample)
{
  const gsize luma = WIDTH * HEIGHT;
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, luma * 3 / 2, NULL);
  g_autoptr (GstCaps) caps = gst_caps_from_string (
      "video/x-raw,format=I420,width=320,height=240,framerate=25/1");
  GstY10FrameFormat format;
  GstVideoCropMeta *crop;
  GError *error = NULL;

  gst_buffer_memset (buffer, 0, 80, luma);
  gst_buffer_memset (buffer, luma, 128, luma / 2);
  for (gsize y = 120; y < 160; y++)
    gst_buffer_memset (buffer, y * WIDTH + 200, 235, 40);
  crop = gst_buffer_add_video_crop_meta (buffer);
  crop->x = 150;
  crop->y = 90;
  crop->width = 100;
  crop->height = 80;
  gst_y10_frame_format_init (&format, caps, FALSE, &error);
  g_assert_no_error (error);
  gst_y10_frame_map (&sample->frame, &format, buffer, &error);
  g_assert_no_error (error);
  sample->sample = gst_sample_new (buffer, caps, NULL, NULL);
  *frame = (ToolFrame){
    .source = "door.mp4",
    .image = sample->frame.image,
    .pixels = sample,
    .is_sample = TRUE,
  };
  gst_buffer_unref (buffer);
}

/* The picture of the crop, which is removed. */
static GdkPixbuf *
take_crop (const char *name)
{
  char *class = g_build_filename (folder, y10_model_get_class_name (model, 0),
      NULL);
  g_autofree char *path = g_build_filename (class, name, NULL);
  GError *error = NULL;
  GdkPixbuf *picture = gdk_pixbuf_new_from_file (path, &error);

  g_assert_no_error (error);
  g_assert_cmpint (g_unlink (path), ==, 0);
  g_assert_cmpint (g_rmdir (class), ==, 0);
  g_free (class);
  return picture;
}

/* The red of the pixel at that place. */
static gint
red_at (GdkPixbuf *picture, gint x, gint y)
{
  return gdk_pixbuf_read_pixels (
      picture)[y * gdk_pixbuf_get_rowstride (picture) + 3 * x];
}

static GdkPixbuf *
crop (const char *privacy)
{
  /* The square, and 8 more to its left. */
  const Y10Detection row = { .x0 = 42,
    .y0 = 30,
    .x1 = 90,
    .y1 = 70,
    .confidence = 1 };
  const ToolPrivacy how = { .word = privacy };
  GError *error = NULL;
  ToolCrops *crops = tool_crops_new (folder, model, &how, &error);
  ToolSample sample;
  ToolFrame frame;

  g_assert_no_error (error);
  make_frame (&frame, &sample);
  tool_crops_save (crops, &frame, &row, 1, &error);
  g_assert_no_error (error);
  tool_crops_free (crops);
  gst_y10_frame_unmap (&sample.frame);
  gst_sample_unref (sample.sample);
  return take_crop ("door-000000-1.jpg");
}

static void
test_place (void)
{
  g_autoptr (GdkPixbuf) picture = crop (NULL);

  g_assert_cmpint (gdk_pixbuf_get_width (picture), ==, 48);
  g_assert_cmpint (gdk_pixbuf_get_height (picture), ==, 40);
  for (gint y = 0; y < 40; y++)
    for (gint x = 0; x < 48; x++)
      g_assert_cmpint (red_at (picture, x, y) > 160, ==, x >= 8);
}

/* What is filled is dark. */
static void
test_privacy (void)
{
  g_autoptr (GdkPixbuf) picture = crop ("fill");

  for (gint y = 0; y < 40; y++)
    for (gint x = 0; x < 48; x++)
      g_assert_cmpint (red_at (picture, x, y), <, 60);
}

int
main (int argc, char **argv)
{
  GError *error = NULL;
  int status;

  g_test_init (&argc, &argv, NULL);
  gst_init (NULL, NULL);
  model = y10_model_load (argv[1], NULL, &error);
  g_assert_no_error (error);
  folder = g_dir_make_tmp ("y10-crops-XXXXXX", NULL);
  g_test_add_func ("/crops/place", test_place);
  g_test_add_func ("/crops/privacy", test_privacy);
  status = g_test_run ();
  y10_model_unref (model);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
  g_free (folder);
  return status;
}
