/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* yolov10overlay with a downstream that accepts compositions, one that does
 * not, and one that changes: caps, attached compositions, and the same picture
 * as with drawing. */

#include "overlaycommon.h"

#include <string.h>

#define W 320
#define H 240
#define FEATURE GST_CAPS_FEATURE_META_GST_VIDEO_OVERLAY_COMPOSITION

static const OverlayBox boxes[] = { { 0, "person", 0.87, 40, 60, 100, 120 },
  { 1, "car", 0.32, 180, 80, 90, 60 }, { 2, "dog", 0.5, 300, 220, 20, 20 },
  { 3, "bus", 0.99, 0, 0, 320, 240 } };

static GstCaps *caps;

static void
setup (void)
{
  caps = overlay_caps ("BGRx", W, H, NULL);
}

static void
teardown (void)
{
  gst_caps_unref (caps);
}

static GstBuffer *
frame (void)
{
  GstBuffer *buffer = overlay_picture (caps, FALSE);
  guint i;

  for (i = 0; i < G_N_ELEMENTS (boxes); i++)
    overlay_add_roi (buffer, &boxes[i]);
  return buffer;
}

static gboolean
output_has_feature (GstHarness *h)
{
  g_autoptr (GstCaps) out = gst_pad_get_current_caps (h->sinkpad);
  gboolean has;

  fail_unless (out != NULL);
  has = gst_caps_features_contains (gst_caps_get_features (out, 0), FEATURE);
  return has;
}

static GstVideoOverlayComposition *
composition (GstBuffer *buffer)
{
  GstVideoOverlayCompositionMeta *meta =
      gst_buffer_get_video_overlay_composition_meta (buffer);

  return meta ? meta->overlay : NULL;
}

/* Renders the picture that a sink would show. */
static void
blend (GstBuffer **buffer)
{
  GstVideoFrame f;
  GstVideoInfo info;
  GstVideoOverlayComposition *c = composition (*buffer);

  fail_unless (c != NULL);
  gst_video_overlay_composition_ref (c);
  *buffer = gst_buffer_make_writable (*buffer);
  fail_unless (gst_video_info_from_caps (&info, caps));
  fail_unless (gst_video_frame_map (&f, &info, *buffer, GST_MAP_READWRITE));
  fail_unless (gst_video_overlay_composition_blend (c, &f));
  gst_video_frame_unmap (&f);
  gst_video_overlay_composition_unref (c);
}

GST_START_TEST (test_without_support)
{
  GstHarness *h = overlay_harness (NULL, caps, FALSE);
  g_autoptr (GstBuffer) out = gst_harness_push_and_pull (h, frame ());
  g_autoptr (GstBuffer) before = overlay_picture (caps, FALSE);

  fail_if (output_has_feature (h));
  fail_unless (composition (out) == NULL);
  fail_if (overlay_is_same (out, before, caps));
  gst_harness_teardown (h);
}

GST_END_TEST;

GST_START_TEST (test_with_support)
{
  GstHarness *h = overlay_harness (NULL, caps, TRUE);
  GstBuffer *out, *before = overlay_picture (caps, FALSE);
  g_autoptr (GstBuffer) direct = overlay_run (NULL, caps, frame ());
  guint8 *a, *b;
  gint i;

  out = gst_harness_push_and_pull (h, frame ());
  fail_unless (output_has_feature (h));
  fail_unless (composition (out) != NULL);
  fail_unless (overlay_is_same (out, before, caps));

  blend (&out);
  a = overlay_rgb (out, caps);
  b = overlay_rgb (direct, caps);
  for (i = 0; i < 3 * W * H; i++)
    fail_unless (abs (a[i] - b[i]) <= 4, "%d, not %d, at %d, %d", a[i], b[i],
        i / 3 % W, i / 3 / W);
  g_free (a);
  g_free (b);
  gst_buffer_unref (out);

  /* Without boxes nothing is attached, and nothing copied. */
  out = gst_harness_push_and_pull (h, gst_buffer_ref (before));
  fail_unless (out == before);
  fail_unless (composition (out) == NULL);
  gst_buffer_unref (out);
  gst_buffer_unref (before);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* The memory is shared and not copied: only the GstBuffer is new. */
GST_START_TEST (test_memory_is_not_copied)
{
  GstHarness *h = overlay_harness (NULL, caps, TRUE);
  GstBuffer *in = frame (), *out;

  out = gst_harness_push_and_pull (h, gst_buffer_ref (in));
  fail_unless (composition (in) == NULL);
  fail_unless (composition (out) != NULL);
  fail_unless (
      gst_buffer_peek_memory (in, 0) == gst_buffer_peek_memory (out, 0));
  gst_buffer_unref (in);
  gst_buffer_unref (out);
  gst_harness_teardown (h);
}

GST_END_TEST;

GST_START_TEST (test_rectangles)
{
  GstHarness *h = overlay_harness (NULL, caps, TRUE);
  g_autoptr (GstBuffer) out = gst_harness_push_and_pull (h, frame ());
  GstVideoOverlayComposition *c = composition (out);
  guint i, pixels = 0;

  for (i = 0; i < gst_video_overlay_composition_n_rectangles (c); i++) {
    GstVideoOverlayRectangle *r =
        gst_video_overlay_composition_get_rectangle (c, i);
    guint w, h2;
    gint x, y;

    fail_unless (
        gst_video_overlay_rectangle_get_render_rectangle (r, &x, &y, &w, &h2));
    fail_unless (x >= 0 && y >= 0 && x + w <= W && y + h2 <= H && w && h2);
    pixels += w * h2;
  }
  /* The composition contains lines and badges, not the insides of boxes. */
  fail_unless (pixels < W * H / 3, "%u pixels", pixels);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Labels of crowded boxes do not hide each other. Each box has four rectangles,
 * then come those of the labels, with an outline of a pixel on all sides. */
#define N_CROWD 300

static guint
crowd_labels (guint seed, GstVideoRectangle *labels, OverlayBox *crowd)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  GstHarness *h = overlay_harness (NULL, caps, TRUE);
  GstBuffer *in = overlay_picture (caps, FALSE), *out;
  GstVideoOverlayComposition *c;
  guint i, n;

  for (i = 0; i < N_CROWD; i++) {
    crowd[i] = (OverlayBox){ (gint) i, i % 2 ? "person" : "cup", 0.5,
      g_rand_int_range (rand, 8, W - 72), g_rand_int_range (rand, 8, H - 72),
      g_rand_int_range (rand, 24, 64), g_rand_int_range (rand, 24, 64) };
    overlay_add_roi (in, &crowd[i]);
  }
  out = gst_harness_push_and_pull (h, in);
  c = composition (out);
  n = gst_video_overlay_composition_n_rectangles (c) - 4 * N_CROWD;
  fail_unless (n > 0 && n <= N_CROWD, "%u labels", n);
  for (i = 0; i < n; i++) {
    GstVideoRectangle *label = &labels[i];
    guint width, height;

    gst_video_overlay_rectangle_get_render_rectangle (
        gst_video_overlay_composition_get_rectangle (c, 4 * N_CROWD + i),
        &label->x, &label->y, &width, &height);
    label->w = (gint) width;
    label->h = (gint) height;
    fail_unless (label->x >= 0 && label->y >= 0 && label->x + label->w <= W
        && label->y + label->h <= H);
  }
  gst_buffer_unref (out);
  gst_harness_teardown (h);
  return n;
}

/* Whether two ranges have more than @least in common; below 0: a gap. */
static gboolean
overlap (gint a, gint a_size, gint b, gint b_size, gint least)
{
  return MIN (a + a_size, b + b_size) - MAX (a, b) > least;
}

GST_START_TEST (test_crowd)
{
  GstVideoRectangle labels[N_CROWD], again[N_CROWD];
  OverlayBox crowd[N_CROWD];
  guint n = crowd_labels (__i__, labels, crowd), i, j;

  for (i = 0; i < n; i++) {
    const GstVideoRectangle *a = &labels[i];
    gboolean at_a_box = FALSE;

    /* Outlines may share a pixel on each side, labels none. */
    for (j = 0; j < i; j++)
      fail_if (overlap (a->x, a->w, labels[j].x, labels[j].w, 2)
              && overlap (a->y, a->h, labels[j].y, labels[j].h, 2),
          "labels at %d,%d and %d,%d", a->x, a->y, labels[j].x, labels[j].y);
    for (j = 0; j < N_CROWD; j++)
      at_a_box = at_a_box
          || (overlap (a->x, a->w, crowd[j].x, crowd[j].w, -1)
              && overlap (a->y, a->h, crowd[j].y, crowd[j].h, -1));
    fail_unless (at_a_box, "the label at %d,%d is at no box", a->x, a->y);
  }
  fail_unless_equals_int (crowd_labels (__i__, again, crowd), n);
  fail_unless (memcmp (labels, again, n * sizeof *labels) == 0);
}

GST_END_TEST;

/* The composition of a text overlay upstream stays. */
GST_START_TEST (test_upstream_composition)
{
  g_autoptr (GstCaps) with = gst_caps_copy (caps);
  GstVideoOverlayRectangle *rectangle;
  GstVideoOverlayComposition *c;
  GstBuffer *in, *out, *pixels;
  GstHarness *h;
  gint x, y;

  pixels = gst_buffer_new_allocate (NULL, 4 * 8 * 8, NULL);
  gst_buffer_memset (pixels, 0, 0xff, -1);
  gst_buffer_add_video_meta (pixels, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_OVERLAY_COMPOSITION_FORMAT_RGB, 8, 8);
  rectangle = gst_video_overlay_rectangle_new_raw (pixels, 5, 6, 8, 8,
      GST_VIDEO_OVERLAY_FORMAT_FLAG_NONE);
  c = gst_video_overlay_composition_new (rectangle);
  in = frame ();
  gst_buffer_add_video_overlay_composition_meta (in, c);
  gst_video_overlay_composition_unref (c);
  gst_video_overlay_rectangle_unref (rectangle);
  gst_buffer_unref (pixels);

  gst_caps_set_features (with, 0,
      gst_caps_features_new (GST_CAPS_FEATURE_MEMORY_SYSTEM_MEMORY, FEATURE,
          NULL));
  h = overlay_harness (NULL, with, FALSE);
  out = gst_harness_push_and_pull (h, in);
  fail_unless (output_has_feature (h));
  c = composition (out);
  fail_unless (gst_video_overlay_composition_n_rectangles (c) > 5);
  rectangle = gst_video_overlay_composition_get_rectangle (c, 0);
  gst_video_overlay_rectangle_get_render_rectangle (rectangle, &x, &y, NULL,
      NULL);
  fail_unless (x == 5 && y == 6);
  fail_unless_equals_int (gst_buffer_get_n_meta (out,
                              GST_VIDEO_OVERLAY_COMPOSITION_META_API_TYPE),
      1);
  gst_buffer_unref (out);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Downstream starts to accept compositions, as when a sink is replaced. */
GST_START_TEST (test_reconfigure)
{
  GstHarness *h = overlay_harness (NULL, caps, FALSE);
  GstBuffer *out = gst_harness_push_and_pull (h, frame ());

  fail_unless (composition (out) == NULL);
  gst_buffer_unref (out);
  gst_harness_add_propose_allocation_meta (h,
      GST_VIDEO_OVERLAY_COMPOSITION_META_API_TYPE, NULL);
  fail_unless (
      gst_harness_push_upstream_event (h, gst_event_new_reconfigure ()));
  out = gst_harness_push_and_pull (h, frame ());
  fail_unless (composition (out) != NULL);
  fail_unless (output_has_feature (h));
  gst_buffer_unref (out);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Privacy draws even then: pixels under a composition would still be there. */
GST_START_TEST (test_privacy_writes_pixels)
{
  GstHarness *h = overlay_harness ("privacy-trust=roi privacy=fill", caps,
      TRUE);
  GstBuffer *before = overlay_picture (caps, FALSE), *in, *out;
  g_autoptr (GstBuffer) kept = NULL;
  g_autofree guint8 *rgb = NULL;

  in = overlay_picture (caps, FALSE);
  overlay_add_roi (in, &boxes[0]);
  kept = gst_buffer_ref (in);
  out = gst_harness_push_and_pull (h, in);
  fail_unless (composition (out) != NULL);
  fail_unless (overlay_is_same (kept, before, caps));
  overlay_assert_same_outside (before, out, caps, 40, 60, 140, 180);
  fail_unless_equals_int (overlay_n_changed (before, out, caps, 40, 60, 140,
                              180),
      100 * 120);
  rgb = overlay_rgb (out, caps);
  fail_unless (
      memcmp (rgb + 3 * (60 * W + 40), rgb + 3 * (179 * W + 139), 3) == 0);
  gst_buffer_unref (before);
  gst_buffer_unref (out);
  gst_harness_teardown (h);
}

GST_END_TEST;

static GstPadProbeReturn
count_buffers (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  guint *counts = data;

  counts[composition (GST_PAD_PROBE_INFO_BUFFER (info)) ? 1 : 0]++;
  return GST_PAD_PROBE_OK;
}

/* Memory that cannot be drawn on passes if downstream accepts compositions, and
 * is an error if not. */
GST_START_TEST (test_other_memory)
{
  g_autoptr (GstCaps) other = gst_caps_copy (caps);
  guint counts[2] = { 0, 0 };
  GstHarness *h;
  GstCaps *out;

  gst_caps_set_features (other, 0,
      gst_caps_features_new ("memory:Strange", NULL));
  h = overlay_harness (NULL, other, TRUE);
  gst_pad_add_probe (h->sinkpad, GST_PAD_PROBE_TYPE_BUFFER, count_buffers,
      counts, NULL);
  fail_unless_equals_int (gst_harness_push (h, frame ()), GST_FLOW_OK);
  fail_unless_equals_int (counts[1], 1);
  out = gst_pad_get_current_caps (h->sinkpad);
  fail_unless (gst_caps_features_contains (gst_caps_get_features (out, 0),
      "memory:Strange"));
  gst_caps_unref (out);
  gst_harness_teardown (h);

  h = gst_harness_new_parse ("yolov10overlay");
  gst_harness_set_sink_caps_str (h, "video/x-raw(memory:Strange)");
  out = gst_pad_peer_query_caps (h->srcpad, other);
  fail_unless (gst_caps_is_empty (out));
  gst_caps_unref (out);
  gst_harness_teardown (h);
}

GST_END_TEST;

TEST_CHECK_MAIN (overlay_composition)
{
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, test_without_support);
  tcase_add_test (tc, test_with_support);
  tcase_add_test (tc, test_memory_is_not_copied);
  tcase_add_test (tc, test_rectangles);
  tcase_add_test (tc, test_upstream_composition);
  tcase_add_test (tc, test_reconfigure);
  tcase_add_test (tc, test_privacy_writes_pixels);
  tcase_add_loop_test (tc, test_crowd, 0, 4);
  tcase_add_test (tc, test_other_memory);
}
