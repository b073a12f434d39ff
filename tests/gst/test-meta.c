/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The metadata of yolov10detect equal the engine's detections, in each kind of
 * metadata, also without detections and after other elements' metadata. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstcommon.h"

#include <meta/gstyolov10framemeta.h>
#ifdef HAVE_GST_ANALYTICS
#include <gst/analytics/analytics.h>
#endif

static const Y10HeadParams params = {
  .size = sizeof (Y10HeadParams),
  .confidence = 0.05f,
  .iou = 0.7f,
  .max_detections = 1000,
};

#define PROPERTIES "confidence=0.05 max-detections=1000"

static GstBuffer *
through (GstHarness *h, const char *format, guint seed)
{
  g_autoptr (GstCaps) caps = test_gst_caps (format, 160, 120);
  GstBuffer *buffer = test_gst_picture_caps (caps, seed);

  gst_harness_set_caps (h, gst_caps_copy (caps), gst_caps_copy (caps));
  return gst_harness_push_and_pull (h, buffer);
}

GST_START_TEST (test_contents)
{
  GstCaps *caps = test_gst_caps ("RGB", 160, 120);
  GstBuffer *picture = test_gst_picture_caps (caps, 4), *out;
  GArray *expected = test_gst_expected (picture, caps, NULL, &params,
      Y10_HEAD_AUTO);
  GstHarness *h = test_gst_harness (PROPERTIES);
  g_autoptr (GArray) rois = NULL;
  g_autoptr (GArray) records = NULL;
  const GstStructure *meta;
  gpointer state = NULL;
  guint version, width, height, n, size;
  guint64 age;

  fail_unless (expected->len >= 10);
  gst_harness_set_caps (h, gst_caps_ref (caps), gst_caps_ref (caps));
  out = gst_harness_push_and_pull (h, picture);
  rois = test_gst_rois (out);
  test_gst_assert_same (rois, expected, 160, 120);
  for (guint i = 0; i < rois->len; i++) {
    const TestBox *box = &g_array_index (rois, TestBox, i);
    GstVideoRegionOfInterestMeta *roi = (gpointer)
        gst_buffer_iterate_meta_filtered (out, &state,
            GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE);

    fail_unless_equals_int (box->id, i);
    fail_unless_equals_int (roi->parent_id, -1);
    fail_unless_equals_int (g_list_length (roi->params), 1);
    fail_unless_equals_string (box->model, "yolov10 (custom)");
  }

  meta = test_gst_frame_meta (out, 0);
  records = test_gst_records (meta);
  test_gst_assert_same (records, expected, 160, 120);
  for (guint i = 0; i < records->len; i++)
    fail_unless_equals_int (g_array_index (records, TestBox, i).id, i);
  fail_unless (gst_structure_get (meta, "version", G_TYPE_UINT, &version,
      "width", G_TYPE_UINT, &width, "height", G_TYPE_UINT, &height, "count",
      G_TYPE_UINT, &n, "record-size", G_TYPE_UINT, &size, "age", G_TYPE_UINT64,
      &age, NULL));
  fail_unless (version == 1 && width == 160 && height == 120 && size == 32);
  fail_unless_equals_int (n, expected->len);
  fail_unless_equals_uint64 (age, 0);
  fail_unless_equals_string (gst_structure_get_string (meta, "inference"),
      "fresh");
  fail_unless_equals_string (gst_structure_get_string (meta, "producer"), "d");
  fail_unless_equals_string (gst_structure_get_string (meta, "model"),
      "yolov10 (custom)");

  g_array_unref (expected);
  gst_buffer_unref (out);
  gst_harness_teardown (h);
  gst_caps_unref (caps);
}

GST_END_TEST;

GST_START_TEST (test_nothing_found)
{
  GstHarness *h = test_gst_harness ("confidence=1");
  g_autoptr (GstBuffer) out = through (h, "I420", 4);
  const GstStructure *meta = test_gst_frame_meta (out, 0);
  GstYolov10Record record;
  guint n = 1;

  /* The frame meta and the inspection that privacy relies on. */
  fail_unless_equals_int (test_gst_n_metas (out), 2);
  fail_unless (meta && gst_structure_get_uint (meta, "count", &n));
  fail_unless_equals_int (n, 0);
  fail_unless_equals_string (gst_structure_get_string (meta, "inference"),
      "fresh");
  fail_unless_equals_string (gst_structure_get_string (meta, "labels"), "");
  fail_if (gst_yolov10_frame_meta_get_record (meta, 0, &record, NULL));
  gst_harness_teardown (h);
}

GST_END_TEST;

/* A detection has the same id in all kinds of metadata. */
GST_START_TEST (test_attach)
{
  static const char *const attach[] = { "roi", "frame", "roi+frame" };

  for (guint i = 0; i < G_N_ELEMENTS (attach); i++) {
    gchar *properties = g_strdup_printf (PROPERTIES " attach=%s", attach[i]);
    GstHarness *h = test_gst_harness (properties);
    GstBuffer *out = through (h, "NV12", 4);
    GArray *rois = test_gst_rois (out);

    fail_unless_equals_int (rois->len > 0, i != 1);
    fail_unless_equals_int (test_gst_frame_meta (out, 0) != NULL, i != 0);
    for (guint k = 0; k < rois->len; k++)
      fail_unless_equals_int (g_array_index (rois, TestBox, k).id, k);
    g_array_unref (rois);
    gst_buffer_unref (out);
    gst_harness_teardown (h);
    g_free (properties);
  }
}

GST_END_TEST;

/* Two detectors in series behind another producer: all metadata are kept, no id
 * occurs twice, and each frame meta names its detector. */
GST_START_TEST (test_series)
{
  g_autofree gchar *line = g_strdup_printf (
      "yolov10detect name=one model-file=%s "
      "backend=ref confidence=0.05 max-detections=7 ! yolov10detect name=two model-file=%s "
      "backend=ref classes=bus max-detections=5 confidence=0.01 ! "
      "yolov10detect name=three attach=frame classes=person model-file=%s "
      "backend=ref max-detections=2 confidence=0.01",
      test_gst_model (), test_gst_model (), test_gst_model ());
  GstHarness *h = gst_harness_new_parse (line);
  GstCaps *caps = test_gst_caps ("RGB", 160, 120);
  GstBuffer *out = test_gst_picture_caps (caps, 4);
  const char *const names[] = { "one", "two", "three" };
  g_autoptr (GHashTable) ids = g_hash_table_new (NULL, NULL);
  const gint foreign_id = 17;
  GstVideoRegionOfInterestMeta *foreign;
  guint n_records[3], n_rois;
  g_autoptr (GArray) rois = NULL;

  foreign = gst_buffer_add_video_region_of_interest_meta (out, "face", 1, 2, 3,
      4);
  foreign->id = foreign_id;
  gst_harness_set_caps (h, gst_caps_ref (caps), caps);
  out = gst_harness_push_and_pull (h, out);

  rois = test_gst_rois (out);
  n_rois = rois->len;
  fail_unless_equals_string (g_array_index (rois, TestBox, 0).label, "face");
  for (guint i = 0; i < 3; i++) {
    const GstStructure *meta = test_gst_frame_meta (out, i);
    GArray *records = test_gst_records (meta);

    n_records[i] = records->len;
    fail_unless_equals_string (gst_structure_get_string (meta, "producer"),
        names[i]);
    for (guint k = 0; k < records->len; k++) {
      const TestBox *record = &g_array_index (records, TestBox, k);
      guint found = 0;

      fail_unless (record->id != foreign_id);
      fail_unless (g_hash_table_add (ids, GINT_TO_POINTER (record->id)));
      for (guint r = 0; r < rois->len; r++) {
        const TestBox *roi = &g_array_index (rois, TestBox, r);

        if (roi->id == record->id) {
          found++;
          fail_unless_equals_string (roi->label, record->label);
          fail_unless (ABS (roi->x_min - record->x_min) < 1e-6);
        }
      }
      fail_unless_equals_int (found, i < 2);
    }
    g_array_unref (records);
  }
  fail_unless_equals_int (n_records[0], 7);
  fail_unless_equals_int (n_records[1], 5);
  fail_unless_equals_int (n_records[2], 2);
  fail_unless_equals_int (n_rois, 1 + 7 + 5);
  fail_unless (test_gst_frame_meta (out, 3) == NULL);

  gst_buffer_unref (out);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Metadata own their contents: they outlive the detector. */
GST_START_TEST (test_outlives)
{
  GstHarness *h = test_gst_harness (PROPERTIES);
  g_autoptr (GstBuffer) out = through (h, "RGB", 4);
  GArray *before = test_gst_rois (out), *after, *records;

  gst_harness_teardown (h);
  after = test_gst_rois (out);
  records = test_gst_records (test_gst_frame_meta (out, 0));
  fail_unless_equals_int (before->len, after->len);
  fail_unless_equals_int (before->len, records->len);
  for (guint i = 0; i < before->len; i++)
    fail_unless_equals_string (g_array_index (before, TestBox, i).label,
        g_array_index (records, TestBox, i).label);
  g_array_unref (before);
  g_array_unref (after);
  g_array_unref (records);
}

GST_END_TEST;

/* `classes` and the metadata use the names of the label file. */
GST_START_TEST (test_labels)
{
  gchar *labels = test_gst_file ("labels.txt",
      "Mensch\nK\xc3\xa4se\n"
      "long name, with comma\n",
      -1);
  gchar *properties = g_strdup_printf (PROPERTIES " label-file=%s "
                                                  "classes=\"K\xc3\xa4se\"",
      labels);
  GstHarness *h = test_gst_harness (properties);
  g_autoptr (GstBuffer) out = through (h, "RGB", 4);
  g_autoptr (GArray) rois = test_gst_rois (out);

  fail_unless (rois->len > 0);
  for (guint i = 0; i < rois->len; i++) {
    fail_unless_equals_string (g_array_index (rois, TestBox, i).label,
        "K\xc3\xa4se");
    fail_unless_equals_int (g_array_index (rois, TestBox, i).label_id, 1);
  }
  gst_harness_teardown (h);
  g_free (properties);
  g_free (labels);
}

GST_END_TEST;

/* The reader accepts metadata of other producers. */
GST_START_TEST (test_reader)
{
  GstYolov10Record record = { .id = 5, .label_offset = 4 }, got;
  g_autoptr (GBytes) bytes = g_bytes_new (&record, sizeof record);
  GstStructure *s = gst_structure_new ("m", "count", G_TYPE_UINT, 1,
      "record-size", G_TYPE_UINT, 32, "records", G_TYPE_BYTES, bytes, "labels",
      G_TYPE_STRING, "one\ntwo\n", NULL);
  gchar *label;

  fail_unless (gst_yolov10_frame_meta_get_record (s, 0, &got, &label));
  fail_unless_equals_string (label, "two");
  fail_unless_equals_int (got.id, 5);
  g_free (label);
  fail_if (gst_yolov10_frame_meta_get_record (s, 1, &got, NULL));
  gst_structure_set (s, "count", G_TYPE_UINT, 2, NULL);
  fail_if (gst_yolov10_frame_meta_get_record (s, 1, &got, NULL));
  gst_structure_set (s, "record-size", G_TYPE_UINT, 31, NULL);
  fail_if (gst_yolov10_frame_meta_get_record (s, 0, &got, NULL));
  gst_structure_set (s, "record-size", G_TYPE_UINT, 33, NULL);
  fail_if (gst_yolov10_frame_meta_get_record (s, 0, &got, NULL));
  gst_structure_set (s, "record-size", G_TYPE_UINT, 32, "labels", G_TYPE_STRING,
      "no", NULL);
  fail_unless (gst_yolov10_frame_meta_get_record (s, 0, &got, &label));
  fail_unless_equals_string (label, "");
  g_free (label);
  gst_structure_set (s, "records", G_TYPE_STRING, "not bytes", NULL);
  fail_if (gst_yolov10_frame_meta_get_record (s, 0, &got, NULL));
  gst_structure_remove_field (s, "records");
  fail_if (gst_yolov10_frame_meta_get_record (s, 0, &got, NULL));
  gst_structure_free (s);
}

GST_END_TEST;

#ifdef HAVE_GST_ANALYTICS
GST_START_TEST (test_analytics)
{
  GstHarness *h = test_gst_harness (PROPERTIES);
  g_autoptr (GstBuffer) out = through (h, "RGB", 4);
  g_autoptr (GArray) rois = test_gst_rois (out);
  GstAnalyticsRelationMeta *relations = gst_buffer_get_analytics_relation_meta (
      out);

  fail_unless (relations != NULL && rois->len >= 10);
  fail_unless_equals_int (gst_analytics_relation_get_length (relations),
      rois->len);
  for (guint i = 0; i < rois->len; i++) {
    const TestBox *box = &g_array_index (rois, TestBox, i);
    GstAnalyticsODMtd mtd;
    gint x, y, w, hh;
    gfloat confidence;

    fail_unless (
        gst_analytics_relation_meta_get_od_mtd (relations, box->id, &mtd));
    fail_unless (
        gst_analytics_od_mtd_get_location (&mtd, &x, &y, &w, &hh, &confidence));
    fail_unless (x == (gint) box->x && y == (gint) box->y);
    fail_unless (w == (gint) box->w && hh == (gint) box->h);
    fail_unless (ABS (confidence - box->confidence) < 1e-6);
    fail_unless_equals_string (g_quark_to_string (
                                   gst_analytics_od_mtd_get_obj_type (&mtd)),
        box->label);
  }
  gst_harness_teardown (h);
}

GST_END_TEST;
#endif

TEST_GST_MAIN (meta)
{
  tcase_add_test (tc, test_contents);
  tcase_add_test (tc, test_nothing_found);
  tcase_add_test (tc, test_attach);
  tcase_add_test (tc, test_series);
  tcase_add_test (tc, test_outlives);
  tcase_add_test (tc, test_labels);
  tcase_add_test (tc, test_reader);
#ifdef HAVE_GST_ANALYTICS
  tcase_add_test (tc, test_analytics);
#endif
}
