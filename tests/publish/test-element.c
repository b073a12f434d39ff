/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Whose reader is slow: a live stream loses lines and never waits, another one waits until
 * it is flushed or stopped, and EOS comes when all is written. */
#include "gstcommon.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "spool/reader.h"
#include "spool/watch.h"
#include "waitfor.h"

/* Two queues of 4 MiB and a pipe hold less than a hundred of these. */
#define LONG_LINE 100000
#define MANY 150

static gchar *folder, *fifo;
static int reader;
static GstHarness *h;
static gint n_pushed; /* atomic */

static gboolean
answer_not_live (GstPad *pad, GstObject *parent, GstQuery *query)
{
  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return gst_pad_query_default (pad, parent, query);
  gst_query_set_latency (query, FALSE, 0, GST_CLOCK_TIME_NONE);
  return TRUE;
}

static void
begin (gboolean is_live)
{
  gchar *launch;

  folder = g_dir_make_tmp ("y10-publish-XXXXXX", NULL);
  fifo = g_build_filename (folder, "fifo", NULL);
  fail_unless_equals_int (mkfifo (fifo, 0600), 0);
  reader = open (fifo, O_RDONLY | O_NONBLOCK);
  fail_unless (reader >= 0);
  launch = g_strdup_printf ("yolov10publish name=p location=%s", fifo);
  h = gst_harness_new_parse (launch);
  if (!is_live)
    gst_pad_set_query_function (h->srcpad, answer_not_live);
  gst_harness_set_src_caps_str (h, "video/x-raw");
  g_free (launch);
  n_pushed = 0;
}

static void
end (void)
{
  gst_harness_teardown (h);
  close (reader);
  g_unlink (fifo);
  g_rmdir (folder);
  g_free (fifo);
  g_free (folder);
}

static gboolean
push_event (guint length)
{
  gchar *text = g_strnfill (length, 'x');
  gchar *json = g_strdup_printf ("{\"event\":\"%s\"}", text);
  const gboolean ok = gst_harness_push_event (h,
      gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM,
          gst_structure_new ("yolov10-event", "json", G_TYPE_STRING, json,
              NULL)));

  g_free (json);
  g_free (text);
  g_atomic_int_inc (&n_pushed);
  return ok;
}

static gpointer
push_many (gpointer user)
{
  for (guint i = 0; i < MANY; i++)
    push_event (LONG_LINE);
  return NULL;
}

GST_START_TEST (test_live)
{
  begin (TRUE);
  push_many (NULL);
  fail_unless (test_gst_harness_stat (h, "dropped-events") > 0);
  fail_unless_equals_int (gst_harness_events_received (h), 3 + MANY);
  end ();
}

GST_END_TEST;

/* Waits until the thread that pushes stands still, before it is done. Where the machine is what
 * keeps it, a defect may be missed. */
static void
wait_for_standstill (void)
{
  gint last = -1, now;

  while ((now = g_atomic_int_get (&n_pushed)) != last || !now) {
    last = now;
    g_usleep (500000);
  }
  fail_unless (now < MANY);
  fail_unless_equals_uint64 (test_gst_harness_stat (h, "dropped-events"), 0);
}

GST_START_TEST (test_flushed)
{
  GThread *thread;

  begin (FALSE);
  thread = g_thread_new ("pushes", push_many, NULL);
  wait_for_standstill ();
  gst_harness_push_event (h, gst_event_new_flush_start ());
  g_thread_join (thread);
  fail_unless (test_gst_harness_stat (h, "dropped-events") > 0);
  end ();
}

GST_END_TEST;

GST_START_TEST (test_stopped)
{
  GThread *thread;

  begin (FALSE);
  thread = g_thread_new ("pushes", push_many, NULL);
  wait_for_standstill ();
  gst_element_set_state (h->element, GST_STATE_NULL);
  g_thread_join (thread);
  end ();
}

GST_END_TEST;

static gpointer
read_all (gpointer user)
{
  GString *text = g_string_new (NULL);
  gchar part[65536];
  gssize n;

  fcntl (reader, F_SETFL, 0);
  while ((n = read (reader, part, sizeof part)) > 0) {
    g_string_append_len (text, part, n);
    g_usleep (100); /* a slow reader */
  }
  return text;
}

/* EOS comes behind the last line, and all are there. */
GST_START_TEST (test_eos)
{
  GThread *thread;
  GString *text;
  guint n = 0;

  begin (FALSE);
  thread = g_thread_new ("reads", read_all, NULL);
  push_many (NULL);
  push_event (3);
  gst_harness_push_event (h, gst_event_new_eos ());
  fail_unless_equals_uint64 (test_gst_harness_stat (h, "written"), MANY + 1);
  fail_unless_equals_uint64 (test_gst_harness_stat (h, "dropped-events"), 0);
  gst_element_set_state (h->element, GST_STATE_NULL);
  text = g_thread_join (thread);
  for (gsize i = 0; i < text->len; i++)
    n += text->str[i] == '\n';
  fail_unless_equals_int (n, MANY + 1);
  fail_unless (g_str_has_suffix (text->str, "}\n{\"event\":\"xxx\"}\n"));
  g_string_free (text, TRUE);
  end ();
}

GST_END_TEST;

/* What is no event of zones passes, and is not written; nor is a line that would be two. */
GST_START_TEST (test_others)
{
  static const gchar *const lines[] = { "{\"event\":\n1}", "[]",
    "{\"event\":", "" };
  gchar part[10];

  begin (TRUE);
  gst_harness_push_event (h,
      gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM,
          gst_structure_new ("other", "json", G_TYPE_STRING, "{\"event\":1}",
              NULL)));
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    gst_harness_push_event (h,
        gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM,
            gst_structure_new ("yolov10-event", "json", G_TYPE_STRING, lines[i],
                NULL)));
  gst_harness_push_event (h,
      gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM,
          gst_structure_new_empty ("yolov10-event")));
  gst_harness_push_event (h, gst_event_new_eos ());
  fail_unless_equals_uint64 (test_gst_harness_stat (h, "written"), 0);
  fail_unless (read (reader, part, sizeof part) <= 0);
  fail_unless_equals_int (gst_harness_events_received (h), 3 + 6 + 1);
  end ();
}

GST_END_TEST;

static gboolean
set_flag (gpointer flag)
{
  *(gboolean *) flag = TRUE;
  return G_SOURCE_CONTINUE;
}

/* Who links to the library of spools has the plugin's: it shares the element's writer, is
 * told of its lines and reads them. Another copy would find the folder locked. */
GST_START_TEST (test_shared)
{
  const GstY10SpoolConfig config = { .max_bytes = 1 << 20,
    .sync_interval = 50000 };
  gboolean is_told = FALSE;
  GstY10SpoolReader *others;
  GstY10SpoolClient *client;
  GstY10SpoolLine line;
  GError *error = NULL;
  g_autofree gchar *launch = NULL;
  g_autofree gchar *path = NULL;
  g_autofree gchar *command = NULL;
  GSource *watch;

  path = g_dir_make_tmp ("y10-publish-XXXXXX", NULL);
  watch = gst_y10_spool_watch_new (path, 0, set_flag, &is_told, NULL);
  launch = g_strdup_printf ("yolov10publish spool=%s sync-interval=50 "
                            "max-bytes=1048576",
      path);
  h = gst_harness_new_parse (launch);
  gst_harness_set_src_caps_str (h, "video/x-raw");
  client = gst_y10_spool_open (path, &config, NULL, NULL, &error);
  g_assert_no_error (error);
  others = gst_y10_spool_reader_new (gst_y10_spool_client_get_spool (client),
      "", (GstY10SpoolPosition){ 0 });
  fail_if (gst_y10_spool_reader_next (others, &line));
  push_event (5);
  while (!is_told)
    g_main_context_iteration (NULL, TRUE);
  fail_unless (gst_y10_spool_reader_next (others, &line));
  fail_unless (g_str_has_prefix (line.text, "{\"event\":\"xxxxx\","));
  gst_y10_spool_reader_free (others);
  gst_y10_spool_close (client);
  gst_y10_spool_watch_free (watch);
  gst_harness_teardown (h);
  command = g_strdup_printf ("rm -r %s", path);
  fail_unless (g_spawn_command_line_sync (command, NULL, NULL, NULL, NULL));
}

GST_END_TEST;

static void
count_buffer (GstElement *element, GstBuffer *buffer, gint *n)
{
  g_atomic_int_inc (n);
}

static void
count_in_sink (GstElement *sink, GstBuffer *buffer, GstPad *pad, gint *n)
{
  g_atomic_int_inc (n);
}

static void
wait_for_eos (GstElement *pipeline)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  GstMessage *message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
      GST_MESSAGE_EOS | GST_MESSAGE_ERROR);

  fail_unless_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_EOS);
  gst_message_unref (message);
}

/* As the last element it takes no more than a sink does, whatever the state, and its end is
 * that of the pipeline. */
GST_START_TEST (test_last)
{
  GstElement *pipeline, *before;
  gint n = 0, then;

  if (!test_gst_load_plugin ("coreelements"))
    return;
  pipeline = gst_parse_launch (
      "fakesrc ! identity name=before sleep-time=1000 ! yolov10publish location=/dev/null",
      NULL);
  before = gst_bin_get_by_name (GST_BIN (pipeline), "before");
  g_signal_connect (before, "handoff", G_CALLBACK (count_buffer), &n);
  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  test_wait_for (g_atomic_int_get (&n) >= 1);
  /* Too short a sleep may miss a defect, but never fails a correct element. */
  g_usleep (200000);
  fail_unless_equals_int (g_atomic_int_get (&n), 1);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  test_wait_for (g_atomic_int_get (&n) >= 10);
  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  then = g_atomic_int_get (&n);
  g_usleep (200000);
  fail_unless (g_atomic_int_get (&n) <= then + 1);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  gst_element_send_event (pipeline, gst_event_new_eos ());
  wait_for_eos (pipeline);
  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (before);
  gst_object_unref (pipeline);
}

GST_END_TEST;

/* What is linked behind it while it plays gets the buffers, and ends in its place. */
GST_START_TEST (test_linked_later)
{
  GstElement *pipeline, *publish, *sink;
  gint n = 0;

  if (!test_gst_load_plugin ("coreelements"))
    return;
  pipeline = gst_parse_launch ("fakesrc ! identity sleep-time=1000 "
                               "! yolov10publish name=p location=/dev/null",
      NULL);
  publish = gst_bin_get_by_name (GST_BIN (pipeline), "p");
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  fail_unless (GST_OBJECT_FLAG_IS_SET (publish, GST_ELEMENT_FLAG_SINK));
  sink = gst_element_factory_make ("fakesink", NULL);
  g_object_set (sink, "signal-handoffs", TRUE, "async", FALSE, NULL);
  g_signal_connect (sink, "handoff", G_CALLBACK (count_in_sink), &n);
  gst_bin_add (GST_BIN (pipeline), sink);
  gst_element_sync_state_with_parent (sink);
  fail_unless (gst_element_link (publish, sink));
  fail_if (GST_OBJECT_FLAG_IS_SET (publish, GST_ELEMENT_FLAG_SINK));
  test_wait_for (g_atomic_int_get (&n) >= 10);
  gst_element_send_event (pipeline, gst_event_new_eos ());
  wait_for_eos (pipeline);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (publish);
  gst_object_unref (pipeline);
}

GST_END_TEST;

TEST_GST_MAIN (publish)
{
  tcase_add_test (tc, test_live);
  tcase_add_test (tc, test_flushed);
  tcase_add_test (tc, test_stopped);
  tcase_add_test (tc, test_eos);
  tcase_add_test (tc, test_others);
  tcase_add_test (tc, test_shared);
  tcase_add_test (tc, test_last);
  tcase_add_test (tc, test_linked_later);
}
