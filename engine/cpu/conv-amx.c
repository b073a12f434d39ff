/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Convolutions of 8-bit integers by AMX. A chunk is done in parts whose input is
 * copied: rows with what lies beyond their edges, or pixels with four blocks side by
 * side. Rows of stride 1 are then one line of pixels, in which those between the rows
 * are computed for nothing, so that tiles are full for narrow pictures, too. The sums
 * of a tile are converted while the tile registers work on the next one. */

#include "config.h"

#include "cpu/conv.h"

#define PART_BYTES (32 * 1024) /* of the copy */
#define BLOCK_SUMS (Y10_SUMS_PIXELS * 16)
#define TILE_SUMS (Y10_TILE_BLOCKS * BLOCK_SUMS)
#define SUMS_BYTES (2 * TILE_SUMS * sizeof (gint32))
#define GATHERED 4 /* blocks */

/* A line of @n pixels: rows of @columns pixels, of which @width are outputs. The first
 * one is at pixel @pixel of the output. */
typedef struct
{
  guint n, columns, width, pixel;
} Line;

/* Sums of pixels [from, from + n) of a line, of which blocks [block, block +
 * n_blocks) are not converted yet. */
typedef struct
{
  Line line;
  guint from, n, block, n_blocks;
  const gint32 *sums;
} Pending;

static gint32 *
get_sums (const Y10CpuTask *task)
{
  return (gint32 *) task->scratch;
}

static guint8 *
get_copy (const Y10CpuTask *task)
{
  return task->scratch + SUMS_BYTES;
}

static void
finish_block (const Y10CpuOp *op, const Y10CpuTask *task, Y10Tile *t,
    const Pending *p, guint i)
{
  const Y10Kernels *k = op->kernels;
  const guint b = p->block + i, end = p->from + p->n;
  const gint32 *sums = p->sums + i * BLOCK_SUMS;
  guint8 *dst = task->arena + op->out.offset + b * op->out.block;
  const guint8 *add = task->arena + op->add.offset + b * op->add.block;

  t->scale = op->scale ? op->scale + b * k->block : NULL;
  t->bias = op->bias + b * k->block;
  t->affine = y10_cpu_affine (op, b);
  for (guint at = p->from, next; at < end; at = next) {
    const guint row = at / p->line.columns, x = at % p->line.columns;
    const gsize pixel = p->line.pixel + row * p->line.width + x;

    next = MIN (end, (row + 1) * p->line.columns);
    if (x >= p->line.width)
      continue;
    t->dst = dst + pixel * op->out.pixel;
    t->add = op->add.n_blocks ? add + pixel * op->add.pixel : NULL;
    k->finish (t, sums + (at - p->from) * k->block,
        MIN (next - at, p->line.width - x));
  }
}

static void
finish_pending (const Y10CpuOp *op, const Y10CpuTask *task, Y10Tile *t,
    Pending *p)
{
  for (guint i = 0; i < p->n_blocks; i++)
    finish_block (op, task, t, p, i);
  p->n_blocks = 0;
}

/* Computes output blocks [first, last) of a line whose input is at t->src. */
static void
run_line (const Y10CpuOp *op, const Y10CpuTask *task, Y10Tile *t,
    const Line *line, guint first, guint last, Pending *pending)
{
  const Y10Kernels *k = op->kernels;
  const guint8 *src = t->src;

  for (guint b = first; b < last; b += Y10_TILE_BLOCKS)
    for (guint from = 0; from < line->n; from += Y10_SUMS_PIXELS) {
      gint32 *sums = get_sums (task)
          + (pending->sums == get_sums (task) ? TILE_SUMS : 0);
      Pending next = { *line, from, MIN (line->n - from, Y10_SUMS_PIXELS), b,
        MIN (last - b, Y10_TILE_BLOCKS), sums };

      t->src = src + from * t->src_pixel;
      t->weight = op->weight + b * t->weight_block;
      t->start = op->start + b * k->block;
      if (op->resume.n_blocks) {
        y10_cpu_upsampled_locate (op, line->pixel + from, next.n, t->resume_at);
        t->resume = task->arena + op->resume.offset + b * op->resume.block;
      }
      k->sums (t, next.n, next.n_blocks, sums);
      finish_pending (op, task, t, pending);
      *pending = next;
    }
}

static void
run_pointwise (const Y10CpuOp *op, const Y10CpuTask *task, guint chunk,
    guint n_chunks)
{
  const Y10Kernels *k = op->kernels;
  const Y10CpuPlane *in = &op->in;
  const guint step = GATHERED * k->block;
  const guint n_steps = (in->n_blocks + GATHERED - 1) / GATHERED;
  const guint most = MAX (PART_BYTES / (n_steps * step), Y10_SUMS_PIXELS);
  Y10Tile t = y10_cpu_conv_start_tile (op, k);
  Pending pending = { .n_blocks = 0 };
  guint begin, end, first, last;

  y10_cpu_share (op->out.height * op->out.width, chunk / op->chunk_columns,
      n_chunks / op->chunk_columns, &begin, &end);
  y10_cpu_conv_share_blocks (op, chunk, &first, &last);
  t.n_blocks = n_steps;
  t.step = t.src_pixel = step;
  k->sums_begin (step);
  for (guint from = begin; from < end; from += most) {
    const guint n = MIN (end - from, most);
    const Line line = { n, n, n, from };

    t.src_block = n * step;
    for (guint i = 0; i < n_steps; i++)
      k->gather (task->arena + in->offset + i * GATHERED * in->block
              + from * in->pixel,
          in->block, MIN (in->n_blocks - i * GATHERED, GATHERED),
          get_copy (task) + i * t.src_block, n);
    t.src = get_copy (task);
    run_line (op, task, &t, &line, first, last, &pending);
  }
  finish_pending (op, task, &t, &pending);
  k->sums_end ();
}

/* Bytes of the input of @rows rows of outputs. */
static gsize
rows_size (const Y10CpuOp *op, guint rows)
{
  const Y10Op *o = op->op;

  return op->in.n_blocks * op->in.pixel * ((rows - 1) * o->stride + o->kernel)
      * ((op->out.width - 1) * o->stride + o->kernel);
}

/* How many rows of outputs are computed from one copy. */
static guint
count_part_rows (const Y10CpuOp *op)
{
  guint rows = 1;

  while (rows < op->out.height && rows_size (op, rows + 1) <= PART_BYTES)
    rows++;
  return rows;
}

static void
run_rows (const Y10CpuOp *op, const Y10CpuTask *task, Y10Tile *t, guint y,
    guint rows, guint first, guint last, Pending *pending)
{
  const Y10Op *o = op->op;
  const Y10CpuPlane *in = &op->in;
  const guint width = op->out.width;
  const guint columns = (width - 1) * o->stride + o->kernel;
  const guint in_rows = (rows - 1) * o->stride + o->kernel;
  const guint n_lines = o->stride == 1 ? 1 : rows;
  gsize row;

  t->src_block = in_rows * columns * in->pixel;
  for (guint b = 0; b < in->n_blocks; b++) {
    guint8 *to = get_copy (task) + b * t->src_block;
    const guint8 *p = y10_cpu_patch (task->arena + in->offset + b * in->block,
        in->pixel, in->height, in->width,
        (gint) (y * o->stride) - (gint) o->pad, -(gint) o->pad, in_rows,
        columns, y10_cpu_fill (op, b), to, &row);

    g_assert (p == to);
  }
  t->src_row = columns * in->pixel;
  for (guint i = 0; i < n_lines; i++) {
    const Line line = { n_lines > 1 ? width : (rows - 1) * columns + width,
      columns, width, (y + i) * width };

    t->src = get_copy (task) + i * o->stride * t->src_row;
    run_line (op, task, t, &line, first, last, pending);
  }
}

static void
run_direct (const Y10CpuOp *op, const Y10CpuTask *task, guint chunk,
    guint n_chunks)
{
  const Y10Kernels *k = op->kernels;
  const Y10Op *o = op->op;
  const guint most = count_part_rows (op);
  Y10Tile t = y10_cpu_conv_start_tile (op, k);
  Pending pending = { .n_blocks = 0 };
  guint begin, end, first, last;

  y10_cpu_share (op->out.height, chunk / op->chunk_columns,
      n_chunks / op->chunk_columns, &begin, &end);
  y10_cpu_conv_share_blocks (op, chunk, &first, &last);
  t.src_pixel = o->stride * k->block;
  t.step = o->kernel * k->block;
  k->sums_begin (t.step);
  for (guint y = begin; y < end; y += most)
    run_rows (op, task, &t, y, MIN (end - y, most), first, last, &pending);
  finish_pending (op, task, &t, &pending);
  k->sums_end ();
}

static gboolean
supports (const Y10CpuCompile *c, const Y10CpuOp *op)
{
  return op->integers && op->kernels->sums;
}

/* Padding is copied with the picture. Taps of a row fit into one product. */
static gboolean
supports_direct (const Y10CpuCompile *c, const Y10CpuOp *op)
{
  return supports (c, op) && op->op->pad && op->op->kernel <= GATHERED;
}

static gboolean
supports_pointwise (const Y10CpuCompile *c, const Y10CpuOp *op)
{
  const Y10Op *o = op->op;

  return supports (c, op) && o->kernel == 1 && o->stride == 1 && !o->pad;
}

/* Behind the copy, products read up to a tile of pixels that nothing needs. */
static void
add_scratch (const Y10CpuCompile *c, Y10CpuOp *op, gsize copy)
{
  const gsize size = SUMS_BYTES + copy
      + (Y10_SUMS_PIXELS + 4) * GATHERED * c->kernels->block;

  op->scratch_size = MAX (op->scratch_size, (size + 63) / 64 * 64);
}

static void
prepare_pointwise (const Y10CpuCompile *c, Y10CpuOp *op)
{
  const guint steps = (op->in.n_blocks + GATHERED - 1) / GATHERED;

  y10_cpu_conv_tile_sizes (c, op);
  add_scratch (c, op,
      MAX (PART_BYTES, Y10_SUMS_PIXELS * steps * GATHERED * c->kernels->block));
  y10_cpu_add_phase (op, run_pointwise,
      y10_cpu_conv_choose_chunks (c, op,
          op->out.height * op->out.width / Y10_SUMS_PIXELS));
}

static void
prepare_direct (const Y10CpuCompile *c, Y10CpuOp *op)
{
  y10_cpu_conv_tile_sizes (c, op);
  add_scratch (c, op, MAX (PART_BYTES, rows_size (op, 1)));
  y10_cpu_add_phase (op, run_direct,
      y10_cpu_conv_choose_chunks (c, op, op->out.height));
}

const Y10CpuConv y10_cpu_conv_amx_pointwise = { "amx-pointwise",
  supports_pointwise, prepare_pointwise, NULL, NULL, TRUE };

const Y10CpuConv y10_cpu_conv_amx_direct = { "amx-direct", supports_direct,
  prepare_direct, NULL, NULL };
