/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The streams of a slot's lanes. */

#include "ops.h"

G_BEGIN_DECLS

typedef struct
{
  CUstream lane[Y10_CUDA_MAX_LANES]; /* 0 is the slot's own */
  CUevent fork;                      /* lanes may begin */
  CUevent *event;                    /* one of each of the lanes' events */
  guint n_events;
} Y10CudaStreams;

/* @own: the slot's stream, which lane 0 is. On error, clear what was made. */
gboolean y10_cuda_streams_init (Y10CudaStreams *streams,
    const Y10Program *program, CUstream own, int priority, GError **error);
void y10_cuda_streams_clear (Y10CudaStreams *streams,
    const Y10CudaDriver *driver);
/* Queues all ops for @n images; lane 0 then waits for all lanes. On error the
 * capture cannot be used. */
gboolean y10_cuda_streams_run (const Y10CudaStreams *streams,
    const Y10Program *program, const Y10CudaOpPlans *batch,
    const Y10CudaMemory *memory, guint n, GError **error);

G_END_DECLS
