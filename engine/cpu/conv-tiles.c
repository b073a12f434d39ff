/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Convolutions by tiles: a tile is a few pixels of a row times one or two
 * blocks of output channels, over all input channels. A tile whose taps cross
 * an edge reads a zero-padded copy, so the kernels need not handle edges. */

#include "config.h"

#include <string.h>

#include "cpu/conv.h"

/* Bytes of input for which a pair of output blocks is computed before the next
 * pair: they stay in the L2, and the pair's weights in the L1. */
#define INPUT_BYTES (128 * 1024)
#define COPY_BYTES (24 * 1024) /* the same, if copied: both stay in the L1 */
#define SET_BYTES 2048
#define MANY_BLOCKS 12
#define LINE 64 /* of the cache */

/* Chooses into how many ranges of pixels, of at most @n, and of output blocks
 * an op is cut: each range of pixels reads all weights again, and each range
 * of blocks all of the input. Returns the product, the number of chunks. */
guint
y10_cpu_conv_choose_chunks (const Y10CpuCompile *c, Y10CpuOp *op, guint n)
{
  guint groups = (op->out.n_blocks + Y10_TILE_BLOCKS - 1) / Y10_TILE_BLOCKS;
  guint most = MIN ((guint64) n * groups, Y10_THREADPOOL_MAX_CHUNKS);
  guint wanted = y10_cpu_choose_chunks (c->n_threads, most), best = 1;
  gsize input = op->in.n_blocks * op->in.block, least = G_MAXSIZE;

  for (guint columns = 1; columns <= MIN (wanted, groups); columns++) {
    guint rows = wanted / columns;
    gsize bytes = columns * input + rows * op->weight_size;

    if (rows * columns == wanted && rows <= n && bytes < least) {
      least = bytes;
      best = columns;
    }
  }
  op->chunk_columns = best;
  return MIN (wanted / best, MAX (n, 1)) * best;
}

/* The output blocks [first_block, end_block) of a chunk. */
void
y10_cpu_conv_share_blocks (const Y10CpuOp *op, guint chunk, guint *first_block,
    guint *end_block)
{
  guint groups = (op->out.n_blocks + Y10_TILE_BLOCKS - 1) / Y10_TILE_BLOCKS;

  y10_cpu_share (groups, chunk % op->chunk_columns, op->chunk_columns,
      first_block, end_block);
  *first_block *= Y10_TILE_BLOCKS;
  *end_block = MIN (*end_block * Y10_TILE_BLOCKS, op->out.n_blocks);
}

/* Of each output block: those whose weights are interleaved count whole. */
static guint
count_weight_blocks (const Y10CpuOp *op, const Y10Kernels *k)
{
  guint n = op->weight_blocks ? op->weight_blocks : op->in.n_blocks;

  return (n + k->in_blocks - 1) / k->in_blocks * k->in_blocks;
}

Y10Tile
y10_cpu_conv_start_tile (const Y10CpuOp *op, const Y10Kernels *k)
{
  const Y10Op *o = op->op;

  return (Y10Tile){
    .weight_block = (gsize) count_weight_blocks (op, k) * o->kernel * o->kernel
        * k->block * k->block * k->elem,
    .dst_block = op->out.block,
    .add_block = op->add.block,
    .resume_block = op->resume.block,
    .n_blocks = op->in.n_blocks,
    .kh = o->kernel,
    .kw = o->kernel,
    .silu = o->act == Y10_ACT_SILU,
    .dst_size = op->out.pixel / k->block,
  };
}

/* Computes @n output blocks from @b on, at t->dst, where t->add is as well. */
static void
compute_blocks (const Y10CpuOp *op, Y10Tile *t, guint stride, guint b, guint n,
    guint n_pixels, guint8 *floats)
{
  const Y10Kernels *k = op->kernels;
  const Y10TileFunc dense = k->dense[stride - 1][n - 1][n_pixels - 1];

  t->weight = op->weight + b * t->weight_block;
  t->bias = op->bias + b * k->block;
  if (op->integers) {
    t->start = op->start + b * k->block;
    t->scale = op->scale ? op->scale + b * k->block : NULL;
    t->affine = y10_cpu_affine (op, b);
  }
  if (op->narrows) {
    Y10Tile floats_only = *t;

    floats_only.dst = floats;
    floats_only.dst_size = sizeof (gfloat);
    floats_only.dst_block = n_pixels * k->block * sizeof (gfloat);
    floats_only.add = NULL;
    dense (&floats_only);
    for (guint i = 0; i < n; i++) {
      const Y10Affine affine = y10_cpu_affine (op, b + i);

      op->int8->narrow ((const gfloat *) (floats + i * floats_only.dst_block),
          (guint8 *) t->dst + i * t->dst_block,
          t->add ? (const guint8 *) t->add + i * t->add_block : NULL, n_pixels,
          &affine);
    }
    return;
  }
  dense (t);
}

/* Bytes at the end of the scratch memory for compute_blocks(). */
static gsize
floats_size (const Y10CpuOp *op)
{
  return op->narrows ? Y10_TILE_BLOCKS * op->kernels->tile * op->kernels->block
          * sizeof (gfloat)
                     : 0;
}

static guint8 *
get_floats (const Y10CpuOp *op, const Y10CpuTask *task)
{
  return task->scratch + op->scratch_size - floats_size (op);
}

/* Computes a tile for output blocks [first, end). @pixel: offset of the first
 * output. */
static void
run_tile (const Y10CpuOp *op, const Y10CpuTask *task, Y10Tile *t, gsize pixel,
    guint n_pixels, guint first, guint end)
{
  if (op->resume.n_blocks)
    y10_cpu_upsampled_locate (op, pixel, n_pixels, t->resume_at);
  for (guint b = first; b < end; b += Y10_TILE_BLOCKS) {
    guint n = MIN (end - b, Y10_TILE_BLOCKS);

    if (op->resume.n_blocks)
      t->resume = task->arena + op->resume.offset + b * op->resume.block;
    t->dst = task->arena + op->out.offset + b * op->out.block
        + pixel * op->out.pixel;
    if (op->add.n_blocks)
      t->add = task->arena + op->add.offset + b * op->add.block
          + pixel * op->add.pixel;
    compute_blocks (op, t, op->op->stride, b, n, n_pixels,
        get_floats (op, task));
  }
}

/* What is fetched into the L2 while a part is computed: @size bytes of each of
 * @n_blocks blocks, of which @at is next. */
typedef struct
{
  const guint8 *block;
  gsize stride, size, at;
  guint n_blocks;
} Ahead;

/* Fetches the next @n lines. */
static void
fetch (Ahead *a, guint n)
{
  for (; n && a->n_blocks; n--) {
    __builtin_prefetch (a->block + a->at, 0, 2);
    a->at += LINE;
    if (a->at < a->size)
      continue;
    a->at = 0;
    a->block += a->stride;
    a->n_blocks--;
  }
}

/* Copies pixels [begin, end), so that all blocks of a tile are side by side. */
static void
copy_tiles (const Y10CpuOp *op, const Y10CpuTask *task, guint begin, guint end)
{
  const Y10Kernels *k = op->kernels;
  const gsize pixel = y10_cpu_pixel (k);
  const guint n_tiles = (end - begin + k->tile - 1) / k->tile;

  for (guint i = 0; i < n_tiles; i++) {
    const guint8 *in = task->arena + op->in.offset;
    guint8 *to = task->scratch;
    guint from, next;
    gsize size;

    y10_cpu_share_pixels (k, end - begin, i, n_tiles, &from, &next);
    size = (next - from) * pixel;
    in += (begin + from) * pixel;
    to += from * pixel * op->in.n_blocks;
    for (guint q = 0; q < op->in.n_blocks; q++)
      memcpy (to + q * size, in + q * op->in.block, size);
  }
}

/* Pixels [begin, end) of output blocks [first, last), from a copy. The next part is
 * fetched evenly: all at once, it would have to be waited for. */
static void
run_copy (const Y10CpuOp *op, const Y10CpuTask *task, Y10Tile *t, guint begin,
    guint end, guint first, guint last)
{
  const Y10Kernels *k = op->kernels;
  const gsize pixel = y10_cpu_pixel (k);
  const guint n_tiles = (end - begin + k->tile - 1) / k->tile;
  const guint n_pairs = (last - first + Y10_TILE_BLOCKS - 1) / Y10_TILE_BLOCKS;
  const guint n_next = MIN (end - begin, op->in.height * op->in.width - end);
  const guint n_lines = n_next * pixel / LINE + 1;
  Ahead ahead = { task->arena + op->in.offset + end * pixel, op->in.block,
    n_next * pixel, 0, n_next ? op->in.n_blocks : 0 };

  copy_tiles (op, task, begin, end);
  for (guint b = first; b < last; b += Y10_TILE_BLOCKS)
    for (guint i = 0; i < n_tiles; i++) {
      guint from, to;

      y10_cpu_share_pixels (k, end - begin, i, n_tiles, &from, &to);
      t->src = task->scratch + from * pixel * op->in.n_blocks;
      t->src_block = (to - from) * pixel;
      fetch (&ahead, n_lines * op->in.n_blocks / (n_tiles * n_pairs) + 1);
      run_tile (op, task, t, begin + from, to - from, b,
          MIN (b + Y10_TILE_BLOCKS, last));
    }
}

/* Pixels [begin, end) of output blocks [first, last). The next tile's input is
 * fetched while the first pair of blocks is computed, because the hardware does
 * not follow as many streams as there are input blocks. */
static void
run_pixels (const Y10CpuOp *op, const Y10CpuTask *task, Y10Tile *t, guint begin,
    guint end, guint first, guint last)
{
  const Y10Kernels *k = task->kernels;
  const guint8 *in = task->arena + op->in.offset;
  const gsize pixel = y10_cpu_pixel (k);
  guint n_tiles = (end - begin + k->tile - 1) / k->tile;

  for (guint b = first; b < last; b += Y10_TILE_BLOCKS)
    for (guint i = 0; i < n_tiles; i++) {
      guint from, to;

      y10_cpu_share_pixels (k, end - begin, i, n_tiles, &from, &to);
      from += begin;
      to += begin;
      t->src = in + from * pixel;
      if (b == first)
        for (guint q = 0; q < op->in.n_blocks; q++)
          for (gsize at = 0; at < k->tile * pixel; at += LINE)
            __builtin_prefetch (in + q * op->in.block + to * pixel + at);
      run_tile (op, task, t, from, to - from, b,
          MIN (b + Y10_TILE_BLOCKS, last));
    }
}

/* Whether a pointwise convolution copies its input. Blocks at such distances fall into
 * the same few sets of the L1, of 12 lines at most, and throw each other and the
 * weights out. Tiles of AVX-512 and AMX read more of a block at once, and lost. */
static gboolean
copies (const Y10CpuOp *op)
{
  return op->in.block % SET_BYTES == 0 && op->in.n_blocks >= MANY_BLOCKS
      && op->out.n_blocks > Y10_TILE_BLOCKS && op->kernels->block <= 8;
}

/* Pixels of a part: whole tiles. */
static guint
count_part_pixels (const Y10CpuOp *op)
{
  const guint tile = op->kernels->tile;
  const gsize size = op->in.n_blocks * y10_cpu_pixel (op->kernels) * tile;

  return MAX ((copies (op) ? COPY_BYTES : INPUT_BYTES) / size, 1) * tile;
}

/* Of a part, rounded up. */
static gsize
count_copy_bytes (const Y10CpuOp *op)
{
  const gsize size = (gsize) count_part_pixels (op) * op->in.n_blocks
      * y10_cpu_pixel (op->kernels);

  return (size + 63) / 64 * 64;
}

static void
run_pointwise (const Y10CpuOp *op, const Y10CpuTask *task, guint chunk,
    guint n_chunks)
{
  const guint n = count_part_pixels (op);
  const gboolean copy = copies (op);
  guint begin, end, first, last;
  Y10Tile t = y10_cpu_conv_start_tile (op, task->kernels);

  y10_cpu_share_pixels (task->kernels, op->out.height * op->out.width,
      chunk / op->chunk_columns, n_chunks / op->chunk_columns, &begin, &end);
  y10_cpu_conv_share_blocks (op, chunk, &first, &last);
  t.src_block = op->in.block;
  for (guint from = begin; from < end; from += n)
    (copy ? run_copy : run_pixels) (op, task, &t, from, MIN (from + n, end),
        first, last);
}

/* Copies the input of a tile as floats. */
static void
widen_patch (const Y10CpuOp *op, const Y10CpuTask *task, Y10Tile *t, gint y,
    gint x, guint columns)
{
  const Y10CpuPlane *in = &op->in;
  guint kernel = op->op->kernel;
  guint8 *to = task->scratch, *copy;
  gsize row;

  t->src = to;
  t->src_row = columns * y10_cpu_pixel (op->kernels);
  t->src_block = kernel * t->src_row;
  copy = to + in->n_blocks * t->src_block;
  for (guint b = 0; b < in->n_blocks; b++) {
    const guint8 *p = y10_cpu_patch (task->arena + in->offset + b * in->block,
        in->pixel, in->height, in->width, y, x, kernel, columns,
        y10_cpu_fill (op, b), copy, &row);

    for (guint i = 0; i < kernel; i++, to += t->src_row)
      op->int8->widen (p + i * row, to, columns);
  }
}

static void
run_direct (const Y10CpuOp *op, const Y10CpuTask *task, guint chunk,
    guint n_chunks)
{
  const Y10Kernels *k = task->kernels;
  const Y10Op *o = op->op;
  const Y10CpuPlane *in = &op->in;
  guint per_row = (op->out.width + k->tile - 1) / k->tile;
  guint begin, end, first, last;
  Y10Tile t = y10_cpu_conv_start_tile (op, k);

  y10_cpu_share (op->out.height * per_row, chunk / op->chunk_columns,
      n_chunks / op->chunk_columns, &begin, &end);
  y10_cpu_conv_share_blocks (op, chunk, &first, &last);
  for (guint i = begin; i < end; i++) {
    guint y = i / per_row, from, to, columns;
    gint sy = (gint) (y * o->stride) - (gint) o->pad, sx;
    const guint8 *block = task->arena + in->offset, *p;
    gsize row;

    y10_cpu_share_pixels (k, op->out.width, i % per_row, per_row, &from, &to);
    sx = (gint) (from * o->stride) - (gint) o->pad;
    columns = (to - from - 1) * o->stride + o->kernel;
    if (op->widens) {
      widen_patch (op, task, &t, sy, sx, columns);
    } else {
      p = y10_cpu_patch (block, in->pixel, in->height, in->width, sy, sx,
          o->kernel, columns, op->fill, task->scratch, &row);
      t.src = p;
      t.src_row = row;
      t.src_block = in->block;
      if (p == task->scratch) {
        t.src_block = o->kernel * row;
        for (guint b = 1; b < in->n_blocks; b++)
          y10_cpu_patch (block + b * in->block, in->pixel, in->height,
              in->width, sy, sx, o->kernel, columns, y10_cpu_fill (op, b),
              task->scratch + b * t.src_block, &row);
      }
    }
    run_tile (op, task, &t, (gsize) y * op->out.width + from, to - from, first,
        last);
  }
}

/* @from: nullable: zero */
static void
gather_pixel (const Y10CpuOp *op, const guint8 *from, guint8 *to, gsize size)
{
  if (!from)
    memset (to, 0, size);
  else if (op->widens)
    op->int8->widen (from, to, 1);
  else
    memcpy (to, from, size);
}

/* Gathers the taps of each pixel as channel blocks of a pointwise
 * convolution. The weights have that order already, and the products are
 * summed in the same order. */
void
y10_cpu_conv_some (const Y10CpuOp *op, const Y10CpuTask *task,
    const guint32 *pixel, guint n, guint chunk, guint n_chunks)
{
  const Y10Kernels *k = task->kernels;
  const Y10Op *o = op->op;
  const Y10CpuPlane *in = &op->in;
  gsize size = y10_cpu_pixel (k), out_size = op->out.pixel;
  guint n_taps = o->kernel * o->kernel, begin, end;
  guint n_tiles = (n + k->tile - 1) / k->tile;
  guint pair = k->in_blocks, n_blocks = count_weight_blocks (op, k);
  guint8 *result = task->scratch + (gsize) n_blocks * n_taps * k->tile * size;
  Y10Tile t = y10_cpu_conv_start_tile (op, k);

  y10_cpu_share (n_tiles, chunk, n_chunks, &begin, &end);
  t.kh = t.kw = 1;
  t.n_blocks = n_blocks * n_taps;
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
            + (inside ? ((gsize) sy * in->width + sx) * in->pixel : 0);

        for (guint b = 0; b < in->n_blocks; b++, s += in->block) {
          gsize block = (b / pair * n_taps + tap) * pair + b % pair;

          gather_pixel (op, inside ? s : y10_cpu_fill (op, b),
              task->scratch + (block * count + p) * size, size);
        }
      }
    }
    for (guint b = 0; b < op->out.n_blocks; b += Y10_TILE_BLOCKS) {
      guint blocks = MIN (op->out.n_blocks - b, Y10_TILE_BLOCKS);

      t.dst = result;
      compute_blocks (op, &t, 1, b, blocks, count, get_floats (op, task));
      for (guint j = 0; j < blocks; j++)
        for (guint p = 0; p < count; p++)
          memcpy (task->arena + op->out.offset + (b + j) * op->out.block
                  + pixel[from + p] * out_size,
              result + j * t.dst_block + p * out_size, out_size);
    }
  }
}

static gboolean
supports_any (const Y10CpuCompile *c, const Y10CpuOp *op)
{
  return TRUE;
}

static gboolean
supports_pointwise (const Y10CpuCompile *c, const Y10CpuOp *op)
{
  return op->op->kernel == 1 && op->op->stride == 1 && op->op->pad == 0
      && !op->widens;
}

static gboolean
supports_int8 (const Y10CpuCompile *c, const Y10CpuOp *op)
{
  return op->integers;
}

static gboolean
supports_int8_pointwise (const Y10CpuCompile *c, const Y10CpuOp *op)
{
  return op->integers && supports_pointwise (c, op);
}

void
y10_cpu_conv_tile_sizes (const Y10CpuCompile *c, Y10CpuOp *op)
{
  const Y10Kernels *k = c->kernels;
  const Y10Op *o = op->op;
  gsize pixel = y10_cpu_pixel (k), taps = o->kernel * o->kernel;

  op->weight_size = count_weight_blocks (op, k) * op->out.n_blocks * taps
      * k->block * pixel;
  op->scratch_size = (op->in.n_blocks * pixel + (op->widens ? op->in.pixel : 0))
      * o->kernel * ((k->tile - 1) * o->stride + o->kernel);
  if (op->exact) /* for y10_cpu_conv_some() */
    op->scratch_size = MAX (op->scratch_size,
        k->tile
            * (count_weight_blocks (op, k) * taps * pixel
                + Y10_TILE_BLOCKS * k->block * sizeof (gfloat)));
  op->scratch_size = (op->scratch_size + 63) / 64 * 64 + floats_size (op);
}

static void
prepare_pointwise (const Y10CpuCompile *c, Y10CpuOp *op)
{
  y10_cpu_conv_tile_sizes (c, op);
  if (copies (op))
    op->scratch_size = MAX (op->scratch_size,
        count_copy_bytes (op) + floats_size (op));
  y10_cpu_add_phase (op, run_pointwise,
      y10_cpu_conv_choose_chunks (c, op,
          op->out.height * op->out.width / c->kernels->tile));
}

static void
prepare_direct (const Y10CpuCompile *c, Y10CpuOp *op)
{
  y10_cpu_conv_tile_sizes (c, op);
  y10_cpu_add_phase (op, run_direct,
      y10_cpu_conv_choose_chunks (c, op, op->out.height));
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
pack (const Y10CpuOp *op, const Y10Kernels *k, guint out, guint in,
    const gfloat *taps, guint8 *packed)
{
  guint n = k->block, i = in % n, o = out % n;
  guint n_taps = op->op->kernel * op->op->kernel;
  gsize at = ((gsize) (out / n) * op->in.n_blocks + in / n) * n_taps;

  for (guint t = 0; t < n_taps; t++, at++)
    if (k->elem == 4)
      ((gfloat *) packed)[(at * n + i) * n + o] = taps[t];
    else
      ((guint16 *) packed)[((at * n / 2 + i / 2) * n + o) * 2 + i % 2] =
          to_bf16 (taps[t]);
}

/* Packs to [out block][in block][tap][in channel / 4][out channel][4]; pairs of in
 * blocks, of 4 channels each, to [out block][pair][tap][out channel][in block][4]. */
void
y10_cpu_conv_pack_int8 (const Y10CpuOp *op, const Y10Kernels *k, guint out,
    guint in, const gint8 *taps, guint8 *packed)
{
  guint n = k->block, i = in % n, o = out % n, pair = k->in_blocks;
  guint n_taps = op->op->kernel * op->op->kernel, b = in / n;
  gsize at = ((gsize) (out / n) * count_weight_blocks (op, k) + b / pair * pair)
      * n_taps;

  for (guint t = 0; t < n_taps; t++, at += pair)
    packed[((at * n / 4 + i / 4) * n + o * pair + b % pair) * 4 + i % 4] =
        (guint8) taps[t];
}

const Y10CpuConv y10_cpu_conv_int8_pointwise = { "int8-pointwise",
  supports_int8_pointwise, prepare_pointwise, NULL, NULL, TRUE };

const Y10CpuConv y10_cpu_conv_int8_direct = { "int8-direct", supports_int8,
  prepare_direct, NULL, NULL };

const Y10CpuConv y10_cpu_conv_pointwise = { "pointwise", supports_pointwise,
  prepare_pointwise, pack, NULL, TRUE };

const Y10CpuConv y10_cpu_conv_direct = { "direct", supports_any, prepare_direct,
  pack, NULL };
