/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Finds candidates in the class logits, which have the layout of core/plan.h
 * with blocks of channels. Compares a whole block of classes with the floor of
 * the best candidates so far and examines its classes only if one reaches
 * it. */

#include "config.h"

#include <math.h>

#include "cpu/head.h"

typedef struct
{
  const Y10Plan *plan;
  const Y10Kernels *kernels;
  const guint8 *classes;
  Y10TopK *topk;
  const gfloat *logits; /* of one level */
  guint n, block;       /* pixels; channels of a block */
  guint32 first_anchor;
} Scan;

static void
scan_all_pairs (Scan *s)
{
  guint n_classes = s->plan->graph->n_classes;

  for (guint first = 0; first < n_classes; first += s->block) {
    const gfloat *logits = s->logits + (gsize) first * s->n;
    guint count = MIN (s->block, n_classes - first);
    guint i = 0;

    while (
        (i = s->kernels->find_from (logits, i, s->n, s->topk->floor)) < s->n) {
      const gfloat *l = logits + (gsize) i * s->block;
      for (guint c = 0; c < count; c++)
        if (l[c] >= s->topk->floor && (!s->classes || s->classes[first + c]))
          y10_topk_push (s->topk, l[c], s->first_anchor + i, first + c);
      i++;
    }
  }
}

static void
scan_best_class (Scan *s)
{
  guint n_classes = s->plan->graph->n_classes;

  for (guint i = 0; i < s->n; i++) {
    gfloat top = s->logits[(gsize) i * s->block];
    guint best = 0;

    for (guint c = 1; c < n_classes; c++) {
      gfloat l = s->logits[(gsize) (c / s->block * s->n + i) * s->block
          + c % s->block];

      if (l > top) {
        best = c;
        top = l;
      }
    }
    if (!s->classes || s->classes[best])
      y10_topk_push (s->topk, top, s->first_anchor + i, best);
  }
}

void
y10_cpu_head_scan (const Y10Plan *plan, const Y10Kernels *kernels,
    const guint8 *arena, const Y10HeadParams *params, Y10TopK *topk)
{
  const Y10Graph *graph = plan->graph;
  Scan s = {
    .plan = plan,
    .kernels = kernels,
    .classes = params->classes,
    .topk = topk,
    .block = kernels->block,
  };

  for (guint i = 0; i < graph->n_levels; i++) {
    const Y10Tensor *t = &graph->tensors[graph->cls[i].tensor];

    s.logits = (const gfloat *) (arena
        + y10_plan_view_offset (plan, graph->cls[i]));
    s.n = t->height * t->width;
    if (y10_graph_has_best_class (graph))
      scan_best_class (&s);
    else
      scan_all_pairs (&s);
    s.first_anchor += s.n;
  }
}
