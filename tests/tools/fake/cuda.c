/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A fake driver, libcuda.so.1, whose device memory is host memory. */

#include <stdio.h>

#include "fake.h"

int cuInit (unsigned int flags);
int cuDriverGetVersion (int *version);
int cuGetErrorName (int result, const char **name);
int cuDeviceGetCount (int *n);
int cuDeviceGet (int *device, int index);
int cuDeviceGetName (char *name, int size, int device);
int cuDeviceGetAttribute (int *value, int attribute, int device);
int cuDeviceTotalMem_v2 (size_t *bytes, int device);
int cuDevicePrimaryCtxRetain (void **context, int device);
int cuDevicePrimaryCtxRelease_v2 (int device);
int cuCtxPushCurrent_v2 (void *context);
int cuCtxPopCurrent_v2 (void **context);
int cuCtxSynchronize (void);
int cuMemGetInfo_v2 (size_t *free_bytes, size_t *total);
int cuMemAlloc_v2 (unsigned long long *p, size_t size);
int cuMemFree_v2 (unsigned long long p);
int cuMemcpyHtoD_v2 (unsigned long long to, const void *from, size_t size);
int cuMemcpyDtoH_v2 (void *to, unsigned long long from, size_t size);

static int context_of_all;

FAKE int
cuInit (unsigned int flags)
{
  if (fake ("crash", 0))
    abort ();
  return (int) fake ("init", 0);
}

FAKE int
cuDriverGetVersion (int *version)
{
  *version = (int) fake ("version", 13000);
  return 0;
}

FAKE int
cuGetErrorName (int result, const char **name)
{
  *name = "CUDA_ERROR_STAGED";
  return 0;
}

FAKE int
cuDeviceGetCount (int *n)
{
  *n = (int) fake ("gpus", 1);
  return 0;
}

FAKE int
cuDeviceGet (int *device, int index)
{
  *device = index;
  return 0;
}

FAKE int
cuDeviceGetName (char *name, int size, int device)
{
  snprintf (name, (size_t) size, "Staged GPU %d", device);
  return 0;
}

FAKE int
cuDeviceGetAttribute (int *value, int attribute, int device)
{
  const int capability = (int) fake (device ? "capability1" : "capability", 75);

  switch (attribute) {
    case 75:
      *value = capability / 10;
      return 0;
    case 76:
      *value = capability % 10;
      return 0;
    case 20:
      *value = (int) fake ("mode", 0);
      return 0;
    case 32:
      *value = 1;
      return 0;
    default:
      return 1;
  }
}

FAKE int
cuDeviceTotalMem_v2 (size_t *bytes, int device)
{
  *bytes = (size_t) 16 << 30;
  return 0;
}

FAKE int
cuDevicePrimaryCtxRetain (void **context, int device)
{
  *context = &context_of_all;
  return (int) fake ("context", 0);
}

FAKE int
cuDevicePrimaryCtxRelease_v2 (int device)
{
  return 0;
}

FAKE int
cuCtxPushCurrent_v2 (void *context)
{
  return context == &context_of_all ? 0 : 201;
}

FAKE int
cuCtxPopCurrent_v2 (void **context)
{
  *context = &context_of_all;
  return 0;
}

FAKE int
cuCtxSynchronize (void)
{
  return (int) fake ("sync", 0);
}

FAKE int
cuMemGetInfo_v2 (size_t *free_bytes, size_t *total)
{
  *total = (size_t) 16 << 30;
  *free_bytes = (size_t) fake ("free_mib", 15000) << 20;
  return 0;
}

FAKE int
cuMemAlloc_v2 (unsigned long long *p, size_t size)
{
  void *memory = calloc (1, size);

  *p = (unsigned long long) (size_t) memory;
  return memory ? 0 : 2;
}

FAKE int
cuMemFree_v2 (unsigned long long p)
{
  free ((void *) (size_t) p);
  return 0;
}

FAKE int
cuMemcpyHtoD_v2 (unsigned long long to, const void *from, size_t size)
{
  memcpy ((void *) (size_t) to, from, size);
  return 0;
}

FAKE int
cuMemcpyDtoH_v2 (void *to, unsigned long long from, size_t size)
{
  memcpy (to, (const void *) (size_t) from, size);
  return 0;
}
