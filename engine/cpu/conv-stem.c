/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The first convolution, from the input's three planes. Taps cross an edge only
 * in the first columns of a row and in the first and last rows, so each row is
 * done in two parts. */

#include "config.h"

#include "base/half.h"
#include "cpu/conv.h"

/* Width of the left part of a row, the only part with taps beyond the left
 * edge. */
#define EDGE 16
#define MIN_ROWS 4 /* of a chunk */

static gboolean
supports (const Y10CpuCompile *c, const Y10CpuOp *op)
{
  const Y10Graph *graph = c->plan->graph;

  return graph->tensors[op->op->in.tensor].role == Y10_ROLE_INPUT;
}

/* Bytes of the input of one row of outputs. */
static gsize
patch_size (const Y10CpuOp *op)
{
  return 3 * op->op->kernel * sizeof (gfloat)
      * ((op->out.width - 1) * op->op->stride + op->op->kernel);
}

/* Those of one byte if they store what these ops write, else those of floats. */
static const Y10Kernels *
get_kernels (const Y10CpuOp *op)
{
  return op->narrows && op->int8->stem_kernel == op->op->kernel ? op->int8
                                                                : op->kernels;
}

/* Whether floats are computed first, and then narrowed. */
static gboolean
narrows (const Y10CpuOp *op)
{
  return op->narrows && get_kernels (op) == op->kernels;
}

static void
run (const Y10CpuOp *op, const Y10CpuTask *task, guint chunk, guint n_chunks)
{
  const Y10Kernels *k = get_kernels (op);
  const Y10Op *o = op->op;
  const Y10CpuPlane *in = &op->in, *out = &op->out;
  const Y10Affine all = y10_cpu_affine (op, 0);
  guint cut[3] = { 0, MIN (EDGE, out->width), out->width };
  gfloat *floats = (gfloat *) (task->scratch + patch_size (op));
  gsize row;
  guint begin, end;

  y10_cpu_share (out->height, chunk, n_chunks, &begin, &end);
  for (guint y = begin; y < end; y++) {
    gint sy = (gint) (y * o->stride) - (gint) o->pad;

    for (guint i = 0; i < 2; i++) {
      guint n = cut[i + 1] - cut[i];
      gint sx = (gint) (cut[i] * o->stride) - (gint) o->pad;
      guint columns = (n - 1) * o->stride + o->kernel;
      gsize plane = in->block, dst_block = out->block;
      guint8 *dst = task->arena + out->offset
          + ((gsize) y * out->width + cut[i]) * out->pixel,
             *to = dst;
      const guint8 *s;

      if (!n)
        continue;
      s = y10_cpu_patch (task->arena + in->offset, sizeof (gfloat), in->height,
          in->width, sy, sx, o->kernel, columns, NULL, task->scratch, &row);
      if (s == task->scratch) {
        plane = o->kernel * row;
        for (guint c = 1; c < 3; c++)
          y10_cpu_patch (task->arena + in->offset + c * in->block,
              sizeof (gfloat), in->height, in->width, sy, sx, o->kernel,
              columns, NULL, task->scratch + c * plane, &row);
      }
      if (narrows (op)) {
        to = (guint8 *) floats;
        dst_block = n * k->block * sizeof (gfloat);
      }
      k->stem ((const gfloat *) s, plane / sizeof (gfloat),
          row / sizeof (gfloat), (const gfloat *) op->weight, op->bias, to,
          dst_block, narrows (op) ? sizeof (gfloat) : out->pixel / k->block,
          &all, out->n_blocks, n, o->kernel, o->stride, o->act == Y10_ACT_SILU);
      for (guint b = 0; narrows (op) && b < out->n_blocks; b++) {
        const Y10Affine affine = y10_cpu_affine (op, b);

        op->int8->narrow ((const gfloat *) (to + b * dst_block),
            dst + b * out->block, NULL, n, &affine);
      }
    }
  }
}

static void
prepare (const Y10CpuCompile *c, Y10CpuOp *op)
{
  const Y10Op *o = op->op;

  op->weight_size = op->out.n_blocks * 3 * o->kernel * o->kernel
      * c->kernels->block * sizeof (gfloat);
  op->scratch_size = patch_size (op)
      + (narrows (op) ? op->out.n_blocks * op->out.width * c->kernels->block
                  * sizeof (gfloat)
                      : 0);
  y10_cpu_add_phase (op, run,
      y10_cpu_choose_chunks (c->n_threads, op->out.height / MIN_ROWS));
}

/* As stem_kernel needs it: [out block][ky][kx][in channel / 2][out channel][2]. */
static void
pack_half (const Y10CpuOp *op, const Y10Kernels *k, guint out, guint in,
    const gfloat *taps, guint8 *packed)
{
  const guint kernel = op->op->kernel, n = k->block;

  for (guint y = 0; y < kernel; y++)
    for (guint x = 0; x < kernel; x++) {
      const gsize row = (out / n * kernel + y) * 8 + x * 2 + in / 2;

      ((guint16 *) packed)[(row * n + out % n) * 2 + in % 2] =
          y10_bfloat_from_float (taps[y * kernel + x]);
    }
}

/* Packs to [out block][in channel][tap][out channel]. */
static void
pack (const Y10CpuOp *op, const Y10Kernels *k, guint out, guint in,
    const gfloat *taps, guint8 *packed)
{
  guint n_taps = op->op->kernel * op->op->kernel, n = k->block;

  if (op->op->kernel == k->stem_kernel) {
    pack_half (op, k, out, in, taps, packed);
    return;
  }
  for (guint t = 0; t < n_taps; t++)
    ((gfloat *) packed)[((out / n * 3 + in) * n_taps + t) * n + out % n] =
        taps[t];
}

const Y10CpuConv y10_cpu_conv_stem = { "stem", supports, prepare, pack, NULL };
