/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The ops of a program, queued on a stream. */

#include "arena.h"
#include "program.h"

G_BEGIN_DECLS

/* Queues op @first, and those behind it, up to @end, that its kernel runs too.
 * Returns their number, or 0 and sets @error. */
guint y10_cuda_run_op (const Y10Program *program, const Y10CudaOpPlans *batch,
    const Y10CudaMemory *memory, guint first, guint end, guint n,
    CUstream stream, GError **error);
/* Queues ops [first, end) for @n images, one after the other. */
gboolean y10_cuda_run (const Y10Program *program, const Y10CudaOpPlans *batch,
    const Y10CudaMemory *memory, guint first, guint end, guint n,
    CUstream stream, GError **error);

G_END_DECLS
