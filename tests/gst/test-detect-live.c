/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* yolov10detect in a live pipeline whose inference is too slow, or late: which
 * frames are inferred, which boxes the others get, and the messages about it. The
 * test decides how many frames come during an inference (fakegate.h), or sets its
 * least duration in fakebackend.c's backend. */
#include <math.h>
#include <stdio.h>

#include "fakegate.h"
#include "gstcommon.h"

#define FRAME TEST_GST_FRAME

static GstCaps *caps;

static GstHarness *
slow_harness (const char *step_ms, const char *properties)
{
  return test_gst_slow_harness (step_ms, properties, caps);
}

static GstBuffer *
picture (guint i)
{
  return test_gst_picture_at (caps, i, i);
}

/* The inference fields of a frame's metadata. */
typedef struct
{
  gchar inference; /* 'f'resh, 'h'eld, 's'kipped; '-' nothing */
  guint64 age;
  guint count;
  GArray *boxes;
} Said;

static void
said_clear (gpointer data)
{
  g_array_unref (((Said *) data)->boxes);
}

static Said
what_it_says (GstBuffer *buffer)
{
  const GstStructure *meta = test_gst_frame_meta (buffer, 0);
  Said said = { .inference = '-', .boxes = test_gst_rois (buffer) };

  if (!meta)
    return said;
  said.inference = gst_structure_get_string (meta, "inference")[0];
  fail_unless (gst_structure_get (meta, "age", G_TYPE_UINT64, &said.age,
      "count", G_TYPE_UINT, &said.count, NULL));
  fail_unless_equals_int (said.count, said.boxes->len);
  return said;
}

/* Sends EOS and returns all output frames: @n, in order. */
static GArray *
finish (GstHarness *h, guint n)
{
  GArray *all = g_array_new (FALSE, FALSE, sizeof (Said));
  GstBuffer *out;

  g_array_set_clear_func (all, said_clear);
  fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
  while ((out = gst_harness_try_pull (h))) {
    Said said = what_it_says (out);

    fail_unless_equals_uint64 (GST_BUFFER_PTS (out), all->len * FRAME);
    g_array_append_val (all, said);
    gst_buffer_unref (out);
  }
  fail_unless_equals_int (all->len, n);
  return all;
}

/* Held boxes are those of the latest frame with a result, their age is exact, and
 * the stats count the same. */
static void
check_held (GstHarness *h, GArray *all)
{
  guint n[128] = { 0 }, latest = 0; /* frame that was inferred last */

  for (guint i = 0; i < all->len; i++) {
    const Said *said = &g_array_index (all, Said, i);

    n[(guint) said->inference]++;
    if (said->inference == 'f') {
      latest = i;
      fail_unless_equals_uint64 (said->age, 0);
    } else if (said->inference == 'h') {
      const Said *from = &g_array_index (all, Said, latest);

      fail_unless_equals_uint64 (said->age, (i - latest) * FRAME);
      fail_unless_equals_int (said->boxes->len, from->boxes->len);
      fail_unless (!memcmp (said->boxes->data, from->boxes->data,
          said->boxes->len * sizeof (TestBox)));
    } else {
      fail_unless_equals_int (said->count, 0);
      fail_unless_equals_uint64 (said->age, 0);
    }
  }
  fail_unless_equals_uint64 (test_gst_stat (h->element, "inferred"), n['f']);
  fail_unless_equals_uint64 (test_gst_stat (h->element, "held"), n['h']);
  fail_unless_equals_uint64 (test_gst_stat (h->element, "skipped"), n['s']);
  fail_unless_equals_uint64 (test_gst_stat (h->element, "frames"),
      n['f'] + n['h'] + n['s']);
  fail_unless_equals_uint64 (test_gst_stat (h->element, "sent"), all->len);
}

static gchar *
pattern (GArray *all)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < all->len; i++)
    g_string_append_c (text, g_array_index (all, Said, i).inference);
  return g_string_free (text, FALSE);
}

/* A harness whose inferences last until the gate lets them pass. Its frames wait for
 * their turns as if they came every hundred seconds. */
static GstHarness *
gated_harness (FakeGate *gate, const char *properties)
{
  g_autoptr (GstCaps) rare = gst_caps_copy (caps);
  GstHarness *h;

  gst_caps_set_simple (rare, "framerate", GST_TYPE_FRACTION, 1, 100, NULL);
  fake_gate_begin (gate);
  fake_gate_open (gate);
  h = test_gst_slow_harness ("0", properties, rare);
  fake_gate_close (gate);
  return h;
}

static void
end_gate (FakeGate *gate)
{
  fake_gate_end (gate);
  g_unsetenv ("Y10_FAKE_GATE");
}

/* Three frames come in the time of an inference: every third frame is inferred,
 * and all leave. */
GST_START_TEST (test_too_slow)
{
  FakeGate gate;
  GstHarness *h = gated_harness (&gate, "late-policy=auto");
  const guint n = 150;
  GArray *all;

  fail_unless_equals_int (gst_harness_push (h, picture (0)), GST_FLOW_OK);
  for (guint i = 1; i < n; i++) {
    fake_gate_await (&gate);
    fail_unless_equals_int (gst_harness_push (h, picture (i)), GST_FLOW_OK);
    if (i % 3 == 0)
      fake_gate_let_one_pass (&gate);
  }
  fake_gate_open (&gate);
  all = finish (h, n);
  check_held (h, all);
  for (guint i = 0; i < n - 1; i++) {
    const gchar inference = g_array_index (all, Said, i).inference;

    fail_unless (inference == (i % 3 ? 'h' : 'f'), "%c at %u", inference, i);
  }
  fail_unless_equals_uint64 (test_gst_stat (h->element, "age-p95"), 2 * FRAME);
  g_array_unref (all);
  gst_harness_teardown (h);
  end_gate (&gate);
}

GST_END_TEST;

static GMutex sink_lock; /* locked: the sink takes nothing */
static gint n_sunk;

static GstFlowReturn
sink_late (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  g_mutex_lock (&sink_lock);
  n_sunk++;
  g_mutex_unlock (&sink_lock);
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

/* Downstream takes the first frame only when the last one has been inferred: an
 * inference does not wait for that. */
GST_START_TEST (test_held_up)
{
  FakeGate gate;
  GstHarness *h = gated_harness (&gate, "late-policy=skip max-queued-frames=8");
  GstPad *src = gst_element_get_static_pad (h->element, "src");
  GstPad *sink = gst_pad_new ("sink", GST_PAD_SINK);

  gst_pad_set_chain_function (sink, sink_late);
  gst_pad_set_active (sink, TRUE);
  gst_pad_unlink (src, h->sinkpad);
  fail_unless_equals_int (gst_pad_link (src, sink), GST_PAD_LINK_OK);
  g_mutex_lock (&sink_lock);
  for (guint i = 0; i < 8; i++) {
    fail_unless_equals_int (gst_harness_push (h, picture (i)), GST_FLOW_OK);
    fake_gate_await (&gate);
    fake_gate_let_one_pass (&gate);
  }
  g_mutex_unlock (&sink_lock);
  fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
  fail_unless_equals_int (n_sunk, 8);
  fail_unless_equals_uint64 (test_gst_stat (h->element, "inferred"), 8);
  gst_pad_unlink (src, sink);
  gst_object_unref (src);
  gst_object_unref (sink);
  gst_harness_teardown (h);
  end_gate (&gate);
}

GST_END_TEST;

/* The inference interval, and how long boxes are held. */
GST_START_TEST (test_interval)
{
  static const struct
  {
    const char *properties, *expected;
  } cases[] = {
    { "inference-interval=1", "ffffffffffff" },
    { "inference-interval=4", "fhhhfhhhfhhh" },
    { "inference-interval=4 skipped-boxes=none", "fsssfsssfsss" },
    { "inference-interval=4 max-hold=66666667", "fhhsfhhsfhhs" },
    { "inference-interval=4 max-hold=66666665", "fhssfhssfhss" },
    { "inference-interval=6 max-hold=0", "fsssssfsssss" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstHarness *h = slow_harness ("0", cases[i].properties);
    GArray *all;
    gchar *text;

    for (guint k = 0; k < 12; k++)
      fail_unless_equals_int (gst_harness_push (h, picture (k)), GST_FLOW_OK);
    all = finish (h, 12);
    check_held (h, all);
    text = pattern (all);
    fail_unless_equals_string (text, cases[i].expected);
    g_free (text);
    g_array_unref (all);
    gst_harness_teardown (h);
  }
}

GST_END_TEST;

/* Frames without timestamps, of another size, or after a flush hold no boxes;
 * frames that pass while the element is inactive end the holding. */
GST_START_TEST (test_holds_nothing)
{
  GstHarness *h = slow_harness ("0", "inference-interval=1000");
  GstBuffer *in, *out;
  GstSegment segment;
  Said said;

  for (guint i = 0; i < 8; i++) {
    static const char expected[] = "fhshs-ss";

    in = picture (i);
    if (i == 2)
      GST_BUFFER_PTS (in) = GST_CLOCK_TIME_NONE;
    if (i == 4)
      gst_buffer_add_video_meta (in, GST_VIDEO_FRAME_FLAG_NONE,
          GST_VIDEO_FORMAT_NV12, 96, 60);
    g_object_set (h->element, "active", i != 5, NULL);
    out = gst_harness_push_and_pull (h, in);
    said = what_it_says (out);
    fail_unless (said.inference == expected[i], "%c at %u", said.inference, i);
    said_clear (&said);
    gst_buffer_unref (out);
  }
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (h, gst_event_new_flush_start ());
  gst_harness_push_event (h, gst_event_new_flush_stop (TRUE));
  gst_harness_push_event (h, gst_event_new_segment (&segment));
  out = gst_harness_push_and_pull (h, picture (8));
  said = what_it_says (out);
  fail_unless (said.inference == 'f');
  said_clear (&said);
  gst_buffer_unref (out);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* With qos, frames that are too late for downstream pass without inference. */
GST_START_TEST (test_qos)
{
  for (guint qos = 0; qos < 2; qos++) {
    GstHarness *h = slow_harness ("0", qos ? "qos=true" : "qos=false");
    GArray *all;
    gchar *text;

    for (guint i = 0; i < 8; i++) {
      if (i == 2)
        gst_harness_push_upstream_event (h,
            gst_event_new_qos (GST_QOS_TYPE_UNDERFLOW, 2.0, 3 * FRAME,
                2 * FRAME));
      if (i == 7)
        gst_harness_push_upstream_event (h,
            gst_event_new_qos (GST_QOS_TYPE_OVERFLOW, 0.5, -FRAME, 6 * FRAME));
      fail_unless_equals_int (gst_harness_push (h, picture (i)), GST_FLOW_OK);
    }
    all = finish (h, 8);
    text = pattern (all);
    fail_unless_equals_string (text, qos ? "ffhhhfff" : "ffffffff");
    g_free (text);
    g_array_unref (all);
    gst_harness_teardown (h);
  }
}

GST_END_TEST;

static void
ask_latency (GstHarness *h, GstClockTime *min, GstClockTime *max)
{
  g_autoptr (GstQuery) query = gst_query_new_latency ();
  gboolean live;

  fail_unless (gst_pad_peer_query (h->sinkpad, query));
  gst_query_parse_latency (query, &live, min, max);
  fail_unless (live);
}

/* The latency is known before the first frame; it rises in steps, with one
 * message each. */
GST_START_TEST (test_latency)
{
  GstHarness *h = slow_harness ("40,40,160", "max-queued-frames=5 in-flight=1");
  g_autoptr (GstBus) bus = gst_bus_new ();
  GstClockTime min, max, before;
  guint n;

  gst_element_set_bus (h->element, bus);
  ask_latency (h, &min, &max);
  fail_unless (min >= 40 * GST_MSECOND);
  fail_unless (max == GST_CLOCK_TIME_NONE);
  before = min;
  gst_harness_set_upstream_latency (h, 100 * GST_MSECOND);
  ask_latency (h, &min, &max);
  fail_unless (min == before + 100 * GST_MSECOND);
  for (guint i = 0; i < 100; i++)
    gst_buffer_unref (gst_harness_push_and_pull (h, picture (i)));
  ask_latency (h, &min, &max);
  printf ("from %.1f ms to %.1f ms\n", before / 1e6, min / 1e6 - 100);
  /* The reported latency is at most a fifth too low; on a busy machine the
   * warm-up or the first frames may have been nearly that slow. */
  min -= 100 * GST_MSECOND;
  fail_unless (min >= before && min * 6 / 5 >= 160 * GST_MSECOND);
  /* One for each step, and a step is a fifth. */
  n = test_gst_count_messages (bus, GST_MESSAGE_LATENCY);
  fail_unless (n >= (min > before) && before * pow (1.2, n) <= min, "%u", n);
  gst_element_set_bus (h->element, NULL);
  gst_harness_teardown (h);
}

GST_END_TEST;

static GstPadProbeReturn
answer_latency (GstPad *pad, GstPadProbeInfo *info, gpointer live)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);

  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return GST_PAD_PROBE_OK;
  gst_query_set_latency (query, GPOINTER_TO_INT (live), 10, 1000);
  return GST_PAD_PROBE_HANDLED;
}

/* The queue's length gives the maximum; if upstream is not live, the element
 * adds nothing. */
GST_START_TEST (test_latency_limits)
{
  for (gint live = 0; live < 2; live++) {
    GstHarness *h = slow_harness ("20", "max-queued-frames=7");
    GstQuery *query = gst_query_new_latency ();
    GstClockTime min, max;
    gboolean is_live;

    gst_pad_add_probe (h->srcpad, GST_PAD_PROBE_TYPE_QUERY_UPSTREAM,
        answer_latency, GINT_TO_POINTER (live), NULL);
    gst_buffer_unref (gst_harness_push_and_pull (h, picture (0)));
    fail_unless (gst_pad_peer_query (h->sinkpad, query));
    gst_query_parse_latency (query, &is_live, &min, &max);
    fail_unless_equals_int (is_live, live);
    if (live) {
      fail_unless (min >= 20 * GST_MSECOND);
      /* Never less than an inference, which may be slow on a busy machine. */
      fail_unless_equals_uint64 (max, 1000 + MAX (7 * FRAME, min - 10));
    } else {
      fail_unless (min == 10 && max == 1000);
    }
    gst_query_unref (query);
    /* In another run, nothing of this one counts before the first frame. */
    gst_element_set_state (h->element, GST_STATE_READY);
    gst_element_set_state (h->element, GST_STATE_PLAYING);
    query = gst_query_new_latency ();
    fail_unless (gst_pad_peer_query (h->sinkpad, query));
    gst_query_parse_latency (query, NULL, &min, &max);
    fail_unless_equals_uint64 (max, 1000 + min - 10);
    gst_query_unref (query);
    gst_harness_teardown (h);
  }
}

GST_END_TEST;

GST_START_TEST (test_position)
{
  GstHarness *h = slow_harness ("0", "");
  GstSegment segment;
  gint64 position;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.time = 5 * GST_SECOND;
  gst_harness_push_event (h, gst_event_new_segment (&segment));
  for (guint i = 0; i < 5; i++) {
    gst_buffer_unref (gst_harness_push_and_pull (h, picture (i)));
    fail_unless (
        gst_pad_peer_query_position (h->sinkpad, GST_FORMAT_TIME, &position));
    fail_unless_equals_int64 (position, i * FRAME + 5 * GST_SECOND);
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

TEST_GST_MAIN (detect_live)
{
  caps = test_gst_caps ("NV12", 96, 64);
  tcase_add_test (tc, test_too_slow);
  tcase_add_test (tc, test_held_up);
  tcase_add_test (tc, test_interval);
  tcase_add_test (tc, test_holds_nothing);
  tcase_add_test (tc, test_qos);
  tcase_add_test (tc, test_latency);
  tcase_add_test (tc, test_latency_limits);
  tcase_add_test (tc, test_position);
}
