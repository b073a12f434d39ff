/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* tiles, region and so on are changed 1,000 times while frames flow, beside three
 * other elements that share the engine. No frame is lost, and the others' frames
 * wait for no more turns than they do without tiles: one of each other element. */
#include <stdio.h>

#include "gstcommon.h"
#include "waitfor.h"

#define CHANGES 1000
#define N_OTHERS 3
#define FRAME TEST_GST_FRAME

static GstCaps *caps;
static gint playing;
static gint n_changed;
static gint n_pushed; /* frames of the element that is changed */

static GstHarness *
make_harness (void)
{
  GstHarness *h = test_gst_harness ("backend=cpu input-size=32 threads=1 "
                                    "confidence=0.02");

  gst_harness_set_src_caps (h, gst_caps_ref (caps));
  return h;
}

static GstBuffer *
picture (guint i)
{
  return test_gst_picture_at (caps, i % 3, i);
}

/* Takes what has arrived; @n counts it. */
static void
take (GstHarness *h, guint *n)
{
  GstBuffer *out;

  while ((out = gst_harness_try_pull (h))) {
    fail_unless_equals_uint64 (GST_BUFFER_PTS (out), *n * FRAME);
    fail_unless (test_gst_frame_meta (out, 0) != NULL);
    gst_buffer_unref (out);
    ++*n;
  }
}

/* One frame at a time, as from a source that waits for its result. */
static gpointer
play_other (gpointer data)
{
  GstHarness *h = data;
  guint n = 0;

  for (guint i = 0; g_atomic_int_get (&playing); i++) {
    GstBuffer *out = gst_harness_push_and_pull (h, picture (i));
    const GstStructure *meta = test_gst_frame_meta (out, 0);

    fail_unless_equals_uint64 (GST_BUFFER_PTS (out), i * FRAME);
    fail_unless_equals_string (gst_structure_get_string (meta, "inference"),
        "fresh");
    gst_buffer_unref (out);
    n++;
  }
  return GUINT_TO_POINTER (n);
}

static gpointer
play_changed (gpointer data)
{
  GstHarness *h = data;
  guint n = 0;

  for (guint i = 0; g_atomic_int_get (&playing); i++) {
    fail_unless_equals_int (gst_harness_push (h, picture (i)), GST_FLOW_OK);
    g_atomic_int_inc (&n_pushed);
    take (h, &n);
    test_wait_for (
        g_atomic_int_get (&n_pushed) <= g_atomic_int_get (&n_changed) + 2
        || !g_atomic_int_get (&playing));
  }
  fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
  take (h, &n);
  return GUINT_TO_POINTER (n);
}

static void
change (GstElement *e, guint i)
{
  static const char *const tiles[] = { "2x2", "none", "auto", "2x1", "48" };
  static const char *const regions[] = { "", "0,0 0.5,1", "0,0 1,0 0.5,1" };

  switch (i % 4) {
    case 0:
    case 1:
      g_object_set (e, "tiles", tiles[i / 4 % G_N_ELEMENTS (tiles)], NULL);
      break;
    case 2:
      g_object_set (e, "region", regions[i / 4 % G_N_ELEMENTS (regions)], NULL);
      break;
    default:
      g_object_set (e, "region-anchor", i / 4 % 2, "tile-overlap",
          0.1 * (i / 4 % 4), "late-policy", 1 + i / 100 % 2, NULL);
      break;
  }
}

static guint
most_turns (GstHarness *h)
{
  GstStructure *stats;
  guint turns;

  g_object_get (h->element, "stats", &stats, NULL);
  fail_unless (gst_structure_get_uint (stats, "most-turns", &turns));
  gst_structure_free (stats);
  return turns;
}

/* No value was rejected. A slow machine may fall behind the live source. */
static void
check_messages (GstBus *bus)
{
  GstMessage *message;
  GError *error;

  while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING))) {
    gst_message_parse_warning (message, &error, NULL);
    fail_unless (error->domain == GST_STREAM_ERROR, "%s", error->message);
    g_error_free (error);
    gst_message_unref (message);
  }
  fail_unless_equals_int (test_gst_count_messages (bus, GST_MESSAGE_ERROR), 0);
}

GST_START_TEST (test_changes)
{
  GstHarness *h = make_harness (), *others[N_OTHERS];
  GThread *thread, *threads[N_OTHERS];
  g_autoptr (GstBus) bus = gst_bus_new ();
  guint sent, n_others = 0, most = 0;
  GstStructure *stats;
  guint64 inferences, n_frames;

  gst_element_set_bus (h->element, bus);
  g_atomic_int_set (&playing, TRUE);
  for (guint i = 0; i < N_OTHERS; i++) {
    others[i] = make_harness ();
    threads[i] = g_thread_new ("other", play_other, others[i]);
  }
  thread = g_thread_new ("changed", play_changed, h);
  /* About one change for each frame, at any point of its way. */
  for (guint i = 0; i < CHANGES; i++) {
    change (h->element, i);
    g_atomic_int_inc (&n_changed);
    test_wait_for (g_atomic_int_get (&n_pushed) >= (gint) i);
  }
  g_atomic_int_set (&playing, FALSE);
  sent = GPOINTER_TO_UINT (g_thread_join (thread));
  for (guint i = 0; i < N_OTHERS; i++)
    n_others += GPOINTER_TO_UINT (g_thread_join (threads[i]));
  g_object_get (h->element, "engine-stats", &stats, NULL);
  fail_unless (gst_structure_get_uint64 (stats, "inferences", &inferences));
  gst_structure_free (stats);
  n_frames = n_others + test_gst_stat (h->element, "inferences");
  for (guint i = 0; i < N_OTHERS; i++) {
    most = MAX (most, most_turns (others[i]));
    gst_harness_teardown (others[i]);
  }
  printf (
      "%u frames with %u changes, %u frames of others, %" G_GUINT64_FORMAT
      " parts of %" G_GUINT64_FORMAT
      " frames inferred; a frame of another element waited for %u turns at most\n",
      sent, CHANGES, n_others, inferences, n_frames, most);
  fflush (stdout);
  fail_unless_equals_int (sent, g_atomic_int_get (&n_pushed));
  fail_unless_equals_uint64 (test_gst_stat (h->element, "frames"), sent);
  fail_unless (sent >= CHANGES - 1);
  fail_unless (inferences > n_frames + CHANGES / 2);
  fail_unless (most <= N_OTHERS, "%u turns", most);
  check_messages (bus);
  gst_element_set_bus (h->element, NULL);
  gst_harness_teardown (h);
}

GST_END_TEST;

TEST_GST_MAIN (detect_changes)
{
  caps = test_gst_caps ("NV12", 80, 60);
  tcase_set_timeout (tc, 600);
  tcase_add_test (tc, test_changes);
}
