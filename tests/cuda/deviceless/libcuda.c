/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A libcuda.so.1 for machines without a GPU: it exports the functions that
 * cuDNN and NVRTC look up while they answer queries and compile. Loading a
 * module succeeds without effect; there are no devices, and nothing can be
 * launched. */

#include <dlfcn.h>
#include <stddef.h>

#define API __attribute__ ((visibility ("default")))
#define NOT_SUPPORTED 801
#define NO_DEVICE 100

/* Returns @result for any parameters; the caller cleans up its arguments, so
 * one function fits all signatures. */
#define ANSWER(name, result) \
  API int name (void); \
  int name (void) \
  { \
    return result; \
  }

/* clang-format off */
ANSWER (cuInit, 0)
ANSWER (cuGetExportTable, NOT_SUPPORTED)
ANSWER (cuGetErrorName, NOT_SUPPORTED)
ANSWER (cuGetErrorString, NOT_SUPPORTED)
ANSWER (cuCtxGetCurrent, 0)
ANSWER (cuCtxGetLimit, NOT_SUPPORTED)
ANSWER (cuCtxPushCurrent, 0)
ANSWER (cuCtxPopCurrent, 0)
ANSWER (cuStreamGetCtx, NOT_SUPPORTED)
ANSWER (cuLinkCreate, NOT_SUPPORTED)
ANSWER (cuLinkAddData, NOT_SUPPORTED)
ANSWER (cuLinkComplete, NOT_SUPPORTED)
ANSWER (cuLinkDestroy, NOT_SUPPORTED)
ANSWER (cuLaunchKernel, NOT_SUPPORTED)
ANSWER (cuLaunchKernelEx, NOT_SUPPORTED)
ANSWER (cuLaunchCooperativeKernel, NOT_SUPPORTED)
ANSWER (cuDeviceGet, NO_DEVICE)
ANSWER (cuLibraryLoadFromFile, NOT_SUPPORTED)
ANSWER (cuLibraryUnload, 0)
ANSWER (cuKernelSetAttribute, 0)
ANSWER (cuOccupancyMaxPotentialClusterSize, NOT_SUPPORTED)
/* clang-format on */

API int cuDriverGetVersion (int *version);
API int cuDeviceGetCount (int *n);
API int cuLibraryLoadData (void **library);
API int cuLibraryGetKernel (void **kernel);
API int cuKernelGetAttribute (int *value);
API int cuGetProcAddress_v2 (const char *name, void **address, int version,
    unsigned long long flags, int *status);

static int anything;

int
cuDriverGetVersion (int *version)
{
  *version = 13000;
  return 0;
}

int
cuDeviceGetCount (int *n)
{
  *n = 0;
  return 0;
}

int
cuLibraryLoadData (void **library)
{
  *library = &anything;
  return 0;
}

int
cuLibraryGetKernel (void **kernel)
{
  *kernel = &anything;
  return 0;
}

int
cuKernelGetAttribute (int *value)
{
  *value = 0;
  return 0;
}

static int
not_here (void)
{
  return NOT_SUPPORTED;
}

/* The CUDA runtime inside cuDNN needs an address for every name. */
int
cuGetProcAddress_v2 (const char *name, void **address, int version,
    unsigned long long flags, int *status)
{
  *address = dlsym (RTLD_DEFAULT, name);
  if (!*address)
    *address = (void *) not_here;
  if (status)
    *status = 0;
  (void) version;
  (void) flags;
  return 0;
}
