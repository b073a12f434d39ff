/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* yolov10detect in a stream: events, flushes, seeks, state changes. */
#include "gstcommon.h"

static GstHarness *
started_harness (const char *properties)
{
  GstHarness *h = test_gst_harness (properties);
  GstCaps *caps = test_gst_caps ("NV12", 96, 64);

  gst_harness_set_caps (h, gst_caps_ref (caps), caps);
  return h;
}

static GstBuffer *
frame (GstClockTime pts)
{
  g_autoptr (GstCaps) caps = test_gst_caps ("NV12", 96, 64);
  GstBuffer *buffer = test_gst_picture_caps (caps, 1);

  GST_BUFFER_PTS (buffer) = pts;
  return buffer;
}

/* Returns the next output event of @type, and skips others. */
static GstEvent *
pull_event (GstHarness *h, GstEventType type)
{
  GstEvent *event;

  while ((event = gst_harness_try_pull_event (h))) {
    if (GST_EVENT_TYPE (event) == type)
      return event;
    gst_event_unref (event);
  }
  ck_abort_msg ("no %s event came out", gst_event_type_get_name (type));
  return NULL;
}

/* Events pass unchanged; where nothing must change they are the same
 * objects. */
GST_START_TEST (test_events)
{
  GstHarness *h = started_harness ("");
  GstEvent *in[4], *out;
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.rate = 2.0;
  segment.start = 5 * GST_SECOND;
  segment.time = 7 * GST_SECOND;
  in[0] = gst_event_new_segment (&segment);
  in[1] = gst_event_new_gap (6 * GST_SECOND, GST_SECOND);
  in[2] = gst_event_new_tag (gst_tag_list_new (GST_TAG_TITLE, "t", NULL));
  in[3] = gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM,
      gst_structure_new_empty ("anything"));
  while ((out = gst_harness_try_pull_event (h)))
    gst_event_unref (out);
  for (guint i = 0; i < 4; i++) {
    fail_unless (gst_harness_push_event (h, gst_event_ref (in[i])));
    out = pull_event (h, GST_EVENT_TYPE (in[i]));
    fail_unless (out == in[i]);
    gst_event_unref (out);
    gst_event_unref (in[i]);
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

/* EOS comes after all frames: the element keeps none back. */
GST_START_TEST (test_eos)
{
  GstHarness *h = started_harness ("");

  for (guint i = 0; i < 3; i++)
    fail_unless_equals_int (gst_harness_push (h, frame (i)), GST_FLOW_OK);
  fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
  fail_unless_equals_int (gst_harness_buffers_in_queue (h), 3);
  gst_event_unref (pull_event (h, GST_EVENT_EOS));
  fail_unless_equals_int (gst_harness_push (h, frame (4)), GST_FLOW_EOS);
  gst_harness_teardown (h);
}

GST_END_TEST;

GST_START_TEST (test_flush)
{
  GstHarness *h = started_harness ("");
  GstSegment segment;
  GstBuffer *out;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  for (guint i = 0; i < 20; i++) {
    out = gst_harness_push_and_pull (h, frame (i));
    fail_unless (test_gst_frame_meta (out, 0) != NULL);
    gst_buffer_unref (out);
    fail_unless (gst_harness_push_event (h, gst_event_new_flush_start ()));
    fail_unless_equals_int (gst_harness_push (h, frame (i)), GST_FLOW_FLUSHING);
    fail_unless (gst_harness_push_event (h, gst_event_new_flush_stop (TRUE)));
    fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
  }
  out = gst_harness_push_and_pull (h, frame (99));
  fail_unless_equals_uint64 (GST_BUFFER_PTS (out), 99);
  gst_buffer_unref (out);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Downstream's events and queries reach upstream. */
GST_START_TEST (test_upstream_events)
{
  GstHarness *h = started_harness ("");
  GstEvent *seek = gst_event_new_seek (1.5, GST_FORMAT_TIME,
               GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, GST_SECOND,
               GST_SEEK_TYPE_NONE, 0),
           *out;

  while ((out = gst_harness_try_pull_upstream_event (h)))
    gst_event_unref (out);
  fail_unless (gst_harness_push_upstream_event (h, gst_event_ref (seek)));
  out = gst_harness_pull_upstream_event (h);
  fail_unless (out == seek);
  gst_event_unref (out);
  gst_event_unref (seek);
  fail_unless (gst_harness_push_upstream_event (h,
      gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM,
          gst_structure_new_empty ("GstForceKeyUnit"))));
  out = gst_harness_pull_upstream_event (h);
  fail_unless (gst_event_has_name (out, "GstForceKeyUnit"));
  gst_event_unref (out);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Each start begins afresh: counters start from 0, and no state remains. */
GST_START_TEST (test_cycles)
{
  GstElement *pipeline, *e;
  gchar *line = g_strdup_printf (
      "videotestsrc num-buffers=2 ! video/x-raw,"
      "format=I420,width=64,height=48 ! yolov10detect name=d model-file=%s "
      "! fakesink",
      test_gst_model ());
  GError *error = NULL;
  GstBus *bus;

  if (!test_gst_load_plugin ("coreelements")
      || !test_gst_load_plugin ("videotestsrc")) {
    test_gst_skip ("videotestsrc is not installed");
    g_free (line);
    return;
  }
  pipeline = gst_parse_launch (line, &error);
  g_assert_no_error (error);
  e = gst_bin_get_by_name (GST_BIN (pipeline), "d");
  bus = gst_element_get_bus (pipeline);
  for (guint i = 0; i < 50; i++) {
    GstStructure *stats;
    GstMessage *message;
    guint64 frames;

    fail_unless (gst_element_set_state (pipeline, GST_STATE_PLAYING)
        != GST_STATE_CHANGE_FAILURE);
    /* Every other cycle ends while frames are queued. */
    if (i % 2) {
      message = gst_bus_timed_pop_filtered (bus, 20 * GST_SECOND,
          GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
      fail_unless (message && GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS);
      gst_message_unref (message);
      g_object_get (e, "stats", &stats, NULL);
      fail_unless (gst_structure_get_uint64 (stats, "frames", &frames));
      fail_unless_equals_uint64 (frames, 2);
      gst_structure_free (stats);
    }
    fail_unless_equals_int (gst_element_set_state (pipeline, GST_STATE_NULL),
        GST_STATE_CHANGE_SUCCESS);
  }
  ASSERT_OBJECT_REFCOUNT (e, "detector", 2);
  gst_object_unref (e);
  gst_object_unref (bus);
  gst_object_unref (pipeline);
  g_free (line);
}

GST_END_TEST;

/* Seeks in a running pipeline: frames come from the seek's target on, each
 * inferred once. */
GST_START_TEST (test_seeks)
{
  GstElement *pipeline, *e;
  gchar *line = g_strdup_printf (
      "videotestsrc ! video/x-raw,format=I420,"
      "width=64,height=48,framerate=30/1 ! yolov10detect name=d model-file=%s "
      "! fakesink name=s enable-last-sample=true",
      test_gst_model ());
  GError *error = NULL;
  GstElement *sink;

  if (!test_gst_load_plugin ("coreelements")
      || !test_gst_load_plugin ("videotestsrc")) {
    test_gst_skip ("videotestsrc is not installed");
    g_free (line);
    return;
  }
  pipeline = gst_parse_launch (line, &error);
  g_assert_no_error (error);
  e = gst_bin_get_by_name (GST_BIN (pipeline), "d");
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "s");
  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  fail_unless_equals_int (gst_element_get_state (pipeline, NULL, NULL,
                              20 * GST_SECOND),
      GST_STATE_CHANGE_SUCCESS);
  for (guint i = 0; i < 20; i++) {
    GstClockTime to = ((i * 7) % 20) * GST_SECOND;
    GstSample *sample;
    GstBuffer *buffer;

    fail_unless (gst_element_seek_simple (pipeline, GST_FORMAT_TIME,
        GST_SEEK_FLAG_FLUSH, to));
    fail_unless_equals_int (gst_element_get_state (pipeline, NULL, NULL,
                                20 * GST_SECOND),
        GST_STATE_CHANGE_SUCCESS);
    g_object_get (sink, "last-sample", &sample, NULL);
    buffer = gst_sample_get_buffer (sample);
    fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), to);
    fail_unless (test_gst_frame_meta (buffer, 0) != NULL);
    fail_unless (test_gst_frame_meta (buffer, 1) == NULL);
    gst_sample_unref (sample);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (e);
  gst_object_unref (sink);
  gst_object_unref (pipeline);
  g_free (line);
}

GST_END_TEST;

static gboolean stop_changing;

static gpointer
change_properties (gpointer data)
{
  static const char *const classes[] = { "", "bus", "0,2", "person,bus" };
  guint i = 0;

  while (!g_atomic_int_get (&stop_changing)) {
    GstStructure *stats;
    gchar *text;

    i++;
    g_object_set (data, "confidence", (i % 100) / 100.0, "classes",
        classes[i % 4], "max-detections", 1 + i % 1000, "attach", i % 8 & ~2u,
        "active", i % 5 != 0, "iou-threshold", (i % 10) / 10.0, NULL);
    g_object_get (data, "stats", &stats, "active-device", &text, NULL);
    gst_structure_free (stats);
    g_free (text);
  }
  return NULL;
}

/* Another thread sets every property that it may while frames flow; both kinds
 * of metadata of a frame still agree. */
GST_START_TEST (test_threads)
{
  GstHarness *h = started_harness ("");
  g_autoptr (GstElement) e = gst_object_ref (h->element);
  GThread *thread;

  g_atomic_int_set (&stop_changing, FALSE);
  thread = g_thread_new ("changer", change_properties, e);
  for (guint i = 0; i < 200; i++) {
    GstBuffer *out = gst_harness_push_and_pull (h, frame (i));
    GArray *rois = test_gst_rois (out);
    const GstStructure *meta = test_gst_frame_meta (out, 0);

    if (meta && rois->len) {
      GArray *records = test_gst_records (meta);

      fail_unless_equals_int (records->len, rois->len);
      g_array_unref (records);
    }
    g_array_unref (rois);
    gst_buffer_unref (out);
  }
  g_atomic_int_set (&stop_changing, TRUE);
  g_thread_join (thread);
  gst_harness_teardown (h);
}

GST_END_TEST;

TEST_GST_MAIN (detect_stream)
{
  tcase_add_test (tc, test_events);
  tcase_add_test (tc, test_eos);
  tcase_add_test (tc, test_flush);
  tcase_add_test (tc, test_upstream_events);
  tcase_add_test (tc, test_cycles);
  tcase_add_test (tc, test_seeks);
  tcase_add_test (tc, test_threads);
}
