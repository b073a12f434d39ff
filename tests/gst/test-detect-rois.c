/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* yolov10detect in regions of interest that others have attached: regions of any kind
 * are accepted, the boxes are those of each region inferred alone by the engine,
 * merged, and each names the region that it lies in. */

#include "partscommon.h"

typedef struct
{
  const char *type;
  gint x, y, w, h, id;
} Roi;

static void
add_roi (GstBuffer *buffer, const Roi *roi)
{
  GstVideoRegionOfInterestMeta *meta =
      gst_buffer_add_video_region_of_interest_meta (buffer, roi->type,
          (guint) roi->x, (guint) roi->y, (guint) roi->w, (guint) roi->h);

  meta->id = roi->id;
}

/* What it should find in these regions, which lie inside the frame. */
static GArray *
expect_rois (GstBuffer *buffer, const GstCaps *caps, const Roi *rois, guint n)
{
  static const Y10HeadParams params = {
    .size = sizeof params,
    .confidence = 0.02f,
    .iou = 0.7f,
    .max_detections = 300,
  };
  const Y10Image image = {
    .size = sizeof image,
    .format = Y10_PIXEL_NV12,
    .width = WIDTH,
    .height = HEIGHT,
  };
  Y10Part parts[Y10_MAX_PARTS];

  for (guint i = 0; i < n; i++)
    y10_part_set (&parts[i], &image, rois[i].x, rois[i].y,
        rois[i].x + rois[i].w, rois[i].y + rois[i].h);
  return parts_expect (buffer, caps, &image, parts, n, NULL, 0, &params);
}

/* Asserts the boxes behind the @n_before first regions. Each has the region of
 * interest as its parent that is the smallest around its middle. */
static void
assert_found (GstBuffer *out, guint n_before, const Roi *rois, guint n_rois,
    GArray *expected)
{
  g_autoptr (GArray) boxes = test_gst_rois (out);
  gpointer state = NULL;
  guint n = 0;
  GstMeta *meta;

  g_array_remove_range (boxes, 0, n_before);
  test_gst_assert_same (boxes, expected, WIDTH, HEIGHT);
  while ((meta = gst_buffer_iterate_meta_filtered (out, &state,
              GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE))) {
    const GstVideoRegionOfInterestMeta *roi = (gpointer) meta;
    const TestBox *box = &g_array_index (boxes, TestBox, n - n_before);
    gint parent = -1, least = G_MAXINT;
    gdouble x, y;

    if (n++ < n_before)
      continue;
    x = (box->x_min + box->x_max) / 2 * WIDTH;
    y = (box->y_min + box->y_max) / 2 * HEIGHT;
    for (guint i = 0; i < n_rois; i++)
      /* Regions are aligned to chroma samples. */
      if (x >= rois[i].x - 1 && x <= rois[i].x + rois[i].w + 1
          && y >= rois[i].y - 1 && y <= rois[i].y + rois[i].h + 1
          && rois[i].w * rois[i].h < least) {
        least = rois[i].w * rois[i].h;
        parent = rois[i].id;
      }
    fail_unless (parent >= 0);
    fail_unless_equals_int (roi->parent_id, parent);
  }
  g_array_unref (expected);
}

static guint64
inferences (GstElement *e)
{
  GstStructure *stats;
  guint64 n;

  g_object_get (e, "engine-stats", &stats, NULL);
  fail_unless (gst_structure_get_uint64 (stats, "inferences", &n));
  gst_structure_free (stats);
  return n;
}

/* Regions of interest of other producers: valid ones, and any others. */
GST_START_TEST (test_rois)
{
  static const Roi all[] = {
    { "car", 10, 20, 80, 60, 3 },
    { "person", 60, 50, 102, 72, 4 },
    { "person", WIDTH, 0, 10, 10, 5 },
    { "person", 0, HEIGHT + 7, 10, 10, 6 },
    { "person", 20, 20, 0, 50, 7 },
    { "person", 20, 20, 50, -1, 8 },
    { "person", G_MININT, G_MININT, G_MAXINT, G_MAXINT, 9 },
    { "person", G_MAXINT, 0, G_MAXINT, 1, 10 },
    { "dog", -40, -30, 100, 90, 11 },
  };
  static const Roi valid[] = {
    { "car", 10, 20, 80, 60, 3 },
    { "person", 60, 50, 102, 72, 4 },
    { "dog", 0, 0, 60, 60, 11 },
  };
  g_autoptr (GstCaps) caps = test_gst_caps ("NV12", WIDTH, HEIGHT);
  GstHarness *h = test_gst_harness ("confidence=0.02 roi-source=meta");
  GstBuffer *buffer = parts_picture (caps, 0), *out;
  const GstStructure *meta;
  guint count;

  gst_harness_set_src_caps (h, gst_caps_ref (caps));
  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    add_roi (buffer, &all[i]);
  out = gst_harness_push_and_pull (h, gst_buffer_ref (buffer));
  assert_found (out, G_N_ELEMENTS (all), valid, 3,
      expect_rois (buffer, caps, valid, 3));
  gst_buffer_unref (out);
  fail_unless_equals_uint64 (inferences (h->element), 3);
  /* Some types only. */
  g_object_set (h->element, "roi-type", "dog, car", NULL);
  out = gst_harness_push_and_pull (h, gst_buffer_copy (buffer));
  fail_unless_equals_uint64 (inferences (h->element), 5);
  gst_buffer_unref (out);
  /* None: nothing is inferred, and the result is that nothing was found. */
  g_object_set (h->element, "roi-type", "cat", NULL);
  out = gst_harness_push_and_pull (h, gst_buffer_copy (buffer));
  meta = test_gst_frame_meta (out, 0);
  fail_unless_equals_string (gst_structure_get_string (meta, "inference"),
      "fresh");
  fail_unless (gst_structure_get_uint (meta, "count", &count));
  fail_unless_equals_int (count, 0);
  gst_buffer_unref (out);
  fail_unless_equals_uint64 (inferences (h->element), 5);
  gst_buffer_unref (buffer);
  gst_harness_teardown (h);
  /* Thousands: the first 64. */
  h = test_gst_harness ("input-size=32 roi-source=meta");
  gst_harness_set_src_caps (h, gst_caps_ref (caps));
  buffer = parts_picture (caps, 1);
  for (gint i = 0; i < 5000; i++)
    add_roi (buffer, &(Roi){ "person", i % 100, i % 70, 4, 4, i });
  gst_buffer_unref (gst_harness_push_and_pull (h, buffer));
  fail_unless_equals_uint64 (inferences (h->element), 64);
  fail_unless_equals_uint64 (test_gst_stat (h->element, "inferred"), 1);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* A detector in the regions of interest of another one, which has found large
 * boxes only. Boxes are in pixels of the frame. */
GST_START_TEST (test_two_stages)
{
  g_autoptr (GstCaps) caps = test_gst_caps ("NV12", WIDTH, HEIGHT);
  g_autofree gchar *line = g_strdup_printf (
      "yolov10detect model-file=%s backend=ref "
      "late-policy=infer-all confidence=0.02 min-size=0.2 max-detections=3 ! "
      "yolov10detect model-file=%s backend=ref late-policy=infer-all "
      "confidence=0.02 roi-source=meta",
      test_gst_other_model (), test_gst_model ());
  GstHarness *h = gst_harness_new_parse (line);
  guint n_found = 0;

  gst_harness_set_src_caps (h, gst_caps_ref (caps));
  for (guint i = 0; i < 3; i++) {
    GstBuffer *buffer = parts_picture (caps, i), *out;
    GArray *boxes, *expected;
    Roi rois[3];
    guint n = 0;

    out = gst_harness_push_and_pull (h, gst_buffer_ref (buffer));
    boxes = test_gst_rois (out);
    for (guint j = 0; j < boxes->len; j++) {
      const TestBox *box = &g_array_index (boxes, TestBox, j);

      if (n == 3
          || !g_strv_contains ((const gchar *[]){ "one", "two", "three", NULL },
              box->label))
        break;
      rois[n++] = (Roi){ box->label, (gint) box->x, (gint) box->y,
        (gint) box->w, (gint) box->h, box->id };
    }
    fail_unless (n > 0);
    expected = expect_rois (buffer, caps, rois, n);
    n_found += expected->len;
    assert_found (out, n, rois, n, expected);
    g_array_unref (boxes);
    gst_buffer_unref (out);
    gst_buffer_unref (buffer);
  }
  fail_unless (n_found > 0);
  gst_harness_teardown (h);
}

GST_END_TEST;

TEST_GST_MAIN (detect_rois)
{
  tcase_set_timeout (tc, 120);
  tcase_add_test (tc, test_rois);
  tcase_add_test (tc, test_two_stages);
}
