/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The element yolov10zones: when time passes without frames, in which order threads tell
 * events, and what ends a stay. */
#include "zonescommon.h"

#include "waitfor.h"

/* Dwells come while there are no frames, by gaps. */
GST_START_TEST (test_gap)
{
  zones_begin (ZONES_YARD "dwell=3000000000");
  zones_pass (zones_frame (0, 80));
  zones_expect ("enter yard 0 7;");
  fail_unless (gst_harness_push_event (zones_h,
      gst_event_new_gap (100 * GST_MSECOND, 2800 * GST_MSECOND)));
  zones_expect ("");
  fail_unless (gst_harness_push_event (zones_h,
      gst_event_new_gap (2900 * GST_MSECOND, 200 * GST_MSECOND)));
  zones_expect ("dwell yard 3000 7;");
  fail_unless (gst_harness_push_event (zones_h,
      gst_event_new_gap (3100 * GST_MSECOND, 9000 * GST_MSECOND)));
  zones_expect ("");
  zones_end ();
}

GST_END_TEST;

/* And of a live source that fell silent, by the clock. */
GST_START_TEST (test_clock)
{
  GstTestClock *clock;
  GstClockID id;

  zones_begin (ZONES_YARD "dwell=3000000000");
  gst_harness_use_testclock (zones_h);
  gst_harness_set_upstream_latency (zones_h, 40 * GST_MSECOND);
  gst_harness_play (zones_h);
  clock = gst_harness_get_testclock (zones_h);
  gst_test_clock_set_time (clock, 140 * GST_MSECOND);
  zones_pass (zones_frame (100, 80));
  zones_expect ("enter yard 100 7;");
  fail_unless (gst_test_clock_peek_next_pending_id (clock, &id));
  /* Due at 3100 ms, 40 ms late, and results may be a second later. */
  fail_unless_equals_uint64 (gst_clock_id_get_time (id), 4140 * GST_MSECOND);
  gst_clock_id_unref (id);
  fail_unless (gst_harness_crank_single_clock_wait (zones_h));
  test_wait_for (zones_told->len > 0);
  zones_expect ("dwell yard 3100 7;");
  fail_unless_equals_int (gst_test_clock_peek_id_count (clock), 0);
  gst_object_unref (clock);
  zones_end ();
}

GST_END_TEST;

/* A test clock calls whoever waits for it from here. */
static gpointer
crank (gpointer user)
{
  return GINT_TO_POINTER (gst_harness_crank_single_clock_wait (zones_h));
}

/* What the streaming thread tells comes after what the clock's thread is telling. */
GST_START_TEST (test_clock_order)
{
  GThread *clock;

  zones_begin (ZONES_YARD "dwell=3000000000");
  gst_harness_use_testclock (zones_h);
  gst_harness_set_upstream_latency (zones_h, 0);
  gst_harness_play (zones_h);
  zones_pass (zones_frame (100, 80));
  zones_expect ("enter yard 100 7;");
  g_atomic_int_set (&zones_slow_dwells, TRUE);
  clock = g_thread_new ("clock", crank, NULL);
  test_wait_for (g_atomic_int_get (&zones_in_dwell));
  zones_pass (zones_frame (4200, 30));
  zones_expect ("dwell yard 3100 7;leave yard 4200 7 left;");
  fail_unless (g_thread_join (clock) != NULL);
  g_atomic_int_set (&zones_slow_dwells, FALSE);
  zones_end ();
}

GST_END_TEST;

/* Waits until the element waits for that time. */
static void
expect_wait (GstTestClock *clock, guint ms)
{
  GstClockID id;

  test_wait_for (gst_test_clock_peek_id_count (clock) == 1);
  fail_unless (gst_test_clock_peek_next_pending_id (clock, &id));
  fail_unless_equals_uint64 (gst_clock_id_get_time (id), ms * GST_MSECOND);
  gst_clock_id_unref (id);
}

/* The latency may grow to more than the time that has passed. */
GST_START_TEST (test_clock_latency)
{
  GstTestClock *clock;

  zones_begin (ZONES_YARD "dwell=100000000");
  gst_harness_use_testclock (zones_h);
  gst_harness_set_upstream_latency (zones_h, 0);
  gst_harness_play (zones_h);
  clock = gst_harness_get_testclock (zones_h);
  zones_pass (zones_frame (0, 80));
  zones_expect ("enter yard 0 7;");
  expect_wait (clock, 1100);
  gst_harness_set_upstream_latency (zones_h, 5000 * GST_MSECOND);
  gst_pad_push_event (zones_h->sinkpad,
      gst_event_new_latency (5000 * GST_MSECOND));
  fail_unless (gst_harness_crank_single_clock_wait (zones_h));
  expect_wait (clock, 6100);
  zones_expect ("");
  gst_object_unref (clock);
  zones_end ();
}

GST_END_TEST;

/* Of applications that recalculate the latency at once, whoever asks for that. */
static gboolean
answer_latency (GstPad *pad, GstObject *parent, GstQuery *query)
{
  static gboolean is_told;

  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return gst_pad_query_default (pad, parent, query);
  if (!is_told) {
    is_told = TRUE;
    gst_pad_push_event (zones_h->sinkpad,
        gst_event_new_latency (40 * GST_MSECOND));
  }
  gst_query_set_latency (query, TRUE, 40 * GST_MSECOND, GST_CLOCK_TIME_NONE);
  return TRUE;
}

/* What answers the element's query may send it an event. */
GST_START_TEST (test_clock_query)
{
  GstTestClock *clock;

  zones_begin (ZONES_YARD "dwell=100000000");
  gst_harness_use_testclock (zones_h);
  gst_pad_set_query_function (zones_h->srcpad, answer_latency);
  gst_harness_play (zones_h);
  clock = gst_harness_get_testclock (zones_h);
  zones_pass (zones_frame (0, 80));
  expect_wait (clock, 1140);
  gst_object_unref (clock);
  zones_end ();
}

GST_END_TEST;

static void
push_segment (GstClockTime start)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = start;
  fail_unless (
      gst_harness_push_event (zones_h, gst_event_new_segment (&segment)));
}

/* What ends a stream ends a stay, before anybody behind is told. An equal segment ends
 * nothing. */
GST_START_TEST (test_ends)
{
  GstEvent *eos;

  zones_begin (ZONES_YARD);
  zones_pass (zones_frame (0, 80));
  zones_pass (zones_frame (100, 80));
  zones_expect ("enter yard 0 7;");
  fail_unless (gst_harness_push_event (zones_h, gst_event_new_flush_start ()));
  fail_unless (
      gst_harness_push_event (zones_h, gst_event_new_flush_stop (TRUE)));
  zones_expect ("leave yard 100 7 ended;");
  push_segment (0);
  zones_pass (zones_frame (0, 80));
  zones_expect ("enter yard 0 7;");
  push_segment (0);
  zones_expect ("");
  push_segment (100 * GST_MSECOND);
  zones_expect ("leave yard 0 7 ended;");
  zones_pass (zones_frame (500, 80));
  zones_expect ("enter yard 500 7;");
  /* Time jumps back without a word. */
  zones_pass (zones_frame (100, 80));
  zones_expect ("leave yard 500 7 ended;enter yard 100 7;");
  fail_unless (gst_harness_push_event (zones_h, gst_event_new_eos ()));
  zones_expect ("leave yard 100 7 ended;");
  while ((eos = gst_harness_pull_event (zones_h))
      && GST_EVENT_TYPE (eos) != GST_EVENT_EOS)
    gst_event_unref (eos);
  gst_event_unref (eos);
  zones_end ();
}

GST_END_TEST;

GST_START_TEST (test_stop)
{
  zones_begin (ZONES_YARD);
  zones_pass (zones_frame (0, 80));
  zones_expect ("enter yard 0 7;");
  gst_element_set_state (zones_h->element, GST_STATE_NULL);
  zones_expect ("leave yard 0 7 ended;");
  zones_end ();
}

GST_END_TEST;

TEST_GST_MAIN (zones_time)
{
  tcase_add_test (tc, test_gap);
  tcase_add_test (tc, test_clock);
  tcase_add_test (tc, test_clock_order);
  tcase_add_test (tc, test_clock_latency);
  tcase_add_test (tc, test_clock_query);
  tcase_add_test (tc, test_ends);
  tcase_add_test (tc, test_stop);
}
