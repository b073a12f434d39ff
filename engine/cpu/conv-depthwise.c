/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Depthwise convolutions, row by row of each channel block. */

#include "config.h"

#include "cpu/conv.h"

#define MIN_ROWS 8 /* of a chunk */

static gboolean
supports (const Y10CpuCompile *c, const Y10CpuOp *op)
{
  return op->op->groups > 1;
}

/* Bytes of the input of one row of outputs. */
static gsize
patch_size (const Y10CpuOp *op, gsize pixel)
{
  return op->op->kernel * pixel
      * ((op->out.width - 1) * op->op->stride + op->op->kernel);
}

/* Computes a row as floats, at @floats, and converts it. */
static void
narrow_row (const Y10CpuOp *op, Y10DwRow *r, gfloat *floats)
{
  void *dst = r->dst;
  const void *add = r->add;

  r->dst = floats;
  r->add = NULL;
  op->kernels->depthwise (r);
  op->int8->narrow (floats, dst, add, r->width, &r->affine);
}

void
y10_cpu_conv_depthwise_rows (const Y10CpuOp *op, const Y10CpuTask *task,
    guint begin, guint end)
{
  const Y10Kernels *k = task->kernels;
  const Y10Op *o = op->op;
  const Y10CpuPlane *in = &op->in, *out = &op->out;
  gsize pixel = in->pixel, row;
  gfloat *floats = (gfloat *) (task->scratch + patch_size (op, in->pixel));
  guint inner_begin = (o->pad + o->stride - 1) / o->stride, inner_end;
  Y10DwRow r = {
    .kernel = o->kernel,
    .stride = o->stride,
    .silu = o->act == Y10_ACT_SILU,
    .dst_size = op->narrows ? sizeof (gfloat) : out->pixel / k->block,
  };

  /* Columns whose taps are all inside. */
  inner_end = in->width + o->pad < o->kernel
      ? 0
      : (in->width + o->pad - o->kernel) / o->stride + 1;
  inner_end = MIN (inner_end, out->width);
  inner_begin = MIN (inner_begin, inner_end);
  for (guint i = begin; i < end; i++) {
    guint b = i / out->height, y = i % out->height;
    /* Left edge, inner columns, right edge. */
    guint cut[4] = { 0, inner_begin, inner_end, out->width };
    gsize at = b * out->block + (gsize) y * out->width * out->pixel;

    r.affine = y10_cpu_affine (op, b);
    r.weight = (const gfloat *) op->weight
        + (gsize) b * o->kernel * o->kernel * k->block;
    r.bias = op->bias + b * k->block;
    for (guint j = 0; j < 3; j++) {
      guint n = cut[j + 1] - cut[j];

      if (!n)
        continue;
      r.src = y10_cpu_patch (task->arena + in->offset + b * in->block, pixel,
          in->height, in->width, (gint) (y * o->stride) - (gint) o->pad,
          (gint) (cut[j] * o->stride) - (gint) o->pad, o->kernel,
          (n - 1) * o->stride + o->kernel, y10_cpu_fill (op, b), task->scratch,
          &row);
      r.src_row = row;
      r.dst = task->arena + out->offset + at + cut[j] * out->pixel;
      r.add = op->add.n_blocks
          ? task->arena + op->add.offset + b * op->add.block
              + ((gsize) y * out->width + cut[j]) * op->add.pixel
          : NULL;
      r.width = n;
      if (op->narrows)
        narrow_row (op, &r, floats);
      else
        k->depthwise (&r);
    }
  }
}

static void
run (const Y10CpuOp *op, const Y10CpuTask *task, guint chunk, guint n_chunks)
{
  guint begin, end;

  y10_cpu_share (op->out.n_blocks * op->out.height, chunk, n_chunks, &begin,
      &end);
  y10_cpu_conv_depthwise_rows (op, task, begin, end);
}

gsize
y10_cpu_conv_depthwise_scratch (const Y10CpuOp *op, const Y10Kernels *k)
{
  return patch_size (op, op->in.pixel)
      + (op->narrows ? op->out.width * k->block * sizeof (gfloat) : 0);
}

static void
prepare (const Y10CpuCompile *c, Y10CpuOp *op)
{
  op->weight_size = (gsize) op->out.n_blocks * op->op->kernel * op->op->kernel
      * c->kernels->block * sizeof (gfloat);
  op->scratch_size = y10_cpu_conv_depthwise_scratch (op, c->kernels);
  y10_cpu_add_phase (op, run,
      y10_cpu_choose_chunks (c->n_threads,
          op->out.n_blocks * op->out.height / MIN_ROWS));
}

/* Packs to [block][tap][channel]. */
static void
pack (const Y10CpuOp *op, const Y10Kernels *k, guint out, guint in,
    const gfloat *taps, guint8 *packed)
{
  guint n_taps = op->op->kernel * op->op->kernel, n = k->block;

  for (guint t = 0; t < n_taps; t++)
    ((gfloat *) packed)[(out / n * n_taps + t) * n + out % n] = taps[t];
}

const Y10CpuConv y10_cpu_conv_depthwise = { "depthwise", supports, prepare,
  pack, NULL };
