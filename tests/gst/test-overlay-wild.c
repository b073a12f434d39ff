/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Metadata may come from any element: yolov10overlay draws all valid boxes on a
 * frame and survives the rest. */

#include "overlaycommon.h"

#include <meta/gstyolov10framemeta.h>
#include <math.h>

#define W OVERLAY_WIDTH
#define H OVERLAY_HEIGHT

static void
add_wild_frame_meta (GstBuffer *buffer, const gchar *name, const GValue *value)
{
  GstCustomMeta *meta;
  gpointer state = NULL;
  GstMeta *m, *last = NULL;

  overlay_add_frame_meta (buffer, "wild", W, H, &overlay_person, 1);
  while ((m = gst_buffer_iterate_meta (buffer, &state)))
    if (gst_meta_info_is_custom (m->info))
      last = m;
  meta = (GstCustomMeta *) last;
  if (value)
    gst_structure_set_value (gst_custom_meta_get_structure (meta), name, value);
  else
    gst_structure_remove_field (gst_custom_meta_get_structure (meta), name);
}

/* Each field in turn is missing, or has another type or value. */
GST_START_TEST (test_wild_frame_meta)
{
  static const gchar *const fields[] = { "version", "producer", "model",
    "width", "height", "inference", "age", "count", "record-size", "records",
    "labels" };
  static const gchar *const values[] = { "(uint)0", "(uint)4294967295",
    "(uint)31", "(uint)33", "(int)-1", "(string)\"\"", "(double)1e300",
    "(string)\"x\\ny\"", "(fraction)1/3", "(gint64)-1" };
  g_autoptr (GstBuffer) before = overlay_picture (overlay_nv12, FALSE);
  guint i, j;

  for (i = 0; i < G_N_ELEMENTS (fields); i++) {
    for (j = 0; j <= G_N_ELEMENTS (values); j++) {
      GstBuffer *buffer = overlay_picture (overlay_nv12, FALSE);
      GstStructure *s = NULL;

      if (j < G_N_ELEMENTS (values)) {
        gchar *line = g_strdup_printf ("s,v=%s", values[j]);

        s = gst_structure_from_string (line, NULL);
        fail_unless (s != NULL, "%s", line);
        g_free (line);
      }
      add_wild_frame_meta (buffer, fields[i],
          s ? gst_structure_get_value (s, "v") : NULL);
      overlay_add_roi (buffer, &overlay_car);
      buffer = overlay_run (NULL, overlay_nv12, buffer);
      /* The car is drawn in any case. */
      fail_unless (
          overlay_n_changed (before, buffer, overlay_nv12, 170, 70, 280, 150)
          > 200);
      gst_buffer_unref (buffer);
      if (s)
        gst_structure_free (s);
    }
  }
}

GST_END_TEST;

GST_START_TEST (test_wild_records)
{
  const gfloat edges[] = { NAN, INFINITY, -INFINITY, -1e30f, 1e30f, -0.1f, 0,
    0.5f, 1, 1.1f };
  const guint n = G_N_ELEMENTS (edges);
  g_autoptr (GstBuffer) before = overlay_picture (overlay_nv12, FALSE);
  guint i;

  /* All pairs of edges, one box each. */
  for (i = 0; i < n * n; i++) {
    gfloat a = edges[i / n], b = edges[i % n];
    OverlayBox box = { 0, "p", a, 0, 0, 0, 0 };
    GstBuffer *buffer = overlay_picture (overlay_nv12, FALSE), *out;
    gboolean visible = a < b && a < 1 && b > 0;
    GstYolov10Record *record;
    GstCustomMeta *meta;
    GBytes *bytes;

    overlay_add_frame_meta (buffer, "d", W, H, &box, 1);
    record = g_new0 (GstYolov10Record, 1);
    record->confidence = a;
    record->x_min = record->y_min = a;
    record->x_max = record->y_max = b;
    record->label_offset = i % 3 ? 0 : G_MAXUINT32;
    bytes = g_bytes_new_take (record, sizeof *record);
    meta = gst_buffer_get_custom_meta (buffer, GST_YOLOV10_FRAME_META_NAME);
    gst_structure_set (gst_custom_meta_get_structure (meta), "records",
        G_TYPE_BYTES, bytes, NULL);
    g_bytes_unref (bytes);
    out = overlay_run (NULL, overlay_nv12, buffer);
    fail_unless (overlay_is_same (before, out, overlay_nv12) != visible,
        "edges %g and %g", a, b);
    gst_buffer_unref (out);
  }
}

GST_END_TEST;

GST_START_TEST (test_wild_rois)
{
  const guint edges[] = { 0, 1, 2, 160, 239, 240, 319, 320, 321, 65536,
    G_MAXINT - 1, G_MAXINT, (guint) G_MAXINT + 1, (guint) -100, (guint) -1 };
  const guint n = G_N_ELEMENTS (edges);
  GstBuffer *buffer, *before = overlay_picture (overlay_nv12, FALSE);
  GstVideoRegionOfInterestMeta *roi;
  guint i;

  for (i = 0; i < n * n; i++) {
    guint x = edges[i / n], w = edges[i % n];

    buffer = overlay_picture (overlay_nv12, FALSE);
    roi = gst_buffer_add_video_region_of_interest_meta (buffer, "x", x, x, w,
        w);
    roi->id = i % 2 ? G_MININT : G_MAXINT;
    buffer = overlay_run (NULL, overlay_nv12, buffer);
    /* Producers mean signed numbers. */
    fail_unless (overlay_is_same (before, buffer, overlay_nv12)
            == ((gint) w <= 0 || (gint) x >= H
                || (gint64) (gint) x + (gint) w <= 0),
        "x %d, width %d", (gint) x, (gint) w);
    gst_buffer_unref (buffer);
  }

  /* Params of the wrong name, types and values. */
  buffer = overlay_picture (overlay_nv12, FALSE);
  for (i = 0; i < 6; i++) {
    static const gchar *const params[] = {
      "detection, confidence=(string)high, label=(int)3",
      "detection, confidence=(double)1e300", "detection",
      "roi/x264enc, delta-qp=(int)5", "detection, confidence=(double)-1",
      "detection, label=(string)NULL, confidence=(float)0.5"
    };

    roi = gst_buffer_add_video_region_of_interest_meta (buffer, "x", 40 * i, 50,
        30, 30);
    roi->id = i;
    gst_video_region_of_interest_meta_add_param (roi,
        gst_structure_from_string (params[i], NULL));
  }
  buffer = overlay_run ("show-label=false", overlay_nv12, buffer);
  for (i = 0; i < 6; i++)
    fail_unless (overlay_n_changed (before, buffer, overlay_nv12, 40 * i, 50,
                     40 * i + 30, 80)
            > 100,
        "ROI %u", i);
  gst_buffer_unref (buffer);
  gst_buffer_unref (before);
}

GST_END_TEST;

GST_START_TEST (test_wild_labels)
{
  static const gchar *const labels[] = { "", " ", "\xff\xfe\x80", "\t\v\a",
    "<b>&amp;</b>", "\xf0\x9f\x9a\x97 \xe8\xbb\x8a \xd7\x9e\xd7\x9b", "%s%n",
    "\xe2\x80\xaeright to left", "\xc3", "\033[31mred\033]0;title\a",
    ("\xc2\x9b"
     "31m"),
    "\xed\xa0\xbd\xed\xba\x97", "a\xcc\x81\xcc\x81\xcc\x81" };
  g_autofree gchar *huge = g_strnfill (100000, 'W');
  GstBuffer *buffer, *before = overlay_picture (overlay_nv12, FALSE);
  guint i;

  for (i = 0; i <= G_N_ELEMENTS (labels); i++) {
    OverlayBox box = { 0, i < G_N_ELEMENTS (labels) ? labels[i] : huge, 0.5,
      100, 100, 50, 50 };

    buffer = overlay_picture (overlay_nv12, FALSE);
    /* GStreamer keeps other bytes out of structures, but not out of types. */
    if (g_utf8_validate (box.label, -1, NULL)) {
      overlay_add_frame_meta (buffer, "d", W, H, &box, 1);
      overlay_add_roi (buffer, &box);
    }
    box.confidence = -1;
    box.x = 200;
    overlay_add_roi (buffer, &box);
    buffer = overlay_run (NULL, overlay_nv12, buffer);
    fail_unless (overlay_n_changed (before, buffer, overlay_nv12, 198, 98, 252,
                     152)
            > 300,
        "label %u", i);
    gst_buffer_unref (buffer);
  }
  gst_buffer_unref (before);
}

GST_END_TEST;

TEST_CHECK_MAIN (overlay_wild)
{
  tcase_add_checked_fixture (tc, overlay_setup, overlay_teardown);
  tcase_add_test (tc, test_wild_frame_meta);
  tcase_add_test (tc, test_wild_records);
  tcase_add_test (tc, test_wild_rois);
  tcase_add_test (tc, test_wild_labels);
}
