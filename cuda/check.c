/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* What the driver says when something fails, as our errors. */

#include "driver.h"

#include <y10/error.h>

gboolean
y10_cuda_check (const Y10CudaDriver *driver, int result, const char *call,
    GError **error)
{
  const char *name = NULL, *text = NULL;

  if (result == Y10_CU_SUCCESS)
    return TRUE;
  driver->get_error_name (result, &name);
  driver->get_error_string (result, &text);
  g_set_error (error, Y10_ERROR, result == Y10_CU_OUT_OF_MEMORY
      ? Y10_ERROR_NO_MEMORY : Y10_ERROR_BACKEND, "CUDA: %s: %s (%s, %d)",
      call, text ? text : "no description", name ? name : "unknown", result);
  return FALSE;
}
