/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* show-regions of yolov10overlay outlines the parts and the region in a frame
 * meta, and show-zones the zones and lines, into frames of every kind and as a
 * composition. Both survive any values in these fields. */

#include "overlaycommon.h"

#include <math.h>
#include <meta/gstyolov10framemeta.h>

#define W 320
#define H 240
#define ON "show-regions=true line-width=4"

static void
set_bytes (GstBuffer *buffer, const gchar *field, gconstpointer data,
    gsize size)
{
  GstStructure *structure;
  gpointer state = NULL;
  g_autoptr (GBytes) bytes = g_bytes_new (data, size);

  structure = (GstStructure *) gst_yolov10_frame_meta_find (buffer, &state);
  fail_unless (structure != NULL);
  gst_structure_set (structure, field, G_TYPE_BYTES, bytes, NULL);
}

/* A frame in which nothing was found, with one part and a triangle. */
static GstBuffer *
frame (GstCaps *caps)
{
  static const gfloat part[] = { 0.125f, 0.25f, 0.875f, 0.75f };
  static const gfloat points[] = { 0.1f, 0.9f, 0.5f, 0.4f, 0.9f, 0.9f };
  static const guint32 shapes[] = { 3 };
  GstBuffer *buffer = overlay_picture (caps, FALSE);

  overlay_add_frame_meta (buffer, "detector", W, H, NULL, 0);
  set_bytes (buffer, "parts", part, sizeof part);
  set_bytes (buffer, "region-points", points, sizeof points);
  set_bytes (buffer, "region-shapes", shapes, sizeof shapes);
  return buffer;
}

GST_START_TEST (test_outlines)
{
  static const gchar *const formats[] = { "NV12", "RGB", "GRAY8", "v210" };

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    GstCaps *caps = overlay_caps (formats[i], W, H, NULL);
    GstBuffer *before = overlay_picture (caps, FALSE);
    GstBuffer *out = overlay_run (NULL, caps, frame (caps));

    fail_unless (overlay_is_same (before, out, caps));
    gst_buffer_unref (out);
    out = overlay_run (ON, caps, frame (caps));
    /* The part is 40,60 to 280,180: its upper and left lines. */
    fail_unless (overlay_n_changed (before, out, caps, 44, 60, 276, 64) > 800);
    fail_unless (overlay_n_changed (before, out, caps, 40, 64, 44, 176) > 400);
    /* The triangle's lower side, at 216 between 32 and 288. */
    fail_unless (
        overlay_n_changed (before, out, caps, 40, 214, 280, 218) > 800);
    /* Its left side, around its middle, 96,156. */
    fail_unless (overlay_n_changed (before, out, caps, 84, 144, 108, 168) > 40);
    /* Nothing between the lines. */
    fail_unless (
        overlay_n_changed (before, out, caps, 120, 190, 200, 208) == 0);
    overlay_assert_same_outside (before, out, caps, 26, 54, 294, 224);
    gst_buffer_unref (out);
    gst_buffer_unref (before);
    gst_caps_unref (caps);
  }
}

GST_END_TEST;

GST_START_TEST (test_composition)
{
  GstCaps *caps = overlay_caps ("NV12", W, H, NULL);
  GstHarness *h = overlay_harness (ON, caps, TRUE);
  g_autoptr (GstBuffer) before = overlay_picture (caps, FALSE);
  g_autoptr (GstBuffer) out = gst_harness_push_and_pull (h, frame (caps));
  GstVideoOverlayCompositionMeta *meta =
      gst_buffer_get_video_overlay_composition_meta (out);

  fail_unless (meta != NULL);
  fail_unless (gst_video_overlay_composition_n_rectangles (meta->overlay) > 8);
  fail_unless (overlay_is_same (before, out, caps));
  gst_harness_teardown (h);
  gst_caps_unref (caps);
}

GST_END_TEST;

/* Privacy covers boxes, not outlines. */
GST_START_TEST (test_privacy)
{
  GstCaps *caps = overlay_caps ("NV12", W, H, NULL);
  g_autoptr (GstBuffer) before = overlay_picture (caps, FALSE);
  GstBuffer *out = overlay_run (ON " privacy=fill privacy-trust=roi", caps,
      frame (caps));

  fail_unless (overlay_n_changed (before, out, caps, 120, 190, 200, 208) == 0);
  fail_unless (overlay_n_changed (before, out, caps, 44, 60, 276, 64) > 800);
  gst_buffer_unref (out);
  gst_caps_unref (caps);
}

GST_END_TEST;

/* Values that no detector writes. */
GST_START_TEST (test_wild)
{
  static const gfloat wild[] = { NAN, INFINITY, -INFINITY, 1e30f, -1e30f, -1, 2,
    0.5f, 0, 1 };
  g_autoptr (GstCaps) caps = overlay_caps ("NV12", W, H, NULL);
  g_autoptr (GRand) rand = g_rand_new_with_seed (24);

  for (guint i = 0; i < 300; i++) {
    GstBuffer *buffer = frame (caps);
    gfloat values[4 * 70];
    guint32 shapes[40];

    for (guint j = 0; j < G_N_ELEMENTS (values); j++)
      values[j] = i % 3 ? (gfloat) g_rand_double (rand)
                        : wild[g_rand_int_range (rand, 0, G_N_ELEMENTS (wild))];
    for (guint j = 0; j < G_N_ELEMENTS (shapes); j++)
      shapes[j] = i % 2 ? g_rand_int (rand) : g_rand_int (rand) % 20;
    set_bytes (buffer, "parts", values,
        (gsize) g_rand_int_range (rand, 0, sizeof values + 1));
    set_bytes (buffer, "region-points", values,
        (gsize) g_rand_int_range (rand, 0, sizeof values / 8 + 1) * 8);
    set_bytes (buffer, "region-shapes", shapes,
        (gsize) g_rand_int_range (rand, 0, sizeof shapes / 4 + 1) * 4);
    buffer = overlay_run (ON, caps, buffer);
    fail_unless (buffer != NULL);
    gst_buffer_unref (buffer);
  }
}

GST_END_TEST;

/* A frame with a zone, 40,60 to 280,180, of 5 objects, and a line. */
static GstBuffer *
with_zones (GstCaps *caps, guint32 count, guint64 n_in)
{
  static const gfloat points[] = { 0.125f, 0.25f, 0.875f, 0.25f, 0.875f, 0.75f,
    0.125f, 0.75f, 0.25f, 0.9f, 0.75f, 0.9f };
  static const guint32 shapes[] = { 4 };
  const GstYolov10Zone zones[] = { { .n_shapes = 1, .count = count },
    { .name_offset = 5, .n_in = n_in, .n_out = 3 } };
  GstBuffer *buffer = overlay_picture (caps, FALSE);
  gpointer state = NULL;

  overlay_add_frame_meta (buffer, "detector", W, H, NULL, 0);
  set_bytes (buffer, "zones", zones, sizeof zones);
  set_bytes (buffer, "zone-shapes", shapes, sizeof shapes);
  set_bytes (buffer, "zone-points", points, sizeof points);
  gst_structure_set ((GstStructure *) gst_yolov10_frame_meta_find (buffer,
                         &state),
      "zone-names", G_TYPE_STRING, "yard\ngate\n", "zone-size", G_TYPE_UINT,
      (guint) sizeof *zones, NULL);
  return buffer;
}

GST_START_TEST (test_zones)
{
  static const gchar *const formats[] = { "NV12", "RGB", "v210" };

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    GstCaps *caps = overlay_caps (formats[i], W, H, NULL);
    GstBuffer *before = overlay_picture (caps, FALSE);
    GstBuffer *out = overlay_run ("show-zones=false", caps,
        with_zones (caps, 5, 2));
    GstBuffer *other;

    fail_unless (overlay_is_same (before, out, caps));
    gst_buffer_unref (out);
    out = overlay_run ("line-width=4", caps, with_zones (caps, 5, 2));
    fail_unless (overlay_n_changed (before, out, caps, 44, 58, 276, 62) > 800);
    fail_unless (
        overlay_n_changed (before, out, caps, 278, 64, 282, 176) > 400);
    /* The line, at 216 between 80 and 240; and nothing between the two. */
    fail_unless (
        overlay_n_changed (before, out, caps, 84, 214, 236, 218) > 500);
    fail_unless (
        overlay_n_changed (before, out, caps, 160, 186, 276, 208) == 0);
    /* Other counts change the badges only: above the zone's corner, and above the
     * line's end. */
    other = overlay_run ("line-width=4", caps, with_zones (caps, 6, 2));
    fail_unless (overlay_n_changed (out, other, caps, 40, 30, 160, 60) > 0);
    overlay_assert_same_outside (out, other, caps, 40, 30, 160, 60);
    gst_buffer_unref (other);
    other = overlay_run ("line-width=4", caps, with_zones (caps, 5, 4));
    fail_unless (overlay_n_changed (out, other, caps, 80, 184, 240, 216) > 0);
    overlay_assert_same_outside (out, other, caps, 80, 184, 240, 216);
    gst_buffer_unref (other);
    /* Privacy covers objects, not zones. */
    other = overlay_run ("line-width=4 privacy=fill privacy-trust=roi", caps,
        with_zones (caps, 5, 2));
    fail_unless (overlay_is_same (out, other, caps));
    gst_buffer_unref (other);
    gst_buffer_unref (out);
    gst_buffer_unref (before);
    gst_caps_unref (caps);
  }
}

GST_END_TEST;

/* Those of an element are drawn beside those that are there. */
GST_START_TEST (test_more_zones)
{
  g_autoptr (GstCaps) caps = overlay_caps ("RGB", W, H, NULL);
  GstBuffer *before = overlay_picture (caps, FALSE), *out;
  GstHarness *h = gst_harness_new_parse (
      "yolov10zones zones=\"low=0.3,0.6 0.6,0.7\" ! yolov10overlay line-width=4");

  gst_harness_set_src_caps (h, gst_caps_ref (caps));
  GST_BUFFER_PTS (before) = 0;
  out = with_zones (caps, 5, 2);
  GST_BUFFER_PTS (out) = 0;
  out = gst_harness_push_and_pull (h, out);
  /* The former zone's upper edge and the line; the other one's lower edge. */
  fail_unless (overlay_n_changed (before, out, caps, 44, 58, 276, 62) > 800);
  fail_unless (overlay_n_changed (before, out, caps, 84, 214, 236, 218) > 500);
  fail_unless (overlay_n_changed (before, out, caps, 100, 166, 188, 170) > 300);
  gst_buffer_unref (out);
  gst_buffer_unref (before);
  gst_harness_teardown (h);
}

GST_END_TEST;

GST_START_TEST (test_wild_zones)
{
  g_autoptr (GstCaps) caps = overlay_caps ("NV12", W, H, NULL);
  g_autoptr (GRand) rand = g_rand_new_with_seed (38);

  for (guint i = 0; i < 100; i++) {
    GstBuffer *buffer = with_zones (caps, 5, 2);
    gfloat points[2 * 80];
    guint32 words[8 * 80];

    for (guint j = 0; j < G_N_ELEMENTS (points); j++)
      points[j] = i % 3 ? (gfloat) g_rand_double (rand) : i % 2 ? NAN : 2;
    for (guint j = 0; j < G_N_ELEMENTS (words); j++)
      words[j] = g_rand_int_range (rand, 0, 4)
          ? (guint) g_rand_int_range (rand, 0, 6)
          : g_rand_int (rand);
    set_bytes (buffer, "zones", words,
        (gsize) g_rand_int_range (rand, 0, sizeof words + 1));
    if (i % 4)
      set_bytes (buffer, "zone-points", points,
          (gsize) g_rand_int_range (rand, 0, sizeof points + 1));
    if (i % 5)
      set_bytes (buffer, "zone-shapes", words,
          (gsize) g_rand_int_range (rand, 0, 400));
    buffer = overlay_run (ON, caps, buffer);
    fail_unless (buffer != NULL);
    gst_buffer_unref (buffer);
  }
}

GST_END_TEST;

TEST_CHECK_MAIN (overlay_regions)
{
  tcase_set_timeout (tc, 120);
  tcase_add_test (tc, test_outlines);
  tcase_add_test (tc, test_composition);
  tcase_add_test (tc, test_privacy);
  tcase_add_test (tc, test_wild);
  tcase_add_test (tc, test_zones);
  tcase_add_test (tc, test_more_zones);
  tcase_add_test (tc, test_wild_zones);
}
