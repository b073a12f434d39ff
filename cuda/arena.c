/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The memory plan places the tensors; each has room for max_batch images, one after
 * another. */

#include "config.h"

#include "arena.h"

Y10KView
y10_cuda_view (const Y10Plan *plan, const Y10CudaMemory *memory, Y10View v)
{
  const Y10Tensor *t = &plan->graph->tensors[v.tensor];
  const Y10Storage *s = &plan->storage[v.tensor];
  CUdeviceptr tensor = memory->arena + s->offset * memory->max_batch;

  if (!v.n)
    return (Y10KView){ NULL };
  return (Y10KView){
    .data = GSIZE_TO_POINTER (
        tensor + y10_plan_view_offset (plan, v) - s->offset),
    .height = t->height,
    .width = t->width,
    .channels = y10_plan_view_padded (plan, v),
    .pixel = s->padded_channels,
    .image = s->size / s->elem_size,
  };
}
