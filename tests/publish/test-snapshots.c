/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Pictures of events, of frames and events that the test makes: each format that GStreamer
 * has, read by its jpegdec; what is cut by metadata; what is no frame; more than there is room for; silence. */
#include "gstcommon.h"
#include "meta/gstyolov10framemeta.h"
#include "waitfor.h"

#include <gst/video/video.h>
#include <string.h>

#define WIDTH 322
#define HEIGHT 242

static gchar *folder;
static GstHarness *h;
static GstClockTime now;
static const gchar *options = "", *overlay = "", *before = "";

/* What is not live waits for room. */
static gboolean
answer_not_live (GstPad *pad, GstObject *parent, GstQuery *query)
{
  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return gst_pad_query_default (pad, parent, query);
  gst_query_set_latency (query, FALSE, 0, GST_CLOCK_TIME_NONE);
  return TRUE;
}

static void
begin (const gchar *caps, gboolean is_live)
{
  g_autofree gchar *launch = NULL;

  folder = g_dir_make_tmp ("y10-snapshots-XXXXXX", NULL);
  launch = g_strdup_printf (
      "%s yolov10publish name=p location=%s/lines snapshots=%s/pictures %s%s",
      before, folder, folder, options, overlay);
  h = gst_harness_new_parse (launch);
  now = 0;
  if (!is_live)
    gst_pad_set_query_function (h->srcpad, answer_not_live);
  if (caps)
    gst_harness_set_src_caps_str (h, caps);
}

static void
push_event (const gchar *kind, guint n)
{
  gchar *json = g_strdup_printf ("{\"event\":\"%s\",\"n\":%u}", kind, n);

  fail_unless (gst_harness_push_event (h,
      gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM,
          gst_structure_new ("yolov10-event", "event", G_TYPE_STRING, kind,
              "json", G_TYPE_STRING, json, NULL))));
  g_free (json);
}

/* A frame of one colour. */
static GstBuffer *
new_frame (const GstVideoInfo *info, guint32 argb)
{
  GstVideoInfo from;
  GstVideoConverter *converter;
  GstVideoFrame in, out;
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, info->size, NULL),
            *argb_buffer;

  gst_video_info_set_format (&from, GST_VIDEO_FORMAT_ARGB, (guint) info->width,
      (guint) info->height);
  from.fps_n = info->fps_n;
  from.fps_d = info->fps_d;
  argb_buffer = gst_buffer_new_allocate (NULL, from.size, NULL);
  fail_unless (gst_video_frame_map (&in, &from, argb_buffer, GST_MAP_WRITE));
  for (gsize i = 0; i < from.size; i += 4)
    GST_WRITE_UINT32_BE ((guint8 *) in.data[0] + i, argb);
  fail_unless (gst_video_frame_map (&out, info, buffer, GST_MAP_WRITE));
  converter = gst_video_converter_new (&from, info, NULL);
  fail_unless (converter != NULL);
  gst_video_converter_frame (converter, &in, &out);
  gst_video_converter_free (converter);
  gst_video_frame_unmap (&in);
  gst_video_frame_unmap (&out);
  gst_buffer_unref (argb_buffer);
  return buffer;
}

static GstFlowReturn
push_frame (GstBuffer *buffer)
{
  GstFlowReturn flow;

  GST_BUFFER_PTS (buffer) = now;
  now += GST_SECOND / 25;
  flow = gst_harness_push (h, buffer);
  if (flow == GST_FLOW_OK)
    gst_buffer_unref (gst_harness_pull (h));
  return flow;
}

/* All lines, once everything is written. */
static gchar **
end_lines (void)
{
  gchar *path = g_build_filename (folder, "lines", NULL), *text, **lines;

  gst_harness_push_event (h, gst_event_new_eos ());
  fail_unless (g_file_get_contents (path, &text, NULL, NULL));
  g_free (path);
  if (g_str_has_suffix (text, "\n"))
    text[strlen (text) - 1] = '\0';
  lines = g_strsplit (text, "\n", -1);
  g_free (text);
  return lines;
}

static void
end (void)
{
  g_autofree gchar *command = g_strdup_printf ("rm -r '%s'", folder);

  gst_harness_teardown (h);
  fail_unless (g_spawn_command_line_sync (command, NULL, NULL, NULL, NULL));
  g_free (folder);
}

/* The path of the picture that a line names; NULL: none. */
static gchar *
find_picture (const gchar *line)
{
  const gchar *name = strstr (line, "\"snapshot\":\"");
  gchar *file, *path;

  if (!name)
    return NULL;
  name += strlen ("\"snapshot\":\"");
  file = g_strndup (name, strcspn (name, "\""));
  path = g_build_filename (folder, "pictures", file, NULL);
  g_free (file);
  return path;
}

/* Reads the picture of a line, as RGB. */
static GstSample *
map_picture (const gchar *line, GstVideoFrame *frame, const gchar *what)
{
  gchar *path = find_picture (line), *launch;
  g_autoptr (GstElement) pipeline = NULL;
  g_autoptr (GstElement) sink = NULL;
  GstSample *sample = NULL;
  GstVideoInfo info;

  fail_unless (path != NULL, "%s: %s", what, line);
  launch = g_strdup_printf ("filesrc location=%s ! jpegdec ! videoconvert ! "
                            "video/x-raw,format=RGB ! fakesink name=s "
                            "enable-last-sample=true",
      path);
  pipeline = gst_parse_launch (launch, NULL);
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "s");
  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  fail_unless_equals_int (gst_element_get_state (pipeline, NULL, NULL,
                              10 * GST_SECOND),
      GST_STATE_CHANGE_SUCCESS);
  g_object_get (sink, "last-sample", &sample, NULL);
  fail_unless (sample != NULL);
  fail_unless (gst_video_info_from_caps (&info, gst_sample_get_caps (sample)));
  fail_unless (gst_video_frame_map (frame, &info,
      gst_sample_get_buffer (sample), GST_MAP_READ));
  gst_element_set_state (pipeline, GST_STATE_NULL);
  g_free (launch);
  g_free (path);
  return sample;
}

static const guint8 *
pixel_at (const GstVideoFrame *frame, gint x, gint y)
{
  return (const guint8 *) frame->data[0] + y * frame->info.stride[0] + 3 * x;
}

/* Checks that the picture of a line is one colour, as far as its format can tell. */
static void
check_picture (const gchar *line, gint width, gint height, guint32 rgb,
    gint tolerance, const gchar *what)
{
  GstVideoFrame frame;
  /* Holds the memory of the frame. */
  G_GNUC_UNUSED g_autoptr (GstSample) sample = map_picture (line, &frame, what);

  fail_unless (frame.info.width == width && frame.info.height == height,
      "%s: %dx%d", what, frame.info.width, frame.info.height);
  for (gint y = 0; y < height; y += 7)
    for (gint x = 0; x < width; x += 7) {
      const guint8 *pixel = pixel_at (&frame, x, y);

      for (guint i = 0; i < 3; i++)
        fail_unless (ABS ((gint) pixel[i] - (gint) (rgb >> (16 - 8 * i) & 255))
                <= tolerance,
            "%s: %d,%d is %d,%d,%d", what, x, y, pixel[0], pixel[1], pixel[2]);
    }
  gst_video_frame_unmap (&frame);
}

static gboolean
is_packable (GstVideoFormat format)
{
  const GstVideoFormatInfo *info = gst_video_format_get_info (format);

  return format > GST_VIDEO_FORMAT_ENCODED && info->unpack_func
      && info->pack_func && !GST_VIDEO_FORMAT_INFO_HAS_PALETTE (info);
}

/* Each format, at an odd size; a caps change keeps the element. */
GST_START_TEST (test_formats)
{
  guint n_formats, n = 0;
  const GstVideoFormat *formats = gst_video_formats_raw (&n_formats);
  gchar **lines;

  begin (NULL, FALSE);
  for (guint i = 0; i < n_formats; i++) {
    const GstVideoFormat format = formats[i];
    GstVideoInfo info;
    GstCaps *caps;

    if (!is_packable (format))
      continue;
    gst_video_info_set_format (&info, (GstVideoFormat) format,
        WIDTH - format % 2, HEIGHT - 1);
    info.fps_n = 25;
    info.fps_d = 1;
    caps = gst_video_info_to_caps (&info);
    gst_harness_set_src_caps (h, caps);
    fail_unless (gst_video_info_from_caps (&info, caps));
    push_event ("enter", (guint) format);
    fail_unless_equals_int (push_frame (new_frame (&info, 0xffc08040)),
        GST_FLOW_OK);
    n++;
  }
  lines = end_lines ();
  fail_unless (n > 80, "%u", n);
  for (gchar **line = lines; *line; line++) {
    const gint format = (gint) g_ascii_strtoll (strstr (*line, "\"n\":") + 4,
        NULL, 10);
    const GstVideoFormatInfo *info = gst_video_format_get_info (
        (GstVideoFormat) format);
    const gboolean is_gray = GST_VIDEO_FORMAT_INFO_IS_GRAY (info);

    /* Luma of the colour by BT.601. */
    check_picture (*line, WIDTH - format % 2, HEIGHT - 1,
        is_gray ? 0x8b8b8b : 0xc08040, is_gray ? 12 : 24, info->name);
  }
  g_strfreev (lines);
  end ();
}

GST_END_TEST;

#define I420 "video/x-raw,format=I420,width=64,height=48,framerate=25/1"

static GstBuffer *
gray_frame (void)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 64 * 48 * 3 / 2, NULL);

  gst_buffer_memset (buffer, 0, 128, 64 * 48 * 3 / 2);
  return buffer;
}

/* A frame with a white square from 200,120 to 240,160, and the part of it that is shown. */
#define WHOLE_WIDTH 320
#define WHOLE_HEIGHT 240
#define PART_X 150
#define PART_Y 90
#define PART_WIDTH 100
#define PART_HEIGHT 80

static GstBuffer *
cut_frame (void)
{
  const gsize luma = WHOLE_WIDTH * WHOLE_HEIGHT;
  const GstYolov10Record record = { .id = 3,
    .confidence = 1,
    .x_min = 200.f / WHOLE_WIDTH,
    .y_min = 120.f / WHOLE_HEIGHT,
    .x_max = 240.f / WHOLE_WIDTH,
    .y_max = 160.f / WHOLE_HEIGHT };
  const GstYolov10Track track = { .track_id = 7, .record_id = 3 };
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, luma * 3 / 2, NULL);
  g_autoptr (GBytes) records = g_bytes_new (&record, sizeof record);
  g_autoptr (GBytes) tracks = g_bytes_new (&track, sizeof track);
  GstVideoCropMeta *crop;

  gst_buffer_memset (buffer, 0, 16, luma);
  gst_buffer_memset (buffer, luma, 128, luma / 2);
  for (gsize y = 120; y < 160; y++)
    gst_buffer_memset (buffer, y * WHOLE_WIDTH + 200, 235, 40);
  gst_buffer_add_video_meta (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_FORMAT_I420, WHOLE_WIDTH, WHOLE_HEIGHT);
  crop = gst_buffer_add_video_crop_meta (buffer);
  crop->x = PART_X;
  crop->y = PART_Y;
  crop->width = PART_WIDTH;
  crop->height = PART_HEIGHT;
  gst_structure_set (gst_custom_meta_get_structure (
                         gst_buffer_add_custom_meta (buffer,
                             GST_YOLOV10_FRAME_META_NAME)),
      "version", G_TYPE_UINT, 1, "width", G_TYPE_UINT, WHOLE_WIDTH, "height",
      G_TYPE_UINT, WHOLE_HEIGHT, "count", G_TYPE_UINT, 1, "record-size",
      G_TYPE_UINT, (guint) sizeof record, "records", G_TYPE_BYTES, records,
      "labels", G_TYPE_STRING, "ball\n", "track-size", G_TYPE_UINT,
      (guint) sizeof track, "tracks", G_TYPE_BYTES, tracks, NULL);
  return buffer;
}

/* Checks where the picture is white: from its first corner to its second. */
static void
check_white (const gchar *line, gint width, gint height, GstVideoRectangle is)
{
  GstVideoFrame frame;
  /* Holds the memory of the frame. */
  G_GNUC_UNUSED g_autoptr (GstSample)
      sample = map_picture (line, &frame, "cut");

  fail_unless_equals_int (frame.info.width, width);
  fail_unless_equals_int (frame.info.height, height);
  for (gint y = 0; y < height; y++)
    for (gint x = 0; x < width; x++) {
      const gboolean in_x = x >= is.x && x < is.x + is.w;
      const gboolean in_y = y >= is.y && y < is.y + is.h;

      fail_unless_equals_int (*pixel_at (&frame, x, y) > 128, in_x && in_y);
    }
  gst_video_frame_unmap (&frame);
}

/* Pictures show what is inside of a GstVideoCropMeta, and boxes are fractions of that. */
GST_START_TEST (test_crop_meta)
{
  static const gchar *const tags[] = { NULL };

  if (!gst_meta_get_info (GST_YOLOV10_FRAME_META_NAME))
    gst_meta_register_custom (GST_YOLOV10_FRAME_META_NAME,
        (const gchar **) tags, NULL, NULL, NULL);
  for (guint i = 0; i < 2; i++) {
    gchar **lines;

    options = i ? "content=events snapshot-crop=true" : "content=events";
    begin ("video/x-raw,format=I420,width=100,height=80,framerate=25/1", FALSE);
    options = "";
    fail_unless (gst_harness_push_event (h,
        gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM,
            gst_structure_new ("yolov10-event", "event", G_TYPE_STRING, "enter",
                "id", G_TYPE_UINT64, (guint64) 7, "json", G_TYPE_STRING,
                "{\"event\":\"enter\"}", NULL))));
    fail_unless_equals_int (push_frame (cut_frame ()), GST_FLOW_OK);
    lines = end_lines ();
    if (i) {
      check_white (lines[0], 48, 48, (GstVideoRectangle){ 4, 4, 40, 40 });
    } else {
      check_white (lines[0], PART_WIDTH, PART_HEIGHT,
          (GstVideoRectangle){ 50, 30, 40, 40 });
      fail_unless (strstr (lines[0], "\"box\":[0.5000,0.3750,0.9000,0.8750]")
              != NULL,
          "%s", lines[0]);
    }
    g_strfreev (lines);
    end ();
  }
}

GST_END_TEST;

/* What is no frame costs the picture and no event, and nothing else. */
GST_START_TEST (test_no_frames)
{
  static const gchar *const caps[] = { "image/jpeg", "video/x-raw",
    "video/x-raw,format=I420,width=64,height=48,interlace-mode=alternate,framerate=25/1",
    "video/x-raw,format=I420,width=65535,height=1,framerate=25/1", I420 };
  GstBuffer *small = gst_buffer_new_allocate (NULL, 100, NULL);
  GstBuffer *wrong = gray_frame ();
  gchar **lines, *path;
  guint n = 0;

  begin (NULL, FALSE);
  for (guint i = 0; i < G_N_ELEMENTS (caps); i++) {
    gst_harness_set_src_caps_str (h, caps[i]);
    push_event ("enter", n++);
    fail_unless_equals_int (push_frame (
                                i < 4 ? gray_frame () : gst_buffer_ref (small)),
        GST_FLOW_OK);
  }
  gst_buffer_unref (small);
  push_event ("enter", n++);
  gst_buffer_add_video_meta (wrong, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_FORMAT_I420, 16, 16);
  fail_unless_equals_int (push_frame (wrong), GST_FLOW_OK);
  push_event ("enter", n++);
  fail_unless_equals_int (push_frame (gst_buffer_new ()), GST_FLOW_OK);
  push_event ("enter", n);
  fail_unless_equals_int (push_frame (gray_frame ()), GST_FLOW_OK);
  lines = end_lines ();
  fail_unless_equals_int (g_strv_length (lines), n + 1);
  for (guint i = 0; i < n; i++) {
    path = find_picture (lines[i]);
    fail_unless (!path, "%s", lines[i]);
  }
  check_picture (lines[n], 64, 48, 0x828282, 4, "last");
  fail_unless_equals_uint64 (test_gst_harness_stat (h, "snapshots"), 1);
  fail_unless_equals_uint64 (test_gst_harness_stat (h, "snapshots-dropped"), n);
  g_strfreev (lines);
  end ();
}

GST_END_TEST;

/* A live stream never waits: what there is no room for goes without a picture, and in
 * order. */
GST_START_TEST (test_full)
{
  GstVideoInfo info;
  GstBuffer *frame;
  gchar **lines;
  guint n_pictures = 0;

  begin ("video/x-raw,format=I420,width=3840,height=2160,framerate=25/1", TRUE);
  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_I420, 3840, 2160);
  frame = new_frame (&info, 0xff808080);
  for (guint i = 0; i < 60; i++) {
    push_event (i % 2 ? "dwell" : "leave", i);
    push_frame (gst_buffer_copy (frame));
  }
  gst_buffer_unref (frame);
  lines = end_lines ();
  fail_unless_equals_int (g_strv_length (lines), 60);
  for (guint i = 0; i < 60; i++) {
    gchar *path = find_picture (lines[i]);

    fail_unless_equals_int (g_ascii_strtoll (strstr (lines[i], "\"n\":") + 4,
                                NULL, 10),
        i);
    fail_unless (i % 2 || !path);
    n_pictures += path != NULL;
    g_free (path);
  }
  fail_unless (n_pictures >= 1 && n_pictures < 30, "%u", n_pictures);
  fail_unless_equals_uint64 (test_gst_harness_stat (h, "snapshots"),
      n_pictures);
  fail_unless_equals_uint64 (test_gst_harness_stat (h, "snapshots-dropped"),
      30 - n_pictures);
  g_strfreev (lines);
  end ();
}

GST_END_TEST;

/* While a source is silent, an event does not wait for long. */
GST_START_TEST (test_silence)
{
  gchar **lines;

  begin (I420, TRUE);
  push_event ("dwell", 0);
  push_event ("leave", 1);
  test_wait_for (test_gst_harness_stat (h, "written") == 2);
  fail_unless_equals_uint64 (test_gst_harness_stat (h, "snapshots-dropped"), 1);
  push_event ("dwell", 2);
  fail_unless_equals_int (push_frame (gray_frame ()), GST_FLOW_OK);
  lines = end_lines ();
  fail_unless (!strstr (lines[0], "snapshot") && strstr (lines[2], "snapshot"));
  g_strfreev (lines);
  end ();
}

GST_END_TEST;

/* No reference is left where a frame has been converted, whatever waits for the disk. */
GST_START_TEST (test_references)
{
  GstBuffer *frame = gray_frame ();

  begin (I420, TRUE);
  push_event ("enter", 0);
  push_event ("cross", 1);
  fail_unless_equals_int (push_frame (gst_buffer_ref (frame)), GST_FLOW_OK);
  g_strfreev (end_lines ());
  ASSERT_BUFFER_REFCOUNT (frame, "frame", 1);
  /* One frame, one picture. */
  fail_unless_equals_uint64 (test_gst_harness_stat (h, "snapshots"), 2);
  gst_buffer_unref (frame);
  end ();
}

GST_END_TEST;

static GstFlowReturn
push_entered (guint n)
{
  push_event ("enter", n);
  return push_frame (gray_frame ());
}

/* Where an overlay downstream begins to cover frames, there is an error before there is a
 * picture; and again none where it ends that. */
GST_START_TEST (test_privacy_later)
{
  GstElement *element;

  overlay = " ! yolov10overlay";
  begin (I420, FALSE);
  overlay = "";
  element = gst_harness_find_element (h, "yolov10overlay");
  for (guint i = 0; i < 4; i++) {
    g_object_set (element, "privacy", i % 2 ? 2 : 0, NULL);
    fail_unless_equals_int (push_entered (i),
        i % 2 ? GST_FLOW_ERROR : GST_FLOW_OK);
  }
  g_strfreev (end_lines ());
  fail_unless_equals_uint64 (test_gst_harness_stat (h, "snapshots"), 2);
  gst_object_unref (element);
  end ();
}

GST_END_TEST;

/* One upstream covers them, which lines tell; and only then. */
GST_START_TEST (test_privacy_before)
{
  GstElement *element;
  gchar **lines;

  before = "yolov10overlay ! ";
  begin (I420, FALSE);
  before = "";
  element = gst_harness_find_element (h, "yolov10overlay");
  for (guint i = 0; i < 4; i++) {
    g_object_set (element, "privacy", i % 2 ? 2 : 0, NULL);
    fail_unless_equals_int (push_entered (i), GST_FLOW_OK);
    push_event ("leave", i);
  }
  lines = end_lines ();
  fail_unless_equals_int (g_strv_length (lines), 8);
  for (guint i = 0; i < 8; i++)
    fail_unless ((strstr (lines[i], ",\"snapshot-covered\":true") != NULL)
            == (i == 2 || i == 6),
        "%s", lines[i]);
  g_strfreev (lines);
  gst_object_unref (element);
  end ();
}

GST_END_TEST;

/* So does one behind something that forwards no query, once it tells detectors. */
GST_START_TEST (test_privacy_event)
{
  begin (I420, FALSE);
  for (guint i = 0; i < 4; i++) {
    gst_harness_push_upstream_event (h,
        gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM,
            gst_structure_new ("yolov10-privacy", "active", G_TYPE_BOOLEAN,
                (gboolean) (i % 2), NULL)));
    fail_unless_equals_int (push_entered (i),
        i % 2 ? GST_FLOW_ERROR : GST_FLOW_OK);
  }
  g_strfreev (end_lines ());
  fail_unless_equals_uint64 (test_gst_harness_stat (h, "snapshots"), 2);
  end ();
}

GST_END_TEST;

TEST_GST_MAIN (snapshots)
{
  /* Before and since GStreamer 1.22. */
  static const gchar *const converters[] = { "videoconvert",
    "videoconvertscale" };
  gboolean loaded = FALSE;

  for (guint i = 0; i < G_N_ELEMENTS (converters); i++)
    loaded |= test_gst_load_plugin (converters[i]);
  if (!loaded || !test_gst_load_plugin ("coreelements")
      || !test_gst_load_plugin ("jpeg")) {
    test_gst_skip ("jpegenc, jpegdec, videoconvert or filesrc is missing");
    return;
  }
  tcase_add_test (tc, test_formats);
  tcase_add_test (tc, test_crop_meta);
  tcase_add_test (tc, test_no_frames);
  tcase_add_test (tc, test_full);
  tcase_add_test (tc, test_silence);
  tcase_add_test (tc, test_references);
  tcase_add_test (tc, test_privacy_later);
  tcase_add_test (tc, test_privacy_event);
  tcase_add_test (tc, test_privacy_before);
}
