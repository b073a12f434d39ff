/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The CUDA driver as a function table resolved at run time. The module therefore
 * loads on a machine without a driver and can report what is missing; a simulated
 * driver is just another table. The backend uses only the driver API,
 * never the runtime: the driver API works in the current context and never switches
 * to another one.
 *
 * The declarations are the driver's binary interface, as in cuda.h. They are
 * compatible with cuda.h and nv-codec-headers, so that a file may include either
 * of them as well. */

#include <glib.h>

G_BEGIN_DECLS

typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphExec_st *CUgraphExec;

/* The results and constants of cuda.h that the backend uses; a result is an int. */
enum
{
  Y10_CU_SUCCESS = 0,
  Y10_CU_OUT_OF_MEMORY = 2,
  Y10_CU_STUB_LIBRARY = 34,
  Y10_CU_NOT_READY = 600,
  Y10_CU_CONTEXT_IS_DESTROYED = 709,
};

enum
{
  Y10_CU_CLOCK_RATE = 13, /* kHz; CU_DEVICE_ATTRIBUTE_… */
  Y10_CU_MULTIPROCESSORS = 16,
  Y10_CU_L2_CACHE_SIZE = 38,
  Y10_CU_MAJOR = 75,
  Y10_CU_MINOR = 76,
  Y10_CU_MAX_SHARED_OPTIN = 97,
};

enum
{
  Y10_CU_STREAM_NON_BLOCKING = 1,
  Y10_CU_EVENT_BLOCKING_SYNC = 1,
  Y10_CU_EVENT_DISABLE_TIMING = 2,
  Y10_CU_CAPTURE_THREAD_LOCAL = 1,
  Y10_CU_MEMHOSTALLOC_DEVICEMAP = 2,
  Y10_CU_FUNC_MAX_DYNAMIC_SHARED = 8,
};

/* F (member, exported name, parameters): every function returns a CUresult. */
/* clang-format off */
#define Y10_CUDA_DRIVER_FUNCTIONS(F) \
  F (init, "cuInit", (unsigned int flags)) \
  F (driver_get_version, "cuDriverGetVersion", (int *version)) \
  F (get_error_name, "cuGetErrorName", (int result, const char **name)) \
  F (get_error_string, "cuGetErrorString", (int result, const char **text)) \
  F (device_get_count, "cuDeviceGetCount", (int *n)) \
  F (device_get, "cuDeviceGet", (CUdevice *device, int index)) \
  F (device_get_name, "cuDeviceGetName", (char *name, int size, CUdevice device)) \
  F (device_get_attribute, "cuDeviceGetAttribute", (int *value, int attribute, CUdevice device)) \
  F (device_total_mem, "cuDeviceTotalMem_v2", (size_t *bytes, CUdevice device)) \
  F (primary_ctx_retain, "cuDevicePrimaryCtxRetain", (CUcontext *context, CUdevice device)) \
  F (primary_ctx_release, "cuDevicePrimaryCtxRelease_v2", (CUdevice device)) \
  F (ctx_create, "cuCtxCreate_v2", (CUcontext *context, unsigned int flags, CUdevice device)) \
  F (ctx_destroy, "cuCtxDestroy_v2", (CUcontext context)) \
  F (ctx_push, "cuCtxPushCurrent_v2", (CUcontext context)) \
  F (ctx_pop, "cuCtxPopCurrent_v2", (CUcontext *context)) \
  F (ctx_get_device, "cuCtxGetDevice", (CUdevice *device)) \
  F (ctx_get_current, "cuCtxGetCurrent", (CUcontext *context)) \
  F (ctx_get_priority_range, "cuCtxGetStreamPriorityRange", (int *least, int *greatest)) \
  F (module_load_data, "cuModuleLoadData", (CUmodule *module, const void *image)) \
  F (module_unload, "cuModuleUnload", (CUmodule module)) \
  F (module_get_function, "cuModuleGetFunction", (CUfunction *function, CUmodule module, const char *name)) \
  F (func_set_attribute, "cuFuncSetAttribute", (CUfunction function, int attribute, int value)) \
  F (launch_kernel, "cuLaunchKernel", (CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z, unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared_bytes, CUstream stream, void **params, void **extra)) \
  F (mem_get_info, "cuMemGetInfo_v2", (size_t *free_bytes, size_t *total)) \
  F (mem_alloc, "cuMemAlloc_v2", (CUdeviceptr *p, size_t size)) \
  F (mem_free, "cuMemFree_v2", (CUdeviceptr p)) \
  F (mem_host_alloc, "cuMemHostAlloc", (void **p, size_t size, unsigned int flags)) \
  F (mem_host_get_device_pointer, "cuMemHostGetDevicePointer_v2", (CUdeviceptr *p, void *host, unsigned int flags)) \
  F (mem_free_host, "cuMemFreeHost", (void *p)) \
  F (memcpy_htod_async, "cuMemcpyHtoDAsync_v2", (CUdeviceptr to, const void *from, size_t size, CUstream stream)) \
  F (memcpy_dtoh_async, "cuMemcpyDtoHAsync_v2", (void *to, CUdeviceptr from, size_t size, CUstream stream)) \
  F (memcpy_dtod_async, "cuMemcpyDtoDAsync_v2", (CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream)) \
  F (memset_d8_async, "cuMemsetD8Async", (CUdeviceptr p, unsigned char value, size_t size, CUstream stream)) \
  F (stream_create, "cuStreamCreateWithPriority", (CUstream *stream, unsigned int flags, int priority)) \
  F (stream_destroy, "cuStreamDestroy_v2", (CUstream stream)) \
  F (stream_synchronize, "cuStreamSynchronize", (CUstream stream)) \
  F (stream_wait_event, "cuStreamWaitEvent", (CUstream stream, CUevent event, unsigned int flags)) \
  F (stream_begin_capture, "cuStreamBeginCapture_v2", (CUstream stream, int mode)) \
  F (stream_end_capture, "cuStreamEndCapture", (CUstream stream, CUgraph *graph)) \
  F (event_create, "cuEventCreate", (CUevent *event, unsigned int flags)) \
  F (event_destroy, "cuEventDestroy_v2", (CUevent event)) \
  F (event_record, "cuEventRecord", (CUevent event, CUstream stream)) \
  F (event_query, "cuEventQuery", (CUevent event)) \
  F (event_synchronize, "cuEventSynchronize", (CUevent event)) \
  F (event_elapsed_time, "cuEventElapsedTime", (float *ms, CUevent start, CUevent end)) \
  F (graph_instantiate, "cuGraphInstantiateWithFlags", (CUgraphExec *exec, CUgraph graph, unsigned long long flags)) \
  F (graph_upload, "cuGraphUpload", (CUgraphExec exec, CUstream stream)) \
  F (graph_launch, "cuGraphLaunch", (CUgraphExec exec, CUstream stream)) \
  F (graph_destroy, "cuGraphDestroy", (CUgraph graph)) \
  F (graph_exec_destroy, "cuGraphExecDestroy", (CUgraphExec exec))
/* clang-format on */

typedef struct
{
#define Y10_MEMBER(member, name, params) int (*member) params;
  Y10_CUDA_DRIVER_FUNCTIONS (Y10_MEMBER)
#undef Y10_MEMBER
} Y10CudaDriver;

/* Loads and initialises libcuda once per process. On failure, returns NULL and
 * appends the reason to @why; the next call tries again. Any thread. */
const Y10CudaDriver *y10_cuda_driver_get (GString *why);

/* A table whose functions do nothing and return Y10_CU_CONTEXT_IS_DESTROYED, for
 * freeing objects of a context that no longer exists. */
extern const Y10CudaDriver y10_cuda_dead_driver;

/* Returns TRUE if @result means that every further call in the context fails and
 * only a new context helps. */
gboolean y10_cuda_is_lost (int result);
/* Returns TRUE on success, else sets an error with @call and the driver's message:
 * Y10_ERROR_NO_MEMORY, Y10_ERROR_DEVICE_LOST or Y10_ERROR_BACKEND. */
gboolean y10_cuda_check (const Y10CudaDriver *driver, int result,
    const char *call, GError **error);

/* gpu.c: finds GPU @wanted, or the first supported one if that is -1. On failure,
 * returns FALSE and appends the reason to @why. */
gboolean y10_cuda_find_gpu (const Y10CudaDriver *driver, gint wanted,
    CUdevice *id, GString *why);
gboolean y10_cuda_get_capability (const Y10CudaDriver *driver, CUdevice id,
    int *major, int *minor);

/* Returns the fat binary of all kernels, for cuModuleLoadData(). */
const void *y10_cuda_kernel_image (void);
/* Returns the GPUs that it has code for and the CUDA versions that compiled it, as text. */
const char *y10_cuda_kernel_codes (void);

G_END_DECLS
