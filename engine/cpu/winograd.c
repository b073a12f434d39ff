/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Winograd's F(2×2, 3×3) (Lavin and Gray, 2015): four outputs take 16
 * products instead of 36. In fp32 it adds rounding errors of a few units in
 * the last place. Tiles of 2 × 2 outputs are numbered row by row. A batch of
 * tiles is transformed, multiplied (16 small matrix products by the dense
 * kernels) and transformed back while it is in the cache. */

#include "config.h"

#include "cpu/conv.h"

#define POINTS 16
#define BATCH_BYTES (320 * 1024)        /* of both transforms; fits the L2 */
#define MIN_TILES 24            /* of a chunk, which reads all weights */

static guint
batch_tiles (const Y10CpuOp *op, const Y10Kernels *k)
{
  gsize a_tile = POINTS * (op->in.n_blocks + op->out.n_blocks)
      * y10_cpu_pixel (k);
  guint n = BATCH_BYTES / a_tile / k->tile * k->tile;

  return MAX (n, k->tile);
}

static gsize
scratch_size (const Y10CpuOp *op, const Y10Kernels *k)
{
  return POINTS * (op->in.n_blocks + op->out.n_blocks) * y10_cpu_pixel (k)
      * batch_tiles (op, k)
      + 4 * (op->in.width + 4) * y10_cpu_pixel (k);
}

/* Transforms tiles [from, to) of tile row @ty in one block of input
 * channels. */
static void
transform_in (const Y10CpuOp *op, const Y10CpuTask *task, const guint8 *block,
    guint ty, guint from, guint to, gfloat *v, gsize point, guint8 *copy)
{
  const Y10Kernels *k = task->kernels;
  gsize pixel = y10_cpu_pixel (k), row;
  /* Tiles 1 … last - 1 touch neither the left nor the right edge. */
  guint last = (op->in.width - 1) / 2;
  guint cut[4] = { from, CLAMP (1, from, to), CLAMP (last, from, to), to };

  cut[2] = MAX (cut[2], cut[1]);
  for (guint i = 0; i < 3; i++) {
    guint n = cut[i + 1] - cut[i];
    const guint8 *s;

    if (!n)
      continue;
    s = y10_cpu_patch (block, pixel, op->in.height, op->in.width,
        2 * (gint) ty - 1, 2 * (gint) cut[i] - 1, 4, 2 * n + 2, copy, &row);
    k->winograd_in (s, row, v + (cut[i] - from) * k->block, point, n);
  }
}

static void
multiply (const Y10CpuOp *op, const Y10CpuTask *task, const gfloat *v,
    gfloat *m, guint n)
{
  const Y10Kernels *k = task->kernels;
  gsize pixel = y10_cpu_pixel (k);
  gsize weight_block = (gsize) op->in.n_blocks * k->block * pixel;
  guint n_tiles = (n + k->tile - 1) / k->tile, from, to;
  Y10Tile t = {
    .src_block = n * pixel,.weight_block = weight_block,.dst_block = n * pixel,
    .n_blocks = op->in.n_blocks,.kh = 1,.kw = 1
  };

  for (guint p = 0; p < POINTS; p++) {
    const guint8 *src = (const guint8 *) v + p * op->in.n_blocks * n * pixel;
    guint8 *dst = (guint8 *) m + p * op->out.n_blocks * n * pixel;
    const guint8 *weight = op->weight + p * op->out.n_blocks * weight_block;

    for (guint b = 0; b < op->out.n_blocks; b += Y10_TILE_BLOCKS) {
      guint blocks = MIN (op->out.n_blocks - b, Y10_TILE_BLOCKS);

      t.weight = weight + b * weight_block;
      for (guint i = 0; i < n_tiles; i++) {
        y10_cpu_share (n, i, n_tiles, &from, &to);
        t.src = src + from * pixel;
        t.dst = dst + b * n * pixel + from * pixel;
        k->dense[0][blocks - 1][to - from - 1] (&t);
      }
    }
  }
}

static void
run (const Y10CpuOp *op, const Y10CpuTask *task, guint chunk, guint n_chunks)
{
  const Y10Kernels *k = task->kernels;
  const Y10CpuPlane *in = &op->in, *out = &op->out;
  gsize pixel = y10_cpu_pixel (k);
  guint per_row = (out->width + 1) / 2, per_column = (out->height + 1) / 2;
  guint batch = batch_tiles (op, k), begin, end, n_batches;
  gfloat *v = (gfloat *) task->scratch;
  gfloat *m = v + (gsize) POINTS * in->n_blocks * batch * k->block;
  guint8 *copy = (guint8 *) (m
      + (gsize) POINTS * out->n_blocks * batch * k->block);

  y10_cpu_share (per_row * per_column, chunk, n_chunks, &begin, &end);
  n_batches = (end - begin + batch - 1) / batch;
  for (guint i = 0; i < n_batches; i++) {
    guint from, to, n;

    y10_cpu_share (end - begin, i, n_batches, &from, &to);
    from += begin;
    to += begin;
    n = to - from;
    for (guint tile = from; tile < to;) {
      guint ty = tile / per_row, tx = tile % per_row;
      guint count = MIN (per_row - tx, to - tile);

      for (guint b = 0; b < in->n_blocks; b++)
        transform_in (op, task, task->arena + in->offset + b * in->block, ty,
            tx, tx + count, v + ((gsize) b * n + tile - from) * k->block,
            in->n_blocks * n * pixel, copy);
      tile += count;
    }
    multiply (op, task, v, m, n);
    for (guint tile = from; tile < to;) {
      guint ty = tile / per_row, tx = tile % per_row;
      guint count = MIN (per_row - tx, to - tile);
      gsize at = ((gsize) 2 * ty * out->width + 2 * tx) * pixel;

      for (guint b = 0; b < out->n_blocks; b++)
        k->winograd_out (m + ((gsize) b * n + tile - from) * k->block,
            out->n_blocks * n * pixel, op->bias + b * k->block,
            task->arena + out->offset + b * out->block + at,
            out->width * pixel, op->add.n_blocks ? task->arena
            + op->add.offset + b * op->add.block + at : NULL, count,
            out->width - 2 * tx, MIN (2, out->height - 2 * ty),
            op->op->act == Y10_ACT_SILU);
      tile += count;
    }
  }
}

static gboolean
supports (const Y10CpuCompile *c, const Y10CpuOp *op)
{
  const Y10Op *o = op->op;

  return c->kernels->winograd_in && !c->exact && o->kernel == 3
      && o->stride == 1 && o->pad == 1;
}

static void
prepare (const Y10CpuCompile *c, Y10CpuOp *op)
{
  const Y10Kernels *k = c->kernels;
  guint tiles = (op->out.width + 1) / 2 * ((op->out.height + 1) / 2);

  op->weight_size = (gsize) POINTS * op->in.n_blocks * op->out.n_blocks
      * k->block * y10_cpu_pixel (k);
  op->scratch_size = scratch_size (op, k);
  y10_cpu_add_phase (op, run,
      y10_cpu_choose_chunks (c->n_threads, tiles / MIN_TILES));
}

/* Packs G g G' to [point][out block][in block][in channel][out channel]. */
static void
pack (const Y10CpuOp *op, const Y10Kernels *k, guint out, guint in,
    const gfloat taps[9], guint8 *packed)
{
  guint n = k->block;
  gsize point = (gsize) op->in.n_blocks * op->out.n_blocks * n * n;
  gfloat *to = (gfloat *) packed
      + (((gsize) (out / n) * op->in.n_blocks + in / n) * n + in % n) * n
      + out % n;
  gdouble half[4][3];

  for (guint x = 0; x < 3; x++) {
    gdouble a = taps[x], b = taps[3 + x], c = taps[6 + x];

    half[0][x] = a;
    half[1][x] = (a + b + c) / 2;
    half[2][x] = (a - b + c) / 2;
    half[3][x] = c;
  }
  for (guint y = 0; y < 4; y++) {
    gdouble a = half[y][0], b = half[y][1], c = half[y][2];

    to[(4 * y + 0) * point] = (gfloat) a;
    to[(4 * y + 1) * point] = (gfloat) ((a + b + c) / 2);
    to[(4 * y + 2) * point] = (gfloat) ((a - b + c) / 2);
    to[(4 * y + 3) * point] = (gfloat) c;
  }
}

const Y10CpuConv y10_cpu_conv_winograd2x2 = {
  "winograd2x2", supports, prepare, pack
};
