/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Selects a GPU that the kernels support. */

#include "config.h"

#include "driver/driver.h"

/* Compute capability 7.5, the oldest for which the kernels are compiled. */
#define LEAST_MAJOR 7
#define LEAST_MINOR 5

gboolean
y10_cuda_get_capability (const Y10CudaDriver *driver, CUdevice id, int *major,
    int *minor)
{
  return driver->device_get_attribute (major, Y10_CU_MAJOR, id) == 0
      && driver->device_get_attribute (minor, Y10_CU_MINOR, id) == 0;
}

gboolean
y10_cuda_find_gpu (const Y10CudaDriver *driver, gint wanted, CUdevice *id,
    GString *why)
{
  int n = 0, major = 0, minor = 0;

  driver->device_get_count (&n);
  for (int i = 0; i < n; i++) {
    if (wanted >= 0 && i != wanted)
      continue;
    if (driver->device_get (id, i) == 0
        && y10_cuda_get_capability (driver, *id, &major, &minor)
        && (major > LEAST_MAJOR
            || (major == LEAST_MAJOR && minor >= LEAST_MINOR)))
      return TRUE;
    g_string_append_printf (why,
        "GPU %d has compute capability %d.%d; "
        "expected %d.%d or later",
        i, major, minor, LEAST_MAJOR, LEAST_MINOR);
    if (wanted >= 0)
      return FALSE;
  }
  if (!n)
    g_string_append (why, "the NVIDIA driver finds no GPU");
  else if (wanted >= n)
    g_string_append_printf (why, "there is no GPU %d; there are %d", wanted, n);
  return FALSE;
}
