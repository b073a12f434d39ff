/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Selects the best candidates over all anchors and classes. Compares logits,
 * which sort like scores. The original selects the best 300 anchors by their
 * best class, then the best 300 of those anchors × classes. Apart from ties
 * that equals the best 300 (anchor, class) pairs, which take one pass. */

#include "config.h"

#include <math.h>

#include "core/topk.h"

gfloat
y10_head_sigmoid (gfloat logit)
{
  return 1.0f / (1.0f + expf (-logit));
}

/* Slightly below the exact inverse, so that rounding never loses a candidate;
 * y10_head_finish() compares the scores themselves. */
gfloat
y10_head_logit_floor (gfloat confidence)
{
  gdouble p = confidence;

  if (p <= 0)
    return -G_MAXFLOAT;
  if (p >= 1)
    return 10.0f; /* from 17 on the sigmoid is 1 in float */
  return (gfloat) (log (p / (1 - p)) - 1e-3);
}

/* Total order: TRUE if @a is better. */
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
y10_topk_init (Y10TopK *topk, Y10Candidate *heap, guint capacity, gfloat floor)
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

  if (!(logit >= topk->floor)) /* rejects NaN, too */
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

/* Heap sort: moves the worst candidate to the end. */
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

/* Different logits can have equal scores, and then the anchor decides the
 * order: the almost sorted list is sorted again by insertion. */
guint
y10_topk_score (Y10TopK *topk, gfloat confidence)
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
