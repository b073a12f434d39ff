/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* From logits to detections. Candidates are compared by logit, which orders
 * them as their scores do; sigmoid, DFL and boxes are computed for the few
 * that survive. The original takes the best 300 anchors by their best class
 * and then the best 300 of those × classes; the best 300 (anchor, class) pairs
 * of all are the same set, ties aside, and need one pass. */

#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/head.h"

gfloat
y10_head_sigmoid (gfloat logit)
{
  return 1.0f / (1.0f + expf (-logit));
}

/* A little below the exact inverse: rounding must never lose a candidate;
 * y10_head_finish() compares the scores themselves. */
gfloat
y10_head_logit_floor (gfloat confidence)
{
  gdouble p = confidence;

  if (p <= 0)
    return -G_MAXFLOAT;
  if (p >= 1)
    return 10.0f;               /* from 17 on the sigmoid is 1 in float */
  return (gfloat) (log (p / (1 - p)) - 1e-3);
}

/* Total order: better is first. */
static inline gboolean
better (const Y10Candidate *a, const Y10Candidate *b)
{
  if (a->logit != b->logit)
    return a->logit > b->logit;
  if (a->anchor != b->anchor)
    return a->anchor < b->anchor;
  return a->class_id < b->class_id;
}

void
y10_topk_init (Y10TopK *topk, Y10Candidate *heap, guint capacity,
    gfloat floor)
{
  topk->n = 0;
  topk->capacity = capacity;
  topk->floor = floor;
  topk->heap = heap;
}

static void
sift_down (Y10Candidate *heap, guint n, guint i)
{
  Y10Candidate moved = heap[i];

  for (;;) {
    guint child = 2 * i + 1;

    if (child >= n)
      break;
    if (child + 1 < n && better (&heap[child], &heap[child + 1]))
      child++;
    if (!better (&moved, &heap[child]))
      break;
    heap[i] = heap[child];
    i = child;
  }
  heap[i] = moved;
}

static void
sift_up (Y10Candidate *heap, guint i)
{
  Y10Candidate moved = heap[i];

  while (i) {
    guint parent = (i - 1) / 2;

    if (!better (&heap[parent], &moved))
      break;
    heap[i] = heap[parent];
    i = parent;
  }
  heap[i] = moved;
}

void
y10_topk_push (Y10TopK *topk, gfloat logit, guint32 anchor, guint32 class_id)
{
  Y10Candidate c = { logit, anchor, class_id };

  if (!(logit >= topk->floor))  /* NaN, too */
    return;
  if (topk->n < topk->capacity) {
    topk->heap[topk->n] = c;
    sift_up (topk->heap, topk->n++);
  } else if (better (&c, &topk->heap[0])) {
    topk->heap[0] = c;
    sift_down (topk->heap, topk->n, 0);
  }
  if (topk->n == topk->capacity)
    topk->floor = MAX (topk->floor, topk->heap[0].logit);
}

/* Heap sort: the worst goes to the end. */
void
y10_topk_sort (Y10TopK *topk)
{
  for (guint n = topk->n; n > 1; n--) {
    Y10Candidate worst = topk->heap[0];

    topk->heap[0] = topk->heap[n - 1];
    topk->heap[n - 1] = worst;
    sift_down (topk->heap, n - 1, 0);
  }
}

void
y10_head_locate (const Y10Graph *graph, guint32 anchor, guint *level,
    guint *row, guint *column)
{
  for (guint i = 0;; i++) {
    const Y10Tensor *t = &graph->tensors[graph->box[i].tensor];
    guint n = t->height * t->width;

    if (anchor < n || i == Y10_N_LEVELS - 1) {
      *level = i;
      *row = anchor / t->width;
      *column = anchor % t->width;
      return;
    }
    anchor -= n;
  }
}

/* DFL (Generalized Focal Loss, eq. 5): each distance is the expectation of a
 * softmax over the bins, in strides. */
void
y10_head_decode (const Y10Graph *graph, guint32 anchor,
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
  y10_head_locate (graph, anchor, &level, &row, &column);
  stride = graph->stride[level];
  x = column + 0.5f;
  y = row + 0.5f;
  box[0] = (x - distance[0]) * stride;
  box[1] = (y - distance[1]) * stride;
  box[2] = (x + distance[2]) * stride;
  box[3] = (y + distance[3]) * stride;
}

guint
y10_head_capacity (const Y10Graph *graph, guint max_rows)
{
  return y10_graph_has_nms (graph) ? graph->n_anchors : max_rows;
}

/* Turns the logits of the sorted candidates into scores. Logits that differ can
 * have one score, and then the anchor decides: what is almost sorted already is
 * sorted again by insertion. Returns how many reach @confidence. */
static guint
score_candidates (Y10TopK *topk, gfloat confidence)
{
  Y10Candidate *c = topk->heap;
  guint n;

  for (n = 0; n < topk->n; n++) {
    Y10Candidate moved = c[n];
    guint i;

    moved.logit = y10_head_sigmoid (moved.logit);
    if (moved.logit < confidence)
      break;
    for (i = n; i > 0 && better (&moved, &c[i - 1]); i--)
      c[i] = c[i - 1];
    c[i] = moved;
  }
  return n;
}

/* Decoded boxes, and behind them the logits of the one being decoded. */
gsize
y10_head_n_floats (const Y10Graph *graph, guint capacity)
{
  return 4 * (gsize) capacity + 4 * graph->n_bins;
}

static gfloat
iou (const gfloat *a, const gfloat *b)
{
  gfloat w = MIN (a[2], b[2]) - MAX (a[0], b[0]);
  gfloat h = MIN (a[3], b[3]) - MAX (a[1], b[1]);
  gfloat inter = MAX (w, 0) * MAX (h, 0);

  return inter / ((a[2] - a[0]) * (a[3] - a[1])
      + (b[2] - b[0]) * (b[3] - b[1]) - inter);
}

/* Greedy, as torchvision.ops.nms: whoever overlaps a better kept box by more
 * than the threshold goes. Only boxes that are kept are compared with, and at
 * most @limit are kept, so this is n × limit and not n². */
static guint
suppress (const Y10TopK *topk, const gfloat *boxes,
    const Y10HeadParams *params, guint n, guint limit, guint8 *keep)
{
  guint kept = 0;

  memset (keep, 0, n);
  for (guint i = 0; i < n && kept < limit; i++) {
    keep[i] = TRUE;
    for (guint j = 0; j < i; j++)
      if (keep[j] && (params->class_agnostic
              || topk->heap[i].class_id == topk->heap[j].class_id)
          && iou (boxes + 4 * i, boxes + 4 * j) > params->iou) {
        keep[i] = FALSE;
        break;
      }
    kept += keep[i];
  }
  return kept;
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

guint
y10_head_finish (const Y10Graph *graph, Y10TopK *topk,
    const Y10HeadParams *params, const Y10Letterbox *letterbox,
    Y10GatherBox gather, gpointer user, gfloat *boxes, guint8 *keep,
    Y10Detection *rows)
{
  gboolean nms = y10_graph_has_nms (graph);
  guint n, n_rows = 0, limit = params->max_detections;
  gfloat *logits = boxes + 4 * (gsize) topk->capacity;

  y10_topk_sort (topk);
  n = score_candidates (topk, params->confidence);
  if (!nms)
    n = MIN (n, limit);
  for (guint i = 0; i < n; i++) {
    gather (user, topk->heap[i].anchor, logits);
    y10_head_decode (graph, topk->heap[i].anchor, logits, boxes + 4 * i);
  }
  if (nms)
    suppress (topk, boxes, params, n, limit, keep);
  for (guint i = 0; i < n && n_rows < limit; i++) {
    const Y10Candidate *c = &topk->heap[i];
    Y10Detection *row;
    gfloat *b = boxes + 4 * i;

    if (nms && !keep[i])
      continue;
    y10_letterbox_to_source (letterbox, b);
    row = &rows[n_rows++];
    *row = (Y10Detection) {
      b[0], b[1], b[2], b[3], c->logit, c->class_id, c->anchor
    };
  }
  return y10_head_drop_not_finite (rows, n_rows);
}
