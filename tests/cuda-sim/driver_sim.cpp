/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The simulated driver: y10_cuda_driver_get () in place of
 * cuda/driver/driver.c's. There is one GPU, and a second one that only contexts
 * show which a test makes there. Each function reports misuse: no or
 * a wrong current context, the NULL stream, memory of another owner, a call
 * that a capture forbids, an allocation after the start. */

#include "driver_sim.h"

#include <algorithm>
#include <atomic>
#include <stdlib.h>
#include <string.h>

FairMutex y10_sim::driver_lock;
thread_local std::vector<CUcontext> y10_sim::current_contexts;
static bool initialised;
static thread_local bool started;
static Y10SimBreak break_kind;
static guint break_at;
static bool break_read;
static guint n_captures;
static std::atomic<guint64> n_launches, n_copies;
static bool slow_captures;
static guint refused_kernels, refused_graphs;

int
y10_sim::misuse (int result, const char *format, ...)
{
  char text[512];
  va_list args;

  va_start (args, format);
  g_vsnprintf (text, sizeof text, format, args);
  va_end (args);
  y10_sim_report ("%s", text);
  if (!current_contexts.empty () && !current_contexts.back ()->error)
    current_contexts.back ()->error = result;
  return result;
}

int
y10_sim::enter (const char *call)
{
  if (!initialised)
    return misuse (Y10_CU_NOT_INITIALIZED, "%s before cuInit ()", call);
  if (current_contexts.empty ())
    return misuse (Y10_CU_INVALID_CONTEXT, "%s without a current context",
        call);
  return current_contexts.back ()->error;
}

int
y10_sim::check_stream (CUstream stream, const char *call)
{
  if (!stream)
    return misuse (Y10_CU_INVALID_HANDLE, "%s on the NULL stream", call);
  if (std::find (streams.begin (), streams.end (), stream) == streams.end ()
      || stream->destroyed)
    return misuse (Y10_CU_INVALID_HANDLE, "%s on a stream that was destroyed",
        call);
  if (stream->context != current_contexts.back ())
    return misuse (Y10_CU_INVALID_HANDLE, "%s on a stream of another context",
        call);
  return 0;
}

/* Checks that @p to @p + @size lies in one allocation of the current context,
 * which is added to @op's, or, if @host, in ordinary host memory. */
static int
check_memory (Op *op, const void *p, gsize size, bool host, bool *pageable,
    const char *call)
{
  const Allocation *a = memory_find (p);

  if (pageable)
    *pageable = false;
  if (!a) {
    if (!host || !p)
      return misuse (Y10_CU_INVALID_VALUE, "%s: %p is no device memory", call,
          p);
    *pageable = true;
    return 0;
  }
  if (a->freed)
    return misuse (Y10_CU_INVALID_VALUE, "%s: %p was freed", call, p);
  if (a->context != op->context)
    return misuse (Y10_CU_INVALID_VALUE, "%s: %p belongs to another context",
        call, p);
  if (host && !a->pinned)
    return misuse (Y10_CU_INVALID_VALUE,
        "%s: %p is device memory, not the host's", call, p);
  if ((guint8 *) p < a->base || (guint8 *) p + size > a->base + a->size)
    return misuse (Y10_CU_INVALID_VALUE,
        "%s: %zu bytes at %p leave the allocation of %zu at %p", call, size, p,
        a->size, (void *) a->base);
  op->uses.push_back (a);
  return 0;
}

std::unique_ptr<Op>
y10_sim::op_new (OpKind kind)
{
  std::unique_ptr<Op> op (new Op{});

  op->kind = kind;
  op->context = current_contexts.back ();
  return op;
}

static int
submit (CUstream stream, std::unique_ptr<Op> op)
{
  if (stream->capture && slow_captures) {
    driver_lock.unlock ();
    g_usleep (20);
    driver_lock.lock ();
  }
  if (stream->capture)
    return capture_op (stream, op.get ());
  n_launches += op->kind == OP_KERNEL;
  n_copies += op->kind == OP_COPY;
  enqueue (stream, std::move (op));
  return Y10_CU_SUCCESS;
}

const char *
y10_sim::op_name (const Op *op, char *text, gsize size)
{
  static const char *const names[] = { "kernel", "a copy", "a memset",
    "a record", "a wait", "a graph" };

  g_snprintf (text, size, "%s%s%s", names[op->kind], op->kernel ? " " : "",
      op->kernel ? op->kernel->name : "");
  return text;
}

bool
y10_sim::is_broken (Y10SimBreak kind)
{
  if (!break_read) {
    const char *text = getenv ("Y10_SIM_BREAK"),
               *colon = text ? strchr (text, ':') : nullptr;

    break_read = true;
    if (text && !g_str_has_prefix (text, "barrier")
        && !g_str_has_prefix (text, "kernel")
        && break_kind == Y10_SIM_BREAK_NOTHING) {
      break_kind = g_str_has_prefix (text, "wait-event")
          ? Y10_SIM_BREAK_WAIT_EVENT
          : g_str_has_prefix (text, "invalidate-capture")
          ? Y10_SIM_BREAK_INVALIDATE_CAPTURE
          : g_str_has_prefix (text, "graph") ? Y10_SIM_BREAK_GRAPH
                                             : Y10_SIM_BREAK_SYNCHRONIZE;
      break_at = colon ? (guint) strtoul (colon + 1, nullptr, 10) : 0;
    }
  }
  if (kind != break_kind)
    return false;
  if (kind == Y10_SIM_BREAK_INVALIDATE_CAPTURE)
    return ++n_captures % MAX (break_at, 1) == 0;
  return y10_sim_random () % MAX (break_at, 1) == 0;
}

void
y10_sim_break (Y10SimBreak kind, guint n)
{
  LOCK;
  break_read = true;
  break_kind = kind;
  break_at = n;
}

void
y10_sim_refuse (guint n_kernels, guint n_graphs)
{
  LOCK;
  refused_kernels = n_kernels;
  refused_graphs = n_graphs;
}

bool
y10_sim::is_refused (OpKind kind)
{
  guint *n = kind == OP_GRAPH ? &refused_graphs : &refused_kernels;

  if (*n == 0)
    return false;
  --*n;
  return true;
}

void
y10_sim_set_slow_captures (gboolean slow)
{
  LOCK;
  slow_captures = slow;
}

guint64
y10_sim_n_launches (void)
{
  return n_launches;
}

guint64
y10_sim_n_copies (void)
{
  return n_copies;
}

void
y10_sim_mark_started (void)
{
  started = true;
}

void
y10_sim_mark_stopped (void)
{
  started = false;
}

/* Returns 0, or the result for a call that creates something after the
 * start. */
int
y10_sim::check_started (const char *call)
{
  return started ? misuse (Y10_CU_OUT_OF_MEMORY, "%s after the start", call)
                 : 0;
}

/* The GPU. */

static int
sim_init (unsigned int flags)
{
  LOCK;
  initialised = true;
  return 0;
}

static int
sim_driver_get_version (int *version)
{
  const char *text = getenv ("Y10_SIM_DRIVER");

  *version = text ? atoi (text) : 13000;
  return 0;
}

static int
sim_get_error_name (int result, const char **name)
{
  switch (result) {
#define NAME(code) \
  case Y10_CU_##code: \
    *name = "CUDA_ERROR_" #code; \
    return 0;
    /* clang-format off */
    NAME (INVALID_VALUE) NAME (OUT_OF_MEMORY) NAME (NOT_INITIALIZED) NAME (INVALID_DEVICE)
    NAME (INVALID_CONTEXT) NAME (INVALID_HANDLE) NAME (NOT_FOUND) NAME (NOT_READY)
    NAME (ILLEGAL_ADDRESS) NAME (LAUNCH_FAILED) NAME (DEVICE_UNAVAILABLE)
    NAME (CONTEXT_IS_DESTROYED) NAME (CAPTURE_UNSUPPORTED)
    NAME (CAPTURE_INVALIDATED) NAME (CAPTURE_UNMATCHED) NAME (CAPTURE_UNJOINED)
    NAME (CAPTURE_ISOLATION) NAME (CAPTURED_EVENT) NAME (CAPTURE_WRONG_THREAD)
    /* clang-format on */
#undef NAME
                                    case 0 : *name = "CUDA_SUCCESS";
    return 0;
    default:
      *name = nullptr; /* as the driver does it */
      return Y10_CU_INVALID_VALUE;
  }
}

static int
sim_get_error_string (int result, const char **text)
{
  if (result == Y10_CU_OUT_OF_MEMORY)
    *text = "out of memory";
  else if (result == Y10_CU_NOT_FOUND)
    *text = "named symbol not found";
  else
    return sim_get_error_name (result, text);
  return 0;
}

static int
sim_device_get_count (int *n)
{
  *n = 1;
  return 0;
}

static int
sim_device_get (CUdevice *device, int index)
{
  *device = index;
  return index == 0 ? 0 : Y10_CU_INVALID_DEVICE;
}

static int
sim_device_get_name (char *name, int size, CUdevice device)
{
  g_strlcpy (name, device == 0 ? "CUDA simulator" : "other CUDA simulator",
      (gsize) size);
  return 0;
}

static int
sim_device_get_attribute (int *value, int attribute, CUdevice device)
{
  switch (attribute) {
    case Y10_CU_MULTIPROCESSORS:
      *value = 4;
      return 0;
    case Y10_CU_CLOCK_RATE:
      *value = 1000;
      return 0;
    case Y10_CU_L2_CACHE_SIZE:
      *value = 1 << 16;
      return 0;
    case Y10_CU_MAJOR:
      *value = (int) y10_sim_sm () / 10;
      return 0;
    case Y10_CU_MINOR:
      *value = (int) y10_sim_sm () % 10;
      return 0;
    case Y10_CU_MAX_SHARED_OPTIN:
      *value = (int) y10_sim_max_shared_optin ();
      return 0;
    default:
      return misuse (Y10_CU_INVALID_VALUE, "attribute %d is not known here",
          attribute);
  }
}

static int
sim_device_total_mem (size_t *bytes, CUdevice device)
{
  gsize unused;

  LOCK;
  memory_info (&unused, bytes);
  return 0;
}

/* Kernels. */

const char *
y10_cuda_kernel_codes (void)
{
  return "sm_75 to sm_120";
}

const void *
y10_cuda_kernel_image (void)
{
  return "cuda-sim";
}

static int
sim_module_load_data (CUmodule *module, const void *image)
{
  ENTER ("cuModuleLoadData");
  RETURN_IF_WRONG (check_unsafe ("cuModuleLoadData"));
  if (getenv ("Y10_SIM_LOAD"))
    return atoi (getenv ("Y10_SIM_LOAD"));
  if (image != y10_cuda_kernel_image ())
    return misuse (Y10_CU_INVALID_VALUE, "a module is not ours");
  RETURN_IF_WRONG (check_started ("cuModuleLoadData"));
  *module = new CUmod_st{ current_contexts.back (), {} };
  current_contexts.back ()->modules.insert (*module);
  return 0;
}

static int
sim_module_unload (CUmodule module)
{
  ENTER ("cuModuleUnload");
  module->context->modules.erase (module);
  delete module;
  return 0;
}

static int
sim_module_get_function (CUfunction *function, CUmodule module,
    const char *name)
{
  ENTER ("cuModuleGetFunction");
  const Y10SimKernel *kernel = y10_sim_kernel (name);

  if (!kernel)
    return Y10_CU_NOT_FOUND;
  module->functions.emplace_back (new CUfunc_st{ module->context, kernel, 0 });
  *function = module->functions.back ().get ();
  return 0;
}

static int
sim_func_set_attribute (CUfunction function, int attribute, int value)
{
  ENTER ("cuFuncSetAttribute");
  if (attribute != Y10_CU_FUNC_MAX_DYNAMIC_SHARED || value < 0
      || (guint) value > y10_sim_max_shared_optin ())
    return Y10_CU_INVALID_VALUE;
  function->max_dynamic = (guint) value;
  return 0;
}

/* Y10_SIM_BREAK=kernel:NAME. */
static bool
is_left_out (const char *name)
{
  static const char *const text = getenv ("Y10_SIM_BREAK");

  return text && g_str_has_prefix (text, "kernel:")
      && !strcmp (text + strlen ("kernel:"), name);
}

static int
sim_launch_kernel (CUfunction function, unsigned int grid_x,
    unsigned int grid_y, unsigned int grid_z, unsigned int block_x,
    unsigned int block_y, unsigned int block_z, unsigned int shared_bytes,
    CUstream stream, void **params, void **extra)
{
  ENTER ("cuLaunchKernel");
  RETURN_IF_WRONG (check_stream (stream, "cuLaunchKernel"));
  auto op = op_new (OP_KERNEL);
  gsize size = function->kernel->params_size;

  if (function->context != stream->context)
    return misuse (Y10_CU_INVALID_HANDLE,
        "kernel %s was loaded into another context", function->kernel->name);
  op->kernel = function->kernel;
  op->launch = { { grid_x, grid_y, grid_z }, { block_x, block_y, block_z },
    shared_bytes };
  op->max_dynamic = function->max_dynamic;
  if (is_left_out (op->kernel->name))
    return 0;
  if (!stream->capture && is_refused (OP_KERNEL))
    return Y10_CU_OUT_OF_MEMORY;
  if (!y10_sim_check_launch (op->kernel, op->launch, op->max_dynamic))
    return current_contexts.back ()->error = Y10_CU_INVALID_VALUE;
  op->params.resize ((size + 7) / 8);
  memcpy (op->params.data (), params[0], size);
  /* Every value that is a device address counts as used by the kernel. It may
   * lie outside of its allocation: the origin of a plane of which only a part
   * exists. A small lower half is an int beside uninitialized padding. */
  for (guint64 word : op->params) {
    const Allocation *a = (guint32) word < 65536
        ? nullptr
        : memory_find ((const void *) word);

    if (!a || (guint8 *) word < a->base || (guint8 *) word >= a->base + a->size)
      continue;
    if (a->freed)
      return misuse (Y10_CU_INVALID_VALUE,
          "kernel %s is given %p, which was freed", op->kernel->name,
          (void *) word);
    if (a->context != op->context)
      return misuse (Y10_CU_INVALID_VALUE,
          "kernel %s is given %p of another context", op->kernel->name,
          (void *) word);
    if (a->pinned && !a->mapped)
      return misuse (Y10_CU_INVALID_VALUE,
          "kernel %s is given %p, which is not mapped", op->kernel->name,
          (void *) word);
    op->uses.push_back (a);
  }
  return submit (stream, std::move (op));
}

/* Memory. */

static int
allocate (guint8 **p, size_t size, bool pinned, const char *call)
{
  RETURN_IF_WRONG (enter (call));
  RETURN_IF_WRONG (check_unsafe (call));
  if (started)
    return misuse (Y10_CU_OUT_OF_MEMORY, "%s of %zu bytes after the start",
        call, size);
  if (size == 0)
    return Y10_CU_INVALID_VALUE;
  return memory_alloc (current_contexts.back (), size, pinned, p);
}

static int
sim_mem_get_info (size_t *free_bytes, size_t *total)
{
  ENTER ("cuMemGetInfo");
  memory_info (free_bytes, total);
  return 0;
}

static int
sim_mem_alloc (CUdeviceptr *p, size_t size)
{
  LOCK;
  guint8 *memory = nullptr;
  int result = allocate (&memory, size, false, "cuMemAlloc");

  *p = (CUdeviceptr) memory;
  return result;
}

static int
sim_mem_free (CUdeviceptr p)
{
  ENTER ("cuMemFree");
  RETURN_IF_WRONG (check_unsafe ("cuMemFree"));
  return memory_free ((guint8 *) p, false);
}

static int
sim_mem_host_alloc (void **p, size_t size, unsigned int flags)
{
  LOCK;
  int result = allocate ((guint8 **) p, size, true, "cuMemHostAlloc");

  if (!result)
    memory_set_mapped (*p, flags & Y10_CU_MEMHOSTALLOC_DEVICEMAP);
  return result;
}

static int
sim_mem_host_get_device_pointer (CUdeviceptr *p, void *host, unsigned int flags)
{
  ENTER ("cuMemHostGetDevicePointer");
  const Allocation *a = memory_find (host);

  if (!a || a->freed || !a->mapped || a->base != host || flags)
    return misuse (Y10_CU_INVALID_VALUE, "%p is no mapped memory", host);
  *p = (CUdeviceptr) host;
  return 0;
}

static int
sim_mem_free_host (void *p)
{
  ENTER ("cuMemFreeHost");
  RETURN_IF_WRONG (check_unsafe ("cuMemFreeHost"));
  return memory_free ((guint8 *) p, true);
}

/* Like the driver, reads and writes pageable memory before the call returns; a
 * graph could do neither. */
static int
copy (void *to, const void *from, size_t size, bool host_to, bool host_from,
    CUstream stream, const char *call)
{
  RETURN_IF_WRONG (enter (call));
  RETURN_IF_WRONG (check_stream (stream, call));
  auto op = op_new (OP_COPY);
  bool pageable_to = false, pageable_from = false;

  RETURN_IF_WRONG (
      check_memory (op.get (), to, size, host_to, &pageable_to, call));
  RETURN_IF_WRONG (
      check_memory (op.get (), from, size, host_from, &pageable_from, call));
  if (stream->capture && (pageable_to || pageable_from)) {
    stream->capture->invalid = true;
    return misuse (Y10_CU_CAPTURE_UNSUPPORTED,
        "%s of pageable memory is captured", call);
  }
  op->to = (guint8 *) to;
  op->from = (const guint8 *) from;
  op->size = size;
  if (pageable_from)
    op->staged.assign (op->from, op->from + size);
  RETURN_IF_WRONG (submit (stream, std::move (op)));
  if (pageable_to && !run_until_empty (stream))
    return Y10_CU_LAUNCH_FAILED;
  return 0;
}

static int
sim_memcpy_htod_async (CUdeviceptr to, const void *from, size_t size,
    CUstream stream)
{
  LOCK;
  return copy ((void *) to, from, size, false, true, stream,
      "cuMemcpyHtoDAsync");
}

static int
sim_memcpy_dtoh_async (void *to, CUdeviceptr from, size_t size, CUstream stream)
{
  LOCK;
  return copy (to, (void *) from, size, true, false, stream,
      "cuMemcpyDtoHAsync");
}

static int
sim_memcpy_dtod_async (CUdeviceptr to, CUdeviceptr from, size_t size,
    CUstream stream)
{
  LOCK;
  return copy ((void *) to, (void *) from, size, false, false, stream,
      "cuMemcpyDtoDAsync");
}

static int
sim_memset_d8_async (CUdeviceptr p, unsigned char value, size_t size,
    CUstream stream)
{
  ENTER ("cuMemsetD8Async");
  RETURN_IF_WRONG (check_stream (stream, "cuMemsetD8Async"));
  auto op = op_new (OP_MEMSET);

  RETURN_IF_WRONG (check_memory (op.get (), (void *) p, size, false, nullptr,
      "cuMemsetD8Async"));
  op->to = (guint8 *) p;
  op->value = value;
  op->size = size;
  return submit (stream, std::move (op));
}

static const Y10CudaDriver driver = {
#define Y10_MEMBER(member, name, params) sim_##member,
  Y10_CUDA_DRIVER_FUNCTIONS (Y10_MEMBER)
#undef Y10_MEMBER
};

const Y10CudaDriver *
y10_cuda_driver_get (GString *why)
{
  sim_init (0);
  return &driver;
}
