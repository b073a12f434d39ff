/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Looks up the kernels by name. A missing kernel is an error when the module is
 * loaded, not at the first frame. */

#include "driver/launch.h"

#include <y10/error.h>

static gboolean
find (Y10CudaKernels *kernels, CUfunction *function, const char *name,
    GError **error)
{
  const Y10CudaDriver *d = kernels->driver;

  return y10_cuda_check (d,
      d->module_get_function (function, kernels->module, name), name, error);
}

/* A GPU without code in the module, or a driver older than the CUDA that compiled
 * it: appends what was found and what the module contains. */
static void
explain (const Y10CudaDriver *d, GError **error)
{
  int version = 0, major = 0, minor = 0;
  g_autofree char *text = NULL;
  CUdevice id;

  if (!error || !*error || (*error)->code != Y10_ERROR_BACKEND
      || d->ctx_get_device (&id) != Y10_CU_SUCCESS
      || !y10_cuda_get_capability (d, id, &major, &minor))
    return;
  d->driver_get_version (&version);
  text = (*error)->message;
  (*error)->message =
      g_strdup_printf ("%s; the GPU is sm_%d%d, and its driver "
                       "supports CUDA %d.%d; this build has code for %s",
          text, major, minor, version / 1000, version % 1000 / 10,
          y10_cuda_kernel_codes ());
}

gboolean
y10_cuda_kernels_load (Y10CudaKernels *kernels, const Y10CudaDriver *driver,
    GError **error)
{
  gboolean ok;

  kernels->driver = driver;
  ok = y10_cuda_check (driver,
      driver->module_load_data (&kernels->module, y10_cuda_kernel_image ()),
      "loading our kernels", error);
  if (!ok)
    explain (driver, error);
#define Y10_FIND(name, type) \
  ok = ok \
      && find (kernels, &kernels->name[Y10_K_F32], "y10_" #name "_f32", error) \
      && find (kernels, &kernels->name[Y10_K_F16], "y10_" #name "_f16", error) \
      && find (kernels, &kernels->name[Y10_K_BF16], "y10_" #name "_bf16", \
          error);
  Y10_TYPED_KERNELS (Y10_FIND)
#undef Y10_FIND
#define Y10_FIND(name, type) \
  ok = ok && find (kernels, &kernels->name, "y10_" #name, error);
  Y10_UNTYPED_KERNELS (Y10_FIND)
#undef Y10_FIND
  if (!ok)
    y10_cuda_kernels_unload (kernels);
  return ok;
}

void
y10_cuda_kernels_unload (Y10CudaKernels *kernels)
{
  if (kernels->module)
    kernels->driver->module_unload (kernels->module);
  kernels->module = NULL;
}

gboolean
y10_cuda_launch (const Y10CudaKernels *kernels, CUfunction function,
    Y10KLaunch launch, CUstream stream, const void *params, GError **error)
{
  const Y10CudaDriver *d = kernels->driver;
  void *all[] = { (void *) params };

  return y10_cuda_check (d,
      d->launch_kernel (function, launch.grid[0], launch.grid[1],
          launch.grid[2], launch.block[0], launch.block[1], launch.block[2],
          launch.shared_bytes, stream, all, NULL),
      "launching a kernel", error);
}
