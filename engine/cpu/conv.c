/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Chooses the implementation of a convolution and packs its weights. Padded
 * channels have zero weights and zero bias, so padding stays zero from layer to
 * layer. */

#include "config.h"

#include "cpu/conv.h"

/* The first one that supports an op and is accurate for its weights computes
 * it. The last one supports all. */
static const Y10CpuConv *const implementations[] = {
  &y10_cpu_conv_stem,
  &y10_cpu_conv_depthwise,
  &y10_cpu_conv_amx_pointwise,
  &y10_cpu_conv_amx_direct,
  &y10_cpu_conv_int8_pointwise,
  &y10_cpu_conv_int8_direct,
  &y10_cpu_conv_winograd4x4,
  &y10_cpu_conv_winograd2x2,
  &y10_cpu_conv_pointwise,
  &y10_cpu_conv_direct,
};

/* Takes the first implementation from the @i-th on that supports the op. */
static void
choose (const Y10CpuCompile *c, Y10CpuOp *op, guint i)
{
  g_autofree char *name = NULL;

  while (!implementations[i]->supports (c, op))
    i++;
  op->conv = implementations[i];
  name = g_strdup_printf ("%s:%s", c->kernels->name, op->conv->name);
  op->impl = g_intern_string (name);
  op->n_phases = 0;
  op->conv->prepare (c, op);
}

void
y10_cpu_conv_compile (const Y10CpuCompile *c, Y10CpuOp *op)
{
  choose (c, op, 0);
}

void
y10_cpu_conv_check (const Y10CpuCompile *c, Y10CpuOp *op, const gfloat *weight)
{
  const Y10Graph *graph = c->plan->graph;
  guint n_out = y10_graph_view_channels (graph, op->op->out);
  guint n_in = y10_graph_view_channels (graph, op->op->in);
  gsize size = op->weight_size;

  for (guint i = 0; i < G_N_ELEMENTS (implementations); i++)
    if (op->conv == implementations[i] && op->conv->is_accurate
        && !op->conv->is_accurate (n_out, n_in, weight))
      choose (c, op, i + 1);
  g_assert (op->weight_size <= size);
}

void
y10_cpu_conv_pack (const Y10CpuCompile *c, const Y10CpuOp *op,
    const gint8 *integers, const gfloat *weight, guint8 *packed)
{
  const Y10Graph *graph = c->plan->graph;
  const Y10Op *o = op->op;
  guint taps = o->kernel * o->kernel;
  guint n_out = y10_graph_view_channels (graph, o->out);
  guint n_in = y10_graph_view_channels (graph, o->in);
  g_autofree guint *out = g_new (guint, n_out), *in = g_new0 (guint, n_in);

  y10_plan_view_map (c->plan, o->out, out);
  y10_plan_view_map (c->plan, o->in, in);
  if (op->conv == &y10_cpu_conv_depthwise)
    n_in = 1;
  for (guint i = 0; i < n_out; i++)
    for (guint j = 0; j < n_in; j++) {
      gsize at = ((gsize) i * n_in + j) * taps;

      if (op->integers)
        y10_cpu_conv_pack_int8 (op, op->kernels, out[i], in[j], integers + at,
            packed);
      else
        op->conv->pack (op, op->kernels, out[i], in[j], weight + at, packed);
    }
}
