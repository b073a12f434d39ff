/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "core/head.h"
#include "cpu/cpu.h"

G_BEGIN_DECLS

/* The trailing ops of a graph that compute boxes only. The plan keeps their
 * inputs until the end. */
typedef struct
{
  guint first;   /* index of the first box op */
  guint n;       /* 0: the graph has no such tail */
  guint8 *level; /* of each op */
} Y10CpuBoxOps;

/* The pixels at which box ops run for one image. */
typedef struct
{
  guint32 **pixel; /* of each op: row × width + column */
  guint *n;
  guint8 *mark; /* pixels seen; all zero between calls */
} Y10CpuBoxPixels;

void y10_cpu_box_ops_find (const Y10Plan *plan, Y10CpuBoxOps *ops);
void y10_cpu_box_ops_clear (Y10CpuBoxOps *ops);

void y10_cpu_box_pixels_init (const Y10CpuBoxOps *ops, const Y10CpuOp *op,
    Y10CpuBoxPixels *pixels);
void y10_cpu_box_pixels_clear (const Y10CpuBoxOps *ops,
    Y10CpuBoxPixels *pixels);
/* Finds the pixels of each box op that @candidates need, from the last op to
 * the first. */
void y10_cpu_box_pixels_set (const Y10CpuBoxOps *ops, const Y10CpuOp *op,
    const Y10Candidate *candidates, guint n, Y10CpuBoxPixels *pixels);
/* Box op @i at these pixels: its chunks, and one of them. */
guint y10_cpu_box_op_chunks (const Y10CpuBoxOps *ops, const Y10CpuOp *op,
    const Y10CpuBoxPixels *pixels, guint i, const Y10Kernels *kernels,
    guint n_threads);
void y10_cpu_box_op_run (const Y10CpuBoxOps *ops, const Y10CpuOp *op,
    const Y10CpuBoxPixels *pixels, guint i, const Y10CpuTask *task, guint chunk,
    guint n_chunks);

G_END_DECLS
