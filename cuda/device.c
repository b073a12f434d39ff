/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A device is a CUDA context, the caller's or the GPU's primary one, with our
 * kernels and cuDNN loaded. Each entry point of the backend pushes the context and
 * pops it again before it returns; nothing runs on the NULL stream. */

#include "config.h"

#include "device.h"

gboolean
y10_cuda_enter (Y10Device *device, GError **error)
{
  return y10_cuda_check (device->driver,
      device->driver->ctx_push (device->context), "entering the context",
      error);
}

void
y10_cuda_leave (Y10Device *device)
{
  CUcontext popped;

  device->driver->ctx_pop (&popped);
}

/* Destroying a context frees all its device objects. Afterwards only host
 * memory is left to free, so the driver's functions are replaced by ones that
 * only return an error. */
gboolean
y10_cuda_enter_to_free (Y10Device *device)
{
  if (y10_cuda_enter (device, NULL))
    return TRUE;
  device->driver = device->kernels.driver = &y10_cuda_dead_driver;
  return FALSE;
}

static gboolean
is_lost (const Y10Device *device)
{
  size_t unused[2];

  return y10_cuda_is_lost (
      device->driver->mem_get_info (&unused[0], &unused[1]));
}

/* cuDNN reports a lost context only as a general failure, so the context is
 * queried. */
gboolean
y10_cuda_leave_with (Y10Device *device, gboolean ok, GError **error)
{
  if (!ok && error && *error && (*error)->code != Y10_ERROR_DEVICE_LOST
      && is_lost (device)) {
    g_prefix_error (error, "CUDA: the context is lost: ");
    (*error)->code = Y10_ERROR_DEVICE_LOST;
  }
  y10_cuda_leave (device);
  return ok;
}

void
y10_cuda_device_close (Y10Device *device)
{
  if (device->context && y10_cuda_enter_to_free (device)) {
    y10_cuda_conv_lib_free (device->conv);
    y10_cuda_kernels_unload (&device->kernels);
    y10_cuda_leave (device);
  } else {
    y10_cuda_conv_lib_abandon (device->conv);
  }
  y10_cuda_pairs_free (device->pairs);
  y10_cuda_context_release (device->taken);
  g_free (device->description);
  g_free (device);
}

static void
describe (Y10Device *device)
{
  char name[128] = "GPU";

  device->driver->device_get_name (name, sizeof name, device->id);
  device->description = g_strdup_printf ("%s, sm_%d%d, %s", name, device->major,
      device->minor, y10_cuda_conv_lib_describe (device->conv));
}

static gboolean
take_context (Y10Device *device, const Y10DeviceConfig *config, GError **error)
{
  g_autoptr (GString) why = g_string_new (NULL);
  const Y10CudaDriver *d = device->driver;

  if (config->cuda_context) {
    device->context = config->cuda_context;
    return y10_cuda_enter (device, error)
        && y10_cuda_leave_with (device,
            y10_cuda_check (d, d->ctx_get_device (&device->id),
                "asking for the context's GPU", error),
            error);
  }
  if (!y10_cuda_find_gpu (d, config->device_id, &device->id, why)) {
    g_set_error_literal (error, Y10_ERROR, Y10_ERROR_NO_BACKEND, why->str);
    return FALSE;
  }
  device->taken = y10_cuda_context_take (d, device->id, error);
  if (device->taken)
    device->context = y10_cuda_context_get (device->taken);
  return device->taken != NULL;
}

/* Keeps an error that is already set. */
static void
set_open_error (const GString *why, GError **error)
{
  if (error && !*error)
    g_set_error (error, Y10_ERROR, Y10_ERROR_NO_BACKEND,
        "backend cuda cannot be opened: %s",
        why->len ? why->str : "the GPU does not report its compute capability");
}

static gboolean
load (Y10Device *device, GString *why, GError **error)
{
  gboolean ok;

  if (!y10_cuda_enter (device, error))
    return FALSE;
  ok = y10_cuda_kernels_load (&device->kernels, device->driver, error)
      && (device->conv =
              y10_cuda_conv_lib_prove (y10_cuda_conv_lib_new (&device->kernels,
                                           why),
                  device->driver, why));
  if (ok) {
    device->pairs = y10_cuda_pairs_new (device->conv, &device->kernels);
    describe (device);
  } else {
    set_open_error (why, error);
  }
  return y10_cuda_leave_with (device, ok, error);
}

Y10Device *
y10_cuda_device_open (const Y10DeviceConfig *config, GError **error)
{
  g_autoptr (GString) why = g_string_new (NULL);
  Y10Device *device = g_new0 (Y10Device, 1);

  device->graphs = config->cuda_graphs;
  device->many_sizes = config->many_sizes;
  device->driver = y10_cuda_driver_get (why);
  if (device->driver && take_context (device, config, error)
      && y10_cuda_get_capability (device->driver, device->id, &device->major,
          &device->minor)
      && load (device, why, error))
    return device;
  set_open_error (why, error);
  y10_cuda_device_close (device);
  return NULL;
}
