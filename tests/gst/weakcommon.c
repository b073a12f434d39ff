/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* See weakcommon.h. */
#include "weakcommon.h"

#include <meta/gstyolov10framemeta.h>
#include <string.h>

GstEvent *
weak_request (const char *sender, gdouble confidence)
{
  return gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM,
      gst_structure_new ("GstYolov10WeakRequest", "sender", G_TYPE_STRING,
          sender, "confidence", G_TYPE_DOUBLE, confidence, NULL));
}

GArray *
weak_get (GstBuffer *buffer)
{
  const GstStructure *meta = test_gst_frame_meta (buffer, 0);
  const GValue *bytes = gst_structure_get_value (meta, "weak-records");
  GstStructure *copy;
  GArray *boxes;
  gsize size;

  fail_unless (!bytes == !gst_structure_has_field (meta, "weak-labels"));
  if (!bytes)
    return NULL;
  size = g_bytes_get_size (g_value_get_boxed (bytes));
  fail_unless (size % sizeof (GstYolov10Record) == 0);
  copy = gst_structure_copy (meta);
  gst_structure_set_value (copy, "records", bytes);
  gst_structure_set (copy, "labels", G_TYPE_STRING,
      gst_structure_get_string (meta, "weak-labels"), "count", G_TYPE_UINT,
      (guint) (size / sizeof (GstYolov10Record)), NULL);
  boxes = test_gst_records (copy);
  fail_unless_equals_int (boxes->len, size / sizeof (GstYolov10Record));
  for (guint i = 0; i < boxes->len; i++)
    fail_unless_equals_int (g_array_index (boxes, TestBox, i).id, -1);
  gst_structure_free (copy);
  return boxes;
}

guint
weak_count (GstBuffer *buffer)
{
  GArray *boxes = weak_get (buffer);
  guint n = boxes ? boxes->len : 0;

  if (boxes)
    g_array_unref (boxes);
  return n;
}

gboolean
weak_is_there (GstBuffer *buffer)
{
  GArray *boxes = weak_get (buffer);

  if (boxes)
    g_array_unref (boxes);
  return boxes != NULL;
}

gboolean
weak_is_field (const gchar *name)
{
  return g_str_has_prefix (name, "weak-");
}

void
weak_assert_same (GstBuffer *without, GstBuffer *with)
{
  const GstStructure *a = test_gst_frame_meta (without, 0);
  const GstStructure *b = test_gst_frame_meta (with, 0);
  GArray *rois = test_gst_rois (without), *others = test_gst_rois (with);

  fail_unless_equals_int (test_gst_n_metas (with), test_gst_n_metas (without));
  fail_unless_equals_int (rois->len, others->len);
  fail_unless (
      !memcmp (rois->data, others->data, rois->len * sizeof (TestBox)));
  fail_if (weak_is_there (without));
  for (gint i = 0; i < gst_structure_n_fields (b); i++) {
    const gchar *name = gst_structure_nth_field_name (b, (guint) i);
    const GValue *v = gst_structure_get_value (a, name);
    const GValue *w = gst_structure_get_value (b, name);

    if (weak_is_field (name))
      continue;
    fail_unless (v != NULL, "%s", name);
    if (G_VALUE_HOLDS (w, G_TYPE_BYTES))
      fail_unless (g_bytes_equal (g_value_get_boxed (v), g_value_get_boxed (w)),
          "%s", name);
    else
      fail_unless (gst_value_compare (v, w) == GST_VALUE_EQUAL, "%s", name);
  }
  fail_unless_equals_int (gst_structure_n_fields (b),
      gst_structure_n_fields (a) + 2 * weak_is_there (with));
  g_array_unref (rois);
  g_array_unref (others);
}
