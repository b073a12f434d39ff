/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Finds candidates in planar logits. Where only the best class of an anchor is one, it is
 * chosen among all classes, as in the training code: asking for some classes adds no box. */

#include "config.h"

#include "ref/head.h"

static void
scan_all_pairs (const gfloat *logits, guint n_classes, guint n,
    guint32 first_anchor, const guint8 *classes, Y10TopK *topk)
{
  for (guint c = 0; c < n_classes; c++)
    if (!classes || classes[c])
      for (guint i = 0; i < n; i++)
        y10_topk_push (topk, logits[(gsize) c * n + i], first_anchor + i, c);
}

static void
scan_best_class (const gfloat *logits, guint n_classes, guint n,
    guint32 first_anchor, const guint8 *classes, Y10TopK *topk)
{
  for (guint i = 0; i < n; i++) {
    guint best = 0;

    for (guint c = 1; c < n_classes; c++)
      if (logits[(gsize) c * n + i] > logits[(gsize) best * n + i])
        best = c;
    if (!classes || classes[best])
      y10_topk_push (topk, logits[(gsize) best * n + i], first_anchor + i,
          best);
  }
}

void
y10_ref_head_scan (const Y10Plan *plan, const guint8 *arena,
    const Y10HeadParams *params, Y10TopK *topk)
{
  const Y10Graph *graph = plan->graph;
  guint32 anchor = 0;

  for (guint i = 0; i < graph->n_levels; i++) {
    const Y10Tensor *t = &graph->tensors[graph->cls[i].tensor];
    const gfloat *logits = (const gfloat *) (arena
        + y10_plan_view_offset (plan, graph->cls[i]));
    guint n = t->height * t->width;

    (y10_graph_has_best_class (graph) ? scan_best_class
                                      : scan_all_pairs) (logits,
        graph->n_classes, n, anchor, params->classes, topk);
    anchor += n;
  }
}
