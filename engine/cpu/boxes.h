/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "core/head.h"
#include "cpu/cpu.h"

G_BEGIN_DECLS

/* The trailing ops of a graph that only boxes come from. The plan keeps what
 * they read. */
typedef struct
{
  guint first;                  /* op; those from here on are box ops */
  guint n;                      /* 0: this graph does not end that way */
  guint8 *level;                /* of each op */
} Y10CpuBoxOps;

/* Where they have to be computed for one image. */
typedef struct
{
  guint32 **pixel;              /* of each op: row × width + column */
  guint *n;
  guint8 *mark;                 /* a level's pixels; zero between calls */
} Y10CpuBoxPixels;

void y10_cpu_box_ops_find (const Y10Plan * plan, Y10CpuBoxOps * ops);
void y10_cpu_box_ops_clear (Y10CpuBoxOps * ops);

void y10_cpu_box_pixels_init (const Y10CpuBoxOps * ops, const Y10CpuOp * op,
    Y10CpuBoxPixels * pixels);
void y10_cpu_box_pixels_clear (const Y10CpuBoxOps * ops,
    Y10CpuBoxPixels * pixels);
void y10_cpu_box_pixels_set (const Y10CpuBoxOps * ops, const Y10CpuOp * op,
    const Y10Candidate * candidates, guint n, Y10CpuBoxPixels * pixels);
/* Box op @i, by the whole team. */
void y10_cpu_box_op_run (const Y10CpuBoxOps * ops, const Y10CpuOp * op,
    const Y10CpuBoxPixels * pixels, guint i, const Y10CpuTask * task);

G_END_DECLS
