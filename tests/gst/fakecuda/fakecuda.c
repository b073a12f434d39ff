/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* See fakecuda.h. What GStreamer 1.22 to 1.28 looks up has to be there; what
 * these tests do not come by says that it is not supported. All work is done
 * at once. */
#include "fakecuda.h"

#include <stdlib.h>
#include <string.h>

FakeCuda fake_cuda;

enum
{
  SUCCESS = 0,
  INVALID_VALUE = 1,
  NO_DEVICE = 100,
  INVALID_DEVICE = 101,
  INVALID_CONTEXT = 201,
  NOT_SUPPORTED = 801
};

typedef struct
{
  gint device;
  gboolean primary;
} Context;

typedef struct
{
  Context *context;
} Stream;

/* The driver's binary interface: CUDA_MEMCPY2D. */
typedef struct
{
  gsize x, y;
  guint kind;                   /* 1: host, 2: device */
  const void *host;
  guint64 device;
  void *array;
  gsize pitch;
} Side;

typedef struct
{
  Side from, to;
  gsize width, height;
} Copy2D;

static Context primaries[FAKE_CUDA_DEVICES] = { {0, TRUE}, {1, TRUE} };
static __thread Context *stack[16];
static __thread guint depth;

/* Exported, with a prototype as the compiler wants one. */
#define EXPORT __attribute__ ((visibility ("default")))
#define FAKE(name, ...) \
  EXPORT int name (__VA_ARGS__); \
  int name (__VA_ARGS__)
#define UNSUPPORTED(name) \
  FAKE (name, void) { return NOT_SUPPORTED; }

static int
misuse (int result)
{
  g_atomic_int_inc (&fake_cuda.misuses);
  return result;
}

FAKE (cuInit, guint flags)
{
  return fake_cuda.broken ? NO_DEVICE : SUCCESS;
}

FAKE (cuDriverGetVersion, int *version)
{
  *version = 13000;
  return SUCCESS;
}

FAKE (cuGetErrorName, int result, const char **name)
{
  *name = "CUDA_ERROR_FAKE";
  return SUCCESS;
}

FAKE (cuGetErrorString, int result, const char **text)
{
  *text = "as the test wants it";
  return SUCCESS;
}

FAKE (cuDeviceGetCount, int *n)
{
  *n = FAKE_CUDA_DEVICES;
  return SUCCESS;
}

FAKE (cuDeviceGet, int *device, int index)
{
  *device = index;
  return index < FAKE_CUDA_DEVICES ? SUCCESS : INVALID_DEVICE;
}

FAKE (cuDeviceGetName, char *name, int size, int device)
{
  g_strlcpy (name, "host memory", size);
  return SUCCESS;
}

FAKE (cuDeviceGetAttribute, int *value, int attribute, int device)
{
  *value = 512;
  return device < FAKE_CUDA_DEVICES ? SUCCESS : INVALID_DEVICE;
}

FAKE (cuDeviceCanAccessPeer, int *can, int device, int peer)
{
  *can = 0;
  return SUCCESS;
}

FAKE (cuDevicePrimaryCtxRetain, Context ** context, int device)
{
  g_atomic_int_inc (&fake_cuda.primaries[device]);
  *context = &primaries[device];
  return SUCCESS;
}

FAKE (cuDevicePrimaryCtxRelease_v2, int device)
{
  if (g_atomic_int_add (&fake_cuda.primaries[device], -1) <= 0)
    return misuse (INVALID_CONTEXT);
  return SUCCESS;
}

FAKE (cuCtxPushCurrent_v2, Context * context)
{
  if (depth == G_N_ELEMENTS (stack)
      || (context->primary && !fake_cuda.primaries[context->device]))
    return misuse (INVALID_CONTEXT);
  stack[depth++] = context;
  return SUCCESS;
}

FAKE (cuCtxPopCurrent_v2, Context ** context)
{
  if (!depth)
    return misuse (INVALID_CONTEXT);
  depth--;
  if (context)
    *context = stack[depth];
  return SUCCESS;
}

FAKE (cuCtxCreate_v2, Context ** context, guint flags, int device)
{
  if (device >= FAKE_CUDA_DEVICES)
    return INVALID_DEVICE;
  *context = g_new0 (Context, 1);
  (*context)->device = device;
  g_atomic_int_inc (&fake_cuda.contexts);
  return cuCtxPushCurrent_v2 (*context);
}

FAKE (cuCtxDestroy_v2, Context * context)
{
  g_atomic_int_add (&fake_cuda.contexts, -1);
  g_free (context);
  return SUCCESS;
}

FAKE (cuCtxSynchronize, void)
{
  return SUCCESS;
}

FAKE (cuMemAlloc_v2, guint64 * address, gsize size)
{
  void *p;

  if (!depth || posix_memalign (&p, 512, size))
    return misuse (INVALID_CONTEXT);
  memset (p, 0xee, size);
  *address = (guint64) (gsize) p | FAKE_CUDA_TAG;
  g_atomic_int_inc (&fake_cuda.allocations);
  return SUCCESS;
}

FAKE (cuMemAllocPitch_v2, guint64 * address, gsize * pitch, gsize width,
    gsize height, guint element)
{
  *pitch = (width + 511) / 512 * 512;
  return cuMemAlloc_v2 (address, *pitch * height);
}

FAKE (cuMemFree_v2, guint64 address)
{
  if (!depth || !(address & FAKE_CUDA_TAG))
    return misuse (INVALID_CONTEXT);
  free ((void *) (gsize) (address & ~FAKE_CUDA_TAG));
  g_atomic_int_add (&fake_cuda.allocations, -1);
  return SUCCESS;
}

FAKE (cuMemAllocHost_v2, void **p, gsize size)
{
  *p = g_malloc0 (size);
  return SUCCESS;
}

FAKE (cuMemFreeHost, void *p)
{
  g_free (p);
  return SUCCESS;
}

static guint8 *
pointer_of (const Side * side)
{
  guint64 p = side->kind == 1 ? (guint64) (gsize) side->host : side->device;

  if ((side->kind == 2) != !!(p & FAKE_CUDA_TAG))
    return NULL;
  p &= ~FAKE_CUDA_TAG;
  return (guint8 *) (gsize) p + side->y * side->pitch + side->x;
}

FAKE (cuMemcpy2DAsync_v2, const Copy2D * c, Stream * stream)
{
  guint8 *to = pointer_of (&c->to);
  const guint8 *from = pointer_of (&c->from);

  if (!depth || !to || !from)
    return misuse (INVALID_VALUE);
  for (gsize y = 0; y < c->height; y++)
    memcpy (to + y * c->to.pitch, from + y * c->from.pitch, c->width);
  return SUCCESS;
}

FAKE (cuMemcpy2D_v2, const Copy2D * c)
{
  return cuMemcpy2DAsync_v2 (c, NULL);
}

FAKE (cuStreamCreate, Stream ** stream, guint flags)
{
  if (!depth)
    return misuse (INVALID_CONTEXT);
  *stream = g_new0 (Stream, 1);
  (*stream)->context = stack[depth - 1];
  return SUCCESS;
}

FAKE (cuStreamDestroy_v2, Stream * stream)
{
  g_free (stream);
  return SUCCESS;
}

/* The same by its old name, which GStreamer 1.22 looks up. */
FAKE (cuStreamDestroy, Stream * stream)
{
  return cuStreamDestroy_v2 (stream);
}

FAKE (cuStreamSynchronize, Stream * stream)
{
  return SUCCESS;
}

UNSUPPORTED (cuCtxDisablePeerAccess)
UNSUPPORTED (cuCtxEnablePeerAccess)
UNSUPPORTED (cuCtxGetLimit)
UNSUPPORTED (cuCtxSetLimit)
UNSUPPORTED (cuDestroyExternalMemory)
UNSUPPORTED (cuDestroyExternalSemaphore)
UNSUPPORTED (cuEventCreate)
UNSUPPORTED (cuEventDestroy_v2)
UNSUPPORTED (cuEventRecord)
UNSUPPORTED (cuEventSynchronize)
UNSUPPORTED (cuExternalMemoryGetMappedBuffer)
UNSUPPORTED (cuExternalMemoryGetMappedMipmappedArray)
UNSUPPORTED (cuGLGetDevices_v2)
UNSUPPORTED (cuGraphicsGLRegisterBuffer)
UNSUPPORTED (cuGraphicsGLRegisterImage)
UNSUPPORTED (cuGraphicsMapResources)
UNSUPPORTED (cuGraphicsResourceGetMappedPointer_v2)
UNSUPPORTED (cuGraphicsResourceSetMapFlags_v2)
UNSUPPORTED (cuGraphicsSubResourceGetMappedArray)
UNSUPPORTED (cuGraphicsUnmapResources)
UNSUPPORTED (cuGraphicsUnregisterResource)
UNSUPPORTED (cuImportExternalMemory)
UNSUPPORTED (cuImportExternalSemaphore)
UNSUPPORTED (cuIpcCloseMemHandle)
UNSUPPORTED (cuIpcGetEventHandle)
UNSUPPORTED (cuIpcGetMemHandle)
UNSUPPORTED (cuIpcOpenEventHandle)
UNSUPPORTED (cuIpcOpenMemHandle)
UNSUPPORTED (cuLaunchKernel)
UNSUPPORTED (cuMemAddressFree)
UNSUPPORTED (cuMemAddressReserve)
UNSUPPORTED (cuMemAllocAsync)
UNSUPPORTED (cuMemAllocFromPoolAsync)
UNSUPPORTED (cuMemCreate)
UNSUPPORTED (cuMemExportToShareableHandle)
UNSUPPORTED (cuMemFreeAsync)
UNSUPPORTED (cuMemGetAccess)
UNSUPPORTED (cuMemGetAllocationGranularity)
UNSUPPORTED (cuMemGetAllocationPropertiesFromHandle)
UNSUPPORTED (cuMemImportFromShareableHandle)
UNSUPPORTED (cuMemMap)
UNSUPPORTED (cuMemPoolCreate)
UNSUPPORTED (cuMemPoolDestroy)
UNSUPPORTED (cuMemPoolGetAttribute)
UNSUPPORTED (cuMemPoolSetAttribute)
UNSUPPORTED (cuMemRelease)
UNSUPPORTED (cuMemRetainAllocationHandle)
UNSUPPORTED (cuMemSetAccess)
UNSUPPORTED (cuMemUnmap)
UNSUPPORTED (cuMemcpyDtoDAsync_v2)
UNSUPPORTED (cuMemcpyDtoD_v2)
UNSUPPORTED (cuMemcpyDtoHAsync_v2)
UNSUPPORTED (cuMemcpyDtoH_v2)
UNSUPPORTED (cuMemcpyHtoDAsync_v2)
UNSUPPORTED (cuMemcpyHtoD_v2)
UNSUPPORTED (cuMemsetD2D16Async)
UNSUPPORTED (cuMemsetD2D16_v2)
UNSUPPORTED (cuMemsetD2D32Async)
UNSUPPORTED (cuMemsetD2D32_v2)
UNSUPPORTED (cuMemsetD2D8Async)
UNSUPPORTED (cuMemsetD2D8_v2)
UNSUPPORTED (cuModuleGetFunction)
UNSUPPORTED (cuModuleLoadData)
UNSUPPORTED (cuModuleUnload)
UNSUPPORTED (cuSignalExternalSemaphoresAsync)
UNSUPPORTED (cuTexObjectCreate)
UNSUPPORTED (cuTexObjectDestroy)
UNSUPPORTED (cuWaitExternalSemaphoresAsync)
