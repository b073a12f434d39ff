/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Frames in the queue: whatever happens in the stream, every frame leaves once
 * and in order, with its own boxes and caps. */
#include "gstcommon.h"
#include "waitfor.h"

static GstStaticPadTemplate any = GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK,
    GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

/* A sink pad of the test and what it received. */
typedef struct
{
  guint n, n_fresh, n_wrong_caps, n_disorder, n_metas;
  GstClockTime last;
  gsize caps_size;
  gboolean eos;
  gulong delay;    /* microseconds per buffer, of a slow sink */
  gboolean holds;  /* until a flush, whoever holds @held */
  gint stop_after; /* accept so many frames, then return this flow */
  GstFlowReturn stop;
  GString *order; /* 'f' a frame, 'g' GAP, 't' TAG, ... */
  GMutex lock, held;
} Seen;

static void
look (Seen *seen, GstBuffer *buffer)
{
  const GstStructure *meta = test_gst_frame_meta (buffer, 0);

  seen->n++;
  if (seen->caps_size && gst_buffer_get_size (buffer) != seen->caps_size)
    seen->n_wrong_caps++;
  if (GST_CLOCK_TIME_IS_VALID (seen->last)
      && GST_BUFFER_PTS (buffer) <= seen->last)
    seen->n_disorder++;
  seen->last = GST_BUFFER_PTS (buffer);
  if (meta
      && g_str_equal (gst_structure_get_string (meta, "inference"), "fresh"))
    seen->n_fresh++;
  if (meta && !test_gst_frame_meta (buffer, 1))
    seen->n_metas++;
}

static void
look_event (Seen *seen, GstEvent *event)
{
  GstVideoInfo info;
  GstCaps *caps;

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
      gst_event_parse_caps (event, &caps);
      fail_unless (gst_video_info_from_caps (&info, caps));
      seen->caps_size = GST_VIDEO_INFO_SIZE (&info);
      g_string_append_c (seen->order, 'c');
      break;
    case GST_EVENT_SEGMENT:
      seen->last = GST_CLOCK_TIME_NONE;
      g_string_append_c (seen->order, 's');
      break;
    case GST_EVENT_GAP:
      g_string_append_c (seen->order, 'g');
      break;
    case GST_EVENT_TAG:
      g_string_append_c (seen->order, 't');
      break;
    case GST_EVENT_EOS:
      seen->eos = TRUE;
      g_string_append_c (seen->order, 'e');
      break;
    default:
      break;
  }
}

static GstFlowReturn
chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  Seen *seen = g_object_get_data (G_OBJECT (pad), "seen");
  GstFlowReturn flow = GST_FLOW_OK;

  if (seen->delay)
    g_usleep (seen->delay);
  g_mutex_lock (&seen->held);
  g_mutex_unlock (&seen->held);
  g_mutex_lock (&seen->lock);
  if (seen->stop && (gint) seen->n >= seen->stop_after) {
    flow = seen->stop;
  } else {
    look (seen, buffer);
    g_string_append_c (seen->order, 'f');
  }
  g_mutex_unlock (&seen->lock);
  gst_buffer_unref (buffer);
  return flow;
}

static gboolean
take_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  Seen *seen = g_object_get_data (G_OBJECT (pad), "seen");

  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_START && seen->holds) {
    seen->holds = FALSE;
    g_mutex_unlock (&seen->held);
  }
  g_mutex_lock (&seen->lock);
  look_event (seen, event);
  g_mutex_unlock (&seen->lock);
  gst_event_unref (event);
  return TRUE;
}

/* A detector between a harness that pushes and the test's own sink pad. */
typedef struct
{
  GstHarness *h;
  GstElement *e;
  GstPad *sink;
  GstBus *bus;
  GstCaps *caps;
  Seen seen;
} Run;

static void
run_begin (Run *run, const char *properties)
{
  GstPad *src;

  memset (run, 0, sizeof *run);
  run->seen.last = GST_CLOCK_TIME_NONE;
  run->seen.order = g_string_new (NULL);
  g_mutex_init (&run->seen.lock);
  g_mutex_init (&run->seen.held);
  run->h = test_gst_harness (properties);
  run->e = gst_object_ref (run->h->element);
  run->bus = gst_bus_new ();
  gst_element_set_bus (run->e, run->bus);
  run->caps = test_gst_caps ("NV12", 96, 64);
  run->sink = gst_pad_new_from_static_template (&any, "sink");
  g_object_set_data (G_OBJECT (run->sink), "seen", &run->seen);
  gst_pad_set_chain_function (run->sink, chain);
  gst_pad_set_event_function (run->sink, take_event);
  gst_pad_set_active (run->sink, TRUE);
  src = gst_element_get_static_pad (run->e, "src");
  gst_pad_unlink (src, run->h->sinkpad);
  fail_unless_equals_int (gst_pad_link (src, run->sink), GST_PAD_LINK_OK);
  gst_object_unref (src);
  gst_harness_set_src_caps (run->h, gst_caps_ref (run->caps));
}

/* The sink keeps its first frame until a flush. */
static void
run_hold (Run *run)
{
  g_mutex_lock (&run->seen.held);
  run->seen.holds = TRUE;
}

static GstFlowReturn
run_push (Run *run, guint i)
{
  GstBuffer *buffer = test_gst_picture_caps (run->caps, i);

  GST_BUFFER_PTS (buffer) = gst_util_uint64_scale (i, GST_SECOND, 30);
  GST_BUFFER_DURATION (buffer) = GST_SECOND / 30;
  return gst_harness_push (run->h, buffer);
}

static void
run_end (Run *run)
{
  gst_element_set_bus (run->e, NULL);
  gst_harness_teardown (run->h);
  gst_pad_set_active (run->sink, FALSE);
  gst_object_unref (run->sink);
  gst_object_unref (run->bus);
  gst_object_unref (run->e);
  gst_caps_unref (run->caps);
  g_string_free (run->seen.order, TRUE);
  g_mutex_clear (&run->seen.lock);
  g_mutex_clear (&run->seen.held);
}

#define N_PICTURES 40

/* All records of all frames, concatenated. */
static GByteArray *
find_all (const char *properties)
{
  GstHarness *h = test_gst_harness (properties);
  g_autoptr (GstCaps) caps = test_gst_caps ("NV12", 96, 64);
  GByteArray *all = g_byte_array_new ();

  gst_harness_set_src_caps (h, gst_caps_ref (caps));
  for (guint i = 0; i < N_PICTURES; i++) {
    GstBuffer *picture = test_gst_picture_caps (caps, i);

    GST_BUFFER_PTS (picture) = i;
    fail_unless_equals_int (gst_harness_push (h, picture), GST_FLOW_OK);
  }
  fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
  fail_unless_equals_int (gst_harness_buffers_in_queue (h), N_PICTURES);
  for (guint i = 0; i < N_PICTURES; i++) {
    GstBuffer *out = gst_harness_pull (h);
    const GValue *records;
    GBytes *bytes;

    fail_unless_equals_uint64 (GST_BUFFER_PTS (out), i);
    records = gst_structure_get_value (test_gst_frame_meta (out, 0), "records");
    bytes = g_value_get_boxed (records);
    if (g_bytes_get_size (bytes))
      g_byte_array_append (all, g_bytes_get_data (bytes, NULL),
          g_bytes_get_size (bytes));
    gst_buffer_unref (out);
  }
  gst_harness_teardown (h);
  return all;
}

GST_START_TEST (test_bit_equal)
{
  static const char *const backends[] = { "ref", "cpu" };

  for (guint b = 0; b < 2; b++) {
    GByteArray *plain = NULL;

    for (guint n = 1; n <= 4; n *= 2) {
      gchar *properties =
          g_strdup_printf ("backend=%s in-flight=%u threads=1 "
                           "confidence=0.02 max-detections=1000",
              backends[b], n);
      GByteArray *all = find_all (properties);

      g_free (properties);
      if (!plain) {
        plain = all;
        fail_unless (plain->len > 32 * N_PICTURES);
        continue;
      }
      fail_unless_equals_int (all->len, plain->len);
      fail_unless (!memcmp (all->data, plain->data, plain->len));
      g_byte_array_unref (all);
    }
    g_byte_array_unref (plain);
  }
}

GST_END_TEST;

/* The caps change every ten frames: each frame leaves with its own caps. */
GST_START_TEST (test_caps_changes)
{
  Run run;

  run_begin (&run, "in-flight=4 max-queued-frames=16");
  run.seen.delay = 500;
  for (guint i = 0; i < 300; i++) {
    if (i % 10 == 0) {
      gst_caps_unref (run.caps);
      run.caps = i % 20 ? test_gst_caps ("NV12", 96, 64)
                        : test_gst_caps ("I420", 64 + i / 10, 48);
      gst_harness_set_src_caps (run.h, gst_caps_ref (run.caps));
    }
    fail_unless_equals_int (run_push (&run, i), GST_FLOW_OK);
  }
  fail_unless (gst_harness_push_event (run.h, gst_event_new_eos ()));
  fail_unless (run.seen.eos);
  fail_unless_equals_int (run.seen.n, 300);
  fail_unless_equals_int (run.seen.n_fresh, 300);
  fail_unless_equals_int (run.seen.n_metas, 300);
  fail_unless_equals_int (run.seen.n_wrong_caps, 0);
  fail_unless_equals_int (run.seen.n_disorder, 0);
  fail_unless_equals_uint64 (test_gst_stat (run.e, "sent"), 300);
  fail_unless_equals_uint64 (test_gst_stat (run.e, "inferred"), 300);
  run_end (&run);
}

GST_END_TEST;

/* EOS comes while the queue is full. */
GST_START_TEST (test_full_at_eos)
{
  for (guint i = 1; i <= 8; i++) {
    Run run;

    run_begin (&run, "in-flight=2 max-queued-frames=8");
    run.seen.delay = 10000;
    for (guint k = 0; k < i + 8; k++)
      fail_unless_equals_int (run_push (&run, k), GST_FLOW_OK);
    fail_unless (gst_harness_push_event (run.h, gst_event_new_eos ()));
    fail_unless (run.seen.eos);
    fail_unless_equals_int (run.seen.n, i + 8);
    fail_unless_equals_int (run.seen.n_disorder, 0);
    run_end (&run);
  }
}

GST_END_TEST;

/* GAP and TAG keep their place between frames; all other events come after the
 * queued frames. */
GST_START_TEST (test_event_order)
{
  GstSegment segment;
  Run run;

  run_begin (&run, "in-flight=2 max-queued-frames=16");
  gst_segment_init (&segment, GST_FORMAT_TIME);
  g_string_truncate (run.seen.order, 0);
  run.seen.delay = 5000;
  for (guint i = 0; i < 3; i++) {
    GstEvent *gap = gst_event_new_gap (i, 1);
    GstEvent *tag = gst_event_new_tag (
        gst_tag_list_new (GST_TAG_TITLE, "t", NULL));

    run_push (&run, 3 * i);
    fail_unless (gst_harness_push_event (run.h, gap));
    run_push (&run, 3 * i + 1);
    fail_unless (gst_harness_push_event (run.h, tag));
    run_push (&run, 3 * i + 2);
    fail_unless (
        gst_harness_push_event (run.h, gst_event_new_segment (&segment)));
  }
  gst_harness_push_event (run.h, gst_event_new_eos ());
  {
    /* Caps and segment, which are sticky, came with the first frame. */
    const char *order = strchr (run.seen.order->str, 'f');

    fail_unless_equals_string (order, "fgftfsfgftfsfgftfse");
  }
  run_end (&run);
}

GST_END_TEST;

/* A TAG that was dropped by a flush is sent after the flush, once. */
GST_START_TEST (test_tag_flushed)
{
  GstSegment segment;
  Run run;

  run_begin (&run, "in-flight=2 max-queued-frames=16");
  gst_segment_init (&segment, GST_FORMAT_TIME);
  run_hold (&run);
  for (guint i = 0; i < 4; i++)
    fail_unless_equals_int (run_push (&run, i), GST_FLOW_OK);
  fail_unless (gst_harness_push_event (run.h,
      gst_event_new_tag (gst_tag_list_new (GST_TAG_TITLE, "t", NULL))));
  for (guint i = 0; i < 2; i++) {
    GstQuery *query = gst_query_new_drain ();

    gst_harness_push_event (run.h, gst_event_new_flush_start ());
    if (!i)
      fail_if (strchr (run.seen.order->str, 't'));
    gst_harness_push_event (run.h, gst_event_new_flush_stop (TRUE));
    gst_harness_push_event (run.h, gst_event_new_segment (&segment));
    fail_unless_equals_int (run_push (&run, 4 + i), GST_FLOW_OK);
    gst_pad_peer_query (run.h->srcpad, query);
    gst_query_unref (query);
  }
  gst_harness_push_event (run.h, gst_event_new_eos ());
  fail_unless_equals_string (strrchr (run.seen.order->str, 't'), "tfsfe");
  fail_unless (
      strchr (run.seen.order->str, 't') == strrchr (run.seen.order->str, 't'));
  run_end (&run);
}

GST_END_TEST;

/* A serialized query passes when all frames before it have. */
GST_START_TEST (test_queries)
{
  Run run;

  run_begin (&run, "in-flight=2 max-queued-frames=16");
  run.seen.delay = 3000;
  for (guint i = 0; i < 5; i++) {
    GstQuery *query = i % 2 ? gst_query_new_drain ()
                            : gst_query_new_allocation (run.caps, TRUE);

    for (guint k = 0; k < 4; k++)
      fail_unless_equals_int (run_push (&run, 4 * i + k), GST_FLOW_OK);
    gst_pad_peer_query (run.h->srcpad, query);
    fail_unless_equals_int (run.seen.n, 4 * (i + 1));
    gst_query_unref (query);
  }
  run_end (&run);
}

GST_END_TEST;

typedef struct
{
  Run *run;
  GstFlowReturn flow;
  gint n; /* pushed */
} Pusher;

static gpointer
push_until_refused (gpointer data)
{
  Pusher *pusher = data;

  do
    pusher->flow = run_push (pusher->run,
        (guint) g_atomic_int_add (&pusher->n, 1));
  while (pusher->flow == GST_FLOW_OK);
  return NULL;
}

/* Upstream waits for room, and the output task for downstream: a flush wakes
 * the first, and downstream's reaction wakes the second; so does a change to
 * READY. */
GST_START_TEST (test_wakes)
{
  for (guint i = 0; i < 2; i++) {
    Pusher pusher = { 0 };
    GThread *thread;
    Run run;

    run_begin (&run, "max-queued-frames=2");
    if (i)
      run.seen.delay = 300000;
    else
      run_hold (&run);
    pusher.run = &run;
    thread = g_thread_new ("pusher", push_until_refused, &pusher);
    test_wait_for (g_atomic_int_get (&pusher.n) >= 2);
    if (i)
      gst_element_set_state (run.e, GST_STATE_READY);
    else
      gst_pad_push_event (run.h->srcpad, gst_event_new_flush_start ());
    g_thread_join (thread);
    fail_unless_equals_int (pusher.flow, GST_FLOW_FLUSHING);
    /* Two in the queue, and the one that is refused. */
    fail_unless (pusher.n <= (gint) run.seen.n + 3, "%d", pusher.n);
    run_end (&run);
  }
}

GST_END_TEST;

/* Downstream's flow return reaches upstream with a later frame; at the end of
 * the stream, where no frame follows, the element posts an error. */
GST_START_TEST (test_flows)
{
  static const GstFlowReturn flows[] = { GST_FLOW_EOS, GST_FLOW_NOT_LINKED,
    GST_FLOW_ERROR, GST_FLOW_NOT_NEGOTIATED, GST_FLOW_FLUSHING };

  for (guint i = 0; i < G_N_ELEMENTS (flows); i++) {
    GstFlowReturn flow = GST_FLOW_OK;
    guint n = 0;
    Run run;

    run_begin (&run, "max-queued-frames=2");
    run.seen.stop = flows[i];
    run.seen.stop_after = 5;
    while (flow == GST_FLOW_OK && n < 50)
      flow = run_push (&run, n++);
    fail_unless_equals_int (flow, flows[i]);
    fail_unless_equals_int (run.seen.n, 5);
    fail_unless (n >= 7 && n <= 9, "%u", n);
    gst_harness_push_event (run.h, gst_event_new_eos ());
    fail_unless (run.seen.eos);
    fail_unless_equals_int (test_gst_count_messages (run.bus,
                                GST_MESSAGE_ERROR),
        0);
    run_end (&run);

    /* The last frame fails after upstream has pushed everything. */
    run_begin (&run, "max-queued-frames=2");
    run.seen.stop = flows[i];
    for (n = 0; n < 1; n++)
      fail_unless_equals_int (run_push (&run, n), GST_FLOW_OK);
    gst_harness_push_event (run.h, gst_event_new_eos ());
    fail_unless (run.seen.eos);
    fail_unless_equals_int (test_gst_count_messages (run.bus,
                                GST_MESSAGE_ERROR),
        flows[i] == GST_FLOW_NOT_LINKED || flows[i] < GST_FLOW_EOS);
    run_end (&run);
  }
}

GST_END_TEST;

/* A new stream may follow after EOS. */
GST_START_TEST (test_after_eos)
{
  GstSegment segment;
  Run run;

  run_begin (&run, "");
  gst_segment_init (&segment, GST_FORMAT_TIME);
  run.seen.stop = GST_FLOW_EOS;
  run.seen.stop_after = 1;
  while (run_push (&run, run.seen.n) == GST_FLOW_OK)
    ;
  run.seen.stop = GST_FLOW_OK;
  gst_harness_push_event (run.h, gst_event_new_segment (&segment));
  for (guint i = 0; i < 5; i++)
    fail_unless_equals_int (run_push (&run, i), GST_FLOW_OK);
  gst_harness_push_event (run.h, gst_event_new_eos ());
  fail_unless_equals_int (run.seen.n, 6);
  run_end (&run);
}

GST_END_TEST;

TEST_GST_MAIN (detect_flow)
{
  tcase_add_test (tc, test_bit_equal);
  tcase_add_test (tc, test_caps_changes);
  tcase_add_test (tc, test_full_at_eos);
  tcase_add_test (tc, test_event_order);
  tcase_add_test (tc, test_tag_flushed);
  tcase_add_test (tc, test_queries);
  tcase_add_test (tc, test_wakes);
  tcase_add_test (tc, test_flows);
  tcase_add_test (tc, test_after_eos);
}
