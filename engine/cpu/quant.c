/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Chooses for each op whether kernels of floats or of one byte run it, and packs
 * what they need of each channel. Scales and zero points of an input are part of
 * the weights and of the bias or start, so kernels read 8 bits as the numbers they
 * are. */

#include "config.h"

#include <string.h>

#include "cpu/cpu.h"

static gboolean
is_byte (const Y10CpuCompile *c, Y10View v)
{
  return v.n && c->plan->storage[v.tensor].elem_size == 1;
}

void
y10_cpu_quant_compile (Y10CpuCompile *c, Y10CpuOp *op)
{
  const Y10Op *o = op->op;
  const gboolean from_bytes = is_byte (c, o->in);
  const gboolean dense = o->kind == Y10_OP_CONV && o->groups == 1;

  op->in = y10_cpu_plane (c->plan, o->in);
  op->out = y10_cpu_plane (c->plan, o->out);
  op->add = y10_cpu_plane (c->plan, o->add);
  op->int8 = c->int8;
  op->integers = c->int8 && o->quantized;
  op->kernels = op->integers || (from_bytes && !dense) ? c->int8 : c->floats;
  op->widens = from_bytes && op->kernels == c->floats;
  op->narrows = is_byte (c, o->out) && op->kernels == c->floats;
  c->kernels = op->kernels;
}

static gboolean
writes_bytes (const Y10CpuOp *op)
{
  return op->narrows
      || (op->kernels->elem == 1 && op->out.pixel == op->kernels->block);
}

static gboolean
reads_bytes (const Y10CpuOp *op)
{
  return op->widens || op->kernels->elem == 1;
}

/* The bias; start and scale; the four of affine; the fill. */
gsize
y10_cpu_quant_size (const Y10CpuOp *op)
{
  guint rows = 1 + (op->integers ? 2 : 0) + (writes_bytes (op) ? 4 : 0);

  return (gsize) op->out.n_blocks * op->kernels->block * rows * sizeof (gfloat)
      + (reads_bytes (op) ? op->in.n_blocks * op->in.pixel : 0);
}

/* The next array of a value for each output channel. */
static gpointer
take (const Y10CpuOp *op, guint8 **at)
{
  gpointer array = *at;

  *at += (gsize) op->out.n_blocks * op->kernels->block * sizeof (gfloat);
  return array;
}

static void
pack_affine (const Y10CpuCompile *c, Y10CpuOp *op, const guint *out, guint n,
    guint8 **at)
{
  const Y10Graph *graph = c->plan->graph;
  gfloat *add_scale = take (op, at), *add_shift = take (op, at);
  gfloat *inverse = take (op, at), *zero = take (op, at);
  const guint8 *zeros, *add_zeros;
  const gfloat *scale = y10_graph_view_scale (graph, op->op->out, &zeros);
  const gfloat *add = y10_graph_view_scale (graph, op->op->add, &add_zeros);

  for (guint i = 0; i < n; i++) {
    inverse[out[i]] = 1 / scale[i];
    zero[out[i]] = zeros[i];
    if (add) {
      add_scale[out[i]] = add[i];
      add_shift[out[i]] = -add[i] * add_zeros[i];
    }
  }
  op->affine = (Y10Affine){ add_scale, add_shift, inverse, zero };
}

/* What the zero points of the input add to each sum; from now on @weight is that of
 * the stored numbers. */
static void
fold_input (const Y10CpuCompile *c, const Y10CpuOp *op, const guint *out,
    guint n, const gint8 *integers, gfloat *weight, gint32 *start, gfloat *bias)
{
  const Y10Op *o = op->op;
  guint taps = o->kernel * o->kernel;
  guint n_in = o->groups > 1 ? 1
                             : y10_graph_view_channels (c->plan->graph, o->in);
  const guint8 *zero;
  const gfloat *scale = y10_graph_view_scale (c->plan->graph, o->in, &zero);

  for (guint i = 0; i < n; i++) {
    gdouble sum = 0;

    for (guint j = 0; j < n_in * taps; j++) {
      guint in = o->groups > 1 ? i : j / taps;
      gsize at = (gsize) i * n_in * taps + j;

      if (op->integers) {
        start[out[i]] -= integers[at] * (zero[in] - op->kernels->subtracted);
      } else {
        weight[at] *= scale[in];
        sum += (gdouble) weight[at] * zero[in];
      }
    }
    bias[out[i]] = (gfloat) (bias[out[i]] - sum);
  }
}

static void
pack_fill (const Y10CpuCompile *c, Y10CpuOp *op, guint8 *fill)
{
  guint n = y10_graph_view_channels (c->plan->graph, op->op->in);
  g_autofree guint *in = g_new (guint, n);
  const guint8 *zero;

  y10_plan_view_map (c->plan, op->op->in, in);
  y10_graph_view_scale (c->plan->graph, op->op->in, &zero);
  for (guint i = 0; i < n; i++)
    fill[in[i]] = zero[i];
  op->fill = fill;
}

void
y10_cpu_quant_pack (const Y10CpuCompile *c, Y10CpuOp *op, const gint8 *integers,
    const gfloat *scale, gfloat *weight, const gfloat *bias, guint8 *packed)
{
  guint n = y10_graph_view_channels (c->plan->graph, op->op->out);
  g_autofree guint *out = g_new (guint, n);
  gfloat *biases = take (op, &packed), *scales = NULL;
  gint32 *start = NULL;

  y10_plan_view_map (c->plan, op->op->out, out);
  for (guint i = 0; i < n; i++)
    biases[out[i]] = bias[i];
  op->bias = biases;
  if (op->integers) {
    op->start = start = take (op, &packed);
    op->scale = scales = take (op, &packed);
    for (guint i = 0; i < n; i++)
      scales[out[i]] = scale[i];
  }
  if (writes_bytes (op))
    pack_affine (c, op, out, n, &packed);
  if (reads_bytes (op)) {
    fold_input (c, op, out, n, integers, weight, start, biases);
    pack_fill (c, op, packed);
  }
}
