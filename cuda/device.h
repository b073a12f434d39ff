/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* A device: a CUDA context with our kernels and the convolution library loaded,
 * and the way into the context and out of it. Whatever the caller had current is
 * current again afterwards; every other function of the backend wants the
 * device's context to be current. */

#include "conv/pair.h"
#include "core/backend.h"
#include "driver/context.h"
#include "driver/driver.h"
#include "driver/launch.h"

G_BEGIN_DECLS

struct _Y10Device
{
  const Y10CudaDriver *driver;
  CUcontext context;
  Y10CudaContext *taken; /* whose handle it is; NULL: the caller's */
  gboolean graphs;       /* steps are captured */
  gboolean many_sizes;   /* there will be programs of several input sizes */
  CUdevice id;
  int major, minor;
  Y10CudaKernels kernels;
  Y10CudaConvLib *conv;
  Y10CudaPairs *pairs; /* NULL: none runs as one kernel */
  char *description;
};

Y10Device *y10_cuda_device_open (const Y10DeviceConfig *config, GError **error);
void y10_cuda_device_close (Y10Device *device);

/* Makes the context current. Only TRUE is followed by a leave. */
gboolean y10_cuda_enter (Y10Device *device, GError **error);
/* As y10_cuda_enter(), to free things: FALSE where the context was destroyed, and
 * its objects with it. Then only host memory is left to be freed; the driver's
 * functions do nothing any more. */
gboolean y10_cuda_enter_to_free (Y10Device *device);
void y10_cuda_leave (Y10Device *device);
/* Leaves after a call that returned @ok, and returns that: if the call failed
 * because the context is lost, *@error becomes Y10_ERROR_DEVICE_LOST. */
gboolean y10_cuda_leave_with (Y10Device *device, gboolean ok, GError **error);

G_END_DECLS
