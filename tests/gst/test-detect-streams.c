/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Several yolov10detect that share an engine: which elements do; that one can
 * switch to another model alone; that an engine too slow for all is shared
 * fairly; and that no element loses a frame because another starts, stops,
 * flushes or fails. */
#include <stdio.h>

#include "gstcommon.h"

#define FRAME TEST_GST_FRAME
#define N_SLOW 4
#define N_OTHERS 6
#define CHANGES 500

static GstCaps *caps;
static GstCaps *wide; /* of half of the cameras in test_spread */

static void
setup (void)
{
  caps = test_gst_caps ("NV12", 160, 120);
  wide = test_gst_caps ("NV12", 160, 90);
}

static void
teardown (void)
{
  gst_clear_caps (&caps);
  gst_clear_caps (&wide);
}

static GstHarness *
harness (const char *properties)
{
  GstHarness *h = test_gst_harness (properties);

  gst_harness_set_src_caps (h, gst_caps_ref (caps));
  return h;
}

static void
use_wide (GstHarness *h)
{
  gst_harness_set_src_caps (h, gst_caps_ref (wide));
}

static GstBuffer *
picture (guint i)
{
  return test_gst_picture_at (caps, i % 7, i);
}

static GstStructure *
engine_stats (GstHarness *h)
{
  GstStructure *stats;

  g_object_get (h->element, "engine-stats", &stats, NULL);
  return stats;
}

static guint
n_sharing (GstHarness *h)
{
  g_autoptr (GstStructure) stats = engine_stats (h);
  guint n;

  fail_unless (gst_structure_get_uint (stats, "streams", &n));
  return n;
}

static guint64
engine_stat (GstHarness *h, const char *name)
{
  g_autoptr (GstStructure) stats = engine_stats (h);
  guint64 value;

  fail_unless (gst_structure_get_uint64 (stats, name, &value), "%s", name);
  return value;
}

/* Elements with different engine settings do not share; other properties make
 * no difference. */
GST_START_TEST (test_who_shares)
{
  static const struct
  {
    const char *properties;
    guint n;
  } cases[] = {
    { "", 2 },
    { "confidence=0.9 classes=bus attach=roi priority=3", 2 },
    { "in-flight=4 late-policy=skip inference-interval=2", 2 },
    { "engine-group=else", 1 },
    { "input-size=64", 1 },
    { "input-size=96", 2 },
    { "head=one2many", 1 },
    { "threads=1", 1 },
    { "max-batch=2", 1 },
    { "backend=cpu", 1 },
    { "input-size=auto", 1 },
    { "input-size=auto", 1 },
  };
  GstHarness *one = harness ("");

  fail_unless_equals_int (n_sharing (one), 1);
  fail_unless (engine_stat (one, "weights-host") > 0);
  fail_unless (engine_stat (one, "arenas-host") > 0);
  fail_unless_equals_uint64 (engine_stat (one, "weights-device"), 0);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstHarness *other = harness (cases[i].properties);

    fail_unless_equals_int (n_sharing (other), cases[i].n);
    fail_unless_equals_int (n_sharing (one), cases[i].n);
    gst_harness_teardown (other);
    fail_unless_equals_int (n_sharing (one), 1);
  }
  gst_harness_teardown (one);
}

GST_END_TEST;

static GArray *
boxes_of (GstHarness *h, guint i)
{
  g_autoptr (GstBuffer) buffer = gst_harness_push_and_pull (h, picture (i));
  GArray *boxes = test_gst_rois (buffer);

  return boxes;
}

static GArray *
boxes_of_wide (GstHarness *h, guint i)
{
  GstBuffer *in = test_gst_picture_at (wide, i % 7, i), *buffer;
  GArray *boxes;

  buffer = gst_harness_push_and_pull (h, in);
  fail_unless_equals_string (
      gst_structure_get_string (test_gst_frame_meta (buffer, 0), "inference"),
      "fresh");
  boxes = test_gst_rois (buffer);
  gst_buffer_unref (buffer);
  return boxes;
}

static void
assert_boxes (GArray *found, GArray *expected)
{
  fail_unless (expected->len > 2);
  fail_unless_equals_int (found->len, expected->len);
  fail_unless (
      !memcmp (found->data, expected->data, expected->len * sizeof (TestBox)));
  g_array_unref (found);
  g_array_unref (expected);
}

/* With input-size=auto cameras of all shapes share an engine, and each gets the boxes of
 * the size for its shape. Caps with another shape lose no frame. */
GST_START_TEST (test_shapes)
{
  GstHarness *one = harness ("confidence=0.02 input-size=auto");
  GstHarness *two = harness ("confidence=0.02 input-size=auto");
  GstHarness *square = harness ("confidence=0.02 input-size=96");
  GstHarness *flat = harness ("confidence=0.02 input-size=96x64");
  GstHarness *upright = harness (
      "confidence=0.02 input-size=auto region=\"0,0 0.1,1\" "
      "region-anchor=overlap");
  GstHarness *upright_square = harness (
      "confidence=0.02 input-size=96 region=\"0,0 0.1,1\" "
      "region-anchor=overlap");
  const guint64 weights = engine_stat (square, "weights-host");

  fail_unless_equals_int (n_sharing (one), 3);
  fail_unless_equals_uint64 (engine_stat (one, "weights-host"), weights);
  use_wide (two);
  use_wide (flat);
  use_wide (upright);
  use_wide (upright_square);
  for (guint i = 0; i < 3; i++) {
    assert_boxes (boxes_of (one, i), boxes_of (square, i));
    assert_boxes (boxes_of_wide (two, i), boxes_of_wide (flat, i));
    assert_boxes (boxes_of_wide (upright, i),
        boxes_of_wide (upright_square, i));
  }
  for (guint i = 3; i < 6; i++) {
    gst_harness_set_src_caps (one, gst_caps_ref (i % 2 ? wide : caps));
    if (i % 2)
      assert_boxes (boxes_of_wide (one, i), boxes_of_wide (flat, i));
    else
      assert_boxes (boxes_of (one, i), boxes_of (square, i));
  }
  fail_unless_equals_uint64 (test_gst_stat (one->element, "inferred"), 6);
  gst_harness_teardown (one);
  gst_harness_teardown (two);
  gst_harness_teardown (square);
  gst_harness_teardown (flat);
  gst_harness_teardown (upright);
  gst_harness_teardown (upright_square);
}

GST_END_TEST;

/* An element's own properties stay separate. */
GST_START_TEST (test_own_settings)
{
  GstHarness *all = harness ("confidence=0.02");
  GstHarness *some = harness ("confidence=0.02 max-detections=2");
  GstHarness *none = harness ("confidence=1.0");

  for (guint i = 0; i < 7; i++) {
    GArray *a = boxes_of (all, i), *s = boxes_of (some, i);
    GArray *n = boxes_of (none, i);

    fail_unless (a->len > 2);
    fail_unless_equals_int (s->len, 2);
    fail_unless_equals_int (n->len, 0);
    fail_unless (!memcmp (a->data, s->data, 2 * sizeof (TestBox)));
    g_array_unref (a);
    g_array_unref (s);
    g_array_unref (n);
  }
  fail_unless_equals_int (n_sharing (all), 3);
  fail_unless_equals_uint64 (engine_stat (none, "inferences"), 21);
  gst_harness_teardown (all);
  gst_harness_teardown (some);
  gst_harness_teardown (none);
}

GST_END_TEST;

static void
await_sharing (GstHarness *h, guint n)
{
  for (guint i = 0; n_sharing (h) != n; i++)
    gst_buffer_unref (gst_harness_push_and_pull (h, picture (i)));
}

static GQuark
first_label (GstHarness *h)
{
  g_autoptr (GArray) boxes = boxes_of (h, 1);
  GQuark label;

  fail_unless (boxes->len > 0);
  label = g_quark_from_string (g_array_index (boxes, TestBox, 0).label);
  return label;
}

/* An element that sets another model leaves the shared engine, and may come
 * back. */
GST_START_TEST (test_exchange)
{
  GstHarness *one = harness ("confidence=0.02");
  GstHarness *two = harness ("confidence=0.02");
  GQuark before = first_label (two);

  fail_unless_equals_int (n_sharing (two), 2);
  g_object_set (one->element, "model-file", test_gst_other_model (), NULL);
  await_sharing (one, 1);
  await_sharing (two, 1);
  fail_unless_equals_int (first_label (two), before);
  fail_unless (first_label (one) != before);
  g_object_set (one->element, "model-file", test_gst_model (), NULL);
  await_sharing (one, 2);
  fail_unless_equals_int (n_sharing (two), 2);
  gst_harness_teardown (one);
  gst_harness_teardown (two);
}

GST_END_TEST;

/* Each camera sends frames for three seconds, and on until the engine had the time
 * for so many inferences, on a busy machine, too. */
#define FILMED 90
#define ENOUGH 60

static GstHarness *cameras[N_SLOW];
static guint n_filmed[N_SLOW];
static guint64 inferences[N_SLOW]; /* when the first camera had sent all */
static GMutex end_lock;
static gboolean ended;

/* Whether cameras may end; the first one that asks at that time notes what each had. */
static gboolean
is_enough (void)
{
  guint64 now[N_SLOW], all = 0;
  gboolean enough;

  for (guint i = 0; i < N_SLOW; i++)
    all += now[i] = test_gst_stat (cameras[i]->element, "inferences");
  g_mutex_lock (&end_lock);
  if (!ended && all >= ENOUGH) {
    memcpy (inferences, now, sizeof now);
    ended = TRUE;
  }
  enough = ended;
  g_mutex_unlock (&end_lock);
  return enough;
}

static gboolean shapes;

/* Whether the frames of a camera are wide: of every other one, if they have shapes. */
static gboolean
is_wide (const GstHarness *h)
{
  return shapes && (h == cameras[1] || h == cameras[3]);
}

/* A camera: 30 frames a second, of which none comes earlier for others that were late. */
static gpointer
film (gpointer data)
{
  const guint camera = GPOINTER_TO_UINT (data);
  GstHarness *h = cameras[camera];
  gint64 due = g_get_monotonic_time ();

  for (guint i = 0; i < FILMED || !is_enough (); i++) {
    const gint64 now = g_get_monotonic_time ();

    if (due > now)
      g_usleep ((gulong) (due - now));
    due = MAX (due, now) + G_USEC_PER_SEC / 30;
    n_filmed[camera]++;
    fail_unless_equals_int (gst_harness_push (h,
                                is_wide (h)
                                    ? test_gst_picture_at (wide, i % 7, i)
                                    : picture (i)),
        GST_FLOW_OK);
  }
  fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
  return NULL;
}

/* At 40 ms an inference, which is four times too slow for all of them. */
static void
film_all (const char *const properties[N_SLOW])
{
  GThread *threads[N_SLOW];

  g_setenv ("Y10_BACKEND_PATH", FAKE_BACKEND_DIR, TRUE);
  g_setenv ("Y10_FAKE_STEP_MS", "40", TRUE);
  ended = FALSE;
  memset (n_filmed, 0, sizeof n_filmed);
  for (guint i = 0; i < N_SLOW; i++) {
    gchar *all = g_strdup_printf ("backend=cuda precision=fp32 max-batch=1 "
                                  "late-policy=skip %s",
        properties[i]);

    cameras[i] = harness (all);
    if (is_wide (cameras[i]))
      use_wide (cameras[i]);
    gst_harness_set_drop_buffers (cameras[i], TRUE);
    g_free (all);
  }
  fail_unless_equals_int (n_sharing (cameras[0]), N_SLOW);
  for (guint i = 0; i < N_SLOW; i++)
    threads[i] = g_thread_new ("camera", film, GUINT_TO_POINTER (i));
  for (guint i = 0; i < N_SLOW; i++)
    g_thread_join (threads[i]);
  for (guint i = 0; i < N_SLOW; i++) {
    fail_unless_equals_uint64 (test_gst_stat (cameras[i]->element, "sent"),
        n_filmed[i]);
    printf ("%s%" G_GUINT64_FORMAT, i ? ", " : "inferences: ", inferences[i]);
    gst_harness_teardown (cameras[i]);
  }
  printf ("\n");
  fflush (stdout);
}

/* Also of two shapes. Not on the last one. Each has at most one frame waiting, and they take turns:
 * the counts would be equal if they had begun together. */
GST_START_TEST (test_spread)
{
  static const char *const same[N_SLOW] = { "", "", "", "" };
  static const char *const shaped[N_SLOW] = { "input-size=auto",
    "input-size=auto", "input-size=auto", "input-size=auto" };
  guint64 least = G_MAXUINT64, most = 0, all = 0, n = 0;

  shapes = __i__;
  film_all (shapes ? shaped : same);
  shapes = FALSE;
  for (guint i = 0; i < N_SLOW; i++) {
    all += inferences[i];
    n += n_filmed[i];
    least = MIN (least, inferences[i]);
    most = MAX (most, inferences[i]);
  }
  fail_unless (all > 0 && all < n);
  fail_unless (most <= least + 2 + least / 4, "%u to %u", (guint) least,
      (guint) most);
}

GST_END_TEST;

/* With in-flight=2 its next frame already waits when an inference finishes. */
GST_START_TEST (test_priority)
{
  static const char *const one[N_SLOW] = { "", "", "priority=1 in-flight=2",
    "" };

  film_all (one);
  for (guint i = 0; i < N_SLOW; i++)
    fail_unless (i == 2 || 5 * inferences[2] >= 6 * inferences[i]);
}

GST_END_TEST;

/* Each element infers its own Nth frame, regardless of the others. */
GST_START_TEST (test_interval)
{
  static const guint intervals[] = { 1, 3, 5 };
  GstHarness *h[G_N_ELEMENTS (intervals)];

  for (guint k = 0; k < G_N_ELEMENTS (h); k++) {
    gchar *properties = g_strdup_printf ("inference-interval=%u", intervals[k]);

    h[k] = harness (properties);
    g_free (properties);
  }
  fail_unless_equals_int (n_sharing (h[0]), G_N_ELEMENTS (h));
  for (guint i = 0; i < 30; i++)
    for (guint k = 0; k < G_N_ELEMENTS (h); k++) {
      GstBuffer *out = gst_harness_push_and_pull (h[k], picture (i));

      fail_unless_equals_string (
          gst_structure_get_string (test_gst_frame_meta (out, 0), "inference"),
          i % intervals[k] ? "held" : "fresh");
      gst_buffer_unref (out);
    }
  fail_unless_equals_uint64 (engine_stat (h[0], "inferences"), 30 + 10 + 6);
  for (guint k = 0; k < G_N_ELEMENTS (h); k++)
    gst_harness_teardown (h[k]);
}

GST_END_TEST;

static guint64
steps_of (GstHarness *h, guint n_frames)
{
  g_autoptr (GstStructure) stats = engine_stats (h);
  const GValue *fill = gst_structure_get_value (stats, "batch-fill");
  guint64 n = 0;

  if (n_frames <= gst_value_array_get_size (fill))
    n = g_value_get_uint64 (gst_value_array_get_value (fill, n_frames - 1));
  return n;
}

/* The frames of four elements form one step, unless this machine takes a second
 * between two pushes; a single element waits for the batch timeout. */
GST_START_TEST (test_batch)
{
  static const char line[] = "max-batch=4 batch-timeout=%u";
  GstHarness *h[4], *alone;
  gchar *properties = g_strdup_printf (line, 1000000);

  for (guint k = 0; k < G_N_ELEMENTS (h); k++)
    h[k] = harness (properties);
  g_free (properties);
  for (guint i = 0; i < 5; i++) {
    for (guint k = 0; k < G_N_ELEMENTS (h); k++)
      fail_unless_equals_int (gst_harness_push (h[k], picture (i)),
          GST_FLOW_OK);
    for (guint k = 0; k < G_N_ELEMENTS (h); k++)
      gst_buffer_unref (gst_harness_pull (h[k]));
  }
  fail_unless_equals_uint64 (engine_stat (h[0], "inferences"), 20);
  fail_unless (steps_of (h[0], 4) > 0);
  for (guint k = 0; k < G_N_ELEMENTS (h); k++)
    gst_harness_teardown (h[k]);

  properties = g_strdup_printf (line, 200000);
  alone = harness (properties);
  g_free (properties);
  gst_buffer_unref (gst_harness_push_and_pull (alone, picture (0)));
  fail_unless_equals_uint64 (steps_of (alone, 1), 1);
  fail_unless (engine_stat (alone, "wait-max") >= 200 * GST_MSECOND);
  gst_harness_teardown (alone);
}

GST_END_TEST;

static gboolean playing;

/* Pushes numbered frames through one element until told to stop: all come back,
 * in order. */
static gpointer
play_on (gpointer data)
{
  GstHarness *h = data;
  guint i;

  for (i = 0; g_atomic_int_get (&playing); i++) {
    GstBuffer *out = gst_harness_push_and_pull (h, picture (i));

    fail_unless (out != NULL);
    fail_unless_equals_uint64 (GST_BUFFER_PTS (out), i * FRAME);
    fail_unless (
        !g_strcmp0 (gst_structure_get_string (test_gst_frame_meta (out, 0),
                        "inference"),
            "fresh"));
    gst_buffer_unref (out);
  }
  return GUINT_TO_POINTER (i);
}

static void
fail_it (GstHarness *h)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 16, NULL);
  GstFlowReturn flow;

  GST_BUFFER_PTS (buffer) = 0;
  flow = gst_harness_push (h, buffer);
  fail_unless (flow == GST_FLOW_ERROR || flow == GST_FLOW_OK);
}

GST_START_TEST (test_come_and_go)
{
  static const char line[] =
      "backend=cpu threads=1 confidence=0.02 in-flight=3";
  GstHarness *lasting[2] = { harness (line), harness (line) };
  GstHarness *others[N_OTHERS] = { NULL };
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  guint done[4] = { 0 }, n[2];
  GThread *threads[2];
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  g_atomic_int_set (&playing, TRUE);
  for (guint i = 0; i < 2; i++)
    threads[i] = g_thread_new ("lasting", play_on, lasting[i]);
  for (guint i = 0; i < CHANGES; i++) {
    guint k = (guint) g_rand_int_range (rand, 0, N_OTHERS);
    guint what = (guint) g_rand_int_range (rand, 0, 3);

    if (!others[k]) {
      others[k] = harness (line);
      gst_harness_set_drop_buffers (others[k], TRUE);
      done[0]++;
    } else if (what == 0) {
      g_clear_pointer (&others[k], gst_harness_teardown);
      done[1]++;
      continue;
    } else if (what == 1) {
      gst_harness_push_event (others[k], gst_event_new_flush_start ());
      gst_harness_push_event (others[k], gst_event_new_flush_stop (TRUE));
      gst_harness_push_event (others[k], gst_event_new_segment (&segment));
      done[2]++;
    } else {
      fail_it (others[k]);
      g_clear_pointer (&others[k], gst_harness_teardown);
      done[3]++;
      continue;
    }
    for (guint frame = 0; frame < 3; frame++)
      gst_harness_push (others[k], picture (frame));
  }
  g_atomic_int_set (&playing, FALSE);
  for (guint i = 0; i < 2; i++)
    n[i] = GPOINTER_TO_UINT (g_thread_join (threads[i]));
  printf ("%u added, %u removed, %u flushed, %u failed while two others passed "
          "%u and %u frames\n",
      done[0], done[1], done[2], done[3], n[0], n[1]);
  for (guint k = 0; k < N_OTHERS; k++)
    g_clear_pointer (&others[k], gst_harness_teardown);
  fail_unless_equals_int (n_sharing (lasting[0]), 2);
  for (guint i = 0; i < 2; i++)
    gst_harness_teardown (lasting[i]);
}

GST_END_TEST;

TEST_GST_MAIN (detect_streams)
{
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, test_who_shares);
  tcase_add_test (tc, test_shapes);
  tcase_add_test (tc, test_own_settings);
  tcase_add_test (tc, test_exchange);
  tcase_add_test (tc, test_interval);
  tcase_add_test (tc, test_batch);
  tcase_add_loop_test (tc, test_spread, FALSE, TRUE + 1);
  tcase_add_test (tc, test_priority);
  tcase_add_test (tc, test_come_and_go);
}
