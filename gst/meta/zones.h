/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Zones and lines with their counts: fields of the frame meta. */

#include <gst/gst.h>

#include "meta/gstyolov10framemeta.h"

G_BEGIN_DECLS

/* Zones and lines of one frame, of all elements together; a reader ignores further ones. */
#define GST_Y10_ZONE_META_MAX 256

/* Names as lines, the corners of each shape, and these. */
typedef struct
{
  gchar *names;
  GBytes *shapes, *points;
} GstY10ZoneTexts;

/* What is the same for all frames of a set of zones. */
typedef struct
{
  GstY10ZoneTexts own;
  GstY10ZoneTexts
      before; /* of elements upstream, in the last frame; empty: none */
  GstY10ZoneTexts joined; /* both */
} GstY10ZoneOutlines;

/* A zone as read. Strings and arrays are borrowed from the buffer. */
typedef struct
{
  GstYolov10Zone zone;
  const gchar *name; /* not NUL-terminated */
  gsize name_length;
  guint first_shape, first_point;
} GstY10ZoneView;

typedef struct
{
  guint n;
  GstY10ZoneView zones[GST_Y10_ZONE_META_MAX];
  guint n_shapes, n_points; /* of all of them */
  const guint8 *shapes, *points;
} GstY10ZoneViews;

void gst_y10_zone_outlines_clear (GstY10ZoneOutlines *outlines);
GstStructure *gst_y10_zone_meta_open (GstBuffer *buffer, const gchar *producer,
    guint width, guint height);
void gst_y10_zone_meta_write (GstStructure *structure,
    GstY10ZoneOutlines *outlines, const GstYolov10Zone *zones, guint n);

void gst_y10_zone_views_read (GstY10ZoneViews *views,
    const GstStructure *structure);
guint gst_y10_zone_views_get_shape (const GstY10ZoneViews *views, guint shape);
void gst_y10_zone_views_get_point (const GstY10ZoneViews *views, guint point,
    gfloat *xy);

G_END_DECLS
