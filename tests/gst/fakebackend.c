/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A backend "cuda" for the element's tests: the reference, which reads the
 * memory of fakecuda.c and writes down there what it was told. Without that
 * library in the program it is a GPU whose driver GStreamer cannot find. The
 * module's painter is our own. */
#include <dlfcn.h>

#include "backend.h"
#include "fakecuda.h"

__attribute__ ((visibility ("default")))
const Y10BackendClass *y10_backend_module (void);

/* What the painter loads; fakecuda.c does not look at it. */
const void *y10_cuda_kernel_image (void);

const void *
y10_cuda_kernel_image (void)
{
  return "kernels";
}

static FakeCuda *fake;
static Y10BackendClass backend;

static int
probe (GString *why)
{
  return 1000000;
}

static Y10Device *
open_device (const Y10DeviceConfig *config, GError **error)
{
  if (fake) {
    g_atomic_int_inc (&fake->opened);
    fake->context = config->cuda_context;
    fake->lost = FALSE;
  }
  return y10_backend_ref.open (config, error);
}

static gboolean
load (Y10Slot *slot, guint i, const Y10Image *image,
    const Y10Letterbox *letterbox, const Y10HeadParams *params, GError **error)
{
  Y10Image host = *image;

  if (fake && fake->lost) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_DEVICE_LOST, "the GPU has gone");
    return FALSE;
  }
  if (image->memory == Y10_MEMORY_CUDA) {
    host.memory = Y10_MEMORY_HOST;
    for (guint p = 0; p < G_N_ELEMENTS (host.plane); p++) {
      guint64 address = (guint64) (gsize) image->plane[p];

      if (address && !(address & FAKE_CUDA_TAG))
        g_atomic_int_inc (&fake->misuses);
      host.plane[p] = (const guint8 *) (gsize) (address & ~FAKE_CUDA_TAG);
    }
    g_atomic_int_inc (&fake->images);
    fake->stream = image->cuda_stream;
  }
  return y10_backend_ref.load (slot, i, &host, letterbox, params, error);
}

const Y10BackendClass *
y10_backend_module (void)
{
  fake = dlsym (RTLD_DEFAULT, "fake_cuda");
  backend = y10_backend_ref;
  backend.kind = Y10_BACKEND_CUDA;
  backend.name = "cuda";
  backend.probe = probe;
  backend.open = open_device;
  backend.load = load;
  return &backend;
}
