/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* yolov10detect in a pipeline that seeks and changes state a hundred times, in
 * the middle of frames: frames are inferred once each and in order, and after
 * the last flush none is missing. */
#include "gstcommon.h"

typedef struct
{
  guint n, n_fresh, n_disorder; /* since the last flush */
  GstClockTime last;
  GMutex lock;
} Seen;

static void
look (Seen *seen, GstBuffer *buffer)
{
  const GstStructure *meta = test_gst_frame_meta (buffer, 0);

  seen->n++;
  if (GST_CLOCK_TIME_IS_VALID (seen->last)
      && GST_BUFFER_PTS (buffer) <= seen->last)
    seen->n_disorder++;
  seen->last = GST_BUFFER_PTS (buffer);
  if (meta && !test_gst_frame_meta (buffer, 1)
      && g_str_equal (gst_structure_get_string (meta, "inference"), "fresh"))
    seen->n_fresh++;
}

static GstPadProbeReturn
probe (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Seen *seen = data;

  g_mutex_lock (&seen->lock);
  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER)
    look (seen, GST_PAD_PROBE_INFO_BUFFER (info));
  else if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info))
      == GST_EVENT_FLUSH_STOP)
    seen->n = seen->n_fresh = 0;
  else if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info))
      == GST_EVENT_SEGMENT)
    seen->last = GST_CLOCK_TIME_NONE;
  g_mutex_unlock (&seen->lock);
  return GST_PAD_PROBE_OK;
}

static GstElement *
make_pipeline (const char *format, Seen *seen)
{
  gchar *line = g_strdup_printf (format, test_gst_model ());
  GError *error = NULL;
  GstElement *pipeline, *sink;
  GstPad *pad;

  if (!test_gst_load_plugin ("coreelements")
      || !test_gst_load_plugin ("videotestsrc")) {
    test_gst_skip ("videotestsrc is not installed");
    g_free (line);
    return NULL;
  }
  memset (seen, 0, sizeof *seen);
  seen->last = GST_CLOCK_TIME_NONE;
  g_mutex_init (&seen->lock);
  pipeline = gst_parse_launch (line, &error);
  g_assert_no_error (error);
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "s");
  pad = gst_element_get_static_pad (sink, "sink");
  gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM
          | GST_PAD_PROBE_TYPE_EVENT_FLUSH,
      probe, seen, NULL);
  gst_object_unref (pad);
  gst_object_unref (sink);
  g_free (line);
  return pipeline;
}

static void
end_pipeline (GstElement *pipeline, Seen *seen)
{
  fail_unless_equals_int (gst_element_set_state (pipeline, GST_STATE_NULL),
      GST_STATE_CHANGE_SUCCESS);
  gst_object_unref (pipeline);
  g_mutex_clear (&seen->lock);
}

/* A hundred flushing seeks in the middle of frames; after the last one each
 * frame comes, once. */
GST_START_TEST (test_seeks)
{
  Seen seen;
  GstElement *pipeline = make_pipeline (
      "videotestsrc ! video/x-raw,format=I420,"
      "width=64,height=48,framerate=30/1 ! yolov10detect model-file=%s "
      "in-flight=4 ! fakesink name=s",
      &seen);
  GstMessage *message;
  GstBus *bus;

  if (!pipeline)
    return;
  bus = gst_element_get_bus (pipeline);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  fail_unless (gst_element_get_state (pipeline, NULL, NULL, 20 * GST_SECOND)
      == GST_STATE_CHANGE_SUCCESS);
  for (guint i = 0; i < 100; i++) {
    fail_unless (gst_element_seek_simple (pipeline, GST_FORMAT_TIME,
        GST_SEEK_FLAG_FLUSH, (i * 7 % 20) * GST_SECOND));
    g_usleep (i * 131 % 4000);
  }
  fail_unless (
      gst_element_seek (pipeline, 1.0, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH,
          GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_SET, 2 * GST_SECOND));
  message = gst_bus_timed_pop_filtered (bus, 60 * GST_SECOND,
      GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless (message && GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS);
  gst_message_unref (message);
  fail_unless_equals_int (seen.n_disorder, 0);
  fail_unless_equals_int (seen.n, 60);
  fail_unless_equals_int (seen.n_fresh, 60);
  fail_unless_equals_uint64 (seen.last, 59 * GST_SECOND / 30);
  gst_object_unref (bus);
  end_pipeline (pipeline, &seen);
}

GST_END_TEST;

/* A hundred state changes up and down, in the middle of frames. */
GST_START_TEST (test_states)
{
  static const GstState states[] = { GST_STATE_NULL, GST_STATE_READY,
    GST_STATE_PAUSED, GST_STATE_NULL };
  Seen seen;
  GstElement *pipeline = make_pipeline (
      "videotestsrc ! video/x-raw,format=I420,"
      "width=64,height=48,framerate=30/1 ! yolov10detect name=d model-file=%s "
      "in-flight=2 ! fakesink name=s",
      &seen);
  GstElement *d;

  if (!pipeline)
    return;
  d = gst_bin_get_by_name (GST_BIN (pipeline), "d");
  for (guint i = 0; i < 100; i++) {
    fail_unless (gst_element_set_state (pipeline, GST_STATE_PLAYING)
        != GST_STATE_CHANGE_FAILURE);
    if (i % 3)
      gst_element_get_state (pipeline, NULL, NULL, 20 * GST_SECOND);
    g_usleep (i * 131 % 5000);
    fail_unless (gst_element_set_state (pipeline, states[i % 4])
        != GST_STATE_CHANGE_FAILURE);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  ASSERT_OBJECT_REFCOUNT (d, "detector", 2);
  gst_object_unref (d);
  fail_unless_equals_int (seen.n_fresh, seen.n);
  end_pipeline (pipeline, &seen);
}

GST_END_TEST;

TEST_GST_MAIN (detect_cycles)
{
  tcase_add_test (tc, test_seeks);
  tcase_add_test (tc, test_states);
}
