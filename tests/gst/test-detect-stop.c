/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Stops a pipeline at any moment: before it has prerolled, right after it was
 * created, while another thread seeks, queries and changes the model. No
 * element may post an error, and no state change may hang. The source is
 * GStreamer's: it posts an error for any flow return but FLUSHING.
 *
 * Y10_STOP_CYCLES is the number of repetitions; Y10_STOP_ELEMENT replaces the
 * elements under test. With "queue" there are no errors, with "identity" there
 * are a few during seeks. */
#include "gstcommon.h"

#include <stdlib.h>

/* P, A, R and N are states, w waits for the change, z sleeps for up to 6 ms. */
static const char *const orders[] = { "PR", "PN", "AR", "PAR", "PAN", "PzR",
  "PzN", "AzR", "PzAR", "PwAR", "PzAPzR", "PRAN" };

static guint
get_cycles (void)
{
  const gchar *text = g_getenv ("Y10_STOP_CYCLES");

  return text ? (guint) atoi (text) : 8;
}

/* Returns NULL if there is no videotestsrc. */
static GstElement *
make_pipeline (gboolean live)
{
  const gchar *replaced = g_getenv ("Y10_STOP_ELEMENT");
  GError *error = NULL;
  GstElement *pipeline;
  gchar *line, *ours;

  if (!test_gst_load_plugin ("coreelements")
      || !test_gst_load_plugin ("videotestsrc")) {
    test_gst_skip ("videotestsrc is not installed");
    return NULL;
  }
  ours = g_strdup_printf ("yolov10detect name=d threads=1 model-file=%s%s",
      test_gst_model (),
      gst_registry_check_feature_version (gst_registry_get (), "yolov10overlay",
          0, 0, 0)
          ? " ! yolov10overlay"
          : "");
  /* No capsfilter: it would give the same errors as identity. */
  line = g_strdup_printf (
      "videotestsrc is-live=%d ! %s ! fakesink name=s sync=false", live,
      replaced ? replaced : ours);
  pipeline = gst_parse_launch (line, &error);
  g_assert_no_error (error);
  g_free (line);
  g_free (ours);
  return pipeline;
}

/* Takes all messages from the bus; prints and counts errors. */
static guint
count_errors (GstElement *pipeline, const char *when)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  GstMessage *message;
  guint n = 0;

  while ((message = gst_bus_pop (bus))) {
    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
      GError *error;
      gchar *debug;

      gst_message_parse_error (message, &error, &debug);
      if (!n++)
        g_printerr ("%s: %s: %s (%s)\n", when, GST_OBJECT_NAME (message->src),
            error->message, debug);
      g_error_free (error);
      g_free (debug);
    }
    gst_message_unref (message);
  }
  return n;
}

static void
go_through (GstElement *pipeline, const char *order, GRand *random)
{
  static const struct
  {
    char name;
    GstState state;
  } states[] = { { 'N', GST_STATE_NULL }, { 'R', GST_STATE_READY },
    { 'A', GST_STATE_PAUSED }, { 'P', GST_STATE_PLAYING } };

  for (; *order; order++) {
    if (*order == 'w')
      gst_element_get_state (pipeline, NULL, NULL, GST_SECOND);
    if (*order == 'z')
      g_usleep (g_rand_int_range (random, 0, 6000)); /* at any time */
    for (guint i = 0; i < G_N_ELEMENTS (states); i++)
      if (states[i].name == *order)
        fail_unless (gst_element_set_state (pipeline, states[i].state)
            != GST_STATE_CHANGE_FAILURE);
  }
}

static void
stop (GstElement *pipeline)
{
  fail_unless_equals_int (gst_element_set_state (pipeline, GST_STATE_NULL),
      GST_STATE_CHANGE_SUCCESS);
}

/* Runs all orders, one pipeline each; a thread runs @disturb meanwhile. */
static void
do_orders (gboolean live, GThreadFunc disturb)
{
  GRand *random = g_rand_new_with_seed (5);
  guint n_errors = 0;

  for (guint o = 0; o < G_N_ELEMENTS (orders); o++) {
    GstElement *pipeline = make_pipeline (live);
    GThread *thread;

    if (!pipeline)
      break;
    g_object_set_data (G_OBJECT (pipeline), "go-on", pipeline);
    thread = disturb ? g_thread_new ("disturb", disturb, pipeline) : NULL;
    for (guint i = 0; i < get_cycles (); i++) {
      go_through (pipeline, orders[o], random);
      n_errors += count_errors (pipeline, orders[o]);
    }
    g_object_set_data (G_OBJECT (pipeline), "go-on", NULL);
    g_clear_pointer (&thread, g_thread_join);
    stop (pipeline);
    n_errors += count_errors (pipeline, orders[o]);
    gst_object_unref (pipeline);
  }
  g_rand_free (random);
  fail_unless_equals_int (n_errors, 0);
}

GST_START_TEST (test_orders)
{
  do_orders (__i__, NULL);
}

GST_END_TEST;

/* Each round creates a pipeline and stops it 0 to 30 ms after its start. */
GST_START_TEST (test_fresh)
{
  GRand *random = g_rand_new_with_seed (1);
  guint n_errors = 0;

  for (guint i = 0; i < get_cycles (); i++) {
    GstElement *pipeline = make_pipeline (__i__);

    if (!pipeline)
      break;
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    g_usleep (g_rand_int_range (random, 0, 30000));
    go_through (pipeline, i % 2 ? "AR" : "R", random);
    n_errors += count_errors (pipeline, "fresh");
    stop (pipeline);
    gst_object_unref (pipeline);
  }
  g_rand_free (random);
  fail_unless_equals_int (n_errors, 0);
}

GST_END_TEST;

static gpointer
seek (gpointer pipeline)
{
  while (g_object_get_data (pipeline, "go-on")) {
    gst_element_seek_simple (pipeline, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH,
        g_random_int_range (0, 1000) * GST_MSECOND);
    g_usleep (g_random_int_range (0, 500));
  }
  return NULL;
}

/* Another thread sends flushing seeks all the time, while the pipeline starts
 * and stops. */
GST_START_TEST (test_seeks)
{
  do_orders (__i__, seek);
}

GST_END_TEST;

/* Makes the stream and the element's threads do more than pass frames:
 * downstream renegotiates caps and allocation, a query asks for the latency,
 * another model takes over. */
static gpointer
disturb (gpointer pipeline)
{
  GstElement *detect = gst_bin_get_by_name (pipeline, "d");
  GstElement *sink = gst_bin_get_by_name (pipeline, "s");
  GstPad *pad = gst_element_get_static_pad (sink, "sink");
  GstQuery *query;

  for (guint i = 0; g_object_get_data (pipeline, "go-on"); i++) {
    switch (g_random_int_range (0, 4)) {
      case 0:
        gst_pad_push_event (pad, gst_event_new_reconfigure ());
        break;
      case 1:
        query = gst_query_new_latency ();
        gst_element_query (pipeline, query);
        gst_query_unref (query);
        break;
      case 2:
        gst_bin_recalculate_latency (pipeline);
        break;
      default:
        if (detect)
          g_object_set (detect, "model-file",
              i % 2 ? test_gst_model () : test_gst_other_model (), NULL);
    }
    g_usleep (g_random_int_range (0, 2000));
  }
  gst_object_unref (pad);
  gst_object_unref (sink);
  g_clear_pointer (&detect, gst_object_unref);
  return NULL;
}

GST_START_TEST (test_disturbed)
{
  do_orders (__i__, disturb);
}

GST_END_TEST;

TEST_GST_MAIN (detect_stop)
{
  tcase_set_timeout (tc, 900);
  tcase_add_loop_test (tc, test_orders, 0, 2);
  tcase_add_loop_test (tc, test_fresh, 0, 2);
  tcase_add_loop_test (tc, test_seeks, 0, 2);
  tcase_add_loop_test (tc, test_disturbed, 0, 2);
}
