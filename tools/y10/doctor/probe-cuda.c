/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Tests the NVIDIA driver, NVRTC and cuBLASLt, each in a child process. Declares
 * their functions here, so that it builds and starts without CUDA. */

#include "config.h"

#include <dlfcn.h>
#include <string.h>

#include "doctor/probe.h"

#define MAX_GPUS 16

enum
{
  COMPUTE_MODE = 20, /* CU_DEVICE_ATTRIBUTE_… */
  ECC_ENABLED = 32,
  MAJOR = 75,
  MINOR = 76,
};

gboolean
doctor_driver_open (DoctorDriver *driver)
{
  static const struct
  {
    const char *name;
    gsize offset;
  } functions[] = {
#define FUNCTION(member, name) { name, G_STRUCT_OFFSET (DoctorDriver, member) }
    FUNCTION (init, "cuInit"),
    FUNCTION (driver_get_version, "cuDriverGetVersion"),
    FUNCTION (get_error_name, "cuGetErrorName"),
    FUNCTION (device_get_count, "cuDeviceGetCount"),
    FUNCTION (device_get, "cuDeviceGet"),
    FUNCTION (device_get_name, "cuDeviceGetName"),
    FUNCTION (device_get_attribute, "cuDeviceGetAttribute"),
    FUNCTION (device_total_mem, "cuDeviceTotalMem_v2"),
    FUNCTION (primary_ctx_retain, "cuDevicePrimaryCtxRetain"),
    FUNCTION (primary_ctx_release, "cuDevicePrimaryCtxRelease_v2"),
    FUNCTION (ctx_push, "cuCtxPushCurrent_v2"),
    FUNCTION (ctx_pop, "cuCtxPopCurrent_v2"),
    FUNCTION (mem_get_info, "cuMemGetInfo_v2"),
#undef FUNCTION
  };
  void *library = doctor_open ("driver", "libcuda.so.1");
  const char *name = NULL;
  int result;

  if (!library)
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (functions); i++) {
    void *symbol = dlsym (library, functions[i].name);

    if (!symbol) {
      doctor_fact ("driver.error", "the library has no %s", functions[i].name);
      return FALSE;
    }
    memcpy (G_STRUCT_MEMBER_P (driver, functions[i].offset), &symbol,
        sizeof symbol);
  }
  result = driver->init (0);
  doctor_fact ("driver.init", "%d", result);
  if (result && driver->get_error_name (result, &name) == 0 && name)
    doctor_fact ("driver.init_name", "%s", name);
  return result == 0;
}

static void
gpu_fact (int gpu, const char *key, const char *format, gint64 value)
{
  g_autofree char *full = g_strdup_printf ("gpu.%d.%s", gpu, key);

  doctor_fact (full, format, value);
}

/* Creates a context, which is also a test, and queries the free memory. */
static void
ask_memory (const DoctorDriver *driver, int gpu, int device)
{
  gsize free_bytes = 0, total = 0;
  gpointer context;
  int result = driver->primary_ctx_retain (&context, device);

  gpu_fact (gpu, "context", "%" G_GINT64_FORMAT, result);
  if (result)
    return;
  if (driver->ctx_push (context) == 0) {
    if (driver->mem_get_info (&free_bytes, &total) == 0)
      gpu_fact (gpu, "free", "%" G_GINT64_FORMAT, (gint64) free_bytes);
    driver->ctx_pop (&context);
  }
  driver->primary_ctx_release (device);
}

void
doctor_probe_driver (const char *argument)
{
  DoctorDriver driver;
  int n = 0, value;

  if (!doctor_driver_open (&driver))
    return;
  if (driver.driver_get_version (&value) == 0)
    doctor_fact ("driver.version", "%d", value);
  driver.device_get_count (&n);
  doctor_fact ("gpus", "%d", n);
  for (int i = 0; i < MIN (n, MAX_GPUS); i++) {
    char name[256] = "", *key;
    gsize bytes = 0;
    int device, major = 0, minor = 0;

    if (driver.device_get (&device, i))
      continue;
    driver.device_get_name (name, sizeof name, device);
    key = g_strdup_printf ("gpu.%d.name", i);
    doctor_fact (key, "%s", name);
    g_free (key);
    driver.device_get_attribute (&major, MAJOR, device);
    driver.device_get_attribute (&minor, MINOR, device);
    gpu_fact (i, "capability", "%" G_GINT64_FORMAT, 10 * major + minor);
    if (driver.device_get_attribute (&value, COMPUTE_MODE, device) == 0)
      gpu_fact (i, "mode", "%" G_GINT64_FORMAT, value);
    if (driver.device_get_attribute (&value, ECC_ENABLED, device) == 0)
      gpu_fact (i, "ecc", "%" G_GINT64_FORMAT, value);
    if (driver.device_total_mem (&bytes, device) == 0)
      gpu_fact (i, "memory", "%" G_GINT64_FORMAT, (gint64) bytes);
    ask_memory (&driver, i, device);
  }
}

void
doctor_probe_cublaslt (const char *argument)
{
  g_autofree char *soname = g_strdup_printf ("libcublasLt.so.%s", argument);
  void *library = doctor_open_of_cudnn ("cublaslt", soname, argument);
  gsize (*get_version) (void);

  if (library) {
    *(void **) (&get_version) = dlsym (library, "cublasLtGetVersion");
    if (get_version)
      doctor_fact ("cublaslt.version", "%" G_GSIZE_FORMAT, get_version ());
    else
      doctor_fact ("cublaslt.error", "the library has no cublasLtGetVersion");
  }
}

/* Compiles a kernel, because NVRTC loads its builtins library only then. */
static void
compile (void *library)
{
  static const char source[] =
      "extern \"C\" __global__ void k (float *p) { p[threadIdx.x] = 1.f; }";
  const char *options[] = { "--gpu-architecture=sm_75" };
  int (*create) (gpointer *, const char *, const char *, int,
      const char *const *, const char *const *);
  int (*build) (gpointer, int, const char *const *);
  gpointer program = NULL;
  int result;

  *(void **) (&create) = dlsym (library, "nvrtcCreateProgram");
  *(void **) (&build) = dlsym (library, "nvrtcCompileProgram");
  if (!create || !build) {
    doctor_fact ("nvrtc.error", "the library has no nvrtcCompileProgram");
    return;
  }
  result = create (&program, source, "k.cu", 0, NULL, NULL);
  if (result == 0)
    result = build (program, G_N_ELEMENTS (options), options);
  doctor_fact ("nvrtc.compile", "%d", result);
}

void
doctor_probe_nvrtc (const char *argument)
{
  g_autofree char *soname = g_strdup_printf ("libnvrtc.so.%s", argument);
  void *library = doctor_open_of_cudnn ("nvrtc", soname, argument);
  int (*get_version) (int *, int *);
  int major, minor;

  if (library) {
    *(void **) (&get_version) = dlsym (library, "nvrtcVersion");
    if (get_version && get_version (&major, &minor) == 0) {
      g_autofree char *builtins = g_strdup_printf ("libnvrtc-builtins.so.%d.%d",
          major, minor);

      doctor_fact ("nvrtc.version", "%d.%d", major, minor);
      doctor_fact ("nvrtc.builtins", "%s", builtins);
    }
    compile (library);
  }
}
