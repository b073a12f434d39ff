/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Privacy behind a detector, in each of the detector's states, and with boxes
 * of other producers. The overlay draws nothing (no box has the label
 * "nothing"), so a frame that it trusts leaves unchanged.
 * test-overlay-privacy.c tests frames that pass other elements. */
#include "fakegate.h"
#include "gstcommon.h"
#include "overlayprivacy.h"

#define WIDTH 640
#define HEIGHT 360
#define FRAME (GST_SECOND / 30)
#define PRIVACY "privacy=fill labels=nothing"
#define CHANGED "an element downstream of the detector changed the picture"
#define NOBODY "no detector has seen the picture"

/* A detector and an overlay behind it. The harness is a live source, so that
 * frames of a slow machine would leave without a result if late-policy let them. */
typedef struct
{
  GstHarness *h;
  GstElement *detect, *overlay;
  GstBus *bus;
  GstCaps *caps;
} Pair;

static void
pair_begin (Pair *pair, const gchar *detect, const gchar *overlay)
{
  g_autofree gchar *line = g_strdup_printf (
      "yolov10detect name=d model-file=%s "
      "confidence=0.02 late-policy=infer-all %s ! yolov10overlay name=o labels=nothing %s",
      test_gst_model (), detect, overlay);

  pair->h = gst_harness_new_parse (line);
  pair->detect = gst_harness_find_element (pair->h, "yolov10detect");
  pair->overlay = gst_harness_find_element (pair->h, "yolov10overlay");
  pair->bus = gst_bus_new ();
  gst_element_set_bus (pair->h->element, pair->bus);
  pair->caps = overlay_caps ("NV12", WIDTH, HEIGHT, NULL);
  gst_harness_set_src_caps (pair->h, gst_caps_ref (pair->caps));
}

static void
pair_end (Pair *pair)
{
  gst_element_set_bus (pair->h->element, NULL);
  gst_object_unref (pair->bus);
  gst_object_unref (pair->detect);
  gst_object_unref (pair->overlay);
  gst_harness_teardown (pair->h);
  gst_caps_unref (pair->caps);
}

static GstBuffer *
picture_at (GstCaps *c, GstClockTime pts)
{
  GstBuffer *buffer = overlay_picture (c, TRUE);

  GST_BUFFER_PTS (buffer) = pts;
  return buffer;
}

static OverlayFate
pair_push (Pair *pair, GstClockTime pts)
{
  GstBuffer *in = picture_at (pair->caps, pts), *out;
  OverlayFate fate;

  out = gst_harness_push_and_pull (pair->h, gst_buffer_copy_deep (in));
  fail_unless (out != NULL);
  fate = overlay_fate (in, out, pair->caps);
  gst_buffer_unref (in);
  gst_buffer_unref (out);
  return fate;
}

static void
pair_expect_warnings (Pair *pair, const gchar *reason, guint n_expected)
{
  GstMessage *message;
  guint n = 0;

  while ((message = gst_bus_pop_filtered (pair->bus, GST_MESSAGE_WARNING))) {
    n += overlay_is_privacy_warning (message, reason);
    gst_message_unref (message);
  }
  fail_unless_equals_int (n, n_expected);
}

/* Returns how many pixels are covered from the left, or from the top. */
static gint
edge (GstBuffer *in, GstBuffer *out, GstCaps *c, gboolean down)
{
  guint16 *was = overlay_values (in, c), *is = overlay_values (out, c);
  gint length = down ? HEIGHT : WIDTH, n = 0;

  for (gint i = 0; i < length && n == i; i++) {
    gsize at = down ? (gsize) i * WIDTH + WIDTH / 2
                    : (gsize) HEIGHT / 2 * WIDTH + i;

    n += memcmp (was + 4 * at, is + 4 * at, 8) != 0;
  }
  g_free (was);
  g_free (is);
  return n;
}

/* One frame of a thousand is inferred; the others hold its boxes, for longer
 * than max-hold says, because the overlay has told the detector about privacy.
 * With 0.25 of 640 pixels a second, and 360 lines, all is covered after 1.125
 * s. */
GST_START_TEST (test_growth)
{
  Pair pair;

  pair_begin (&pair, "inference-interval=1000 max-hold=100000000",
      "privacy=fill");
  for (guint i = 0; i < 45; i++) {
    GstBuffer *in = picture_at (pair.caps, i * FRAME), *out;
    gint expected = (gint) (i * 160 / 30.0 + 0.9999);

    out = gst_harness_push_and_pull (pair.h, gst_buffer_copy_deep (in));
    if (expected >= HEIGHT / 2) {
      fail_unless (overlay_fate (in, out, pair.caps) == COVERED, "frame %u", i);
    } else {
      for (gint down = 0; down < 2; down++) {
        gint found = edge (in, out, pair.caps, down);

        /* Chroma is covered two pixels at a time. */
        fail_unless (found >= expected && found <= expected + 2,
            "frame %u: %d, expected %d", i, found, expected);
      }
    }
    gst_buffer_unref (in);
    gst_buffer_unref (out);
  }
  pair_expect_warnings (&pair, "the latest result is too old", 1);
  pair_end (&pair);

  /* Without growth, boxes are held unchanged, for as long as frames come. */
  pair_begin (&pair, "inference-interval=1000 max-hold=100000000",
      "privacy=fill privacy-growth=0");
  for (guint i = 0; i < 45; i++)
    fail_unless_equals_int (pair_push (&pair, i * FRAME), UNTOUCHED);
  pair_expect_warnings (&pair, NULL, 0);

  /* Once privacy is off, the detector drops old boxes again; switched on again,
   * privacy keeps it from doing so from the next frame on. */
  g_object_set (pair.overlay, "privacy", 0, NULL);
  fail_unless_equals_int (pair_push (&pair, 45 * FRAME), UNTOUCHED);
  fail_unless_equals_int (pair_push (&pair, 46 * FRAME), UNTOUCHED);
  g_object_set (pair.overlay, "privacy", 2, NULL);
  fail_unless_equals_int (pair_push (&pair, 47 * FRAME), COVERED);
  fail_unless_equals_int (pair_push (&pair, 48 * FRAME), UNTOUCHED);
  pair_expect_warnings (&pair, "the latest result is too old", 1);
  pair_end (&pair);
}

GST_END_TEST;

/* Frames that were not inferred and hold no boxes. */
GST_START_TEST (test_skipped)
{
  Pair pair;

  pair_begin (&pair, "inference-interval=2 skipped-boxes=none", "privacy=fill");
  for (guint i = 0; i < 6; i++)
    fail_unless_equals_int (pair_push (&pair, i * FRAME),
        i % 2 ? COVERED : UNTOUCHED);
  pair_expect_warnings (&pair, "the frame was not inferred", 1);
  pair_end (&pair);

  pair_begin (&pair, "inference-interval=2", "privacy=fill");
  for (guint i = 0; i < 6; i++)
    fail_unless_equals_int (pair_push (&pair, GST_CLOCK_TIME_NONE),
        i % 2 ? COVERED : UNTOUCHED);
  pair_expect_warnings (&pair, "the frame was not inferred", 1);
  pair_end (&pair);

  /* The detector is switched off and on again. */
  pair_begin (&pair, "inference-interval=3", "privacy=fill privacy-growth=0");
  fail_unless_equals_int (pair_push (&pair, 0), UNTOUCHED);
  g_object_set (pair.detect, "active", FALSE, NULL);
  fail_unless_equals_int (pair_push (&pair, 1 * FRAME), COVERED);
  pair_expect_warnings (&pair, "no detector has seen the picture", 1);
  g_object_set (pair.detect, "active", TRUE, NULL);
  for (guint i = 2; i < 12; i++) {
    OverlayFate fate = pair_push (&pair, i * FRAME);

    fail_unless (fate == (i < 4 ? COVERED : UNTOUCHED), "frame %u is %s", i,
        overlay_fate_name (fate));
  }
  pair_expect_warnings (&pair, "no inference has finished yet", 1);
  pair_end (&pair);

  /* Frames of another size. */
  pair_begin (&pair, "inference-interval=3", "privacy=fill privacy-growth=0");
  fail_unless_equals_int (pair_push (&pair, 0), UNTOUCHED);
  gst_caps_unref (pair.caps);
  pair.caps = overlay_caps ("NV12", 320, 180, NULL);
  gst_harness_set_src_caps (pair.h, gst_caps_ref (pair.caps));
  fail_unless_equals_int (pair_push (&pair, 1 * FRAME), COVERED);
  fail_unless_equals_int (pair_push (&pair, 2 * FRAME), COVERED);
  fail_unless_equals_int (pair_push (&pair, 3 * FRAME), UNTOUCHED);
  pair_expect_warnings (&pair, "the latest result is of frames of another size",
      1);
  pair_end (&pair);
}

GST_END_TEST;

/* One frame of four is inferred. Boxes held from before a property changed that
 * selects objects may lack some that are asked for now; encoder-hints, equal values
 * and ones that say the same change nothing. */
GST_START_TEST (test_other_settings)
{
  static const struct
  {
    const char *property, *value;
    gboolean is_other;
  } changes[] = {
    { "classes", "", FALSE },
    { "classes", "bus", TRUE },
    { "classes", "bus", FALSE },
    { "encoder-hints", "bus=-8", FALSE },
    { "class-confidence", "bus=0.5", TRUE },
    { "classes", "bus,person", TRUE },
    { "confidence", "0.2", TRUE },
    { "confidence", "0.2", FALSE },
    { "min-size", "1", TRUE },
    { "max-size", "5000", TRUE },
    { "iou-threshold", "0.5", TRUE },
    { "max-detections", "200", TRUE },
  };
  GstClockTime pts = 0;
  Pair pair;

  pair_begin (&pair, "inference-interval=4", "privacy=fill privacy-growth=0");
  for (guint i = 0; i < G_N_ELEMENTS (changes); i++) {
    fail_unless_equals_int (pair_push (&pair, pts++ * FRAME), UNTOUCHED);
    fail_unless_equals_int (pair_push (&pair, pts++ * FRAME), UNTOUCHED);
    gst_util_set_object_arg (G_OBJECT (pair.detect), changes[i].property,
        changes[i].value);
    for (guint k = 0; k < 2; k++)
      fail_unless_equals_int (pair_push (&pair, pts++ * FRAME),
          changes[i].is_other ? COVERED : UNTOUCHED);
  }
  pair_expect_warnings (&pair, "the changed settings have no result yet", 1);
  pair_end (&pair);
}

GST_END_TEST;

/* Sends a frame, without waiting for it or earlier ones, and counts those that
 * leave: n[COVERED] and n[UNTOUCHED]. */
static void
send_one (Pair *pair, GstClockTime *pts, guint n[])
{
  GstBuffer *out;

  fail_unless_equals_int (gst_harness_push (pair->h,
                              picture_at (pair->caps, *pts)),
      GST_FLOW_OK);
  *pts += FRAME;
  g_usleep (2000);
  while ((out = gst_harness_try_pull (pair->h))) {
    n[overlay_is_uniform (out, pair->caps) ? COVERED : UNTOUCHED]++;
    gst_buffer_unref (out);
  }
}

/* Sends frames until one has left with the given @fate. Each step lasts for at
 * least three of them. */
static void
send_until (Pair *pair, GstClockTime *pts, FakeGate *gate, OverlayFate fate)
{
  guint n[] = { 0, 0, 0 };

  for (guint i = 1; !n[fate]; i++) {
    send_one (pair, pts, n);
    if (i % 3)
      continue;
    if (gate->n_waiting)
      fake_gate_let_one_pass (gate);
    fake_gate_look (gate);
  }
}

/* Sends frames until a step waits at the gate. Five or more leave meanwhile, all
 * with the given @fate. */
static void
send_until_waiting (Pair *pair, GstClockTime *pts, FakeGate *gate,
    OverlayFate fate)
{
  guint n[] = { 0, 0, 0 };

  while (!gate->n_waiting || n[fate] < 5) {
    send_one (pair, pts, n);
    fail_unless_equals_int (n[COVERED] + n[UNTOUCHED], n[fate]);
    fake_gate_look (gate);
  }
}

static void
send_event (Pair *pair, GstEvent *event)
{
  GstBuffer *out;

  fail_unless (gst_harness_push_event (pair->h, event));
  while ((out = gst_harness_try_pull (pair->h)))
    gst_buffer_unref (out);
}

/* Nothing is known of frames of a new stream or segment, and the step that waits
 * at the gate is about an earlier one. */
static void
expect_covered (Pair *pair, GstClockTime *pts, FakeGate *gate)
{
  send_until_waiting (pair, pts, gate, COVERED);
  fake_gate_let_one_pass (gate);
  send_until_waiting (pair, pts, gate, COVERED);
}

/* The engine is much slower than the frame rate: frames in between must not
 * hold boxes from before a flush, from another stream or segment, or from the
 * previous model. */
GST_START_TEST (test_slow)
{
  GstClockTime pts = 0;
  GstSegment segment;
  Pair pair;
  FakeGate gate;

  g_setenv ("Y10_BACKEND_PATH", FAKE_BACKEND_DIR, TRUE);
  fake_gate_begin (&gate);
  fake_gate_open (&gate);
  pair_begin (&pair,
      "backend=cuda precision=fp32 late-policy=skip "
      "max-queued-frames=1",
      "privacy=fill privacy-growth=0");
  fake_gate_close (&gate);
  send_until_waiting (&pair, &pts, &gate, COVERED);
  pair_expect_warnings (&pair, "no inference has finished yet", 1);
  send_until (&pair, &pts, &gate, UNTOUCHED);

  /* A flush waits for steps. */
  gst_segment_init (&segment, GST_FORMAT_TIME);
  fake_gate_open (&gate);
  fail_unless (gst_harness_push_event (pair.h, gst_event_new_flush_start ()));
  fail_unless (
      gst_harness_push_event (pair.h, gst_event_new_flush_stop (TRUE)));
  fake_gate_close (&gate);
  fail_unless (
      gst_harness_push_event (pair.h, gst_event_new_segment (&segment)));
  send_until_waiting (&pair, &pts, &gate, COVERED);
  send_until (&pair, &pts, &gate, UNTOUCHED);
  pair_expect_warnings (&pair, NULL, 0);

  /* As input-selector and concat switch. */
  send_until_waiting (&pair, &pts, &gate, UNTOUCHED);
  send_event (&pair, gst_event_new_stream_start ("another"));
  send_event (&pair, gst_event_new_caps (pair.caps));
  send_event (&pair, gst_event_new_segment (&segment));
  expect_covered (&pair, &pts, &gate);
  pair_expect_warnings (&pair, "the new stream or segment has no result yet",
      1);
  send_until (&pair, &pts, &gate, UNTOUCHED);
  segment.base = pts;
  send_until_waiting (&pair, &pts, &gate, UNTOUCHED);
  send_event (&pair, gst_event_new_segment (&segment));
  expect_covered (&pair, &pts, &gate);
  send_until (&pair, &pts, &gate, UNTOUCHED);
  /* The same segment again changes nothing. */
  send_event (&pair, gst_event_new_segment (&segment));
  send_until_waiting (&pair, &pts, &gate, UNTOUCHED);
  pair_expect_warnings (&pair, NULL, 0);

  g_object_set (pair.detect, "model-file", test_gst_other_model (), NULL);
  send_until (&pair, &pts, &gate, COVERED);
  pair_expect_warnings (&pair, "the new model has no result yet", 1);
  send_until (&pair, &pts, &gate, UNTOUCHED);
  pair_expect_warnings (&pair, NULL, 0);
  fake_gate_open (&gate);
  pair_end (&pair);
  fake_gate_end (&gate);
}

GST_END_TEST;

/* Only the part inside a GstVideoCropMeta is inferred: objects outside are
 * unknown, and few elements downstream respect the meta. */
GST_START_TEST (test_crop_meta)
{
  GstBuffer *in, *out;
  GstVideoCropMeta *crop;
  Pair pair;

  pair_begin (&pair, "", "privacy=fill");
  in = picture_at (pair.caps, 0);
  out = gst_buffer_copy_deep (in);
  crop = gst_buffer_add_video_crop_meta (out);
  crop->x = 64;
  crop->y = 36;
  crop->width = 320;
  crop->height = 180;
  out = gst_harness_push_and_pull (pair.h, out);
  fail_unless_equals_int (overlay_n_changed (in, out, pair.caps, 64, 36, 384,
                              216),
      0);
  fail_unless_equals_int (edge (in, out, pair.caps, TRUE), 36);
  fail_unless_equals_int (overlay_n_changed (in, out, pair.caps, 0, 36, 64,
                              216),
      64 * 180);
  fail_unless_equals_int (overlay_n_changed (in, out, pair.caps, 384, 0, WIDTH,
                              HEIGHT),
      (WIDTH - 384) * HEIGHT);
  gst_buffer_unref (in);
  gst_buffer_unref (out);
  pair_expect_warnings (&pair, NULL, 0);
  pair_end (&pair);
}

GST_END_TEST;

/* Returns how many events have told a detector whether privacy is on; all of them
 * since the last call must say @active. */
static guint
n_told (GstHarness *h, gboolean active)
{
  GstEvent *event;
  guint n = 0;

  while ((event = gst_harness_try_pull_upstream_event (h))) {
    const GstStructure *s = gst_event_get_structure (event);

    if (s && gst_structure_has_name (s, "yolov10-privacy")) {
      gboolean is_active = !active;

      fail_unless (gst_structure_get_boolean (s, "active", &is_active));
      fail_unless_equals_int (is_active, active);
      n++;
    }
    gst_event_unref (event);
  }
  return n;
}

/* A detector whose frames say that it does not know is told again now and then; and
 * once, with the next frame, that privacy is off. */
GST_START_TEST (test_telling)
{
  GstCaps *c = overlay_caps ("I420", WIDTH, HEIGHT, NULL);
  GstHarness *h = overlay_harness (PRIVACY, c, FALSE);
  GstElement *overlay = gst_harness_find_element (h, "yolov10overlay");

  n_told (h, TRUE);
  for (guint i = 0; i < 130; i++) {
    GstBuffer *in = picture_at (c, i * FRAME);

    gst_buffer_add_meta (in, gst_meta_get_info ("GstYolov10InspectionMeta"),
        NULL);
    g_object_set (overlay, "privacy", i < 80 || i >= 90 ? 2 : 0, NULL);
    gst_buffer_unref (gst_harness_push_and_pull (h, in));
    fail_unless_equals_int (n_told (h, i < 80 || i >= 90),
        i == 0 || i == 64 || i == 80 || i == 90);
  }
  gst_object_unref (overlay);
  gst_harness_teardown (h);
  gst_caps_unref (c);
}

GST_END_TEST;

/* Other producers' regions, and more boxes than are read. */
GST_START_TEST (test_others)
{
  static const struct
  {
    const gchar *trust;
    guint n_rois;
    gboolean frame_meta;
    OverlayFate fate;
    const gchar *reason;
  } all[] = {
    { "detector", 0, FALSE, COVERED, NOBODY },
    { "detector", 1, FALSE, COVERED, "are not yolov10detect's" },
    { "detector", 1, TRUE, COVERED, CHANGED },
    { "roi", 0, FALSE, UNTOUCHED, NULL },
    { "roi", 1, FALSE, UNTOUCHED, NULL },
    { "roi", 1, TRUE, UNTOUCHED, NULL },
    { "roi", 1024, FALSE, UNTOUCHED, NULL },
    { "roi", 1025, FALSE, COVERED, "there are too many boxes" },
  };
  g_autoptr (GstCaps) c = overlay_caps ("I420", WIDTH, HEIGHT, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (all); i++) {
    gchar *properties = g_strdup_printf (PRIVACY " privacy-trust=%s",
        all[i].trust);
    GstHarness *h = overlay_harness (properties, c, FALSE);
    GstBus *bus = gst_bus_new ();
    GstBuffer *in = picture_at (c, 0), *out = gst_buffer_copy_deep (in);
    GstMessage *message;
    guint n = 0;
    OverlayFate fate;

    gst_element_set_bus (h->element, bus);
    for (guint r = 0; r < all[i].n_rois; r++) {
      OverlayBox box = { (gint) r, "person", 0.5, (gint) (r % 32) * 18,
        (gint) (r / 32) * 10, 16, 8 };

      overlay_add_roi (out, &box);
      if (all[i].frame_meta)
        overlay_add_frame_meta (out, "somebody", WIDTH, HEIGHT, &box, 1);
    }
    out = gst_harness_push_and_pull (h, out);
    fate = overlay_fate (in, out, c);
    fail_unless (fate == all[i].fate, "case %u: %s", i,
        overlay_fate_name (fate));
    while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING))) {
      n += overlay_is_privacy_warning (message, all[i].reason);
      gst_message_unref (message);
    }
    fail_unless_equals_int (n, all[i].fate == COVERED);
    gst_buffer_unref (in);
    gst_buffer_unref (out);
    gst_element_set_bus (h->element, NULL);
    gst_object_unref (bus);
    gst_harness_teardown (h);
    g_free (properties);
  }
}

GST_END_TEST;

/* A picture that is blurred as a whole has no detail left. */
GST_START_TEST (test_blur)
{
  GstCaps *c = overlay_caps ("GRAY8", WIDTH, HEIGHT, NULL);
  g_autoptr (GstBuffer) in = picture_at (c, 0);
  GstBuffer *out = overlay_run ("privacy=blur", c, gst_buffer_copy_deep (in));
  g_autofree guint16 *values = overlay_values (out, c);
  gint steepest = 0;

  for (gsize i = 1; i < WIDTH * HEIGHT; i++)
    if (i % WIDTH)
      steepest = MAX (steepest, ABS (values[4 * i + 1] - values[4 * i - 3]));
  /* Noise of 8 bits has steps of up to 255, here in units of 1/257. */
  fail_unless (steepest <= 2 * 257, "%d", steepest);
  gst_buffer_unref (out);
  gst_caps_unref (c);
}

GST_END_TEST;

TEST_GST_MAIN (overlay_privacy_states)
{
  tcase_set_timeout (tc, 120);
  tcase_add_test (tc, test_growth);
  tcase_add_test (tc, test_skipped);
  tcase_add_test (tc, test_other_settings);
  tcase_add_test (tc, test_slow);
  tcase_add_test (tc, test_crop_meta);
  tcase_add_test (tc, test_telling);
  tcase_add_test (tc, test_others);
  tcase_add_test (tc, test_blur);
}
