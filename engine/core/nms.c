/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Non-maximum suppression of one image's boxes. */

#include "config.h"

#include "core/nms.h"

static gfloat
iou (const gfloat *a, const gfloat *b)
{
  gfloat w = MIN (a[2], b[2]) - MAX (a[0], b[0]);
  gfloat h = MIN (a[3], b[3]) - MAX (a[1], b[1]);
  gfloat inter = MAX (w, 0) * MAX (h, 0);

  return inter
      / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - inter);
}

/* Greedy, like torchvision.ops.nms: a box is dropped if its IoU with a
 * better kept box exceeds the threshold. Boxes are compared with kept ones
 * only, of which there are at most @limit: O(n × limit) instead of O(n²). */
guint
y10_nms_suppress (const Y10TopK *topk, const gfloat *boxes,
    const Y10HeadParams *params, guint n, guint limit, guint8 *keep)
{
  guint kept = 0;

  for (guint i = 0; i < n; i++) {
    keep[i] = kept < limit;
    for (guint j = 0; j < i && keep[i]; j++)
      if (keep[j]
          && (params->class_agnostic
              || topk->heap[i].class_id == topk->heap[j].class_id)
          && iou (boxes + 4 * i, boxes + 4 * j) > params->iou)
        keep[i] = FALSE;
    kept += keep[i];
  }
  return kept;
}
