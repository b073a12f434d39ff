/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The frames that yolov10detect accepts, and that they leave unchanged:
 * formats, sizes, strides, regions, timing, memory. */
#include "gstcommon.h"

#define CONFIDENCE 0.05
#define PROPERTIES "confidence=0.05 max-detections=1000"

static const Y10HeadParams params = {
  .size = sizeof (Y10HeadParams),
  .confidence = CONFIDENCE,
  .iou = 0.7f,
  .max_detections = 1000,
};

static void
set_caps (GstHarness *h, const GstCaps *caps)
{
  gst_harness_set_caps (h, gst_caps_copy (caps), gst_caps_copy (caps));
}

/* Asserts that both kinds of metadata on @buffer hold @expected and nothing
 * else. */
static void
assert_found (GstBuffer *buffer, GArray *expected, guint width, guint height)
{
  g_autoptr (GArray) rois = test_gst_rois (buffer);
  GArray *records = test_gst_records (test_gst_frame_meta (buffer, 0));

  test_gst_assert_same (rois, expected, width, height);
  test_gst_assert_same (records, expected, width, height);
  g_array_unref (records);
}

/* All formats of a family hold the same picture, so the detections must be
 * equal; those of the first format must equal the engine's. */
static void
assert_family (const char *const *formats, gboolean gray)
{
  g_autoptr (GArray) expected = NULL;

  for (guint i = 0; formats[i]; i++) {
    GstCaps *caps = test_gst_caps (formats[i], 94, 62);
    GstHarness *h = test_gst_harness (PROPERTIES);
    GstVideoInfo info;
    GstBuffer *picture, *out;

    fail_unless (gst_video_info_from_caps (&info, caps));
    picture = test_gst_picture (&info, 7, gray);
    if (!expected) {
      expected = test_gst_expected (picture, caps, NULL, &params,
          Y10_HEAD_AUTO);
      fail_unless (expected->len >= 10);
    }
    set_caps (h, caps);
    out = gst_harness_push_and_pull (h, picture);
    fail_unless (out != NULL, "%s", formats[i]);
    assert_found (out, expected, 94, 62);
    gst_buffer_unref (out);
    gst_harness_teardown (h);
    gst_caps_unref (caps);
  }
}

GST_START_TEST (test_rgb_formats)
{
  static const char *const formats[] = { "RGB", "BGR", "RGBx", "BGRx", "xRGB",
    "xBGR", "RGBA", "BGRA", "ARGB", "ABGR", "GBR", "RGBP", NULL };

  assert_family (formats, FALSE);
}

GST_END_TEST;

GST_START_TEST (test_yuv_formats)
{
  static const char *const formats[] = { "I420", "YV12", "NV12", "NV21", "Y42B",
    "Y444", "YUY2", "UYVY", NULL };

  assert_family (formats, FALSE);
}

GST_END_TEST;

/* Doubles the columns of a picture in RGBx. */
static GstBuffer *
double_columns (GstBuffer *picture, guint n_pixels)
{
  GstBuffer *doubled = gst_buffer_new_allocate (NULL, 8 * n_pixels, NULL);
  GstMapInfo from, to;

  fail_unless (gst_buffer_map (picture, &from, GST_MAP_READ));
  fail_unless (gst_buffer_map (doubled, &to, GST_MAP_WRITE));
  for (guint i = 0; i < 2 * n_pixels; i++)
    memcpy (to.data + 4 * i, from.data + 4 * (i / 2), 4);
  gst_buffer_unmap (picture, &from);
  gst_buffer_unmap (doubled, &to);
  return doubled;
}

/* Pixels that are half as wide as high: the network sees the picture as it is
 * displayed, and boxes are in its own pixels. */
GST_START_TEST (test_pixel_aspect_ratio)
{
  static const struct
  {
    const gchar *properties;
    gint n, d;
    gboolean displayed, warned;
  } cases[] = {
    { PROPERTIES, 1, 2, TRUE, FALSE },
    { PROPERTIES " ignore-par=true", 1, 2, FALSE, FALSE },
    { PROPERTIES, 1, 1, FALSE, FALSE },
    { PROPERTIES, 1, 65535, FALSE, TRUE },
  };
  GstCaps *plain_caps = test_gst_caps ("RGBx", 48, 96);
  GstCaps *caps = test_gst_caps ("RGBx", 96, 96);
  g_autoptr (GstBuffer) plain = test_gst_picture_caps (plain_caps, 7);
  g_autoptr (GstBuffer) picture = double_columns (plain, 48 * 96);
  GArray *displayed = test_gst_expected (plain, plain_caps, NULL, &params,
      Y10_HEAD_AUTO);
  GArray *square = test_gst_expected (picture, caps, NULL, &params,
      Y10_HEAD_AUTO);

  for (guint i = 0; i < displayed->len; i++) {
    g_array_index (displayed, Y10Detection, i).x0 *= 2;
    g_array_index (displayed, Y10Detection, i).x1 *= 2;
  }
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstHarness *h = test_gst_harness (cases[i].properties);
    GstBus *bus = gst_bus_new ();
    GstBuffer *out;

    gst_element_set_bus (h->element, bus);
    gst_caps_set_simple (caps, "pixel-aspect-ratio", GST_TYPE_FRACTION,
        cases[i].n, cases[i].d, NULL);
    set_caps (h, caps);
    out = gst_harness_push_and_pull (h, gst_buffer_ref (picture));
    assert_found (out, cases[i].displayed ? displayed : square, 96, 96);
    gst_buffer_unref (out);
    fail_unless_equals_int (test_gst_count_messages (bus, GST_MESSAGE_WARNING),
        cases[i].warned);
    gst_element_set_bus (h->element, NULL);
    gst_object_unref (bus);
    gst_harness_teardown (h);
  }
  g_array_unref (displayed);
  g_array_unref (square);
  gst_caps_unref (plain_caps);
  gst_caps_unref (caps);
}

GST_END_TEST;

/* Ten bits hold the same picture, but are rounded differently on conversion to
 * RGB. */
GST_START_TEST (test_deep_format)
{
  GstCaps *deep = test_gst_caps ("P010_10LE", 94, 62);
  GstCaps *flat = test_gst_caps ("NV12", 94, 62);
  GstBuffer *picture = test_gst_picture_caps (deep, 7);
  GstBuffer *same = test_gst_picture_caps (flat, 7), *out;
  GArray *expected = test_gst_expected (picture, deep, NULL, &params,
      Y10_HEAD_AUTO);
  GArray *near = test_gst_expected (same, flat, NULL, &params, Y10_HEAD_AUTO);
  GstHarness *h = test_gst_harness (PROPERTIES);

  set_caps (h, deep);
  out = gst_harness_push_and_pull (h, picture);
  assert_found (out, expected, 94, 62);
  for (guint i = 0; i < 5; i++) {
    const Y10Detection *a = &g_array_index (expected, Y10Detection, i);
    const Y10Detection *b = &g_array_index (near, Y10Detection, i);

    fail_unless (a->anchor == b->anchor && a->class_id == b->class_id);
    fail_unless (ABS (a->confidence - b->confidence) < 0.01);
  }
  g_array_unref (expected);
  g_array_unref (near);
  gst_buffer_unref (out);
  gst_buffer_unref (same);
  gst_harness_teardown (h);
  gst_caps_unref (deep);
  gst_caps_unref (flat);
}

GST_END_TEST;

GST_START_TEST (test_gray_format)
{
  static const char *const formats[] = { "RGB", "GRAY8", NULL };

  assert_family (formats, TRUE);
}

GST_END_TEST;

/* The template's last entry lists exactly the formats above; a build's CUDA
 * memory formats come first. */
GST_START_TEST (test_template)
{
  GstHarness *h = test_gst_harness ("");
  g_autoptr (GstCaps) caps = gst_pad_get_pad_template_caps (
      GST_BASE_TRANSFORM_SINK_PAD (h->element));
  const guint last = gst_caps_get_size (caps) - 1;
  const GValue *list = gst_structure_get_value (gst_caps_get_structure (caps,
                                                    last),
      "format");

  fail_unless (gst_caps_features_is_equal (gst_caps_get_features (caps, last),
      GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY));
  fail_unless_equals_int (gst_value_list_get_size (list), 22);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* The same bytes are other colours with another matrix or range. */
GST_START_TEST (test_colorimetry)
{
  static const char *const colorimetries[] = { "bt601", "bt709", "1:4:0:0",
    "1:3:0:0" };
  gfloat best[G_N_ELEMENTS (colorimetries)];

  for (guint i = 0; i < G_N_ELEMENTS (colorimetries); i++) {
    GstCaps *caps = test_gst_caps ("NV12", 96, 64);
    GstHarness *h = test_gst_harness (PROPERTIES);
    GstBuffer *picture, *out;
    GArray *expected;

    gst_caps_set_simple (caps, "colorimetry", G_TYPE_STRING, colorimetries[i],
        NULL);
    picture = test_gst_picture_caps (caps, 3);
    expected = test_gst_expected (picture, caps, NULL, &params, Y10_HEAD_AUTO);
    best[i] = g_array_index (expected, Y10Detection, 0).confidence;
    for (guint k = 0; k < i; k++)
      fail_unless (best[k] != best[i]);
    set_caps (h, caps);
    out = gst_harness_push_and_pull (h, picture);
    assert_found (out, expected, 96, 64);
    gst_buffer_unref (out);
    gst_harness_teardown (h);
    g_array_unref (expected);
    gst_caps_unref (caps);
  }
}

GST_END_TEST;

/* Caps without colorimetry: GStreamer's default for their height applies. */
GST_START_TEST (test_default_colorimetry)
{
  const gint heights[] = { 576, 720 };

  for (guint i = 0; i < 2; i++) {
    GstCaps *plain = test_gst_caps ("I420", 64, heights[i]);
    GstCaps *said = gst_caps_copy (plain);
    GstBuffer *picture = test_gst_picture_caps (plain, 3), *out;
    GstHarness *h = test_gst_harness (PROPERTIES);
    GArray *expected;

    gst_caps_set_simple (said, "colorimetry", G_TYPE_STRING,
        i ? "bt709" : "bt601", NULL);
    expected = test_gst_expected (picture, said, NULL, &params, Y10_HEAD_AUTO);
    set_caps (h, plain);
    out = gst_harness_push_and_pull (h, picture);
    assert_found (out, expected, 64, heights[i]);
    gst_buffer_unref (out);
    gst_harness_teardown (h);
    g_array_unref (expected);
    gst_caps_unref (plain);
    gst_caps_unref (said);
  }
}

GST_END_TEST;

/* From one pixel over odd sizes to 8K; caps change in mid-stream. */
GST_START_TEST (test_sizes)
{
  static const gint sizes[][2] = { { 1, 1 }, { 1, 7 }, { 7, 1 }, { 3, 5 },
    { 101, 33 }, { 33, 101 }, { 640, 3 }, { 96, 96 }, { 7680, 4320 },
    { 97, 95 } };
  static const char *const formats[] = { "I420", "RGB", "YUY2" };
  GstHarness *h = test_gst_harness (PROPERTIES);

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    gint width = sizes[i][0], height = sizes[i][1];
    GstCaps *caps = test_gst_caps (formats[i % 3], width, height);
    GstBuffer *picture = test_gst_picture_caps (caps, i), *out;
    GArray *expected = test_gst_expected (picture, caps, NULL, &params,
        Y10_HEAD_AUTO);
    const GstStructure *meta;
    GArray *rois;
    guint w = 0, hh = 0;

    set_caps (h, caps);
    out = gst_harness_push_and_pull (h, picture);
    fail_unless (out != NULL, "%d x %d", width, height);
    assert_found (out, expected, width, height);
    meta = test_gst_frame_meta (out, 0);
    fail_unless (gst_structure_get_uint (meta, "width", &w)
        && gst_structure_get_uint (meta, "height", &hh));
    fail_unless (w == (guint) width && hh == (guint) height);
    rois = test_gst_rois (out);
    for (guint k = 0; k < rois->len; k++) {
      const TestBox *box = &g_array_index (rois, TestBox, k);

      fail_unless (box->w >= 1 && box->h >= 1);
      fail_unless (box->x + box->w <= (guint) width);
      fail_unless (box->y + box->h <= (guint) height);
      /* At most half a pixel off, or one pixel where the box is smaller than a
       * pixel. */
      fail_unless (ABS (box->x - box->x_min * width) <= 1.0);
      fail_unless (ABS (box->x + box->w - box->x_max * width) <= 1.0);
      fail_unless (ABS (box->y - box->y_min * height) <= 1.0);
      fail_unless (ABS (box->y + box->h - box->y_max * height) <= 1.0);
    }
    g_array_unref (rois);
    g_array_unref (expected);
    gst_buffer_unref (out);
    gst_caps_unref (caps);
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

/* A buffer with padded rows and gaps between its planes. */
GST_START_TEST (test_strides)
{
  GstCaps *caps = test_gst_caps ("I420", 62, 46);
  GstBuffer *tight = test_gst_picture_caps (caps, 5), *loose, *out;
  GArray *expected = test_gst_expected (tight, caps, NULL, &params,
      Y10_HEAD_AUTO);
  gsize offset[4] = { 100, 100 + 80 * 50, 100 + 80 * 50 + 64 * 30 };
  gint stride[4] = { 80, 64, 48 };
  GstHarness *h = test_gst_harness (PROPERTIES);
  GstVideoFrame from, to;
  GstVideoInfo info;

  loose = gst_buffer_new_allocate (NULL, 100 + 80 * 50 + 64 * 30 + 48 * 30,
      NULL);
  gst_buffer_memset (loose, 0, 0xff, -1);
  gst_buffer_add_video_meta_full (loose, 0, GST_VIDEO_FORMAT_I420, 62, 46, 3,
      offset, stride);
  fail_unless (gst_video_info_from_caps (&info, caps));
  fail_unless (gst_video_frame_map (&from, &info, tight, GST_MAP_READ));
  fail_unless (gst_video_frame_map (&to, &info, loose, GST_MAP_WRITE));
  fail_unless (gst_video_frame_copy (&to, &from));
  gst_video_frame_unmap (&from);
  gst_video_frame_unmap (&to);

  set_caps (h, caps);
  out = gst_harness_push_and_pull (h, loose);
  assert_found (out, expected, 62, 46);
  gst_buffer_unref (out);
  gst_buffer_unref (tight);
  g_array_unref (expected);
  gst_harness_teardown (h);
  gst_caps_unref (caps);
}

GST_END_TEST;

/* A crop meta selects the inferred part; coordinates remain relative to the
 * whole frame. */
GST_START_TEST (test_crop_meta)
{
  const GstVideoRectangle crop = { 31, 17, 90, 63 };
  g_autoptr (GstCaps) caps = test_gst_caps ("NV12", crop.w, crop.h);
  GstCaps *whole = test_gst_caps ("NV12", 160, 120);
  GstBuffer *picture = test_gst_picture_caps (whole, 5), *out;
  GArray *expected = test_gst_expected (picture, whole, &crop, &params,
      Y10_HEAD_AUTO);
  GstHarness *h = test_gst_harness (PROPERTIES);
  GstVideoCropMeta *meta;
  g_autoptr (GArray) rois = NULL;
  guint width;

  fail_unless (expected->len >= 10);
  gst_buffer_add_video_meta (picture, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_FORMAT_NV12, 160, 120);
  meta = gst_buffer_add_video_crop_meta (picture);
  meta->x = crop.x;
  meta->y = crop.y;
  meta->width = crop.w;
  meta->height = crop.h;
  set_caps (h, caps);
  out = gst_harness_push_and_pull (h, picture);
  assert_found (out, expected, 160, 120);
  rois = test_gst_rois (out);
  for (guint i = 0; i < rois->len; i++) {
    const TestBox *box = &g_array_index (rois, TestBox, i);

    fail_unless (box->x >= 31 && box->x + box->w <= 31 + 90);
    fail_unless (box->y >= 17 && box->y + box->h <= 17 + 63);
  }
  fail_unless (
      gst_structure_get_uint (test_gst_frame_meta (out, 0), "width", &width));
  fail_unless_equals_int (width, 160);
  g_array_unref (expected);
  gst_buffer_unref (out);
  gst_harness_teardown (h);
  gst_caps_unref (whole);
}

GST_END_TEST;

/* No part of a frame is copied or changed, whether the element holds the only
 * reference or not; in the latter case only the GstBuffer is new. */
GST_START_TEST (test_untouched)
{
  g_autoptr (GstCaps) caps = test_gst_caps ("NV12", 96, 64);
  GstHarness *h = test_gst_harness (PROPERTIES);

  set_caps (h, caps);
  for (guint shared = 0; shared < 2; shared++) {
    GstBuffer *in = test_gst_picture_caps (caps, 2), *out;
    GstMemory *memory = gst_buffer_peek_memory (in, 0);
    GstBuffer *before = gst_buffer_copy_deep (in);
    GstMapInfo a, b;

    GST_BUFFER_PTS (in) = 123456789;
    GST_BUFFER_DTS (in) = 123456000;
    GST_BUFFER_DURATION (in) = 33333333;
    GST_BUFFER_OFFSET (in) = 42;
    GST_BUFFER_OFFSET_END (in) = 43;
    GST_BUFFER_FLAG_SET (in,
        GST_BUFFER_FLAG_GAP | GST_BUFFER_FLAG_MARKER | GST_BUFFER_FLAG_DISCONT
            | GST_BUFFER_FLAG_CORRUPTED);
    if (shared)
      gst_buffer_ref (in);
    out = gst_harness_push_and_pull (h, in);
    fail_unless ((out == in) == !shared);
    fail_unless (test_gst_n_metas (out) > 1);
    fail_unless (gst_buffer_peek_memory (out, 0) == memory);
    fail_unless_equals_int (gst_buffer_n_memory (out), 1);
    fail_unless_equals_uint64 (GST_BUFFER_PTS (out), 123456789);
    fail_unless_equals_uint64 (GST_BUFFER_DTS (out), 123456000);
    fail_unless_equals_uint64 (GST_BUFFER_DURATION (out), 33333333);
    fail_unless_equals_uint64 (GST_BUFFER_OFFSET (out), 42);
    fail_unless_equals_uint64 (GST_BUFFER_OFFSET_END (out), 43);
    fail_unless (GST_BUFFER_FLAG_IS_SET (out, GST_BUFFER_FLAG_GAP));
    fail_unless (GST_BUFFER_FLAG_IS_SET (out, GST_BUFFER_FLAG_MARKER));
    fail_unless (GST_BUFFER_FLAG_IS_SET (out, GST_BUFFER_FLAG_DISCONT));
    fail_unless (GST_BUFFER_FLAG_IS_SET (out, GST_BUFFER_FLAG_CORRUPTED));
    fail_unless (gst_buffer_map (before, &a, GST_MAP_READ));
    fail_unless (gst_buffer_map (out, &b, GST_MAP_READ));
    fail_unless (a.size == b.size && !memcmp (a.data, b.data, a.size));
    gst_buffer_unmap (before, &a);
    gst_buffer_unmap (out, &b);
    gst_buffer_unref (before);
    gst_buffer_unref (out);
    if (shared) {
      fail_unless_equals_int (test_gst_n_metas (in), 0);
      gst_buffer_unref (in);
    }
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Upstream gets exactly downstream's answer to an allocation query, and is asked to
 * have as many frames more as the element holds with in-flight inferences. */
GST_START_TEST (test_allocation)
{
  g_autoptr (GstCaps) caps = test_gst_caps ("NV12", 96, 64);

  for (guint offered = 0; offered < 2; offered++) {
    GstHarness *h = test_gst_harness ("in-flight=5");
    GstQuery *query = gst_query_new_allocation (caps, TRUE);
    guint min;

    if (offered) {
      gst_harness_add_propose_allocation_meta (h, GST_VIDEO_META_API_TYPE,
          NULL);
      gst_harness_add_propose_allocation_meta (h, GST_VIDEO_CROP_META_API_TYPE,
          NULL);
    }
    set_caps (h, caps);
    gst_pad_peer_query (h->srcpad, query);
    fail_unless_equals_int (gst_query_get_n_allocation_metas (query),
        2 * offered);
    fail_unless_equals_int (gst_query_find_allocation_meta (query,
                                GST_VIDEO_META_API_TYPE, NULL),
        offered);
    if (offered) {
      fail_unless_equals_int (gst_query_get_n_allocation_pools (query), 1);
      gst_query_parse_nth_allocation_pool (query, 0, NULL, NULL, &min, NULL);
      fail_unless_equals_int (min, 5 + 2 + 1);
    }
    gst_query_unref (query);
    gst_harness_teardown (h);
  }
}

GST_END_TEST;

TEST_GST_MAIN (detect_frames)
{
  tcase_set_timeout (tc, 300);
  tcase_add_test (tc, test_rgb_formats);
  tcase_add_test (tc, test_yuv_formats);
  tcase_add_test (tc, test_deep_format);
  tcase_add_test (tc, test_pixel_aspect_ratio);
  tcase_add_test (tc, test_gray_format);
  tcase_add_test (tc, test_template);
  tcase_add_test (tc, test_colorimetry);
  tcase_add_test (tc, test_default_colorimetry);
  tcase_add_test (tc, test_sizes);
  tcase_add_test (tc, test_strides);
  tcase_add_test (tc, test_crop_meta);
  tcase_add_test (tc, test_untouched);
  tcase_add_test (tc, test_allocation);
}
