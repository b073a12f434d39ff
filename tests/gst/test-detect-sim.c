/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* yolov10detect on a simulated GPU that is lost while frames flow: no frame is
 * lost, one warning comes, and detections resume; or, if the GPU does not come
 * back, frames continue to flow. Also tests how a frame is launched, and cameras of several
 * shapes. */
#include <stdio.h>

#include "control.h"
#include "gstcommon.h"

#define SKIP 77
#define ILLEGAL_ADDRESS 700

static const Y10SimControl *sim;
static GstCaps *caps;

static GstHarness *
make_harness_with (const char *properties, GstBus **bus)
{
  GstHarness *h = test_gst_cuda_harness (properties, caps, bus);

  sim = y10_sim_control_get ();
  fail_unless (sim != NULL);
  return h;
}

static GstHarness *
make_harness (GstBus **bus)
{
  return make_harness_with ("", bus);
}

static void
end (GstHarness *h, GstBus *bus)
{
  gst_element_set_bus (h->element, NULL);
  gst_object_unref (bus);
  gst_harness_teardown (h);
  fail_unless_equals_int (sim->n_reports (), 0);
}

/* Pushes a frame and pulls it; returns whether it was inferred. */
static gboolean
pass (GstHarness *h, GArray *expected)
{
  GstBuffer *in = test_gst_picture_caps (caps, 3), *out;
  GstMemory *memory = gst_buffer_peek_memory (in, 0);
  GstClockTime pts = gst_util_uint64_scale (test_gst_stat (h->element,
                                                "frames"),
      GST_SECOND, 30);
  const GstStructure *meta;
  g_autoptr (GArray) rois = NULL;
  guint count;
  gboolean fresh;

  GST_BUFFER_PTS (in) = pts;
  fail_unless_equals_int (gst_harness_push (h, in), GST_FLOW_OK);
  out = gst_harness_pull (h);
  fail_unless (out != NULL);
  fail_unless (gst_harness_try_pull (h) == NULL);
  fail_unless (gst_buffer_peek_memory (out, 0) == memory);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (out), pts);
  meta = test_gst_frame_meta (out, 0);
  fail_unless (meta != NULL);
  fail_unless (gst_structure_get_uint (meta, "count", &count));
  fresh = g_str_equal (gst_structure_get_string (meta, "inference"), "fresh");
  rois = test_gst_rois (out);
  if (fresh) {
    test_gst_assert_same (rois, expected, 96, 96);
    fail_unless_equals_int (count, expected->len);
  } else {
    fail_unless_equals_string (gst_structure_get_string (meta, "inference"),
        "skipped");
    fail_unless_equals_int (rois->len, 0);
    fail_unless_equals_int (count, 0);
  }
  gst_buffer_unref (out);
  return fresh;
}

/* The harness is a live source: on a slow machine, under a sanitizer, inferring
 * every frame takes longer than the frames do. */
static gboolean
is_about_speed (GstMessage *message)
{
  GError *error;
  gboolean is;

  if (GST_MESSAGE_TYPE (message) != GST_MESSAGE_WARNING)
    return FALSE;
  gst_message_parse_warning (message, &error, NULL);
  is = strstr (error->message, "seconds behind") != NULL;
  g_error_free (error);
  return is;
}

/* Counts the messages of one type since the last call; @text gets the last
 * one's text. */
static guint
count_messages (GstBus *bus, GstMessageType type, gchar **text)
{
  GstMessage *message;
  guint n = 0;

  while ((message = gst_bus_pop_filtered (bus, type))) {
    if (gst_message_has_name (message, "yolov10-model")
        || is_about_speed (message)) {
      gst_message_unref (message);
      continue;
    }
    n++;
    if (type == GST_MESSAGE_WARNING && text) {
      GError *error;

      gst_message_parse_warning (message, &error, NULL);
      fail_unless (g_error_matches (error, GST_RESOURCE_ERROR,
          GST_RESOURCE_ERROR_FAILED));
      g_free (*text);
      *text = g_strdup (error->message);
      g_error_free (error);
    } else if (type == GST_MESSAGE_ELEMENT) {
      fail_unless (gst_message_has_name (message, "yolov10-recovered"));
    }
    gst_message_unref (message);
  }
  return n;
}

/* Pushes frames until one is inferred again; returns how many were not. */
static guint
pass_until_fresh (GstHarness *h, GArray *expected)
{
  guint n = 0;

  while (!pass (h, expected)) {
    n++;
    g_usleep (20 * 1000);
  }
  return n;
}

/* Pushes frames until there are so many more warnings; none is inferred. Returns their
 * number. */
static guint
pass_until_warned (GstHarness *h, GstBus *bus, guint n_warnings, gchar **text)
{
  guint n = 0;

  while (n_warnings) {
    fail_if (pass (h, NULL));
    n++;
    n_warnings -= count_messages (bus, GST_MESSAGE_WARNING, text);
    g_usleep (20 * 1000);
  }
  return n;
}

GST_START_TEST (test_recovers)
{
  GArray *expected = test_gst_cuda_expected (caps);
  gchar *text = NULL, *backend;
  guint skipped = 0, n;
  GstHarness *h;
  GstBus *bus;

  h = make_harness (&bus);
  for (guint i = 0; i < 3; i++)
    fail_unless (pass (h, expected));
  for (guint turn = 1; turn <= 2; turn++) {
    gint64 start = g_get_monotonic_time ();

    /* The loss comes in the middle of the first frame; then in the
     * preprocessing kernel. */
    sim->lose (turn == 1 ? 20 : 1, ILLEGAL_ADDRESS);
    fail_if (pass (h, expected));
    g_object_get (h->element, "active-backend", &backend, NULL);
    fail_unless (backend == NULL);
    skipped += 1 + pass_until_fresh (h, expected);
    /* Attempts have pauses between them, longer ones after repeated losses. */
    fail_unless (
        g_get_monotonic_time () - start >= (gint64) turn * G_USEC_PER_SEC);
    n = count_messages (bus, GST_MESSAGE_WARNING, &text);
    fail_unless_equals_int (n, 1);
    fail_unless (strstr (text, "is lost") && strstr (text, "700"), "%s", text);
    fail_unless_equals_int (count_messages (bus, GST_MESSAGE_ERROR, NULL), 0);
    fail_unless_equals_uint64 (test_gst_stat (h->element, "recoveries"), turn);
    fail_unless_equals_uint64 (test_gst_stat (h->element, "skipped"), skipped);
    fail_unless_equals_uint64 (test_gst_stat (h->element, "inferred"),
        3 + turn + (turn == 2) * 5);
    for (guint i = 0; turn == 1 && i < 5; i++)
      fail_unless (pass (h, expected));
    g_object_get (h->element, "active-backend", &backend, NULL);
    fail_unless_equals_string (backend, "cuda");
    g_free (backend);
  }
  g_array_unref (expected);
  g_free (text);
  end (h, bus);
}

GST_END_TEST;

/* The GPU stays away for longer: frames continue, a second warning mentions
 * that a restart may be necessary, and the element uses the GPU again once it
 * is back. */
GST_START_TEST (test_comes_back_late)
{
  GArray *expected = test_gst_cuda_expected (caps);
  gchar *text = NULL;
  GstHarness *h;
  GstBus *bus;
  guint n;

  h = make_harness (&bus);
  fail_unless (pass (h, expected));
  sim->set_gone (TRUE);
  sim->lose (1, ILLEGAL_ADDRESS);
  n = pass_until_warned (h, bus, 2, &text);
  fail_unless_equals_uint64 (test_gst_stat (h->element, "skipped"), n);
  sim->set_gone (FALSE);
  pass_until_fresh (h, expected);
  fail_unless_equals_int (count_messages (bus, GST_MESSAGE_WARNING, NULL), 0);
  fail_unless (strstr (text, "recovery in a new CUDA context failed")
          && strstr (text, "process is restarted"),
      "%s", text);
  fail_unless_equals_uint64 (test_gst_stat (h->element, "recoveries"), 1);
  g_array_unref (expected);
  g_free (text);
  end (h, bus);
}

GST_END_TEST;

/* Stopping does not wait for the next attempt, and a new start begins
 * afresh. */
GST_START_TEST (test_stops)
{
  GArray *expected = test_gst_cuda_expected (caps);
  GstHarness *h;
  GstBus *bus;

  h = make_harness (&bus);
  sim->set_gone (TRUE);
  sim->lose (1, ILLEGAL_ADDRESS);
  pass_until_warned (h, bus, 2, NULL);
  /* The next attempt, which is in two seconds, would succeed. */
  sim->set_gone (FALSE);
  gst_element_set_state (h->element, GST_STATE_READY);
  fail_unless_equals_uint64 (test_gst_stat (h->element, "recoveries"), 0);
  fail_unless_equals_int (gst_element_set_state (h->element, GST_STATE_PLAYING),
      GST_STATE_CHANGE_SUCCESS);
  gst_harness_set_caps (h, gst_caps_copy (caps), gst_caps_copy (caps));
  fail_unless (pass (h, expected));
  fail_unless_equals_uint64 (test_gst_stat (h->element, "skipped"), 0);
  g_array_unref (expected);
  end (h, bus);
}

GST_END_TEST;

/* The detections do not depend on whether a frame is launched as one graph or
 * kernel by kernel. */
GST_START_TEST (test_graphs)
{
  g_autoptr (GArray) expected = test_gst_cuda_expected (caps);

  for (guint graphs = 0; graphs < 2; graphs++) {
    guint64 before;
    GstHarness *h;
    GstBus *bus;

    h = make_harness_with (graphs ? "" : "cuda-graphs=false", &bus);
    before = sim->n_graph_launches ();
    for (guint i = 0; i < 3; i++)
      fail_unless (pass (h, expected));
    fail_unless_equals_uint64 (sim->n_graph_launches () - before, 3 * graphs);
    end (h, bus);
  }
}

GST_END_TEST;

/* Within the tolerances of golden files. */
static void
assert_near (const TestBox *found, const TestBox *expected)
{
  fail_unless_equals_string (found->label, expected->label);
  fail_unless (ABS (found->confidence - expected->confidence) < 1e-4);
  fail_unless (ABS (found->x_min - expected->x_min) * 96 < 0.05);
  fail_unless (ABS (found->y_min - expected->y_min) * 96 < 0.05);
  fail_unless (ABS (found->x_max - expected->x_max) * 96 < 0.05);
  fail_unless (ABS (found->y_max - expected->y_max) * 96 < 0.05);
}

/* All parts of a frame are in one step where there is room for them, else in
 * several; the boxes are the same. */
GST_START_TEST (test_parts)
{
  static const guint max_batch[] = { 8, 3 };
  GstHarness *host = test_gst_harness ("confidence=0.05 max-detections=1000 "
                                       "tiles=2x2");
  GstBuffer *out;
  g_autoptr (GArray) expected = NULL;

  gst_harness_set_src_caps (host, gst_caps_ref (caps));
  out = gst_harness_push_and_pull (host, test_gst_picture_caps (caps, 3));
  expected = test_gst_rois (out);
  fail_unless (expected->len >= 10);
  gst_buffer_unref (out);
  gst_harness_teardown (host);
  for (guint i = 0; i < G_N_ELEMENTS (max_batch); i++) {
    gchar *properties = g_strdup_printf ("max-batch=%u tiles=2x2",
        max_batch[i]);
    GstStructure *stats;
    const GValue *fill;
    GArray *boxes;
    GstHarness *h;
    GstBus *bus;

    h = make_harness_with (properties, &bus);
    out = gst_harness_push_and_pull (h, test_gst_picture_caps (caps, 3));
    boxes = test_gst_rois (out);
    fail_unless_equals_int (boxes->len, expected->len);
    for (guint j = 0; j < boxes->len; j++)
      assert_near (&g_array_index (boxes, TestBox, j),
          &g_array_index (expected, TestBox, j));
    g_object_get (h->element, "engine-stats", &stats, NULL);
    fill = gst_structure_get_value (stats, "batch-fill");
    fail_unless_equals_int (gst_value_array_get_size (fill), i ? 3 : 5);
    gst_structure_free (stats);
    gst_buffer_unref (out);
    g_array_unref (boxes);
    g_free (properties);
    end (h, bus);
  }
}

GST_END_TEST;

/* The boxes of a picture with @of. */
static GArray *
boxes_of (GstHarness *h, const GstCaps *of, GstClockTime pts)
{
  GstBuffer *buffer = test_gst_picture_caps (of, 3);
  GArray *boxes;

  GST_BUFFER_PTS (buffer) = pts;
  buffer = gst_harness_push_and_pull (h, buffer);
  boxes = test_gst_rois (buffer);
  gst_buffer_unref (buffer);
  return boxes;
}

static void
assert_boxes (GstHarness *h, const GstCaps *of, GstClockTime pts,
    const GArray *expected)
{
  g_autoptr (GArray) found = boxes_of (h, of, pts);

  fail_unless_equals_int (found->len, expected->len);
  fail_unless (
      !memcmp (found->data, expected->data, found->len * sizeof (TestBox)));
}

static void
use (GstHarness *h, const GstCaps *of)
{
  gst_harness_set_caps (h, gst_caps_copy (of), gst_caps_copy (of));
}

/* With input-size=auto, a wide and a square camera share an engine on the GPU. Each gets the
 * boxes of an engine of its size, also after its caps change, and after the GPU was
 * lost. */
GST_START_TEST (test_shapes)
{
  g_autoptr (GstCaps) wide = test_gst_caps ("RGB", 96, 60);
  GstHarness *one, *two, *flat, *square;
  GArray *in_flat, *in_square;
  GstBus *buses[4];
  GstStructure *stats;
  guint n;

  one = make_harness_with ("input-size=auto", &buses[0]);
  two = make_harness_with ("input-size=auto", &buses[1]);
  flat = make_harness_with ("input-size=96x64", &buses[2]);
  square = make_harness_with ("input-size=96", &buses[3]);
  use (two, wide);
  use (flat, wide);
  in_flat = boxes_of (flat, wide, 0);
  in_square = boxes_of (square, caps, 0);
  fail_unless (in_flat->len >= 10 && in_square->len >= 10);
  g_object_get (one->element, "engine-stats", &stats, NULL);
  fail_unless (gst_structure_get_uint (stats, "streams", &n));
  fail_unless_equals_int (n, 2);
  gst_structure_free (stats);
  for (guint i = 0; i < 3; i++) {
    assert_boxes (one, caps, i * GST_SECOND, in_square);
    assert_boxes (two, wide, i * GST_SECOND, in_flat);
  }
  use (one, wide);
  use (two, caps);
  for (guint i = 3; i < 6; i++) {
    assert_boxes (one, wide, i * GST_SECOND, in_flat);
    assert_boxes (two, caps, i * GST_SECOND, in_square);
  }
  sim->lose (5, ILLEGAL_ADDRESS);
  g_array_unref (boxes_of (one, wide, 6 * GST_SECOND));
  for (n = 7; test_gst_stat (one->element, "recoveries") == 0
       || test_gst_stat (two->element, "recoveries") == 0;
       n++) {
    g_array_unref (boxes_of (one, wide, n * GST_SECOND));
    g_array_unref (boxes_of (two, caps, n * GST_SECOND));
    g_usleep (20 * 1000);
  }
  assert_boxes (one, wide, n * GST_SECOND, in_flat);
  assert_boxes (two, caps, n * GST_SECOND, in_square);
  g_array_unref (in_flat);
  g_array_unref (in_square);
  end (flat, buses[2]);
  end (square, buses[3]);
  end (one, buses[0]);
  end (two, buses[1]);
}

GST_END_TEST;

TEST_GST_MAIN (detect_sim)
{
  g_autoptr (GString) why = g_string_new (NULL);

  if (!y10_backend_probe (Y10_BACKEND_CUDA, why) || !y10_sim_control_get ()) {
    test_gst_skip ("no simulated GPU: %s", why->str);
    return;
  }
  caps = test_gst_caps ("RGB", 96, 96);
  tcase_add_test (tc, test_recovers);
  tcase_add_test (tc, test_comes_back_late);
  tcase_add_test (tc, test_stops);
  tcase_add_test (tc, test_graphs);
  tcase_add_test (tc, test_parts);
  tcase_add_test (tc, test_shapes);
}
