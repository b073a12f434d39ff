/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Distances to the left, top, right and bottom edge, as boxes: in heads without
 * DFL the box logits are these distances, in strides, of any sign. */

#include "config.h"

#include "core/ltrb.h"

void
y10_ltrb_to_box (const Y10Graph *graph, guint32 anchor,
    const gfloat distance[4], gfloat box[4])
{
  guint level, row, column;
  gfloat x, y, stride;

  y10_graph_locate (graph, anchor, &level, &row, &column);
  stride = graph->stride[level];
  x = column + 0.5f;
  y = row + 0.5f;
  box[0] = (x - distance[0]) * stride;
  box[1] = (y - distance[1]) * stride;
  box[2] = (x + distance[2]) * stride;
  box[3] = (y + distance[3]) * stride;
}

void
y10_ltrb_decode (const Y10Graph *graph, guint32 anchor,
    const gfloat *box_logits, gfloat box[4])
{
  y10_ltrb_to_box (graph, anchor, box_logits, box);
}
