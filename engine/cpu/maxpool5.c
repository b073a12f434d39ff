/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* 5×5 maximum, rows first, then columns. A chunk computes whole channel
 * blocks. */

#include "config.h"

#include "cpu/cpu.h"

static void
maxpool5 (const Y10CpuOp *op, const Y10CpuTask *task, guint chunk,
    guint n_chunks)
{
  const Y10Kernels *k = task->kernels;
  guint height = op->in.height, width = op->in.width, begin, end;
  gsize row = width * y10_cpu_pixel (k);

  y10_cpu_share (op->out.n_blocks, chunk, n_chunks, &begin, &end);
  for (guint b = begin; b < end; b++) {
    const guint8 *in = task->arena + op->in.offset + b * op->in.block;
    guint8 *out = task->arena + op->out.offset + b * op->out.block;

    for (guint y = 0; y < height; y++)
      k->max5_row (in + y * row, task->scratch + y * row, width);
    for (guint y = 0; y < height; y++) {
      const void *rows[5];

      for (gint i = 0; i < 5; i++)
        rows[i] = task->scratch
            + CLAMP ((gint) y + i - 2, 0, (gint) height - 1) * row;
      k->max5_column (rows, out + y * row, width);
    }
  }
}

void
y10_cpu_maxpool5_compile (const Y10CpuCompile *c, Y10CpuOp *op)
{
  op->impl = c->kernels->name;
  op->scratch_size = op->in.height * op->in.width * y10_cpu_pixel (c->kernels);
  y10_cpu_add_phase (op, maxpool5,
      y10_cpu_choose_chunks (c->n_threads, op->out.n_blocks));
}
