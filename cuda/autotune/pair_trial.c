/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A trial of a pair: that of its 1×1, whose input is what the depthwise kernel makes of
 * further made-up numbers; or a trial of its logits, whose input is what the 1×1 makes of
 * that. */

#include "config.h"

#include <math.h>

#include "autotune/verify.h"
#include "kernels/conv.h"
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

static Y10KView
view (const Y10CudaConvView *v, CUdeviceptr data)
{
  return (Y10KView){ GSIZE_TO_POINTER (data), v->height, v->width, v->channels,
    (int) v->pixel, v->image };
}

/* Depthwise outputs. Where logits are tried, nobody reads them but for what is expected. */
static Y10KView
between (const Y10CudaTrial *t, guint set)
{
  return t->pair_between ? view (&t->pair_second.in, t->pair_between)
                         : y10_cuda_trial_view (t, set, t->in_at, &t->desc.in);
}

static gboolean
run_depthwise (Y10CudaTrial *t, guint set, GError **error)
{
  const Y10CudaKernels *kernels = &t->device->kernels;
  const Y10CudaPairDesc *desc = &t->pair;
  const Y10KDepthwise p = {
    .in = view (&desc->in, pair_in (t, set)),
    .out = between (t, set),
    .weight = GSIZE_TO_POINTER (t->pair_weights.weight[0]),
    .bias = GSIZE_TO_POINTER (t->pair_weights.bias[0]),
    .images = (int) desc->images,
    .kernel = desc->kernel,
    .stride = desc->stride,
    .pad = desc->pad,
    .silu = desc->depthwise_silu,
  };

  return y10_cuda_launch (kernels, kernels->depthwise[t->type],
      y10_depthwise_launch (&p), t->stream, &p, error);
}

/* The input of the logits in the first set. */
static gboolean
run_second (Y10CudaTrial *t, GError **error)
{
  const Y10CudaKernels *kernels = &t->device->kernels;
  const Y10KConv p = {
    .in = between (t, 0),
    .out = y10_cuda_trial_view (t, 0, t->in_at, &t->desc.in),
    .weight = GSIZE_TO_POINTER (t->pair_weights.weight[1]),
    .bias = GSIZE_TO_POINTER (t->pair_weights.bias[1]),
    .images = (int) t->pair.images,
    .kernel = 1,
    .stride = 1,
    .silu = t->pair.silu,
  };

  return y10_cuda_launch (kernels, kernels->conv[t->type], y10_conv_launch (&p),
      t->stream, &p, error);
}

gboolean
y10_cuda_trial_run_pair (Y10CudaTrial *t, guint set, Y10CudaPair way,
    GError **error)
{
  const guint last = t->pair_between ? 2 : 1;
  Y10CudaPairWeights weights = t->pair_weights;

  if (!way.tile)
    return run_depthwise (t, set, error);
  weights.weight[last] = t->memory + set * t->set_size + t->weight_at;
  weights.bias[last] = t->memory + t->bias_at;
  return y10_cuda_pair_run (t->device->pairs, &t->pair, way, t->stream,
      pair_in (t, set), &weights,
      y10_cuda_trial_address (t, set, t->out_at, &t->desc.out), error);
}

/* Sums with a standard deviation of about 1. */
static gboolean
fill (Y10CudaTrial *t, GError **error)
{
  const Y10CudaDriver *d = t->device->driver;
  const Y10CudaPairWeights *w = &t->pair_weights;
  const gsize taps = (gsize) t->pair.kernel * t->pair.kernel;
  const gsize channels = (gsize) t->pair.in.channels,
              second = (gsize) t->pair.out.channels;

  if (!y10_cuda_trial_fill (t, pair_in (t, 0), t->pair_in_size / t->elem_size,
          1, t->type, error)
      || !y10_cuda_trial_fill (t, w->weight[0], taps * channels,
          3.f / (gfloat) t->pair.kernel, t->type, error)
      || !y10_cuda_trial_fill (t, w->bias[0], channels, 1, Y10_K_F32, error))
    return FALSE;
  if (t->pair_between
      && (!y10_cuda_trial_fill (t, w->weight[1], channels * second,
              3 / sqrtf ((gfloat) channels), t->type, error)
          || !y10_cuda_trial_fill (t, w->bias[1], second, 1, Y10_K_F32, error)))
    return FALSE;
  for (guint i = 1; i < t->n_sets; i++)
    if (!y10_cuda_check (d,
            d->memcpy_dtod_async (pair_in (t, i), pair_in (t, 0),
                t->pair_in_size, t->stream),
            "copying made-up numbers", error))
      return FALSE;
  return TRUE;
}

/* Lays out the memory that a trial has for the sake of a pair. */
static gboolean
lay_out (Y10CudaTrial *t, gboolean logits, GError **error)
{
  const Y10CudaDriver *d = t->device->driver;
  const Y10CudaPairDesc *pair = &t->pair;
  const gsize channels = (gsize) pair->in.channels,
              second = logits ? (gsize) pair->out.channels : 0;
  const gsize weight[] = {
    align ((gsize) pair->kernel * pair->kernel * channels * t->elem_size),
    align (channels * second * t->elem_size),
  };
  const gsize bias[] = { align (channels * sizeof (gfloat)),
    align (second * sizeof (gfloat)) };
  const gsize between = logits
      ? align ((gsize) t->pair_second.in.image * pair->images * t->elem_size)
      : 0;
  CUdeviceptr at;

  t->pair_in_size = align (
      (gsize) pair->in.image * pair->images * t->elem_size);
  if (!y10_cuda_check (d,
          d->mem_alloc (&t->pair_memory,
              t->n_sets * t->pair_in_size + weight[0] + bias[0] + weight[1]
                  + bias[1] + between),
          "memory to try convolutions", error))
    return FALSE;
  at = t->pair_memory + t->n_sets * t->pair_in_size;
  for (guint i = 0; i < G_N_ELEMENTS (weight); i++) {
    t->pair_weights.weight[i] = at;
    t->pair_weights.bias[i] = at + weight[i];
    at += weight[i] + bias[i];
  }
  t->pair_between = logits ? at : 0;
  return TRUE;
}

gboolean
y10_cuda_trial_begin_pair (Y10CudaTrial *t, const Y10CudaPairDesc *pair,
    const Y10CudaConvDesc *second, const Y10CudaConvDesc *logits,
    gsize workspace, GError **error)
{
  if (!y10_cuda_trial_begin (t, logits ? logits : second, workspace, error))
    return FALSE;
  t->pair = *pair;
  t->pair_second = *second;
  return lay_out (t, logits != NULL, error) && fill (t, error)
      && run_depthwise (t, 0, error) && (!logits || run_second (t, error))
      && y10_cuda_trial_run_reference (t, error);
}

void
y10_cuda_trial_end_pair (Y10CudaTrial *t)
{
  if (!t->pair_memory)
    return;
  t->device->driver->stream_synchronize (t->stream);
  t->device->driver->mem_free (t->pair_memory);
  t->pair_memory = t->pair_between = 0;
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
