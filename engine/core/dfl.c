/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Decodes the box logits of one anchor: Distribution Focal Loss, then
 * dist2bbox. */

#include "config.h"

#include <math.h>

#include "core/dfl.h"
#include "core/ltrb.h"

/* Generalized Focal Loss (Li et al.), eq. 5: the distance to each edge, in
 * strides, is the expectation of a softmax over the bins. */
void
y10_dfl_decode (const Y10Graph *graph, guint32 anchor, const gfloat *box_logits,
    gfloat box[4])
{
  guint bins = graph->n_bins;
  gfloat distance[4];

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
  y10_ltrb_to_box (graph, anchor, distance, box);
}
