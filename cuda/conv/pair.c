/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Chooses how a pair runs. As one kernel it saves a launch, and writing and reading what
 * is between the two. But a block computes the depthwise outputs of its pixels with few
 * threads: a small map whose channels are many then takes longer than the launch that is
 * saved. So a pair begins as one kernel where a thread computes few outputs one after
 * the other, or where there are blocks enough to fill the GPU more than once, which then
 * wait for each other in any case. The estimates put the ways in order for the tuner. */

#include "config.h"

#include <string.h>

#include "conv/pair.h"
#include "kernels/separable.h"

enum
{
  F16,
  BF16,
  N_TYPES
};

#define MAX_PARTS 8
#define MAX_PIXELS (1 << 30)
/* More shared memory than this must be asked for. */
#define USUAL_SHARED 49152
/* Outputs that a thread computes one after the other while the GPU is not full. */
#define MAX_ROUNDS 4

struct _Y10CudaPairs
{
  const Y10CudaKernels *kernels;
  CUfunction function[Y10_N_SEPARABLE_TILES][N_TYPES];
  int stages, multiprocessors, max_shared;
};

static gboolean
find (Y10CudaPairs *pairs, int tile, int n_types)
{
  static const char *const types[N_TYPES] = { "f16", "bf16" };
  const Y10CudaDriver *d = pairs->kernels->driver;
  const Y10KIgemmTile t = y10_separable_tile (tile);

  for (int i = 0; i < n_types; i++) {
    CUfunction *f = &pairs->function[tile][i];
    g_autofree char *name = g_strdup_printf ("y10_separable_%s_%dx%d", types[i],
        t.rows, t.columns);

    if (d->module_get_function (f, pairs->kernels->module, name)
        || d->func_set_attribute (*f, Y10_CU_FUNC_MAX_DYNAMIC_SHARED,
            pairs->max_shared))
      return FALSE;
  }
  return TRUE;
}

Y10CudaPairs *
y10_cuda_pairs_new (Y10CudaConvLib *lib, const Y10CudaKernels *kernels)
{
  const Y10CudaDriver *d = kernels->driver;
  Y10CudaPairs *pairs;
  int major = 0, minor = 0;
  CUdevice id = 0;
  gboolean ok;

  if (!y10_cuda_conv_lib_version (lib, "own"))
    return NULL;
  pairs = g_new0 (Y10CudaPairs, 1);
  pairs->kernels = kernels;
  ok = !d->ctx_get_device (&id)
      && !d->device_get_attribute (&pairs->multiprocessors,
          Y10_CU_MULTIPROCESSORS, id)
      && y10_cuda_get_capability (d, id, &major, &minor);
  pairs->stages = major >= 8 ? G_MAXINT : 2;
  pairs->max_shared = major >= 8 ? Y10_SEPARABLE_MAX_SHARED
                                 : Y10_SEPARABLE_MAX_SHARED_75;
  for (int tile = 0; ok && tile < Y10_N_SEPARABLE_TILES; tile++)
    ok = find (pairs, tile, major >= 8 ? N_TYPES : 1);
  if (!ok)
    g_clear_pointer (&pairs, g_free);
  return pairs;
}

void
y10_cuda_pairs_free (Y10CudaPairs *pairs)
{
  g_free (pairs);
}

static gboolean
takes (const Y10CudaPairs *pairs, const Y10CudaPairDesc *desc)
{
  return pairs
      && (desc->precision == Y10_PRECISION_FP16
          || (desc->precision == Y10_PRECISION_BF16
              && pairs->function[0][BF16]))
      && y10_separable_has (desc->kernel, desc->stride)
      && desc->pad == desc->kernel / 2
      && (gint64) desc->out.height * desc->out.width * desc->images
      < MAX_PIXELS;
}

static gint64
n_blocks (const Y10CudaPairDesc *desc, int tile, int parts)
{
  const Y10KIgemmTile t = y10_separable_tile (tile);

  return ((gint64) desc->out.height * desc->out.width * desc->images + t.rows
             - 1)
      / t.rows * parts;
}

/* Depthwise outputs, or runs of them, that a thread computes one after the other. */
static int
n_rounds (const Y10CudaPairDesc *desc, int tile)
{
  const Y10KIgemmTile t = y10_separable_tile (tile);

  return (t.rows * (desc->in.channels / 8) + t.threads - 1) / t.threads;
}

/* Clock cycles, roughly, as in conv/igemm.c: what one block takes if it waits for
 * memory, or what all take if a multiprocessor is full. */
static double
estimate (const Y10CudaPairs *pairs, const Y10CudaPairDesc *desc, int tile,
    int parts)
{
  const Y10KIgemmTile t = y10_separable_tile (tile);
  const double taps = desc->kernel * desc->kernel;
  const double each = (double) n_blocks (desc, tile, parts)
      / MAX (pairs->multiprocessors, 1);
  const int columns = (desc->out.channels + t.columns - 1) / t.columns;
  const double steps = (desc->in.channels + 63) / 64
      * (double) ((columns + parts - 1) / parts);
  const double outputs = t.rows * (desc->in.channels / 8.);
  const double products = MAX (t.rows * t.columns / 16., t.columns * 2.);
  const double latency = n_rounds (desc, tile) * taps * 60 + steps * 200;
  const double work = outputs * taps * .18 + steps * products;

  return 800 + MAX (latency, MAX (each, 1) * work)
      + MAX (each, 1) * t.rows * t.columns / 16.;
}

guint
y10_cuda_pair_candidates (const Y10CudaPairs *pairs,
    const Y10CudaPairDesc *desc, Y10CudaPair *ways, guint max)
{
  double cycles[Y10_N_SEPARABLE_TILES * MAX_PARTS];
  Y10CudaPair all[Y10_N_SEPARABLE_TILES * MAX_PARTS];
  guint n = 0;

  if (!takes (pairs, desc))
    return 0;
  for (int tile = 0; tile < Y10_N_SEPARABLE_TILES; tile++) {
    const Y10KIgemmTile t = y10_separable_tile (tile);
    const int columns = (desc->out.channels + t.columns - 1) / t.columns;

    if (y10_separable_shared (desc->in.channels, tile, pairs->stages)
        > (unsigned int) pairs->max_shared)
      continue;
    for (int parts = 1; parts <= MIN (columns, MAX_PARTS); parts *= 2) {
      const double now = estimate (pairs, desc, tile, parts);
      guint at = n++;

      for (; at > 0 && now < cycles[at - 1]; at--) {
        cycles[at] = cycles[at - 1];
        all[at] = all[at - 1];
      }
      cycles[at] = now;
      all[at] = (Y10CudaPair){ (guint) tile + 1, (guint) parts };
    }
  }
  n = MIN (n, max);
  memcpy (ways, all, n * sizeof *ways);
  return n;
}

Y10CudaPair
y10_cuda_pair_first (const Y10CudaPairs *pairs, const Y10CudaPairDesc *desc)
{
  Y10CudaPair way;
  int rounds;

  if (desc->kernel != 3 || !y10_cuda_pair_candidates (pairs, desc, &way, 1))
    return (Y10CudaPair){ 0 };
  rounds = n_rounds (desc, (int) way.tile - 1);
  if (rounds > MAX_ROUNDS
      && n_blocks (desc, (int) way.tile - 1, (int) way.parts)
          < 2 * pairs->multiprocessors)
    way.tile = 0;
  return way;
}

const char *
y10_cuda_pair_describe (Y10CudaPair pair)
{
  const Y10KIgemmTile t = y10_separable_tile ((int) pair.tile - 1);
  g_autofree char *name = g_strdup_printf ("own:separable-%dx%d/%u", t.rows,
      t.columns, pair.parts);

  return g_intern_string (name);
}

static Y10KView
view (const Y10CudaConvView *v, CUdeviceptr data)
{
  return (Y10KView){ GSIZE_TO_POINTER (data), v->height, v->width, v->channels,
    (int) v->pixel, v->image };
}

gboolean
y10_cuda_pair_run (const Y10CudaPairs *pairs, const Y10CudaPairDesc *desc,
    Y10CudaPair pair, CUstream stream, CUdeviceptr in, CUdeviceptr depthwise,
    CUdeviceptr depthwise_bias, CUdeviceptr weight, CUdeviceptr bias,
    CUdeviceptr out, GError **error)
{
  const int tile = (int) pair.tile - 1;
  Y10KSeparable p = {
    .in = view (&desc->in, in),
    .out = view (&desc->out, out),
    .depthwise = GSIZE_TO_POINTER (depthwise),
    .depthwise_bias = GSIZE_TO_POINTER (depthwise_bias),
    .weight = GSIZE_TO_POINTER (weight),
    .bias = GSIZE_TO_POINTER (bias),
    .kernel = desc->kernel,
    .stride = desc->stride,
    .pad = desc->pad,
    .depthwise_silu = desc->depthwise_silu,
    .silu = desc->silu,
  };

  y10_separable_prepare (&p, (int) desc->images, tile, (int) pair.parts,
      pairs->stages, pairs->max_shared);
  return y10_cuda_launch (pairs->kernels,
      pairs->function[tile][desc->precision == Y10_PRECISION_BF16],
      y10_separable_launch (&p, tile, pairs->stages), stream, &p, error);
}
