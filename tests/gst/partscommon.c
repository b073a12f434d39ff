/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* What the element should find in parts of a frame comes from the engine, part by
 * part. */

#include "partscommon.h"

GstBuffer *
parts_picture (const GstCaps *caps, guint seed)
{
  GstBuffer *buffer = test_gst_picture_caps (caps, seed);

  GST_BUFFER_PTS (buffer) = seed * GST_SECOND;
  return buffer;
}

GArray *
parts_expect (GstBuffer *buffer, const GstCaps *caps, const Y10Image *image,
    Y10Part *parts, guint n, const Y10Region *region, Y10RegionAnchor anchor,
    const Y10HeadParams *params)
{
  GArray *found = g_array_sized_new (FALSE, FALSE, sizeof (Y10Detection), 1000);
  GArray *rows[Y10_MAX_PARTS];
  Y10HeadParams of_parts;

  fail_unless (n > 0);
  y10_parts_get_params (params, 1000, &of_parts);
  for (guint i = 0; i < n; i++) {
    const GstVideoRectangle rect = { (gint) (image->x + parts[i].x),
      (gint) (image->y + parts[i].y), (gint) parts[i].width,
      (gint) parts[i].height };

    rows[i] = test_gst_expected (buffer, caps, &rect, &of_parts, Y10_HEAD_AUTO);
    parts[i].detections = (Y10Detection *) rows[i]->data;
    parts[i].n_detections = (gint) rows[i]->len;
    for (guint j = 0; j < rows[i]->len; j++) {
      parts[i].detections[j].x0 -= rect.x;
      parts[i].detections[j].y0 -= rect.y;
      parts[i].detections[j].x1 -= rect.x;
      parts[i].detections[j].y1 -= rect.y;
    }
  }
  g_array_set_size (found,
      y10_parts_merge (image, parts, n, params, region, anchor,
          (Y10Detection *) found->data, 1000));
  for (guint i = 0; i < found->len; i++) {
    Y10Detection *d = &g_array_index (found, Y10Detection, i);

    d->x0 += image->x;
    d->y0 += image->y;
    d->x1 += image->x;
    d->y1 += image->y;
  }
  for (guint i = 0; i < n; i++)
    g_array_unref (rows[i]);
  return found;
}
