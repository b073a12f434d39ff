/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The functions that run convolutions by our own kernels; conv_compile.c
 * chooses one. */

#include "cpu/cpu.h"

G_BEGIN_DECLS

/* conv.c */
void y10_cpu_conv_pointwise (const Y10CpuOp * op, const Y10CpuTask * task);
void y10_cpu_conv_direct (const Y10CpuOp * op, const Y10CpuTask * task);
void y10_cpu_conv_depthwise (const Y10CpuOp * op, const Y10CpuTask * task);
void y10_cpu_conv_stem (const Y10CpuOp * op, const Y10CpuTask * task);

/* winograd.c */
void y10_cpu_winograd (const Y10CpuOp * op, const Y10CpuTask * task);
gsize y10_cpu_winograd_scratch (const Y10CpuOp * op, const Y10Kernels * k);
/* @packed: [16][out block][in block][in channel][out channel]. */
void y10_cpu_winograd_pack (const gfloat kernel[9], gfloat * packed,
    gsize point);

G_END_DECLS
