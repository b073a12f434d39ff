/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Turns logits into detections: sorts the candidates (topk.c), decodes them
 * (by the graph's head kind), applies NMS (nms.c) and maps the boxes back to
 * the source picture. Only candidates that survive the selection are
 * decoded. */

#include "config.h"

#include <math.h>

#include "core/dfl.h"
#include "core/head.h"
#include "core/ltrb.h"
#include "core/nms.h"

/* Box decoders by head kind; output in input pixels. */
static void (*const decode[]) (const Y10Graph *graph, guint32 anchor,
    const gfloat *box_logits, gfloat box[4]) = {
  [Y10_HEAD_KIND_DFL] = y10_dfl_decode,
  [Y10_HEAD_KIND_LTRB] = y10_ltrb_decode,
};

#define MAX_PAIRS 30000 /* of anchor and class, before NMS */

guint
y10_head_capacity (const Y10Graph *graph, guint max_rows)
{
  if (!y10_graph_has_nms (graph))
    return max_rows;
  return y10_graph_has_best_class (graph)
      ? graph->n_anchors
      : (guint) MIN ((guint64) graph->n_anchors * graph->n_classes, MAX_PAIRS);
}

/* The decoded boxes, followed by the box logits of the current anchor. */
gsize
y10_head_n_floats (const Y10Graph *graph, guint capacity)
{
  return 4 * (gsize) capacity + 4 * graph->n_bins;
}

guint
y10_head_drop_not_finite (Y10Detection *rows, guint n)
{
  guint kept = 0;

  for (guint i = 0; i < n; i++)
    if (isfinite (rows[i].x0) && isfinite (rows[i].y0) && isfinite (rows[i].x1)
        && isfinite (rows[i].y1) && isfinite (rows[i].confidence))
      rows[kept++] = rows[i];
  return kept;
}

/* Copies the 4 × n_bins box logits of one anchor to @logits. */
static void
gather (const Y10Plan *plan, const guint8 *arena, guint32 anchor,
    gfloat *logits)
{
  const Y10Graph *graph = plan->graph;
  guint level, row, column, block = plan->layout.block;
  const Y10Tensor *t;
  const gfloat *l;

  y10_graph_locate (graph, anchor, &level, &row, &column);
  t = &graph->tensors[graph->box[level].tensor];
  l = (const gfloat *) (arena + y10_plan_view_offset (plan, graph->box[level]))
      + ((gsize) row * t->width + column) * block;
  for (guint c = 0; c < 4 * graph->n_bins; c++)
    logits[c] =
        l[(gsize) (c / block) * t->height * t->width * block + c % block];
}

guint
y10_head_finish (const Y10Plan *plan, const guint8 *arena, Y10TopK *topk,
    const Y10HeadParams *params, const Y10Letterbox *letterbox, gfloat *boxes,
    guint8 *keep, Y10Detection *rows)
{
  const Y10Graph *graph = plan->graph;
  gboolean nms = y10_graph_has_nms (graph);
  guint n, n_rows = 0, limit = params->max_detections;
  gfloat *logits = boxes + 4 * (gsize) topk->capacity;

  y10_topk_sort (topk);
  n = y10_topk_score (topk, params->confidence);
  if (!nms)
    n = MIN (n, limit);
  for (guint i = 0; i < n; i++) {
    gather (plan, arena, topk->heap[i].anchor, logits);
    decode[graph->head_kind](graph, topk->heap[i].anchor, logits,
        boxes + 4 * i);
  }
  if (nms)
    y10_nms_suppress (topk, boxes, params, n, limit, keep);
  for (guint i = 0; i < n && n_rows < limit; i++) {
    const Y10Candidate *c = &topk->heap[i];
    Y10Detection *row;
    gfloat *b = boxes + 4 * i;

    if (nms && !keep[i])
      continue;
    y10_letterbox_to_source (letterbox, b);
    row = &rows[n_rows++];
    *row = (Y10Detection){ b[0], b[1], b[2], b[3], c->logit, c->class_id,
      c->anchor };
  }
  return y10_head_drop_not_finite (rows, n_rows);
}
