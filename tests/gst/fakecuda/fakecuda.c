/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* See fakecuda.h. It exports every function that GStreamer 1.22 to 1.28 looks
 * up; those that these tests do not use return NOT_SUPPORTED. All work is done
 * synchronously. */
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
  LAUNCH_FAILED = 719,
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
  guint kind; /* 1: host, 2: device */
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

static Context primaries[FAKE_CUDA_DEVICES] = { { 0, TRUE }, { 1, TRUE } };
static __thread Context *stack[16];
static __thread guint depth;

/* Exports a function, with the prototype that the compiler asks for. */
#define EXPORT __attribute__ ((visibility ("default")))
#define FAKE(name, ...) \
  EXPORT int name (__VA_ARGS__); \
  int name (__VA_ARGS__)
#define UNSUPPORTED(name) \
  FAKE (name, void) \
  { \
    return NOT_SUPPORTED; \
  }

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

FAKE (cuDevicePrimaryCtxRetain, Context **context, int device)
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

FAKE (cuCtxPushCurrent_v2, Context *context)
{
  if (depth == G_N_ELEMENTS (stack)
      || (context->primary && !fake_cuda.primaries[context->device]))
    return misuse (INVALID_CONTEXT);
  stack[depth++] = context;
  return SUCCESS;
}

FAKE (cuCtxPopCurrent_v2, Context **context)
{
  if (!depth)
    return misuse (INVALID_CONTEXT);
  depth--;
  if (context)
    *context = stack[depth];
  return SUCCESS;
}

FAKE (cuCtxCreate_v2, Context **context, guint flags, int device)
{
  if (device >= FAKE_CUDA_DEVICES)
    return INVALID_DEVICE;
  *context = g_new0 (Context, 1);
  (*context)->device = device;
  g_atomic_int_inc (&fake_cuda.contexts);
  return cuCtxPushCurrent_v2 (*context);
}

/* Like the driver's, it pops the current context. */
FAKE (cuCtxDestroy_v2, Context *context)
{
  if (depth && stack[depth - 1] == context)
    depth--;
  g_atomic_int_add (&fake_cuda.contexts, -1);
  /* Pops its second entry, too, if it was pushed twice. */
  if (depth && stack[depth - 1] == context)
    depth--;
  g_free (context);
  return SUCCESS;
}

FAKE (cuCtxSynchronize, void)
{
  return SUCCESS;
}

FAKE (cuMemAlloc_v2, guint64 *address, gsize size)
{
  void *p;

  if (!depth || posix_memalign (&p, 512, size))
    return misuse (INVALID_CONTEXT);
  memset (p, 0xee, size);
  *address = (guint64) (gsize) p | FAKE_CUDA_TAG;
  g_atomic_int_inc (&fake_cuda.allocations);
  g_atomic_int_inc (&fake_cuda.allocated);
  return SUCCESS;
}

FAKE (cuMemAllocPitch_v2, guint64 *address, gsize *pitch, gsize width,
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

FAKE (cuMemHostAlloc, void **p, gsize size, guint flags)
{
  if (!depth)
    return misuse (INVALID_CONTEXT);
  g_atomic_int_inc (&fake_cuda.allocated);
  *p = g_malloc (size);
  memset (*p, 0xee, size);
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
pointer_of (const Side *side)
{
  guint64 p = side->kind == 1 ? (guint64) (gsize) side->host : side->device;

  if ((side->kind == 2) != !!(p & FAKE_CUDA_TAG))
    return NULL;
  p &= ~FAKE_CUDA_TAG;
  return (guint8 *) (gsize) p + side->y * side->pitch + side->x;
}

FAKE (cuMemcpy2DAsync_v2, const Copy2D *c, Stream *stream)
{
  guint8 *to = pointer_of (&c->to);
  const guint8 *from = pointer_of (&c->from);

  if (!depth || !to || !from)
    return misuse (INVALID_VALUE);
  for (gsize y = 0; y < c->height; y++)
    memcpy (to + y * c->to.pitch, from + y * c->from.pitch, c->width);
  if (c->to.kind != c->from.kind)
    fake_cuda.planes_copied += c->width * c->height;
  return SUCCESS;
}

FAKE (cuMemcpy2D_v2, const Copy2D *c)
{
  return cuMemcpy2DAsync_v2 (c, NULL);
}

FAKE (cuStreamCreate, Stream **stream, guint flags)
{
  if (!depth)
    return misuse (INVALID_CONTEXT);
  *stream = g_new0 (Stream, 1);
  (*stream)->context = stack[depth - 1];
  return SUCCESS;
}

FAKE (cuStreamCreateWithPriority, Stream **stream, guint flags, int priority)
{
  return cuStreamCreate (stream, flags);
}

FAKE (cuStreamDestroy_v2, Stream *stream)
{
  g_free (stream);
  return SUCCESS;
}

/* The old name, which GStreamer 1.22 looks up. */
FAKE (cuStreamDestroy, Stream *stream)
{
  return cuStreamDestroy_v2 (stream);
}

FAKE (cuStreamSynchronize, Stream *stream)
{
  return SUCCESS;
}

/* All work is synchronous, so there is nothing to wait for. */
FAKE (cuStreamWaitEvent, Stream *stream, void *event, guint flags)
{
  return depth && stream && event ? SUCCESS : misuse (INVALID_VALUE);
}

FAKE (cuEventCreate, void **event, guint flags)
{
  *event = g_malloc (1);
  return depth ? SUCCESS : misuse (INVALID_CONTEXT);
}

FAKE (cuEventDestroy_v2, void *event)
{
  g_free (event);
  return SUCCESS;
}

FAKE (cuEventRecord, void *event, Stream *stream)
{
  return depth && stream && event ? SUCCESS : misuse (INVALID_VALUE);
}

FAKE (cuEventSynchronize, void *event)
{
  return depth && event ? SUCCESS : misuse (INVALID_VALUE);
}

FAKE (cuMemcpyHtoDAsync_v2, guint64 to, const void *from, gsize size,
    Stream *stream)
{
  if (!depth || !stream || !(to & FAKE_CUDA_TAG))
    return misuse (INVALID_VALUE);
  memcpy ((void *) (gsize) (to & ~FAKE_CUDA_TAG), from, size);
  fake_cuda.bytes_copied += size;
  return SUCCESS;
}

/* The handle of a module is its context, that of a function its name. */
FAKE (cuModuleLoadData, void **module, const void *image)
{
  if (!depth)
    return misuse (INVALID_CONTEXT);
  *module = stack[depth - 1];
  return fake_cuda.launch ? SUCCESS : NOT_SUPPORTED;
}

FAKE (cuModuleUnload, void *module)
{
  return depth && module == stack[depth - 1] ? SUCCESS
                                             : misuse (INVALID_CONTEXT);
}

FAKE (cuModuleGetFunction, const char **function, void *module,
    const char *name)
{
  *function = g_intern_string (name);
  return SUCCESS;
}

FAKE (cuLaunchKernel, const char *function, guint grid_x, guint grid_y,
    guint grid_z, guint block_x, guint block_y, guint block_z,
    guint shared_bytes, Stream *stream, void **params, void **extra)
{
  const guint grid[] = { grid_x, grid_y, grid_z };
  const guint block[] = { block_x, block_y, block_z };

  if (!depth || !stream || stream->context != stack[depth - 1])
    return misuse (INVALID_CONTEXT);
  g_atomic_int_inc (&fake_cuda.launches);
  if (fake_cuda.lost)
    return LAUNCH_FAILED;
  return fake_cuda.launch
          && fake_cuda.launch (function, grid, block, shared_bytes, params[0])
      ? SUCCESS
      : misuse (NOT_SUPPORTED);
}

/* clang-format off */
UNSUPPORTED (cuCtxDisablePeerAccess)
UNSUPPORTED (cuCtxEnablePeerAccess)
UNSUPPORTED (cuCtxGetCurrent)
UNSUPPORTED (cuCtxGetDevice)
UNSUPPORTED (cuCtxGetLimit)
UNSUPPORTED (cuCtxGetStreamPriorityRange)
UNSUPPORTED (cuCtxSetLimit)
UNSUPPORTED (cuDestroyExternalMemory)
UNSUPPORTED (cuDestroyExternalSemaphore)
UNSUPPORTED (cuDeviceTotalMem_v2)
UNSUPPORTED (cuDevicePrimaryCtxReset_v2)
UNSUPPORTED (cuEventElapsedTime)
UNSUPPORTED (cuEventQuery)
UNSUPPORTED (cuExternalMemoryGetMappedBuffer)
UNSUPPORTED (cuExternalMemoryGetMappedMipmappedArray)
UNSUPPORTED (cuFuncSetAttribute)
UNSUPPORTED (cuGLGetDevices_v2)
UNSUPPORTED (cuGraphDestroy)
UNSUPPORTED (cuGraphExecDestroy)
UNSUPPORTED (cuGraphInstantiateWithFlags)
UNSUPPORTED (cuGraphLaunch)
UNSUPPORTED (cuGraphUpload)
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
UNSUPPORTED (cuMemGetInfo_v2)
UNSUPPORTED (cuMemHostGetDevicePointer_v2)
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
UNSUPPORTED (cuMemcpyHtoD_v2)
UNSUPPORTED (cuMemsetD2D16Async)
UNSUPPORTED (cuMemsetD2D16_v2)
UNSUPPORTED (cuMemsetD2D32Async)
UNSUPPORTED (cuMemsetD2D32_v2)
UNSUPPORTED (cuMemsetD2D8Async)
UNSUPPORTED (cuMemsetD2D8_v2)
UNSUPPORTED (cuMemsetD8Async)
UNSUPPORTED (cuSignalExternalSemaphoresAsync)
UNSUPPORTED (cuStreamBeginCapture_v2)
UNSUPPORTED (cuStreamEndCapture)
UNSUPPORTED (cuTexObjectCreate)
UNSUPPORTED (cuTexObjectDestroy)
UNSUPPORTED (cuWaitExternalSemaphoresAsync)
/* clang-format on */
