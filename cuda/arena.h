/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Where tensors lie in a GPU's memory. */

#include "core/plan.h"
#include "driver/driver.h"
#include "kernels/view.h"

G_BEGIN_DECLS

/* Where the ops read and write. @arena holds max_batch images, tensor by tensor. */
typedef struct
{
  CUdeviceptr arena, scratch;
  guint max_batch;
} Y10CudaMemory;

/* @v as kernels see it, in image 0. */
Y10KView y10_cuda_view (const Y10Plan *plan, const Y10CudaMemory *memory,
    Y10View v);

G_END_DECLS
