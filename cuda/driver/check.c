/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Converts the driver's results to errors, and identifies the results after which
 * the context is lost. */

#include "driver/driver.h"

#include <y10/error.h>

gboolean
y10_cuda_is_lost (int result)
{
  switch (result) {
    case 4:   /* DEINITIALIZED: the driver is shutting down */
    case 46:  /* DEVICE_UNAVAILABLE */
    case 201: /* INVALID_CONTEXT: ours were valid before */
    case 214: /* ECC_UNCORRECTABLE */
    case 220: /* NVLINK_UNCORRECTABLE */
    case 226: /* CONTAINED: a fault that the GPU contained */
    case 700: /* ILLEGAL_ADDRESS */
    case 702: /* LAUNCH_TIMEOUT */
    case Y10_CU_CONTEXT_IS_DESTROYED:
    case 710: /* ASSERT */
    case 714: /* HARDWARE_STACK_ERROR */
    case 715: /* ILLEGAL_INSTRUCTION */
    case 716: /* MISALIGNED_ADDRESS */
    case 717: /* INVALID_ADDRESS_SPACE */
    case 718: /* INVALID_PC */
    case 719: /* LAUNCH_FAILED */
    case 721: /* TENSOR_MEMORY_LEAK */
    case 806: /* MPS_RPC_FAILURE */
    case 810: /* MPS_CLIENT_TERMINATED */
    case 999: /* UNKNOWN: returned for a GPU that is gone */
      return TRUE;
    default:
      return FALSE;
  }
}

gboolean
y10_cuda_check (const Y10CudaDriver *driver, int result, const char *call,
    GError **error)
{
  const char *name = NULL, *text = NULL;
  Y10Error code = y10_cuda_is_lost (result) ? Y10_ERROR_DEVICE_LOST
      : result == Y10_CU_OUT_OF_MEMORY      ? Y10_ERROR_NO_MEMORY
                                            : Y10_ERROR_BACKEND;

  if (result == Y10_CU_SUCCESS)
    return TRUE;
  driver->get_error_name (result, &name);
  driver->get_error_string (result, &text);
  g_set_error (error, Y10_ERROR, code, "CUDA: %s: %s (%s, %d)%s", call,
      text ? text : "no description", name ? name : "unknown", result,
      code == Y10_ERROR_DEVICE_LOST ? ": the context is lost" : "");
  return FALSE;
}

#define Y10_DEAD(member, name, params) \
  static int dead_##member params \
  { \
    return Y10_CU_CONTEXT_IS_DESTROYED; \
  }
Y10_CUDA_DRIVER_FUNCTIONS (Y10_DEAD)
#undef Y10_DEAD

const Y10CudaDriver y10_cuda_dead_driver = {
#define Y10_MEMBER(member, name, params) .member = dead_##member,
  Y10_CUDA_DRIVER_FUNCTIONS (Y10_MEMBER)
#undef Y10_MEMBER
};
