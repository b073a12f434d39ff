/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Nearest neighbour: doubles the pixels of each row, then copies the row. */

#include "config.h"

#include <string.h>

#include "cpu/cpu.h"

#define MIN_ROWS 64 /* of a chunk */

static void
upsample2x (const Y10CpuOp *op, const Y10CpuTask *task, guint chunk,
    guint n_chunks)
{
  const Y10Kernels *k = task->kernels;
  guint height = op->in.height, width = op->in.width, begin, end;
  gsize row = width * y10_cpu_pixel (k);

  y10_cpu_share (op->in.n_blocks * height, chunk, n_chunks, &begin, &end);
  for (guint i = begin; i < end; i++) {
    guint b = i / height, y = i % height;
    guint8 *out = task->arena + op->out.offset + b * op->out.block
        + y * 4 * row;

    k->double_row (task->arena + op->in.offset + b * op->in.block + y * row,
        out, width);
    memcpy (out + 2 * row, out, 2 * row);
  }
}

void
y10_cpu_upsample2x_compile (const Y10CpuCompile *c, Y10CpuOp *op)
{
  op->impl = c->kernels->name;
  y10_cpu_add_phase (op, upsample2x,
      y10_cpu_choose_chunks (c->n_threads,
          op->in.n_blocks * op->in.height / MIN_ROWS));
}
