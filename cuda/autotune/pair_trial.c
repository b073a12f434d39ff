/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A trial of a pair: that of its 1×1, whose input is what the depthwise kernel makes of
 * further made-up numbers. */

#include "config.h"

#include "autotune/verify.h"
#include "kernels/depthwise.h"

static gsize
align (gsize size)
{
  return (size + Y10_CUDA_ALIGN - 1) / Y10_CUDA_ALIGN * Y10_CUDA_ALIGN;
}

static CUdeviceptr
pair_in (const Y10CudaTrial *t, guint set)
{
  return t->pair_memory + set * t->pair_in_size;
}

static gboolean
run_depthwise (Y10CudaTrial *t, guint set, GError **error)
{
  const Y10CudaKernels *kernels = &t->device->kernels;
  const Y10CudaPairDesc *desc = &t->pair;
  const Y10CudaConvView *in = &desc->in;
  const Y10KDepthwise p = {
    .in = { GSIZE_TO_POINTER (pair_in (t, set)), in->height, in->width,
        in->channels, (int) in->pixel, in->image },
    .out = y10_cuda_trial_view (t, set, t->in_at, &t->desc.in),
    .weight = GSIZE_TO_POINTER (t->pair_weight),
    .bias = GSIZE_TO_POINTER (t->pair_bias),
    .images = (int) desc->images,
    .kernel = desc->kernel,
    .stride = desc->stride,
    .pad = desc->pad,
    .silu = desc->depthwise_silu,
  };

  return y10_cuda_launch (kernels, kernels->depthwise[t->type],
      y10_depthwise_launch (&p), t->stream, &p, error);
}

gboolean
y10_cuda_trial_run_pair (Y10CudaTrial *t, guint set, Y10CudaPair way,
    GError **error)
{
  if (!way.tile)
    return run_depthwise (t, set, error);
  return y10_cuda_pair_run (t->device->pairs, &t->pair, way, t->stream,
      pair_in (t, set), t->pair_weight, t->pair_bias,
      t->memory + set * t->set_size + t->weight_at, t->memory + t->bias_at,
      y10_cuda_trial_address (t, set, t->out_at, &t->desc.out), error);
}

/* Sums with a standard deviation of about 1. */
static gboolean
fill (Y10CudaTrial *t, GError **error)
{
  const Y10CudaDriver *d = t->device->driver;
  const gsize taps = (gsize) t->pair.kernel * t->pair.kernel;
  const gsize channels = (gsize) t->pair.in.channels;

  if (!y10_cuda_trial_fill (t, pair_in (t, 0), t->pair_in_size / t->elem_size,
          1, t->type, error)
      || !y10_cuda_trial_fill (t, t->pair_weight, taps * channels,
          3.f / (gfloat) t->pair.kernel, t->type, error)
      || !y10_cuda_trial_fill (t, t->pair_bias, channels, 1, Y10_K_F32, error))
    return FALSE;
  for (guint i = 1; i < t->n_sets; i++)
    if (!y10_cuda_check (d,
            d->memcpy_dtod_async (pair_in (t, i), pair_in (t, 0),
                t->pair_in_size, t->stream),
            "copying made-up numbers", error))
      return FALSE;
  return TRUE;
}

gboolean
y10_cuda_trial_begin_pair (Y10CudaTrial *t, const Y10CudaPairDesc *pair,
    const Y10CudaConvDesc *second, gsize workspace, GError **error)
{
  const Y10CudaDriver *d = t->device->driver;
  gsize weight_size, size;

  if (!y10_cuda_trial_begin (t, second, workspace, error))
    return FALSE;
  t->pair = *pair;
  t->pair_in_size = align (
      (gsize) pair->in.image * pair->images * t->elem_size);
  weight_size = align (
      (gsize) pair->kernel * pair->kernel * pair->in.channels * t->elem_size);
  size = t->n_sets * t->pair_in_size + weight_size
      + align (pair->in.channels * sizeof (gfloat));
  if (!y10_cuda_check (d, d->mem_alloc (&t->pair_memory, size),
          "memory to try convolutions", error))
    return FALSE;
  t->pair_weight = t->pair_memory + t->n_sets * t->pair_in_size;
  t->pair_bias = t->pair_weight + weight_size;
  return fill (t, error) && run_depthwise (t, 0, error)
      && y10_cuda_trial_run_reference (t, error);
}

void
y10_cuda_trial_end_pair (Y10CudaTrial *t)
{
  if (!t->pair_memory)
    return;
  t->device->driver->stream_synchronize (t->stream);
  t->device->driver->mem_free (t->pair_memory);
  t->pair_memory = 0;
}

gboolean
y10_cuda_trial_verify_pair (Y10CudaTrial *t, Y10CudaPair way,
    double *difference, GError **error)
{
  *difference = 0;
  return y10_cuda_trial_clear (t, error)
      && y10_cuda_trial_run_pair (t, 0, way, error)
      && y10_cuda_trial_compare (t, difference, error);
}
