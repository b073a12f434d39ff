/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* yolov10overlay draws the same on frames in CUDA memory (overlaycuda.h), bit
 * for bit, as on the same frame in system memory, which test-overlay-pixels.c
 * tests. test-overlay-cudaflow.c tests how such frames pass. */
#include "overlaycuda.h"

#include <string.h>

#include "gstcommon.h"

static const gchar *const formats[] = { "NV12", "P010_10LE", "I420", "YV12",
  "NV21", "Y42B", "Y444", "RGBA", "BGRA", "RGBx", "BGRx", "ARGB", "ABGR", "RGB",
  "BGR", "RGBP", "GBR" };

/* Overlapping, at every edge, partly and wholly outside, as small as can be,
 * with and without label and confidence. */
static const OverlayBox boxes[] = {
  { 0, "person", 0.87, 20, 30, 41, 37 },
  { 1, "car", 0.32, 33, 41, 60, 22 },
  { 2, "a label that is too long for any frame of this size", 0.5, 3, 61, 30,
      9 },
  { 3, "dog", -1, -17, -9, 40, 33 },
  { 4, "", 0.99, 77, 5, 300, 200 },
  { 5, "cat", 0.4, 50, 20, 1, 1 },
  { 6, "bird", 1.0, 0, 0, 5, 3 },
  { 7, "cow", 0.6, 500, 500, 20, 20 },
  { 8, "person", 0.21, 11, 2, 70, 55 },
};

/* Draws @n boxes in both kinds of memory and compares all stored values. */
static void
check_drawn (GstCudaContext *context, GstCaps *caps, const gchar *properties,
    const OverlayBox *all, guint n)
{
  GstBuffer *picture = overlay_picture (caps, TRUE);
  GstBuffer *in = overlay_upload (context, caps, picture), *expected, *out,
            *found;
  GstHarness *h = overlay_cuda_harness (properties, caps);
  GstMemory *memory = gst_buffer_peek_memory (in, 0);
  gchar *text;

  expected = gst_buffer_copy_deep (picture);
  overlay_add_boxes (expected, all, n);
  expected = overlay_run (properties, caps, expected);
  overlay_add_boxes (in, all, n);
  out = overlay_push_and_pull (h, in);
  fail_unless (out != NULL);
  fail_unless (gst_buffer_peek_memory (out, 0) == memory);
  found = overlay_download (caps, out);
  text = gst_caps_to_string (caps);
  fail_unless (overlay_is_same (found, expected, caps), "\"%s\" on %s",
      properties, text);
  g_free (text);
  fail_if (overlay_is_same (found, picture, caps));
  gst_buffer_unref (found);
  gst_buffer_unref (out);
  gst_buffer_unref (expected);
  gst_buffer_unref (picture);
  gst_harness_teardown (h);
}

/* In GStreamer 1.22 the offset of V is half a row off its actual place. */
static gboolean
is_misplaced (const gchar *format, gint height)
{
  return height % 2 && (!strcmp (format, "I420") || !strcmp (format, "YV12"));
}

/* Every format, even and odd sizes, every kind of drawing. */
GST_START_TEST (test_formats)
{
  static const gint sizes[][2] = { { 96, 80 }, { 131, 67 } };
  static const gchar *const properties[] = { "", "line-width=9",
    "privacy-trust=roi privacy=fill show-label=false",
    "privacy-trust=roi privacy=blur show-confidence=false" };
  GstCudaContext *context = test_cuda_context (0);

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    gint height = sizes[i][1];
    GstCaps *caps = overlay_caps (formats[__i__], sizes[i][0],
        height - is_misplaced (formats[__i__], height), NULL);

    for (guint k = 0; k < G_N_ELEMENTS (properties); k++)
      check_drawn (context, caps, properties[k], boxes, G_N_ELEMENTS (boxes));
    gst_caps_unref (caps);
  }
  gst_object_unref (context);
}

GST_END_TEST;

/* Colours follow the matrix and range of the caps. */
GST_START_TEST (test_colorimetry)
{
  static const gchar *const names[] = { "bt601", "bt709", "1:1:5:1", "bt2020" };
  GstCudaContext *context = test_cuda_context (0);

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    GstCaps *caps = overlay_caps ("NV12", 96, 80, names[i]);

    check_drawn (context, caps, "", boxes, G_N_ELEMENTS (boxes));
    gst_caps_unref (caps);
  }
  gst_object_unref (context);
}

GST_END_TEST;

/* More boxes than one launch takes are drawn in order. */
GST_START_TEST (test_many)
{
  GstCudaContext *context = test_cuda_context (0);
  g_autoptr (GstCaps) caps = overlay_caps ("NV12", 160, 120, NULL);
  OverlayBox many[300];
  gchar labels[G_N_ELEMENTS (many)][8];

  for (guint i = 0; i < G_N_ELEMENTS (many); i++) {
    g_snprintf (labels[i], sizeof labels[i], "l%u", i % 40);
    many[i] = (OverlayBox){ i, labels[i], i / 300.0, i * 7 % 150, i * 11 % 110,
      3 + i * 5 % 60, 3 + i * 3 % 50 };
  }
  check_drawn (context, caps, "", many, 100);
  fail_unless_equals_int (fake_cuda.launches, 1);
  check_drawn (context, caps, "", many, G_N_ELEMENTS (many));
  fail_unless (fake_cuda.launches > 2);
  gst_object_unref (context);
}

GST_END_TEST;

/* The frame is shared, or its memory is read-only like a decoder's: the overlay
 * draws on a copy, and nothing is copied to the host. */
GST_START_TEST (test_shared)
{
  GstCudaContext *context = test_cuda_context (0);
  GstCaps *caps = overlay_caps ("NV12", 96, 80, NULL);
  GstBuffer *picture = overlay_picture (caps, FALSE), *expected;
  GstHarness *h = overlay_cuda_harness (NULL, caps);

  expected = gst_buffer_copy_deep (picture);
  overlay_add_boxes (expected, boxes, 2);
  expected = overlay_run (NULL, caps, expected);
  for (guint shared = 0; shared < 2; shared++) {
    GstBuffer *in = overlay_upload (context, caps, picture), *out, *now;
    GstMemory *memory = gst_buffer_get_memory (in, 0);

    if (!shared)
      GST_MINI_OBJECT_FLAG_SET (memory, GST_MEMORY_FLAG_READONLY);
    overlay_add_boxes (in, boxes, 2);
    fake_cuda.planes_copied = 0;
    out = overlay_push_and_pull (h, shared ? gst_buffer_ref (in) : in);
    fail_unless (gst_buffer_peek_memory (out, 0) != memory);
    fail_unless_equals_uint64 (fake_cuda.planes_copied, 0);
    now = overlay_download (caps, out);
    fail_unless (overlay_is_same (now, expected, caps));
    gst_buffer_unref (now);
    gst_buffer_unref (out);
    if (shared) {
      now = overlay_download (caps, in);
      fail_unless (overlay_is_same (now, picture, caps));
      gst_buffer_unref (now);
      gst_buffer_unref (in);
    }
    gst_memory_unref (memory);
  }
  gst_buffer_unref (expected);
  gst_buffer_unref (picture);
  gst_harness_teardown (h);
  gst_caps_unref (caps);
  gst_object_unref (context);
}

GST_END_TEST;

/* Boxes become a composition; only privacy draws on the frame. */
GST_START_TEST (test_composition)
{
  GstCudaContext *context = test_cuda_context (0);
  GstCaps *caps = overlay_caps ("NV12", 96, 80, NULL), *both;
  g_autoptr (GstBuffer) picture = overlay_picture (caps, TRUE);

  both = test_cuda_caps (caps);
  gst_caps_features_add (gst_caps_get_features (both, 0),
      GST_CAPS_FEATURE_META_GST_VIDEO_OVERLAY_COMPOSITION);
  for (guint hidden = 0; hidden < 2; hidden++) {
    GstHarness *h = overlay_harness (hidden ? "privacy-trust=roi privacy=blur"
                                            : NULL,
        both, TRUE);
    GstBuffer *in = overlay_upload (context, caps, picture), *out, *found;

    overlay_add_boxes (in, boxes, 2);
    fake_cuda.planes_copied = 0;
    out = overlay_push_and_pull (h, in);
    fail_unless (out != NULL);
    fail_unless_equals_uint64 (fake_cuda.planes_copied, 0);
    fail_unless (gst_buffer_get_video_overlay_composition_meta (out));
    found = overlay_download (caps, out);
    fail_unless_equals_int (overlay_is_same (found, picture, caps), !hidden);
    gst_buffer_unref (found);
    gst_buffer_unref (out);
    gst_harness_teardown (h);
  }
  gst_caps_unref (both);
  gst_caps_unref (caps);
  gst_object_unref (context);
}

GST_END_TEST;

/* A frame without a detector's metadata is covered, bit for bit as in system
 * memory. */
GST_START_TEST (test_unknown)
{
  static const gchar *const properties[] = { "privacy=fill", "privacy=blur" };
  GstCudaContext *context = test_cuda_context (0);
  g_autoptr (GstCaps) caps = overlay_caps (formats[__i__], 96, 80, NULL);

  for (guint k = 0; k < G_N_ELEMENTS (properties); k++) {
    check_drawn (context, caps, properties[k], NULL, 0);
    check_drawn (context, caps, properties[k], boxes, 2);
  }
  gst_object_unref (context);
}

GST_END_TEST;

/* Behind a detector only its boxes are covered, and the whole picture when it
 * is inactive. */
GST_START_TEST (test_detector)
{
  GstCudaContext *context = test_cuda_context (0);
  GstCaps *caps = overlay_caps ("NV12", 96, 80, NULL), *cuda;
  GstBuffer *picture = overlay_picture (caps, TRUE), *all;
  g_autofree gchar *line = g_strdup_printf (
      "yolov10detect name=d backend=cuda "
      "confidence=0.02 model-file=%s ! yolov10overlay name=o privacy=fill "
      "labels=nothing",
      test_gst_model ());
  GstHarness *h = gst_harness_new_parse (line);
  g_autoptr (GstElement) d = gst_harness_find_element (h, "yolov10detect");

  cuda = test_cuda_caps (caps);
  test_cuda_give_context (d, context);
  gst_harness_set_src_caps (h, cuda);
  all = overlay_run ("privacy=fill", caps, gst_buffer_copy_deep (picture));
  for (guint i = 0; i < 4; i++) {
    GstBuffer *out, *found;

    g_object_set (d, "active", i != 2, NULL);
    out = overlay_push_and_pull (h, overlay_upload (context, caps, picture));
    fail_unless (out != NULL);
    found = overlay_download (caps, out);
    fail_unless (overlay_is_same (found, i == 2 ? all : picture, caps), "%u",
        i);
    gst_buffer_unref (found);
    gst_buffer_unref (out);
  }
  gst_harness_teardown (h);
  gst_buffer_unref (all);
  gst_buffer_unref (picture);
  gst_caps_unref (caps);
  gst_object_unref (context);
}

GST_END_TEST;

TEST_GST_MAIN (overlay_cuda)
{
  tcase_set_timeout (tc, 300);
  tcase_add_checked_fixture (tc, overlay_cuda_setup, overlay_cuda_teardown);
  tcase_add_loop_test (tc, test_formats, 0, G_N_ELEMENTS (formats));
  tcase_add_test (tc, test_colorimetry);
  tcase_add_test (tc, test_many);
  tcase_add_test (tc, test_shared);
  tcase_add_test (tc, test_composition);
  tcase_add_loop_test (tc, test_unknown, 0, G_N_ELEMENTS (formats));
  tcase_add_test (tc, test_detector);
}
