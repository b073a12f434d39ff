/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Weights as the kernels and cuDNN read them: [output][row][column][input] for
 * dense convolutions, [row][column][channel] for depthwise ones, of the
 * activations' type; biases as floats. What belongs to padded channels is zero,
 * which keeps padding zero from layer to layer. */

#include "config.h"

#include <string.h>

#include "base/half.h"
#include "program.h"
#include "weights.h"

typedef struct
{
  const Y10Program *program;
  const Y10Op *op;
  const Y10ConvShape *shape;
  guint in_padded, out_padded;
  guint *in_map, *out_map; /* padded channel of each logical one */
} Packing;

static guint *
view_map (const Y10Plan *plan, Y10View v)
{
  guint *map = g_new (guint, y10_graph_view_channels (plan->graph, v));

  y10_plan_view_map (plan, v, map);
  return map;
}

static void
packing_init (Packing *p, const Y10Program *program, const Y10Op *op)
{
  const Y10Plan *plan = program->plan;

  p->program = program;
  p->op = op;
  p->shape = y10_weights_get_shape (plan->graph->weights, op->conv);
  p->out_padded = y10_plan_view_padded (plan, op->out);
  p->in_padded = p->shape->groups > 1 ? 1
      : op->in.tensor == plan->graph->input.tensor
      ? Y10_CUDA_BLOCK
      : y10_plan_view_padded (plan, op->in);
  p->out_map = view_map (plan, op->out);
  p->in_map = view_map (plan, op->in);
}

static void
packing_clear (Packing *p)
{
  g_free (p->in_map);
  g_free (p->out_map);
}

static gsize
weight_size (const Packing *p)
{
  return (gsize) p->out_padded * p->in_padded * p->shape->kernel
      * p->shape->kernel * p->program->elem_size;
}

static gsize
align (gsize size)
{
  return (size + Y10_CUDA_ALIGN - 1) / Y10_CUDA_ALIGN * Y10_CUDA_ALIGN;
}

static void
store (const Y10Program *program, guint8 *to, gsize index, gfloat f)
{
  guint16 h = program->type == Y10_K_F16 ? y10_half_from_float (f)
                                         : y10_bfloat_from_float (f);

  if (program->type == Y10_K_F32)
    memcpy (to + index * sizeof f, &f, sizeof f);
  else
    memcpy (to + index * sizeof h, &h, sizeof h);
}

static void
pack_weight (const Packing *p, const gfloat *weight, guint8 *to)
{
  guint taps = p->shape->kernel * p->shape->kernel;
  gboolean depthwise = p->shape->groups > 1;

  for (guint o = 0; o < p->shape->out_channels; o++)
    for (guint i = 0; i < p->shape->in_channels; i++)
      for (guint t = 0; t < taps; t++) {
        gsize index = depthwise
            ? (gsize) t * p->out_padded + p->out_map[o]
            : ((gsize) p->out_map[o] * taps + t) * p->in_padded + p->in_map[i];

        store (p->program, to, index, *weight++);
      }
}

static gboolean
pack_op (const Y10Program *program, guint index, guint8 *to, GError **error)
{
  const Y10Weights *weights = program->plan->graph->weights;
  const Y10Op *op = &program->plan->graph->ops[index];
  g_autofree gfloat *weight = NULL, *bias = NULL;
  gfloat *packed_bias = (gfloat *) (to + program->bias[index]);
  Packing p;
  gboolean ok;

  packing_init (&p, program, op);
  weight = g_new (gfloat,
      (gsize) p.shape->out_channels * p.shape->in_channels * p.shape->kernel
          * p.shape->kernel);
  bias = g_new (gfloat, p.shape->out_channels);
  ok = y10_weights_fetch (weights, op->conv, weight, bias, error);
  if (ok) {
    pack_weight (&p, weight, to + program->weight[index]);
    for (guint o = 0; o < p.shape->out_channels; o++)
      packed_bias[p.out_map[o]] = bias[o];
  }
  packing_clear (&p);
  return ok;
}

static gboolean
has_weights (const Y10Op *op)
{
  return op->kind == Y10_OP_CONV || op->kind == Y10_OP_ATTENTION;
}

guint8 *
y10_cuda_pack (const Y10Program *program, gsize *size, GError **error)
{
  const Y10Graph *graph = program->plan->graph;
  guint8 *packed;

  *size = 0;
  for (guint i = 0; i < graph->n_ops; i++) {
    Packing p;

    if (!has_weights (&graph->ops[i]))
      continue;
    packing_init (&p, program, &graph->ops[i]);
    program->weight[i] = *size;
    *size += align (weight_size (&p));
    program->bias[i] = *size;
    *size += align (p.out_padded * sizeof (gfloat));
    packing_clear (&p);
  }
  *size = MAX (*size, Y10_CUDA_ALIGN);
  packed = g_malloc0 (*size);
  for (guint i = 0; i < graph->n_ops; i++)
    if (has_weights (&graph->ops[i]) && !pack_op (program, i, packed, error)) {
      g_free (packed);
      return NULL;
    }
  return packed;
}

static gboolean
same_shape (const Y10ConvShape *a, const Y10ConvShape *b)
{
  return !strcmp (a->name, b->name) && a->out_channels == b->out_channels
      && a->in_channels == b->in_channels && a->kernel == b->kernel
      && a->groups == b->groups;
}

static gboolean
op_packs_alike (const Y10Program *program, guint op)
{
  Packing own, base;
  gboolean alike;

  packing_init (&own, program, &program->plan->graph->ops[op]);
  packing_init (&base, program->base, &program->base->plan->graph->ops[op]);
  alike = same_shape (own.shape, base.shape) && own.in_padded == base.in_padded
      && own.out_padded == base.out_padded
      && !memcmp (own.out_map, base.out_map,
          own.shape->out_channels * sizeof *own.out_map)
      && (own.shape->groups > 1
          || !memcmp (own.in_map, base.in_map,
              own.shape->in_channels * sizeof *own.in_map));
  packing_clear (&own);
  packing_clear (&base);
  return alike;
}

gboolean
y10_cuda_packs_alike (const Y10Program *program)
{
  const Y10Graph *own = program->plan->graph,
                 *base = program->base->plan->graph;

  if (own->n_ops != base->n_ops
      || program->elem_size != program->base->elem_size)
    return FALSE;
  for (guint i = 0; i < own->n_ops; i++)
    if (own->ops[i].kind != base->ops[i].kind
        || (has_weights (&own->ops[i]) && !op_packs_alike (program, i)))
      return FALSE;
  return TRUE;
}
