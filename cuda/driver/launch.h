/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The kernels, loaded into one context. */

#include "driver/driver.h"
#include "kernels/view.h"

G_BEGIN_DECLS

typedef enum
{
  Y10_K_F32,
  Y10_K_F16,
  Y10_K_BF16,
} Y10KType;

#define Y10_N_K_TYPES 3

typedef struct
{
  const Y10CudaDriver *driver;
  CUmodule module;
#define Y10_MEMBER(name, type) CUfunction name[Y10_N_K_TYPES];
  Y10_TYPED_KERNELS (Y10_MEMBER)
#undef Y10_MEMBER
#define Y10_MEMBER(name, type) CUfunction name;
  Y10_UNTYPED_KERNELS (Y10_MEMBER)
#undef Y10_MEMBER
} Y10CudaKernels;

/* Load the kernels into the current context; unload them with the same context
 * current. */
gboolean y10_cuda_kernels_load (Y10CudaKernels *kernels,
    const Y10CudaDriver *driver, GError **error);
void y10_cuda_kernels_unload (Y10CudaKernels *kernels);

/* Queues a launch. @params: the kernel's parameter, copied before it returns. */
gboolean y10_cuda_launch (const Y10CudaKernels *kernels, CUfunction function,
    Y10KLaunch launch, CUstream stream, const void *params, GError **error);

G_END_DECLS
