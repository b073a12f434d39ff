/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Winograd's F(m × m, 3×3) (Lavin and Gray, 2015), m = 2 and 4: m² outputs take
 * (m + 2)² products instead of 9 m². In fp32 it adds rounding errors, more for
 * m = 4 (docs/design.md). Tiles of m × m outputs are numbered row by row. A
 * batch of tiles is transformed, multiplied ((m + 2)² small matrix products by
 * the dense kernels) and transformed back while it is in the cache. */

#include "config.h"

#include "cpu/conv.h"

#define WINOGRAD_VALUE gfloat
#include "cpu/kernels/winograd4.h"

#define BATCH_BYTES (320 * 1024) /* of both transforms; fits the L2 */
#define MIN_OUTPUTS 96           /* of a chunk, which reads all weights */
#define MIN_TILES4 36            /* of a picture, for m = 4 */
#define N_CHECKED 8              /* output channels, at least, or all */
/* Of the error's RMS, divided by the outputs' RMS. Seeded and trained weights
 * give 1e-6. */
#define MAX_ERROR 3e-5

/* Outputs of a tile in each direction. */
static guint
tile_size (const Y10CpuOp *op)
{
  return op->conv == &y10_cpu_conv_winograd4x4 ? 4 : 2;
}

static guint
n_points (const Y10CpuOp *op)
{
  return (tile_size (op) + 2) * (tile_size (op) + 2);
}

static guint
batch_tiles (const Y10CpuOp *op, const Y10Kernels *k)
{
  gsize a_tile = n_points (op) * (op->in.n_blocks + op->out.n_blocks)
      * y10_cpu_pixel (k);
  guint n = BATCH_BYTES / a_tile / k->tile * k->tile;

  return MAX (n, k->tile);
}

static gsize
scratch_size (const Y10CpuOp *op, const Y10Kernels *k)
{
  guint size = tile_size (op);

  return n_points (op) * (op->in.n_blocks + op->out.n_blocks)
      * y10_cpu_pixel (k) * batch_tiles (op, k)
      + (size + 2) * (op->in.width + size + 2) * y10_cpu_pixel (k);
}

/* Transforms tiles [from, to) of tile row @ty in one block of input
 * channels. */
static void
transform_in (const Y10CpuOp *op, const Y10CpuTask *task, const guint8 *block,
    guint ty, guint from, guint to, gfloat *v, gsize point, guint8 *copy)
{
  const Y10Kernels *k = task->kernels;
  gsize pixel = y10_cpu_pixel (k), row;
  guint size = tile_size (op);
  /* Tiles 1 … last - 1 touch neither the left nor the right edge. */
  guint last = (op->in.width - 1) / size;
  guint cut[4] = { from, CLAMP (1, from, to), CLAMP (last, from, to), to };

  cut[2] = MAX (cut[2], cut[1]);
  for (guint i = 0; i < 3; i++) {
    guint n = cut[i + 1] - cut[i];
    const guint8 *s;

    if (!n)
      continue;
    s = y10_cpu_patch (block, pixel, op->in.height, op->in.width,
        (gint) (size * ty) - 1, (gint) (size * cut[i]) - 1, size + 2,
        size * n + 2, NULL, copy, &row);
    k->winograd[size / 2 - 1].in (s, row, v + (cut[i] - from) * k->block, point,
        n);
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
    .src_block = n * pixel,
    .weight_block = weight_block,
    .dst_block = n * pixel,
    .n_blocks = op->in.n_blocks,
    .kh = 1,
    .kw = 1,
    .dst_size = sizeof (gfloat),
  };

  for (guint p = 0; p < n_points (op); p++) {
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
        k->dense[0][blocks - 1][to - from - 1](&t);
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
  guint size = tile_size (op), per_row = (out->width + size - 1) / size;
  guint per_column = (out->height + size - 1) / size;
  guint batch = batch_tiles (op, k), begin, end, n_batches;
  gfloat *v = (gfloat *) task->scratch;
  gfloat *m = v + (gsize) n_points (op) * in->n_blocks * batch * k->block;
  guint8 *copy = (guint8 *) (m
      + (gsize) n_points (op) * out->n_blocks * batch * k->block);

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
      gsize at = ((gsize) size * ty * out->width + size * tx) * pixel;

      for (guint b = 0; b < out->n_blocks; b++)
        k->winograd[size / 2 - 1].out (m
                + ((gsize) b * n + tile - from) * k->block,
            out->n_blocks * n * pixel, op->bias + b * k->block,
            task->arena + out->offset + b * out->block + at, out->width * pixel,
            op->add.n_blocks
                ? task->arena + op->add.offset + b * op->add.block + at
                : NULL,
            count, out->width - size * tx, MIN (size, out->height - size * ty),
            op->op->act == Y10_ACT_SILU);
      tile += count;
    }
  }
}

static gboolean
supports2x2 (const Y10CpuCompile *c, const Y10CpuOp *op)
{
  const Y10Op *o = op->op;

  return c->kernels->winograd[0].in && !op->widens && !op->narrows && !op->exact
      && o->kernel == 3 && o->stride == 1 && o->pad == 1;
}

/* With few tiles, reading 36 values for 9 weights takes more time than the
 * products that are saved: at 5 × 5 tiles m = 4 and m = 2 are equally fast. */
static gboolean
supports4x4 (const Y10CpuCompile *c, const Y10CpuOp *op)
{
  return supports2x2 (c, op)
      && ((op->out.width + 3) / 4) * ((op->out.height + 3) / 4) >= MIN_TILES4;
}

static void
prepare (const Y10CpuCompile *c, Y10CpuOp *op)
{
  const Y10Kernels *k = c->kernels;

  op->weight_size = (gsize) n_points (op) * op->in.n_blocks * op->out.n_blocks
      * k->block * y10_cpu_pixel (k);
  op->scratch_size = scratch_size (op, k);
  y10_cpu_add_phase (op, run,
      y10_cpu_choose_chunks (c->n_threads,
          op->out.width * op->out.height / MIN_OUTPUTS));
}

/* Multiplies three values by G. */
static void
transform_taps (guint size, const gdouble g[3], gdouble *u)
{
  const gdouble a = 2.0 / 3, b = 3.0 / 2; /* WINOGRAD_A, _B */
  const gdouble na = 2 * a * a * (a * a - b * b);
  const gdouble nb = 2 * b * b * (b * b - a * a);

  if (size == 2) {
    u[0] = g[0];
    u[1] = (g[0] + g[1] + g[2]) / 2;
    u[2] = (g[0] - g[1] + g[2]) / 2;
    u[3] = g[2];
  } else {
    u[0] = g[0];
    u[1] = (g[0] + a * g[1] + a * a * g[2]) / na;
    u[2] = (g[0] - a * g[1] + a * a * g[2]) / na;
    u[3] = (g[0] + b * g[1] + b * b * g[2]) / nb;
    u[4] = (g[0] - b * g[1] + b * b * g[2]) / nb;
    u[5] = g[2];
  }
}

static void
multiply_taps (guint size, const gfloat taps[9], gdouble u[6][6])
{
  gdouble half[3][6];

  for (guint x = 0; x < 3; x++)
    transform_taps (size, (gdouble[3]){ taps[x], taps[3 + x], taps[6 + x] },
        half[x]);
  for (guint y = 0; y < size + 2; y++)
    transform_taps (size, (gdouble[3]){ half[0][y], half[1][y], half[2][y] },
        u[y]);
}

/* Packs G g G' to [point][out block][in block][in channel][out channel]. */
static void
pack (const Y10CpuOp *op, const Y10Kernels *k, guint out, guint in,
    const gfloat taps[9], guint8 *packed)
{
  guint n = k->block, size = tile_size (op);
  gsize point = (gsize) op->in.n_blocks * op->out.n_blocks * n * n;
  gfloat *to = (gfloat *) packed
      + (((gsize) (out / n) * op->in.n_blocks + in / n) * n + in % n) * n
      + out % n;
  gdouble u[6][6];

  multiply_taps (size, taps, u);
  for (guint y = 0; y < size + 2; y++)
    for (guint x = 0; x < size + 2; x++, to += point)
      *to = (gfloat) u[y][x];
}

/* A pixel of a tile of noise in [0, 1); the same on every machine. */
static gfloat
noise (guint channel, guint y, guint x)
{
  guint32 h = (channel * 36 + y * 6 + x + 1) * 2654435761u;

  h = (h ^ h >> 15) * 2246822519u;
  return (gfloat) (h >> 8) / (1 << 24);
}

/* Adds one input channel to the products @m and to the direct convolution
 * @o. */
static void
accumulate (guint channel, const gfloat taps[9], gfloat m[6][6],
    gdouble o[4][4])
{
  gfloat d[6][6], half[6][6], v[6], column[6];
  gdouble u[6][6];

  for (guint y = 0; y < 6; y++)
    for (guint x = 0; x < 6; x++)
      d[y][x] = noise (channel, y, x);
  for (guint y = 0; y < 4; y++)
    for (guint x = 0; x < 4; x++)
      for (guint t = 0; t < 9; t++)
        o[y][x] += (gdouble) taps[t] * d[y + t / 3][x + t % 3];
  for (guint x = 0; x < 6; x++) {
    for (guint y = 0; y < 6; y++)
      column[y] = d[y][x];
    winograd4_b (column, v);
    for (guint y = 0; y < 6; y++)
      half[y][x] = v[y];
  }
  multiply_taps (4, taps, u);
  for (guint y = 0; y < 6; y++) {
    winograd4_b (half[y], v);
    for (guint x = 0; x < 6; x++)
      m[y][x] += (gfloat) u[y][x] * v[x];
  }
}

/* Computes one tile of some output channels by F(4×4, 3×3) in fp32 and directly
 * in double. The size of the weights does not matter as long as nothing
 * overflows; what fails are channels whose sums overflow, or cancel almost
 * entirely. */
static gboolean
is_accurate4x4 (guint n_out, guint n_in, const gfloat *weight)
{
  guint step = MAX (n_out / N_CHECKED, 1);

  for (guint out = 0; out < n_out; out += step) {
    gfloat m[6][6] = { { 0 } }, half[4][6], column[6], o[4];
    gdouble wanted[4][4] = { { 0 } }, error = 0, power = 0;

    for (guint in = 0; in < n_in; in++)
      accumulate (in, weight + ((gsize) out * n_in + in) * 9, m, wanted);
    for (guint x = 0; x < 6; x++) {
      for (guint y = 0; y < 6; y++)
        column[y] = m[y][x];
      winograd4_a (column, o);
      for (guint y = 0; y < 4; y++)
        half[y][x] = o[y];
    }
    for (guint y = 0; y < 4; y++) {
      winograd4_a (half[y], o);
      for (guint x = 0; x < 4; x++) {
        error += (o[x] - wanted[y][x]) * (o[x] - wanted[y][x]);
        power += wanted[y][x] * wanted[y][x];
      }
    }
    /* NaN fails. */
    if (!(error <= MAX_ERROR * MAX_ERROR * power))
      return FALSE;
  }
  return TRUE;
}

const Y10CpuConv y10_cpu_conv_winograd2x2 = { "winograd2x2", supports2x2,
  prepare, pack, NULL };

const Y10CpuConv y10_cpu_conv_winograd4x4 = { "winograd4x4", supports4x4,
  prepare, pack, is_accurate4x4 };
