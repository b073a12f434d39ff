/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Decodes the box logits of one anchor: Distribution Focal Loss, then
 * dist2bbox. */

#include "config.h"

#include <math.h>

#include "core/dfl.h"

/* Generalized Focal Loss (Li et al.), eq. 5: the distance to each edge, in
 * strides, is the expectation of a softmax over the bins. */
void
y10_dfl_decode (const Y10Graph *graph, guint32 anchor,
    const gfloat *box_logits, gfloat box[4])
{
  guint level, row, column, bins = graph->n_bins;
  gfloat distance[4], x, y, stride;

  for (guint edge = 0; edge < 4; edge++) {
    const gfloat *l = box_logits + edge * bins;
    gfloat largest = l[0], sum = 0, expectation = 0;

    for (guint i = 1; i < bins; i++)
      largest = MAX (largest, l[i]);
    for (guint i = 0; i < bins; i++) {
      gfloat e = expf (l[i] - largest);
      sum += e;
      expectation += e * i;
    }
    distance[edge] = expectation / sum;
  }
  y10_graph_locate (graph, anchor, &level, &row, &column);
  stride = graph->stride[level];
  x = column + 0.5f;
  y = row + 0.5f;
  box[0] = (x - distance[0]) * stride;
  box[1] = (y - distance[1]) * stride;
  box[2] = (x + distance[2]) * stride;
  box[3] = (y + distance[3]) * stride;
}
