/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A backend "cuda" for the element's tests: the reference, which reads the
 * memory of fakecuda.c and records there how it was called. If the program does
 * not contain that library, it stands for a GPU whose driver GStreamer cannot
 * find. The module contains our real painter.
 *
 * Y10_FAKE_STEP_MS=N makes each inference last N milliseconds, N,AFTER,M makes
 * it M after the first AFTER ones. With Y10_FAKE_GATE=OUT,IN, two file
 * descriptors, each inference writes a byte to OUT and then waits for one from
 * IN, so that a test decides when it goes on. The variables are read when a
 * device is opened. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/backend.h"
#include "fakecuda.h"

__attribute__ ((visibility ("default"))) const Y10BackendClass *
y10_backend_module (void);

/* The kernel image that the painter loads; fakecuda.c ignores it. */
const void *y10_cuda_kernel_image (void);

const void *
y10_cuda_kernel_image (void)
{
  return "kernels";
}

static guint step_ms, slower_after, slower_ms;
static gint n_steps;
static gint64 slept_ns;       /* of the latest step; one device thread */
static int gate_out, gate_in; /* 0: no gate */

static FakeCuda *fake;
static Y10BackendClass backend;

static int
probe (GString *why)
{
  if (fake && fake->absent) {
    g_string_append (why, "there is no GPU");
    return 0;
  }
  return 1000000;
}

static Y10Device *
open_device (const Y10DeviceConfig *config, GError **error)
{
  const char *ms = getenv ("Y10_FAKE_STEP_MS"),
             *gate = getenv ("Y10_FAKE_GATE");

  step_ms = slower_after = slower_ms = 0;
  g_atomic_int_set (&n_steps, 0);
  if (ms)
    sscanf (ms, "%u,%u,%u", &step_ms, &slower_after, &slower_ms);
  gate_out = gate_in = 0;
  if (gate)
    sscanf (gate, "%d,%d", &gate_out, &gate_in);
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
    g_set_error (error, Y10_ERROR, Y10_ERROR_DEVICE_LOST, "the GPU is lost");
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

static gboolean
pass_gate (GError **error)
{
  char byte = 0;

  if (!gate_in
      || (write (gate_out, &byte, 1) == 1 && read (gate_in, &byte, 1) == 1))
    return TRUE;
  g_set_error (error, Y10_ERROR, Y10_ERROR_BACKEND, "the gate is gone");
  return FALSE;
}

static gboolean
submit (Y10Slot *slot, guint n, guint first, guint end, GError **error)
{
  gint64 start = g_get_monotonic_time (), left;
  gboolean ok = pass_gate (error)
      && y10_backend_ref.submit (slot, n, first, end, error);
  guint step = (guint) g_atomic_int_add (&n_steps, 1);
  guint ms = slower_after && step >= slower_after ? slower_ms : step_ms;

  slept_ns = 0;
  left = start + (gint64) ms * 1000 - g_get_monotonic_time ();
  if (left > 0) {
    g_usleep ((gulong) left);
    slept_ns = left * 1000;
  }
  return ok;
}

static void
times (Y10Slot *slot, gint64 *inference, gint64 *postprocess)
{
  y10_backend_ref.times (slot, inference, postprocess);
  *inference += slept_ns;
}

const Y10BackendClass *
y10_backend_module (void)
{
  fake = dlsym (RTLD_DEFAULT, "fake_cuda");
  backend = y10_backend_ref;
  backend.kind = Y10_BACKEND_CUDA;
  backend.name = "cuda";
  backend.memories |= Y10_MEMORY_BIT (Y10_MEMORY_CUDA);
  backend.default_slots = 2;
  backend.host_arenas = FALSE;
  backend.probe = probe;
  backend.open = open_device;
  backend.load = load;
  backend.submit = submit;
  backend.times = times;
  return &backend;
}
