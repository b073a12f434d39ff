/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Chooses the function that runs a convolution and packs the weights for it.
 * Padded channels have zero weights and zero bias, so padding stays zero
 * from layer to layer. */

#include "config.h"

#include <string.h>

#include "cpu/conv.h"

static gboolean
is_depthwise (const Y10Op *o)
{
  return o->groups > 1;
}

static void
set (Y10CpuOp *op, const Y10Kernels *k, const char *how,
    void (*run) (const Y10CpuOp *, const Y10CpuTask *))
{
  g_autofree char *name = g_strdup_printf ("%s:%s", k->name, how);

  op->run = run;
  op->impl = g_intern_string (name);
}

void
y10_cpu_conv_compile (const Y10CpuCompile *c, Y10CpuOp *op)
{
  const Y10Kernels *k = c->kernels;
  const Y10Op *o = op->op;
  gsize pixel = y10_cpu_pixel (k), taps = o->kernel * o->kernel;
  gsize block = k->block * pixel;       /* bytes of weights between
                                         * an input and an output block */

  if (c->plan->graph->tensors[o->in.tensor].role == Y10_ROLE_INPUT) {
    set (op, k, "stem", y10_cpu_conv_stem);
    op->weight_size = op->out.n_blocks * 3 * taps * k->block * sizeof (gfloat);
    op->scratch_size = 3 * o->kernel * sizeof (gfloat)
        * ((op->out.width - 1) * o->stride + o->kernel);
  } else if (is_depthwise (o)) {
    set (op, k, "depthwise", y10_cpu_conv_depthwise);
    op->weight_size = op->out.n_blocks * taps * k->block * sizeof (gfloat);
    op->scratch_size = o->kernel * pixel
        * ((op->out.width - 1) * o->stride + o->kernel);
  } else if (!c->exact && k->winograd_in && o->kernel == 3 && o->stride == 1
      && o->pad == 1) {
    set (op, k, "winograd2x2", y10_cpu_winograd);
    op->weight_size = 16 * op->in.n_blocks * op->out.n_blocks * block;
    op->scratch_size = y10_cpu_winograd_scratch (op, k);
  } else {
    op->weight_size = op->in.n_blocks * op->out.n_blocks * taps * block;
    if (o->kernel == 1 && o->stride == 1 && o->pad == 0)
      set (op, k, "pointwise", y10_cpu_conv_pointwise);
    else
      set (op, k, "direct", y10_cpu_conv_direct);
    op->scratch_size = op->in.n_blocks * o->kernel * pixel
        * ((k->tile - 1) * o->stride + o->kernel);
    if (c->exact)               /* for y10_cpu_conv_some() */
      op->scratch_size = MAX (op->scratch_size, k->tile
          * (op->in.n_blocks * taps * pixel
              + Y10_TILE_BLOCKS * k->block * sizeof (gfloat)));
  }
}

static guint16
to_bf16 (gfloat f)
{
  guint32 u;

  memcpy (&u, &f, sizeof u);
  return (u + 0x7fff + (u >> 16 & 1)) >> 16;
}

/* Packs to [out block][in block][tap][in channel][out channel]; bf16: pairs of
 * input channels are interleaved. */
static void
put_dense (const Y10CpuOp *op, const Y10Kernels *k, guint taps, guint out,
    guint in, const gfloat *weight, guint8 *packed)
{
  guint n = k->block, i = in % n, o = out % n;
  gsize at = ((gsize) (out / n) * op->in.n_blocks + in / n) * taps;

  for (guint t = 0; t < taps; t++, at++)
    if (k->elem == 4)
      ((gfloat *) packed)[(at * n + i) * n + o] = weight[t];
    else
      ((guint16 *) packed)[((at * n / 2 + i / 2) * n + o) * 2 + i % 2] =
          to_bf16 (weight[t]);
}

void
y10_cpu_conv_pack (const Y10CpuCompile *c, const Y10CpuOp *op,
    const gfloat *weight, const gfloat *bias, guint8 *packed,
    gfloat *packed_bias)
{
  const Y10Graph *graph = c->plan->graph;
  const Y10Kernels *k = c->kernels;
  const Y10Op *o = op->op;
  guint taps = o->kernel * o->kernel, n = k->block;
  guint n_out = y10_graph_view_channels (graph, o->out);
  guint n_in = y10_graph_view_channels (graph, o->in);
  g_autofree guint *out = g_new (guint, n_out), *in = g_new (guint, n_in);
  gsize point = (gsize) op->in.n_blocks * op->out.n_blocks * n * n;

  y10_plan_view_map (c->plan, o->out, out);
  y10_plan_view_map (c->plan, o->in, in);
  for (guint i = 0; i < n_out; i++) {
    packed_bias[out[i]] = bias[i];
    if (op->run == y10_cpu_conv_stem) {
      for (guint j = 0; j < 3 * taps; j++)
        ((gfloat *) packed)[(out[i] / n * 3 * taps + j) * n + out[i] % n] =
            weight[i * 3 * taps + j];
    } else if (is_depthwise (o)) {      /* includes that of attention */
      for (guint j = 0; j < taps; j++)
        ((gfloat *) packed)[(out[i] / n * taps + j) * n + out[i] % n] =
            weight[i * taps + j];
    } else {
      for (guint j = 0; j < n_in; j++) {
        const gfloat *w = weight + ((gsize) i * n_in + j) * taps;

        if (op->run == y10_cpu_winograd)
          y10_cpu_winograd_pack (w, (gfloat *) packed
              + (((gsize) (out[i] / n) * op->in.n_blocks + in[j] / n) * n
                  + in[j] % n) * n + out[i] % n, point);
        else
          put_dense (op, k, taps, out[i], in[j], w, packed);
      }
    }
  }
}
