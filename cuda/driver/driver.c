/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Loads libcuda. The loader of nv-codec-headers is not used: it fails at the first
 * missing function, and the version in Debian 12 lacks graphs and half of the
 * functions needed here. */

#include "config.h"

#include "driver/driver.h"

#include <dlfcn.h>
#include <pthread.h>

#define LIBRARY "libcuda.so.1"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Y10CudaDriver driver;
static gboolean ready;

static gboolean
look_up (void *handle, GString *why)
{
  const char *missing = NULL;

  /* POSIX specifies this cast for storing a function pointer from dlsym(). */
#define Y10_LOOK_UP(member, name, params) \
  if (!(*(void **) &driver.member = dlsym (handle, name)) && !missing) \
    missing = name;
  Y10_CUDA_DRIVER_FUNCTIONS (Y10_LOOK_UP)
#undef Y10_LOOK_UP
  if (missing)
    g_string_append_printf (why,
        "the NVIDIA driver is too old: " LIBRARY
        " has no %s; version 525 or later is needed",
        missing);
  return !missing;
}

static gboolean
start (GString *why)
{
  void *handle = dlopen (LIBRARY, RTLD_NOW | RTLD_LOCAL);
  const char *text = NULL;
  int result;

  if (!handle) {
    g_string_append (why, "no NVIDIA driver: " LIBRARY " is not installed");
    return FALSE;
  }
  if (look_up (handle, why)) {
    result = driver.init (0);
    if (result == Y10_CU_SUCCESS)
      return TRUE;
    driver.get_error_string (result, &text);
    g_string_append_printf (why, "the NVIDIA driver does not start: %s (%d)%s",
        text ? text : "no description", result,
        result == Y10_CU_STUB_LIBRARY
            ? ": the toolkit's stub was found instead of the driver"
            : "");
  }
  dlclose (handle);
  return FALSE;
}

const Y10CudaDriver *
y10_cuda_driver_get (GString *why)
{
  gboolean ok;

  pthread_mutex_lock (&lock);
  ok = ready = ready || start (why);
  pthread_mutex_unlock (&lock);
  return ok ? &driver : NULL;
}
