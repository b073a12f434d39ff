/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* A graph compiled for the cpu backend. */

#include "cpu/boxes.h"
#include "cpu/cpu.h"
#include "cpu/memory.h"
#include "cpu/preprocess.h"

G_BEGIN_DECLS

#define Y10_CPU_ALIGN 64
#define Y10_CPU_ROUND_UP(n, to) (((n) + (to) -1) / (to) * (to))

struct _Y10Device
{
  guint threads;
  char *name;
  guint saved_csr;
  Y10ThreadPool *pool;
};

struct _Y10Program
{
  Y10Device *device;
  const Y10Plan *plan;
  const Y10Kernels *kernels; /* of floats */
  Y10CpuOp *ops;
  /* The phases of all ops, in order; phase p is that of op phase_op[p]. */
  guint *phase_op;
  guint *first_phase; /* of each op, and the number of all */
  Y10CpuBoxOps boxes;
  Y10CpuJoint *joints;  /* one for each upsampling at most */
  Y10CpuMemory weights; /* those that no other program has */
  Y10CpuMemory scratch; /* shared, of each thread, of preprocessing */
  gsize shared_size, thread_size;
  guint8 *preprocess; /* part of the above */
};

/* Returns NULL if this CPU does not support the precision. For int8, those of
 * floats, or of bfloat16 with AMX; y10_cpu_int8_kernels() returns those of one byte. */
const Y10Kernels *y10_cpu_kernels (Y10Precision precision);
const Y10Kernels *y10_cpu_int8_kernels (void);
Y10Program *y10_cpu_compile (Y10Device *device, const Y10Plan *plan,
    Y10Precision precision, GCancellable *cancellable, GError **error);
Y10Program *y10_cpu_compile_size (Y10Program *base, const Y10Plan *plan,
    Y10Precision precision, GError **error);
void y10_cpu_program_free (Y10Program *program);

G_END_DECLS
