/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* softmax (q'k / √key_dim) v, plus a depthwise 3×3 of v, per head. The dense
 * convolution kernels compute both products as pointwise convolutions: of
 * the queries, with the keys as weights, and of the scores, whose channels
 * are the keys, with the values as weights. */

#include "config.h"

#include <math.h>

#include "cpu/conv.h"

typedef struct
{
  guint n, n_blocks;              /* positions, and blocks of positions */
  guint key_blocks, value_blocks; /* channel blocks of a head */
  gsize keys, values; /* packed bytes: a head's keys; a value block */
} Sizes;

static Sizes
get_sizes (const Y10CpuOp *op, const Y10Kernels *k)
{
  Sizes s = { .n = op->in.height * op->in.width };

  s.n_blocks = (s.n + k->block - 1) / k->block;
  s.key_blocks = (op->op->key_dim + k->block - 1) / k->block;
  s.value_blocks = (op->op->head_dim + k->block - 1) / k->block;
  s.values = s.n_blocks * k->block * y10_cpu_pixel (k);
  s.keys = s.key_blocks * s.values;
  return s;
}

/* The queries of a head; its keys and values follow. */
static const guint8 *
head_queries (const Y10CpuOp *op, const Y10CpuTask *task, const Sizes *s,
    guint head)
{
  return task->arena + op->in.offset
      + head * (2 * s->key_blocks + s->value_blocks) * op->in.block;
}

static guint8 *
packed_head (const Y10CpuTask *task, const Sizes *s, guint head)
{
  return task->shared + head * (s->keys + s->value_blocks * s->values);
}

/* Packs the keys of a head, or one of its value blocks. */
static void
pack (const Y10CpuOp *op, const Y10CpuTask *task, guint chunk, guint n_chunks)
{
  const Y10Kernels *k = task->kernels;
  Sizes sizes = get_sizes (op, k), *s = &sizes;
  guint per_head = 1 + s->value_blocks, begin, end;

  y10_cpu_share (op->op->heads * per_head, chunk, n_chunks, &begin, &end);
  for (guint i = begin; i < end; i++) {
    const guint8 *keys = head_queries (op, task, s, i / per_head)
        + s->key_blocks * op->in.block;
    guint8 *packed = packed_head (task, s, i / per_head);
    guint part = i % per_head;

    if (part == 0)
      k->pack_keys (keys, op->in.block, s->key_blocks, s->n, packed);
    else
      k->pack_values (keys + (s->key_blocks + part - 1) * op->in.block, s->n,
          packed + s->keys + (part - 1) * s->values);
  }
}

/* Computes queries [from, from + count) of one head. */
static void
attend_tile (const Y10CpuOp *op, const Y10CpuTask *task, const Sizes *s,
    guint head, guint from, guint count)
{
  const Y10Kernels *k = task->kernels;
  gsize pixel = y10_cpu_pixel (k);
  const guint8 *packed = packed_head (task, s, head);
  gfloat *scores = (gfloat *) task->scratch;
  guint8 *weights = k->elem == 4
      ? task->scratch
      : task->scratch + (gsize) s->n_blocks * count * k->block * 4;
  guint8 *out = task->arena + op->out.offset
      + head * s->value_blocks * op->out.block;
  Y10Tile t = {
    .src = head_queries (op, task, s, head) + from * pixel,
    .src_block = op->in.block,
    .weight_block = s->key_blocks * k->block * pixel,
    .dst_block = count * k->block * 4,
    .n_blocks = s->key_blocks,
    .kh = 1,
    .kw = 1,
    .dst_size = sizeof (gfloat),
  };

  for (guint b = 0; b < s->n_blocks; b += Y10_TILE_BLOCKS) {
    guint blocks = MIN (s->n_blocks - b, Y10_TILE_BLOCKS);

    t.weight = packed + b * t.weight_block;
    t.dst = (guint8 *) scores + b * t.dst_block;
    k->dense[0][blocks - 1][count - 1](&t);
  }
  k->softmax (scores, t.dst_block, weights, count * pixel, count, s->n,
      1.0f / sqrtf (op->op->key_dim));

  t.src = weights;
  t.src_block = count * pixel;
  t.weight_block = s->values;
  t.dst_block = op->out.block;
  t.n_blocks = s->n_blocks;
  t.dst_size = k->elem;
  for (guint b = 0; b < s->value_blocks; b += Y10_TILE_BLOCKS) {
    guint blocks = MIN (s->value_blocks - b, Y10_TILE_BLOCKS);

    t.weight = packed + s->keys + b * s->values;
    t.dst = out + b * op->out.block + from * pixel;
    k->dense[0][blocks - 1][count - 1](&t);
  }
}

static void
attend (const Y10CpuOp *op, const Y10CpuTask *task, guint chunk, guint n_chunks)
{
  const Y10Kernels *k = task->kernels;
  Sizes s = get_sizes (op, k);
  guint per_head = (s.n + k->tile - 1) / k->tile, begin, end;

  y10_cpu_share (op->op->heads * per_head, chunk, n_chunks, &begin, &end);
  for (guint i = begin; i < end; i++) {
    guint from, to;

    y10_cpu_share_pixels (k, s.n, i % per_head, per_head, &from, &to);
    attend_tile (op, task, &s, i / per_head, from, to - from);
  }
}

/* Adds the positional encoding, the depthwise convolution of the values. A
 * head's blocks are consecutive. */
static void
add_positional_encoding (const Y10CpuOp *op, const Y10CpuTask *task,
    guint chunk, guint n_chunks)
{
  const Y10Kernels *k = task->kernels;
  Sizes s = get_sizes (op, k);
  guint begin, end;

  y10_cpu_share (op->out.n_blocks, chunk, n_chunks, &begin, &end);
  for (guint b = begin; b < end; b++) {
    guint head = b / s.value_blocks;
    Y10CpuOp pe = *op;

    pe.weight += (gsize) b * op->op->kernel * op->op->kernel * k->block
        * sizeof (gfloat);
    pe.bias += b * k->block;
    pe.in.offset += (b + (head + 1) * 2 * s.key_blocks) * op->in.block;
    pe.out.offset += b * op->out.block;
    pe.in.n_blocks = pe.out.n_blocks = 1;
    pe.add = pe.out;
    y10_cpu_conv_depthwise_rows (&pe, task, 0, op->out.height);
  }
}

void
y10_cpu_attention_compile (const Y10CpuCompile *c, Y10CpuOp *op)
{
  const Y10Kernels *k = c->kernels;
  Sizes s = get_sizes (op, k);

  op->impl = k->name;
  op->conv = &y10_cpu_conv_depthwise; /* of the values */
  op->shared_size = op->op->heads * (s.keys + s.value_blocks * s.values);
  op->scratch_size = (gsize) s.n_blocks * k->block * k->tile * 8
      + y10_cpu_conv_depthwise_scratch (op, k);
  op->weight_size = (gsize) op->out.n_blocks * k->block * op->op->kernel
      * op->op->kernel * sizeof (gfloat);
  y10_cpu_add_phase (op, pack,
      y10_cpu_choose_chunks (c->n_threads,
          op->op->heads * (1 + s.value_blocks)));
  y10_cpu_add_phase (op, attend,
      y10_cpu_choose_chunks (c->n_threads,
          op->op->heads * ((s.n + k->tile - 1) / k->tile)));
  y10_cpu_add_phase (op, add_positional_encoding,
      y10_cpu_choose_chunks (c->n_threads, op->out.n_blocks));
}
