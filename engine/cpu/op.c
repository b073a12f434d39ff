/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* How a phase is cut into chunks. If there are more than threads, the others
 * can do the work of a thread that has lost its core or is on a slower one. */

#include "config.h"

#include "cpu/cpu.h"

#define CHUNKS_PER_THREAD 4

guint
y10_cpu_choose_chunks (guint n_threads, guint n_max)
{
  guint n = MIN (n_max, CHUNKS_PER_THREAD * n_threads);

  if (n_threads == 1)
    return 1;
  /* As many for each thread. */
  return n > n_threads ? n - n % n_threads : MAX (n, 1);
}

void
y10_cpu_add_phase (Y10CpuOp *op, Y10CpuRun run, guint n_chunks)
{
  op->phase[op->n_phases++] = (Y10CpuPhase){ run, n_chunks };
}
