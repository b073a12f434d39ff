/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The model that comes with the project follows the ball of videotestsrc, whose
 * position the test reads from the pixels. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstcommon.h"

#include <gst/video/video.h>

#define N_FRAMES 60
#define WIDTH 320
#define HEIGHT 240

typedef struct
{
  guint frames;
  gdouble least_iou;
  guint twice; /* frames with a second box */
  guint lost;  /* frames without one */
  guint last_lost;
  gchar *wrong; /* description of the first error */
} Seen;

/* Around the luma that is nearer to white than to black. */
static void
find_ball (GstBuffer *buffer, gdouble box[4])
{
  guint x0 = WIDTH, y0 = HEIGHT, x1 = 0, y1 = 0;
  GstVideoFrame frame;
  GstVideoInfo info;

  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_GRAY8, WIDTH, HEIGHT);
  fail_unless (gst_video_frame_map (&frame, &info, buffer, GST_MAP_READ));
  for (guint y = 0; y < HEIGHT; y++) {
    const guint8 *row = (guint8 *) GST_VIDEO_FRAME_PLANE_DATA (&frame, 0)
        + y * GST_VIDEO_FRAME_PLANE_STRIDE (&frame, 0);

    for (guint x = 0; x < WIDTH; x++) {
      if (row[x] < 128)
        continue;
      x0 = MIN (x0, x);
      x1 = MAX (x1, x + 1);
      y0 = MIN (y0, y);
      y1 = MAX (y1, y + 1);
    }
  }
  gst_video_frame_unmap (&frame);
  box[0] = x0;
  box[1] = y0;
  box[2] = x1;
  box[3] = y1;
}

static gdouble
iou (const gdouble a[4], const gdouble b[4])
{
  gdouble w = MIN (a[2], b[2]) - MAX (a[0], b[0]);
  gdouble h = MIN (a[3], b[3]) - MAX (a[1], b[1]);
  gdouble overlap = MAX (w, 0) * MAX (h, 0);

  return overlap
      / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1])
          - overlap);
}

/* Runs in the streaming thread, where a failed assertion would end only that
 * thread. */
static void
on_frame (GstElement *sink, GstBuffer *buffer, GstPad *pad, Seen *seen)
{
  const GstStructure *meta = test_gst_frame_meta (buffer, 0);
  GArray *boxes = meta ? test_gst_records (meta) : NULL;
  guint n = boxes ? boxes->len : 0;
  gdouble known[4];

  find_ball (buffer, known);
  if (n == 0) {
    seen->lost++;
    seen->last_lost = seen->frames;
  }
  for (guint i = 0; i < n; i++) {
    const TestBox *box = &g_array_index (boxes, TestBox, i);
    const gdouble found[4] = { box->x_min * WIDTH, box->y_min * HEIGHT,
      box->x_max * WIDTH, box->y_max * HEIGHT };
    gdouble overlap = iou (found, known);

    seen->least_iou = MIN (seen->least_iou, overlap);
    if (!seen->wrong && (overlap < 0.5 || !g_str_equal (box->label, "ball")))
      seen->wrong = g_strdup_printf ("frame %u: %s at %.1f %.1f %.1f %.1f, the "
                                     "ball is at %.0f %.0f %.0f %.0f",
          seen->frames, box->label, found[0], found[1], found[2], found[3],
          known[0], known[1], known[2], known[3]);
  }
  seen->twice += n > 1;
  seen->frames++;
  if (boxes)
    g_array_unref (boxes);
}

GST_START_TEST (test_ball)
{
  static const char *const needed[] = { "coreelements", "videotestsrc" };
  static const char *const backends[] = { "auto", "ref" };
  Seen seen = { .least_iou = 1 };
  gchar *line, *model;
  GstElement *pipeline, *e;
  GstMessage *message;
  GError *error = NULL;
  GstBus *bus;

  for (guint i = 0; i < G_N_ELEMENTS (needed); i++)
    if (!test_gst_load_plugin (needed[i])) {
      test_gst_skip ("plugin %s is not installed", needed[i]);
      return;
    }
  /* The reference is slow: a few frames will do. */
  line = g_strdup_printf (
      "videotestsrc num-buffers=%d pattern=ball "
      "! video/x-raw,format=GRAY8,width=%d,height=%d,framerate=30/1 "
      "! yolov10detect name=d backend=%s ! fakesink name=s signal-handoffs=true",
      __i__ ? 3 : N_FRAMES, WIDTH, HEIGHT, backends[__i__]);
  pipeline = gst_parse_launch (line, &error);
  g_assert_no_error (error);
  e = gst_bin_get_by_name (GST_BIN (pipeline), "s");
  g_signal_connect (e, "handoff", G_CALLBACK (on_frame), &seen);
  gst_object_unref (e);
  bus = gst_element_get_bus (pipeline);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
      GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless (message && GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS);
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);

  fail_unless_equals_int (seen.frames, __i__ ? 3 : N_FRAMES);
  fail_unless (!seen.wrong, "%s", seen.wrong);
  /* At one of all places the confidence is 0.24, and the threshold is 0.25. */
  fail_unless (seen.lost <= 1, "without a ball: %u frames, the last %u",
      seen.lost, seen.last_lost);
  fail_unless_equals_int (seen.twice, 0);
  GST_INFO ("overlap at least %.3f", seen.least_iou);

  e = gst_bin_get_by_name (GST_BIN (pipeline), "d");
  g_object_get (e, "model-file", &model, NULL);
  fail_unless (!model, "%s", model);
  gst_object_unref (e);
  gst_object_unref (bus);
  gst_object_unref (pipeline);
  g_free (seen.wrong);
  g_free (line);
}

GST_END_TEST;

/* Of all detectors in front, a name that no model has is told, once. */
GST_START_TEST (test_zone_classes)
{
  static const char *const names[] = { "Ball", "ball" };
  gchar *line = g_strdup_printf (
      "videotestsrc num-buffers=3 pattern=ball "
      "! video/x-raw,format=GRAY8,width=64,height=64,framerate=30/1 ! yolov10detect "
      "! yolov10track class-groups=%s,* ! yolov10zones zones=\""
      "{\\\"version\\\":1,\\\"lines\\\":[{\\\"name\\\":\\\"gate\\\","
      "\\\"points\\\":[[0,0],[1,1]],\\\"classes\\\":[\\\"%s\\\"]}]}\" ! fakesink",
      names[__i__], names[__i__]);
  GError *error = NULL;
  GstElement *pipeline;
  GstMessage *message;
  guint n_zones = 0, n_groups = 0;
  GstBus *bus;

  if (!test_gst_load_plugin ("coreelements")
      || !test_gst_load_plugin ("videotestsrc")) {
    test_gst_skip ("plugin %s is not installed", "videotestsrc");
    g_free (line);
    return;
  }
  pipeline = gst_parse_launch (line, &error);
  g_assert_no_error (error);
  bus = gst_element_get_bus (pipeline);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while ((message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
              GST_MESSAGE_EOS | GST_MESSAGE_ERROR | GST_MESSAGE_WARNING))
      && GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING) {
    gst_message_parse_warning (message, &error, NULL);
    fail_unless (strstr (error->message, "\"Ball\" is not a class of")
            && strstr (error->message, "did you mean \"ball\"?"),
        "%s", error->message);
    n_zones += g_str_has_prefix (error->message, "zones: the line \"gate\": ");
    n_groups += g_str_has_prefix (error->message, "class-groups: ");
    g_clear_error (&error);
    gst_message_unref (message);
  }
  fail_unless (message && GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS);
  fail_unless_equals_int (n_zones, __i__ == 0);
  fail_unless_equals_int (n_groups, __i__ == 0);
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (pipeline);
  g_free (line);
}

GST_END_TEST;

TEST_GST_MAIN (detect_bundled)
{
  tcase_add_loop_test (tc, test_ball, 0, 2);
  tcase_add_loop_test (tc, test_zone_classes, 0, 2);
}
