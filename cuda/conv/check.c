/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* One small plan of each provider, built and run by the functions that the engine uses,
 * when a device is opened. NVIDIA documents how to execute a plan that was built with a handle,
 * or deserialized with one, and does not document the execution of a plan that
 * was built from device properties, as this backend builds plans in several
 * threads. Where such a plan does not run, all plans are built with handles. */

#include "config.h"

#include <y10/error.h>

#include "base/half.h"
#include "conv/provider.h"

/* A 3×3 convolution of ones with weights of one: each output is the number of
 * inputs inside the picture, 4, 6 or 9 times CHANNELS, plus the bias. Half
 * precision represents all of these numbers exactly. */
#define SIDE 8
#define CHANNELS 16
#define N_PIXELS (SIDE * SIDE)
#define N_WEIGHTS (CHANNELS * 9 * CHANNELS)

enum
{
  IN,
  WEIGHT,
  BIAS,
  OUT,
  WORKSPACE,
  N_BUFFERS
};

/* The device's memory and the stream of one check. */
typedef struct
{
  const Y10CudaDriver *d;
  CUstream stream;
  CUdeviceptr buffers[N_BUFFERS];
} Check;

static gfloat
bias_of (guint channel)
{
  return (gfloat) channel / 4;
}

static gfloat
expected_of (guint row, guint column, guint channel)
{
  guint rows = row == 0 || row == SIDE - 1 ? 2 : 3;
  guint columns = column == 0 || column == SIDE - 1 ? 2 : 3;

  return (gfloat) (rows * columns * CHANNELS) + bias_of (channel);
}

static gboolean
upload (Check *c, guint buffer, const void *data, gsize size, GError **error)
{
  return y10_cuda_check (c->d,
      c->d->memcpy_htod_async (c->buffers[buffer], data, size, c->stream),
      "copying to the GPU", error);
}

/* The output starts as zeros: a plan that does nothing is noticed. */
static gboolean
prepare (Check *c, gsize workspace, GError **error)
{
  const gsize sizes[N_BUFFERS] = { 2 * N_PIXELS * CHANNELS, 2 * N_WEIGHTS,
    4 * CHANNELS, 2 * N_PIXELS * CHANNELS, MAX (workspace, 256) };
  guint16 ones[MAX (N_WEIGHTS, N_PIXELS * CHANNELS)];
  gfloat bias[CHANNELS];

  for (guint i = 0; i < G_N_ELEMENTS (ones); i++)
    ones[i] = y10_half_from_float (1);
  for (guint i = 0; i < CHANNELS; i++)
    bias[i] = bias_of (i);
  if (!y10_cuda_check (c->d,
          c->d->stream_create (&c->stream, Y10_CU_STREAM_NON_BLOCKING, 0),
          "creating a stream", error))
    return FALSE;
  for (guint i = 0; i < N_BUFFERS; i++)
    if (!y10_cuda_check (c->d, c->d->mem_alloc (&c->buffers[i], sizes[i]),
            "allocating memory", error))
      return FALSE;
  return upload (c, IN, ones, sizes[IN], error)
      && upload (c, WEIGHT, ones, sizes[WEIGHT], error)
      && upload (c, BIAS, bias, sizes[BIAS], error)
      && y10_cuda_check (c->d,
          c->d->memset_d8_async (c->buffers[OUT], 0, sizes[OUT], c->stream),
          "clearing memory", error)
      && y10_cuda_check (c->d, c->d->stream_synchronize (c->stream),
          "copying to the GPU", error);
}

static gboolean
compare (Check *c, GError **error)
{
  guint16 out[N_PIXELS * CHANNELS];

  if (!y10_cuda_check (c->d,
          c->d->memcpy_dtoh_async (out, c->buffers[OUT], sizeof out, c->stream),
          "copying from the GPU", error)
      || !y10_cuda_check (c->d, c->d->stream_synchronize (c->stream),
          "a convolution", error))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (out); i++) {
    const guint pixel = i / CHANNELS;
    const gfloat found = y10_half_to_float (out[i]);
    const gfloat expected = expected_of (pixel / SIDE, pixel % SIDE,
        i % CHANNELS);

    if (found != expected) {
      g_set_error (error, Y10_ERROR, Y10_ERROR_BACKEND,
          "a convolution gives "
          "%g at row %u, column %u, channel %u; expected %g",
          found, pixel / SIDE, pixel % SIDE, i % CHANNELS, expected);
      return FALSE;
    }
  }
  return TRUE;
}

static void
finish (Check *c, Y10CudaConvLib *lib)
{
  if (!c->stream)
    return;
  c->d->stream_synchronize (c->stream);
  y10_cuda_conv_lib_forget_stream (lib);
  for (guint i = 0; i < N_BUFFERS; i++)
    if (c->buffers[i])
      c->d->mem_free (c->buffers[i]);
  c->d->stream_destroy (c->stream);
}

static gboolean
run_one (Y10CudaConvLib *lib, const Y10CudaDriver *driver, GError **error)
{
  const Y10CudaConvView view = { SIDE, SIDE, CHANNELS, CHANNELS,
    N_PIXELS * CHANNELS };
  const Y10CudaConvDesc desc = {
    .precision = Y10_PRECISION_FP16,
    .images = 1,
    .in = view,
    .out = view,
    .kernel = 3,
    .stride = 1,
    .pad = 1,
  };
  Check c = { .d = driver };
  Y10CudaConvPlan *plan = y10_cuda_conv_plan_new (lib, &desc,
      Y10_CUDA_CONV_BIAS, error);
  gboolean ok;

  if (!plan)
    return FALSE;
  ok = prepare (&c, y10_cuda_conv_plan_workspace (plan), error)
      && y10_cuda_conv_plan_run (plan, c.stream, c.buffers[IN],
          c.buffers[WEIGHT], c.buffers[BIAS], 0, c.buffers[OUT],
          c.buffers[WORKSPACE], error)
      && compare (&c, error);
  finish (&c, lib);
  y10_cuda_conv_plan_free (plan);
  return ok;
}

static gboolean
is_lost (const Y10CudaDriver *driver)
{
  size_t unused[2];

  return y10_cuda_is_lost (driver->mem_get_info (&unused[0], &unused[1]));
}

/* @part number @i of @lib, or all of it, does not run. FALSE: nor does anything else. */
static gboolean
go_on (Y10CudaConvLib *lib, Y10CudaConvLib *part, guint i, const char *message,
    const Y10CudaDriver *driver, GString *why)
{
  const char *title = part->provider->title;
  const gboolean lost = is_lost (driver);

  if (!lost && y10_cuda_conv_lib_use_handles (part, message)) {
    g_debug ("plans that are built without a handle do not run: %s", message);
    return TRUE;
  }
  if (!lost && lib->provider->lib_leave_out
      && lib->provider->lib_leave_out (lib, i, message, why)) {
    g_debug ("%s does not run a convolution: %s", title, message);
    return TRUE;
  }
  g_string_append_printf (why, "%s does not run a convolution: %s", title,
      message);
  return FALSE;
}

Y10CudaConvLib *
y10_cuda_conv_lib_prove (Y10CudaConvLib *lib, const Y10CudaDriver *driver,
    GString *why)
{
  Y10CudaConvLib *part = lib;

  for (guint i = 0; part;) {
    GError *error = NULL;

    if (lib->provider->lib_part)
      part = lib->provider->lib_part (lib, i);
    else if (i > 0)
      part = NULL;
    if (!part || run_one (part, driver, &error)) {
      i++;
      continue;
    }
    if (!go_on (lib, part, i, error->message, driver, why)) {
      y10_cuda_conv_lib_free (lib);
      lib = part = NULL;
    }
    g_error_free (error);
  }
  return lib;
}
