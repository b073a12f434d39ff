/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A fifth of the network computes boxes, and only the boxes of the few
 * anchors that pass the class scores are read. So these ops wait until the
 * candidates are known and run only at the pixels that the candidates need:
 * the candidates themselves in the last op of a level, and one kernel radius
 * more in each op before. The numbers are bit for bit those of a full run. */

#include "config.h"

#include <string.h>

#include "cpu/boxes.h"
#include "cpu/conv.h"

/* Whether single pixels of @op can be computed. */
static gboolean
is_simple (const Y10Op *op)
{
  return op->kind == Y10_OP_CONV && op->groups == 1 && op->stride == 1
      && op->pad == op->kernel / 2 && op->kernel % 2 && !op->add.n;
}

void
y10_cpu_box_ops_find (const Y10Plan *plan, Y10CpuBoxOps *ops)
{
  const Y10Graph *graph = plan->graph;
  g_autofree guint8 *level = g_new0 (guint8, graph->n_tensors);

  ops->first = y10_graph_first_box_op (graph);
  for (guint i = ops->first; i < graph->n_ops; i++)
    if (!is_simple (&graph->ops[i]))
      ops->first = graph->n_ops;
  ops->n = graph->n_ops - ops->first;
  ops->level = g_new0 (guint8, MAX (ops->n, 1));
  for (guint i = 0; i < graph->n_levels; i++)
    if (graph->box[i].n)
      level[graph->box[i].tensor] = i;
  for (guint i = ops->n; i-- > 0;) {
    const Y10Op *op = &graph->ops[ops->first + i];

    ops->level[i] = level[op->out.tensor];
    level[op->in.tensor] = ops->level[i];
  }
}

void
y10_cpu_box_ops_clear (Y10CpuBoxOps *ops)
{
  g_free (ops->level);
}

void
y10_cpu_box_pixels_init (const Y10CpuBoxOps *ops, const Y10CpuOp *op,
    Y10CpuBoxPixels *pixels)
{
  guint most = 1;

  pixels->pixel = g_new0 (guint32 *, MAX (ops->n, 1));
  pixels->n = g_new0 (guint, MAX (ops->n, 1));
  for (guint i = 0; i < ops->n; i++) {
    const Y10CpuPlane *out = &op[ops->first + i].out;

    pixels->pixel[i] = g_new (guint32, out->height * out->width);
    most = MAX (most, out->height * out->width);
  }
  pixels->mark = g_new0 (guint8, most);
}

void
y10_cpu_box_pixels_clear (const Y10CpuBoxOps *ops, Y10CpuBoxPixels *pixels)
{
  if (pixels->pixel)
    for (guint i = 0; i < ops->n; i++)
      g_free (pixels->pixel[i]);
  g_free (pixels->pixel);
  g_free (pixels->n);
  g_free (pixels->mark);
}

static void
add_pixel (Y10CpuBoxPixels *pixels, guint op, guint32 pixel)
{
  if (pixels->mark[pixel])
    return;
  pixels->mark[pixel] = 1;
  pixels->pixel[op][pixels->n[op]++] = pixel;
}

static void
clear_marks (Y10CpuBoxPixels *pixels, guint op)
{
  for (guint i = 0; i < pixels->n[op]; i++)
    pixels->mark[pixels->pixel[op][i]] = 0;
}

void
y10_cpu_box_pixels_set (const Y10CpuBoxOps *ops, const Y10CpuOp *op,
    const Y10Candidate *candidates, guint n, Y10CpuBoxPixels *pixels)
{
  guint next[Y10_MAX_LEVELS] = {
    0,
  }; /* next op of the level, plus 1 */
  guint first[Y10_MAX_LEVELS + 1] = {
    0,
  }; /* first anchor of each level */

  for (guint i = 0; i < ops->n; i++) {
    const Y10CpuPlane *out = &op[ops->first + i].out;
    first[ops->level[i] + 1] = out->height * out->width;
  }
  for (guint i = 0; i < Y10_MAX_LEVELS; i++)
    first[i + 1] += first[i];

  for (guint i = ops->n; i-- > 0;) {
    guint level = ops->level[i], after = next[level];
    const Y10CpuPlane *out = &op[ops->first + i].out;

    pixels->n[i] = 0;
    if (!after) {
      for (guint j = 0; j < n; j++)
        if (candidates[j].anchor >= first[level]
            && candidates[j].anchor < first[level + 1])
          add_pixel (pixels, i, candidates[j].anchor - first[level]);
    } else {
      gint reach = op[ops->first + after - 1].op->pad;

      for (guint j = 0; j < pixels->n[after - 1]; j++) {
        gint y = pixels->pixel[after - 1][j] / out->width;
        gint x = pixels->pixel[after - 1][j] % out->width;
        gint y1 = MIN (y + reach, (gint) out->height - 1);
        gint x1 = MIN (x + reach, (gint) out->width - 1);

        for (gint v = MAX (y - reach, 0); v <= y1; v++)
          for (gint u = MAX (x - reach, 0); u <= x1; u++)
            add_pixel (pixels, i, v * out->width + u);
      }
    }
    clear_marks (pixels, i);
    next[level] = i + 1;
  }
}

/* Gathering has a cost. Earlier ops of the level need more pixels, so they have
 * run in full as well. */
static gboolean
runs_in_full (const Y10CpuBoxPixels *pixels, const Y10CpuOp *box, guint i)
{
  return pixels->n[i] * 4 > box->out.height * box->out.width * 3;
}

guint
y10_cpu_box_op_chunks (const Y10CpuBoxOps *ops, const Y10CpuOp *op,
    const Y10CpuBoxPixels *pixels, guint i, const Y10Kernels *kernels,
    guint n_threads)
{
  const Y10CpuOp *box = &op[ops->first + i];

  return runs_in_full (pixels, box, i)
      ? box->phase[0].n_chunks
      : y10_cpu_choose_chunks (n_threads, pixels->n[i] / kernels->tile);
}

void
y10_cpu_box_op_run (const Y10CpuBoxOps *ops, const Y10CpuOp *op,
    const Y10CpuBoxPixels *pixels, guint i, const Y10CpuTask *task, guint chunk,
    guint n_chunks)
{
  const Y10CpuOp *box = &op[ops->first + i];

  if (runs_in_full (pixels, box, i))
    box->phase[0].run (box, task, chunk, n_chunks);
  else
    y10_cpu_conv_some (box, task, pixels->pixel[i], pixels->n[i], chunk,
        n_chunks);
}
