/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Lays out the tensors of a graph in one arena. Tensors that are never live
 * at the same time share addresses; where ops run in parallel, those that no order
 * of ops has live at the same time (order.c). Tensors are placed by size, largest
 * first, each at the lowest offset that is free during its lifetime. For
 * networks of this size the arena is within a few percent of the peak of
 * live memory. */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/half.h"
#include "core/order.h"
#include "core/plan.h"

static gsize
round_up (gsize n, gsize multiple)
{
  return (n + multiple - 1) / multiple * multiple;
}

static void
lay_out_segments (const Y10Tensor *t, const Y10Layout *layout, Y10Storage *s)
{
  gboolean input = t->role == Y10_ROLE_INPUT;

  s->block = input ? layout->input_block : layout->block;
  s->elem_size = input                ? layout->input_elem_size
      : t->role == Y10_ROLE_LOGITS    ? sizeof (gfloat)
      : layout->quantized && t->scale ? 1
                                      : layout->elem_size;
  s->seg_start = g_new (guint, t->n_segs + 1);
  s->seg_start[0] = 0;
  for (guint i = 0; i < t->n_segs; i++)
    s->seg_start[i + 1] = s->seg_start[i]
        + round_up (t->seg_channels[i], s->block);
  s->padded_channels = s->seg_start[t->n_segs];
  s->size = round_up ((gsize) s->padded_channels * t->height * t->width
          * s->elem_size,
      layout->align);
}

static void
find_liveness (const Y10Graph *graph, const Y10Layout *layout,
    Y10Storage *storage)
{
  for (guint i = 0; i < graph->n_tensors; i++)
    storage[i].first_op = G_MAXUINT;
  storage[graph->input.tensor].first_op = 0;
  for (guint k = 0; k < graph->n_ops; k++) {
    const Y10View views[] = { graph->ops[k].in, graph->ops[k].out,
      graph->ops[k].add };
    for (guint i = 0; i < G_N_ELEMENTS (views); i++)
      if (views[i].n) {
        Y10Storage *s = &storage[views[i].tensor];
        s->first_op = MIN (s->first_op, k);
        s->last_op = MAX (s->last_op, k);
      }
  }
  for (guint k = 0; layout->pairs && k < graph->n_ops; k++) {
    Y10Storage *s = &storage[graph->ops[k].in.tensor];

    s->last_op = MAX (s->last_op, k + y10_graph_count_joint (graph, k) - 1);
  }
  /* Inputs of box ops stay live to the end, so that a backend may run these ops
   * after all others. */
  for (guint k = y10_graph_first_box_op (graph); k < graph->n_ops; k++)
    storage[graph->ops[k].in.tensor].last_op = graph->n_ops;
  /* The head reads after the last op. */
  for (guint i = 0; i < graph->n_tensors; i++)
    if (graph->tensors[i].role == Y10_ROLE_LOGITS)
      storage[i].last_op = graph->n_ops;
}

static int
compare_size (const void *a, const void *b)
{
  const Y10Storage *x = *(Y10Storage *const *) a;
  const Y10Storage *y = *(Y10Storage *const *) b;

  if (x->size != y->size)
    return x->size > y->size ? -1 : 1;
  return x < y ? -1 : x > y;
}

static int
compare_offset (const void *a, const void *b)
{
  const Y10Storage *x = *(Y10Storage *const *) a;
  const Y10Storage *y = *(Y10Storage *const *) b;

  return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Whether both may be live at a time. @order: NULL: ops run one by one. */
static gboolean
conflict (const Y10Storage *storage, const Y10Storage *a, const Y10Storage *b,
    const Y10Order *order)
{
  if (order)
    return !y10_order_separates (order, (guint) (a - storage),
        (guint) (b - storage));
  return a->first_op <= b->last_op && a->last_op >= b->first_op;
}

static void
place (Y10Storage *storage, guint n, const Y10Order *order, gsize *arena_size)
{
  g_autofree Y10Storage **by_size = g_new (Y10Storage *, n);
  g_autofree Y10Storage **placed = g_new (Y10Storage *, n);

  for (guint i = 0; i < n; i++)
    by_size[i] = &storage[i];
  qsort (by_size, n, sizeof *by_size, compare_size);
  *arena_size = 0;
  for (guint i = 0; i < n; i++) {
    Y10Storage *s = by_size[i];
    gsize offset = 0;

    qsort (placed, i, sizeof *placed, compare_offset);
    for (guint j = 0; j < i; j++) {
      const Y10Storage *p = placed[j];
      if (!conflict (storage, p, s, order))
        continue;
      if (p->offset >= offset + s->size)
        break;
      offset = MAX (offset, p->offset + p->size);
    }
    s->offset = offset;
    placed[i] = s;
    *arena_size = MAX (*arena_size, offset + s->size);
  }
}

Y10Plan *
y10_plan_new (const Y10Graph *graph, const Y10Layout *layout, GError **error)
{
  Y10Plan *plan = g_new0 (Y10Plan, 1);
  Y10Order *order = layout->parallel ? y10_order_new (graph, layout->pairs)
                                     : NULL;

  plan->graph = graph;
  plan->layout = *layout;
  plan->storage = g_new0 (Y10Storage, graph->n_tensors);
  for (guint i = 0; i < graph->n_tensors; i++)
    lay_out_segments (&graph->tensors[i], layout, &plan->storage[i]);
  find_liveness (graph, layout, plan->storage);
  place (plan->storage, graph->n_tensors, order, &plan->arena_size);
  y10_order_free (order);
  return plan;
}

void
y10_plan_free (Y10Plan *plan)
{
  if (!plan)
    return;
  for (guint i = 0; i < plan->graph->n_tensors; i++)
    g_free (plan->storage[i].seg_start);
  g_free (plan->storage);
  g_free (plan);
}

gsize
y10_plan_view_offset (const Y10Plan *plan, Y10View v)
{
  const Y10Tensor *t = &plan->graph->tensors[v.tensor];
  const Y10Storage *s = &plan->storage[v.tensor];
  gsize pixels = plan->layout.channels_last ? 1 : (gsize) t->height * t->width;

  return s->offset + s->seg_start[v.first] * pixels * s->elem_size;
}

guint
y10_plan_view_padded (const Y10Plan *plan, Y10View v)
{
  const Y10Storage *s = &plan->storage[v.tensor];

  return s->seg_start[v.first + v.n] - s->seg_start[v.first];
}

gboolean
y10_plan_views_overlap (const Y10Plan *plan, Y10View a, Y10View b)
{
  const Y10Storage *s = &plan->storage[a.tensor];
  const Y10Storage *t = &plan->storage[b.tensor];

  if (!a.n || !b.n)
    return FALSE;
  if (a.tensor == b.tensor)
    return a.first < b.first + b.n && b.first < a.first + a.n;
  return s->offset < t->offset + t->size && t->offset < s->offset + s->size;
}

guint64
y10_plan_weights_size (const Y10Plan *plan)
{
  const Y10Graph *graph = plan->graph;
  guint64 size = 0;

  for (guint i = 0; i < graph->n_ops; i++) {
    const Y10Op *op = &graph->ops[i];
    const Y10ConvShape *s;

    if (op->kind != Y10_OP_CONV && op->kind != Y10_OP_ATTENTION)
      continue;
    s = y10_weights_get_shape (graph->weights, op->conv);
    size += (guint64) plan->layout.elem_size * s->kernel * s->kernel
        * y10_plan_view_padded (plan, op->out)
        * (s->groups > 1 ? 1 : y10_plan_view_padded (plan, op->in));
  }
  return size;
}

void
y10_plan_view_map (const Y10Plan *plan, Y10View v, guint *physical)
{
  const Y10Tensor *t = &plan->graph->tensors[v.tensor];
  const Y10Storage *s = &plan->storage[v.tensor];

  for (guint i = v.first; i < v.first + v.n; i++)
    for (guint c = 0; c < t->seg_channels[i]; c++)
      *physical++ = s->seg_start[i] - s->seg_start[v.first] + c;
}

/* Byte offset of a channel's first pixel, and the distance between pixels. */
static gsize
channel_offset (const Y10Plan *plan, Y10View v, guint physical,
    gsize *pixel_stride)
{
  const Y10Tensor *t = &plan->graph->tensors[v.tensor];
  const Y10Storage *s = &plan->storage[v.tensor];
  gsize pixels = (gsize) t->height * t->width;

  if (plan->layout.channels_last && t->role != Y10_ROLE_INPUT) {
    *pixel_stride = (gsize) s->padded_channels * s->elem_size;
    return (gsize) physical * s->elem_size;
  }
  *pixel_stride = (gsize) s->block * s->elem_size;
  return (physical / s->block * pixels * s->block + physical % s->block)
      * s->elem_size;
}

static gfloat
load_element (const Y10Layout *layout, guint elem_size, const guint8 *p)
{
  guint16 h;
  gfloat f;

  if (elem_size == 4) {
    memcpy (&f, p, sizeof f);
    return f;
  }
  memcpy (&h, p, sizeof h);
  return layout->half ? y10_half_to_float (h) : y10_bfloat_to_float (h);
}

static void
store_element (const Y10Layout *layout, guint elem_size, guint8 *p, gfloat f)
{
  guint16 h = layout->half ? y10_half_from_float (f)
                           : y10_bfloat_from_float (f);

  if (elem_size == 4)
    memcpy (p, &f, sizeof f);
  else
    memcpy (p, &h, sizeof h);
}

/* Copies the pixels of a channel that is stored in 8 bits. */
static void
copy_quantized (guint8 *p, gsize stride, gsize n, gfloat scale, guint8 zero,
    gfloat *values, gboolean to_arena)
{
  for (gsize i = 0; i < n; i++, p += stride)
    if (to_arena)
      *p = y10_quantize (values[i], 1 / scale, zero);
    else
      values[i] = ((gfloat) *p - zero) * scale;
}

/* Skips padding: does not export it, and leaves it unchanged on import. */
static void
copy_view (const Y10Plan *plan, Y10View v, guint8 *arena, gfloat *nchw,
    gboolean to_arena)
{
  const Y10Tensor *t = &plan->graph->tensors[v.tensor];
  const Y10Storage *s = &plan->storage[v.tensor];
  guint channels = y10_graph_view_channels (plan->graph, v);
  g_autofree guint *physical = g_new (guint, channels);
  guint8 *base = arena + y10_plan_view_offset (plan, v);
  gsize pixels = (gsize) t->height * t->width;
  const guint8 *zero;
  const gfloat *scale = y10_graph_view_scale (plan->graph, v, &zero);

  y10_plan_view_map (plan, v, physical);
  for (guint c = 0; c < channels; c++) {
    gsize stride;
    guint8 *p = base + channel_offset (plan, v, physical[c], &stride);

    if (s->elem_size == 1) {
      copy_quantized (p, stride, pixels, scale[c], zero[c], nchw, to_arena);
      nchw += pixels;
      continue;
    }
    for (gsize i = 0; i < pixels; i++, p += stride, nchw++) {
      if (to_arena)
        store_element (&plan->layout, s->elem_size, p, *nchw);
      else
        *nchw = load_element (&plan->layout, s->elem_size, p);
    }
  }
}

void
y10_plan_view_export (const Y10Plan *plan, Y10View v, const guint8 *arena,
    gfloat *nchw)
{
  copy_view (plan, v, (guint8 *) arena, nchw, FALSE);
}

void
y10_plan_view_import (const Y10Plan *plan, Y10View v, guint8 *arena,
    const gfloat *nchw)
{
  copy_view (plan, v, arena, (gfloat *) nchw, TRUE);
}
