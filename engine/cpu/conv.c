/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Convolutions by our own kernels: cuts them into tiles and distributes
 * these over the threads. A tile is a few pixels of a row times one or two
 * blocks of output channels, over all input channels. A tile whose taps
 * cross an edge reads a zero-padded copy, so the kernels need not handle
 * edges. */

#include "config.h"

#include <string.h>

#include "cpu/conv.h"

/* Width of the left part of a row of the first convolution, the only part with
 * taps beyond the left edge. */
#define STEM_EDGE 16

/* This thread's share of @n pixels or tiles and of @blocks output blocks.
 * Splits the blocks only if a thread would get fewer than @n_min pixels or
 * tiles. */
static void
share_2d (const Y10CpuTask *task, guint n, guint n_min, guint blocks,
    guint *begin, guint *end, guint *first_block, guint *end_block)
{
  guint parts = task->n_threads, columns = 1;
  guint groups = (blocks + Y10_TILE_BLOCKS - 1) / Y10_TILE_BLOCKS;

  while (parts > 1 && parts % 2 == 0 && n / parts < n_min
      && 2 * columns <= groups) {
    parts /= 2;
    columns *= 2;
  }
  y10_cpu_share (n, task->thread / columns, parts, begin, end);
  y10_cpu_share (groups, task->thread % columns, columns, first_block,
      end_block);
  *first_block *= Y10_TILE_BLOCKS;
  *end_block = MIN (*end_block * Y10_TILE_BLOCKS, blocks);
}

static Y10Tile
start_tile (const Y10CpuOp *op, const Y10Kernels *k)
{
  const Y10Op *o = op->op;

  return (Y10Tile) {
    .weight_block = (gsize) op->in.n_blocks * o->kernel * o->kernel
        * k->block * k->block * k->elem,
    .dst_block = op->out.block,
    .add_block = op->add.block,
    .n_blocks = op->in.n_blocks,
    .kh = o->kernel,.kw = o->kernel,
    .silu = o->act == Y10_ACT_SILU,
    .dst_f32 = op->logits,
  };
}

/* Computes a tile for output blocks [first, end). @pixel: offset of the first
 * output. */
static void
run_tile (const Y10CpuOp *op, const Y10CpuTask *task, Y10Tile *t,
    gsize pixel, guint n_pixels, guint first, guint end)
{
  const Y10Kernels *k = task->kernels;
  gsize in_size = y10_cpu_pixel (k);
  gsize out_size = op->logits ? (gsize) k->block * 4 : in_size;

  for (guint b = first; b < end; b += Y10_TILE_BLOCKS) {
    guint n = MIN (end - b, Y10_TILE_BLOCKS);

    t->weight = op->weight + b * t->weight_block;
    t->bias = op->bias + b * k->block;
    t->dst = task->arena + op->out.offset + b * op->out.block
        + pixel * out_size;
    if (op->add.n_blocks)
      t->add = task->arena + op->add.offset + b * op->add.block
          + pixel * in_size;
    k->dense[op->op->stride - 1][n - 1][n_pixels - 1] (t);
  }
}

void
y10_cpu_conv_pointwise (const Y10CpuOp *op, const Y10CpuTask *task)
{
  const Y10Kernels *k = task->kernels;
  const guint8 *in = task->arena + op->in.offset;
  guint begin, end, first, last, n_tiles;
  Y10Tile t = start_tile (op, k);

  share_2d (task, op->out.height * op->out.width, k->tile, op->out.n_blocks,
      &begin, &end, &first, &last);
  n_tiles = (end - begin + k->tile - 1) / k->tile;
  t.src_block = op->in.block;
  for (guint i = 0; i < n_tiles; i++) {
    guint from, to;

    y10_cpu_share (end - begin, i, n_tiles, &from, &to);
    from += begin;
    to += begin;
    t.src = in + from * y10_cpu_pixel (k);
    run_tile (op, task, &t, from, to - from, first, last);
  }
}

void
y10_cpu_conv_direct (const Y10CpuOp *op, const Y10CpuTask *task)
{
  const Y10Kernels *k = task->kernels;
  const Y10Op *o = op->op;
  const Y10CpuPlane *in = &op->in;
  guint per_row = (op->out.width + k->tile - 1) / k->tile;
  guint begin, end, first, last;
  Y10Tile t = start_tile (op, k);

  share_2d (task, op->out.height * per_row, 1, op->out.n_blocks, &begin, &end,
      &first, &last);
  for (guint i = begin; i < end; i++) {
    guint y = i / per_row, from, to, columns;
    gint sy = (gint) (y * o->stride) - (gint) o->pad, sx;
    const guint8 *block = task->arena + in->offset, *p;
    gsize row;

    y10_cpu_share (op->out.width, i % per_row, per_row, &from, &to);
    sx = (gint) (from * o->stride) - (gint) o->pad;
    columns = (to - from - 1) * o->stride + o->kernel;
    p = y10_cpu_patch (block, y10_cpu_pixel (k), in->height, in->width, sy, sx,
        o->kernel, columns, task->scratch, &row);
    t.src = p;
    t.src_row = row;
    t.src_block = in->block;
    if (p == task->scratch) {
      t.src_block = o->kernel * row;
      for (guint b = 1; b < in->n_blocks; b++)
        y10_cpu_patch (block + b * in->block, y10_cpu_pixel (k), in->height,
            in->width, sy, sx, o->kernel, columns,
            task->scratch + b * t.src_block, &row);
    }
    run_tile (op, task, &t, (gsize) y * op->out.width + from, to - from, first,
        last);
  }
}

void
y10_cpu_conv_depthwise (const Y10CpuOp *op, const Y10CpuTask *task)
{
  const Y10Kernels *k = task->kernels;
  const Y10Op *o = op->op;
  const Y10CpuPlane *in = &op->in, *out = &op->out;
  gsize pixel = y10_cpu_pixel (k), row;
  guint inner_begin = (o->pad + o->stride - 1) / o->stride, inner_end;
  guint begin, end;
  Y10DwRow r = {
    .kernel = o->kernel,.stride = o->stride,.silu = o->act == Y10_ACT_SILU
  };

  /* Columns whose taps are all inside. */
  inner_end = in->width + o->pad < o->kernel ? 0
      : (in->width + o->pad - o->kernel) / o->stride + 1;
  inner_end = MIN (inner_end, out->width);
  inner_begin = MIN (inner_begin, inner_end);
  y10_cpu_share (out->n_blocks * out->height, task->thread, task->n_threads,
      &begin, &end);
  for (guint i = begin; i < end; i++) {
    guint b = i / out->height, y = i % out->height;
    /* Left edge, inner columns, right edge. */
    guint cut[4] = { 0, inner_begin, inner_end, out->width };
    gsize at = b * out->block + (gsize) y * out->width * pixel;

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
          (n - 1) * o->stride + o->kernel, task->scratch, &row);
      r.src_row = row;
      r.dst = task->arena + out->offset + at + cut[j] * pixel;
      r.add = op->add.n_blocks ? task->arena + op->add.offset
          + b * op->add.block + ((gsize) y * out->width + cut[j]) * pixel
          : NULL;
      r.width = n;
      k->depthwise (&r);
    }
  }
}

/* Convolution of the input's three planes. Taps cross an edge only in the first
 * columns of a row and in the first and last rows, so each row is done in two
 * parts. */
void
y10_cpu_conv_stem (const Y10CpuOp *op, const Y10CpuTask *task)
{
  const Y10Kernels *k = task->kernels;
  const Y10Op *o = op->op;
  const Y10CpuPlane *in = &op->in, *out = &op->out;
  guint cut[3] = { 0, MIN (STEM_EDGE, out->width), out->width };
  gsize pixel = y10_cpu_pixel (k), row;
  guint begin, end;

  y10_cpu_share (out->height, task->thread, task->n_threads, &begin, &end);
  for (guint y = begin; y < end; y++) {
    gint sy = (gint) (y * o->stride) - (gint) o->pad;

    for (guint i = 0; i < 2; i++) {
      guint n = cut[i + 1] - cut[i];
      gint sx = (gint) (cut[i] * o->stride) - (gint) o->pad;
      guint columns = (n - 1) * o->stride + o->kernel;
      gsize plane = in->block;
      const guint8 *s;

      if (!n)
        continue;
      s = y10_cpu_patch (task->arena + in->offset, sizeof (gfloat), in->height,
          in->width, sy, sx, o->kernel, columns, task->scratch, &row);
      if (s == task->scratch) {
        plane = o->kernel * row;
        for (guint c = 1; c < 3; c++)
          y10_cpu_patch (task->arena + in->offset + c * in->block,
              sizeof (gfloat), in->height, in->width, sy, sx, o->kernel,
              columns, task->scratch + c * plane, &row);
      }
      k->stem ((const gfloat *) s, plane / sizeof (gfloat),
          row / sizeof (gfloat), (const gfloat *) op->weight, op->bias,
          task->arena + out->offset
          + ((gsize) y * out->width + cut[i]) * pixel, out->block,
          out->n_blocks, n, o->kernel, o->stride, o->act == Y10_ACT_SILU);
    }
  }
}

/* Gathers the taps of each pixel as channel blocks of a pointwise
 * convolution. The weights have that order already, and the products are
 * summed in the same order. */
void
y10_cpu_conv_some (const Y10CpuOp *op, const Y10CpuTask *task,
    const guint32 *pixel, guint n)
{
  const Y10Kernels *k = task->kernels;
  const Y10Op *o = op->op;
  const Y10CpuPlane *in = &op->in;
  gsize size = y10_cpu_pixel (k);
  gsize out_size = op->logits ? (gsize) k->block * 4 : size;
  guint n_taps = o->kernel * o->kernel, begin, end;
  guint n_tiles = (n + k->tile - 1) / k->tile;
  guint8 *result = task->scratch
      + (gsize) in->n_blocks * n_taps * k->tile * size;
  Y10Tile t = start_tile (op, k);

  y10_cpu_share (n_tiles, task->thread, task->n_threads, &begin, &end);
  t.kh = t.kw = 1;
  t.n_blocks = in->n_blocks * n_taps;
  t.src = task->scratch;
  for (guint i = begin; i < end; i++) {
    guint from, to, count;

    y10_cpu_share (n, i, n_tiles, &from, &to);
    count = to - from;
    t.src_block = count * size;
    t.dst_block = count * out_size;
    for (guint p = 0; p < count; p++) {
      gint y = pixel[from + p] / in->width, x = pixel[from + p] % in->width;

      for (guint tap = 0; tap < n_taps; tap++) {
        gint sy = y + (gint) (tap / o->kernel) - (gint) o->pad;
        gint sx = x + (gint) (tap % o->kernel) - (gint) o->pad;
        gboolean inside = sy >= 0 && sy < (gint) in->height && sx >= 0
            && sx < (gint) in->width;
        const guint8 *s = task->arena + in->offset
            + (inside ? ((gsize) sy * in->width + sx) * size : 0);
        guint8 *d = task->scratch + ((gsize) tap * count + p) * size;

        for (guint b = 0; b < in->n_blocks;
            b++, s += in->block, d += (gsize) n_taps * count * size)
          if (inside)
            memcpy (d, s, size);
          else
            memset (d, 0, size);
      }
    }
    for (guint b = 0; b < op->out.n_blocks; b += Y10_TILE_BLOCKS) {
      guint blocks = MIN (op->out.n_blocks - b, Y10_TILE_BLOCKS);

      t.weight = op->weight + b * t.weight_block;
      t.bias = op->bias + b * k->block;
      t.dst = result;
      k->dense[0][blocks - 1][count - 1] (&t);
      for (guint j = 0; j < blocks; j++)
        for (guint p = 0; p < count; p++)
          memcpy (task->arena + op->out.offset + (b + j) * op->out.block
              + pixel[from + p] * out_size,
              result + j * t.dst_block + p * out_size, out_size);
    }
  }
}
