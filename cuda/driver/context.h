/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The context of a device that was given none: the GPU's primary context, or,
 * where that one is lost, a context that our devices share. */

#include "driver/driver.h"

G_BEGIN_DECLS

typedef struct _Y10CudaContext Y10CudaContext;

/* Returns a reference to a usable context on GPU @id, NULL and @error if there
 * is none: Y10_ERROR_DEVICE_LOST if a new context fails like the lost one.
 * Leaves the calling thread's current context unchanged. Any thread. */
Y10CudaContext *y10_cuda_context_take (const Y10CudaDriver *driver, CUdevice id,
    GError **error);
/* The CUcontext, valid until y10_cuda_context_release(). */
CUcontext y10_cuda_context_get (const Y10CudaContext *context);
/* Call after everything of the caller's in the context has been freed, also if
 * the context is lost. NULL is allowed. Any thread. */
void y10_cuda_context_release (Y10CudaContext *context);

G_END_DECLS
