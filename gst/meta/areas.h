/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Where in a frame a detector has looked: the parts that it inferred, and its
 * region. Fields of the frame meta, for inspection. */

#include <gst/gst.h>

G_BEGIN_DECLS

/* As many as yolov10detect accepts. */
#define GST_Y10_MAX_AREA_PARTS 65
#define GST_Y10_MAX_AREA_SHAPES 32
#define GST_Y10_MAX_AREA_POINTS 256

/* Coordinates are fractions of the frame. */
typedef struct
{
  guint n_parts, n_shapes;                   /* 0 and 0: the frame as a whole */
  gfloat parts[GST_Y10_MAX_AREA_PARTS][4];   /* x_min, y_min, x_max, y_max */
  guint32 shapes[GST_Y10_MAX_AREA_SHAPES];   /* number of corners of each */
  gfloat points[GST_Y10_MAX_AREA_POINTS][2]; /* of all shapes */
} GstY10Areas;

void gst_y10_areas_write (const GstY10Areas *areas, GstStructure *structure);
void gst_y10_areas_read (GstY10Areas *areas, const GstStructure *structure);

G_END_DECLS
