/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Chooses how a pair runs. As one kernel it saves a launch, and writing and reading what
 * is between the two. But a block computes the depthwise outputs of its pixels with few
 * threads: a small map whose channels are many then takes longer than the launch that is
 * saved. So a pair begins as one kernel where a thread computes few outputs. Where blocks
 * fill the GPU twice, it does if their input is staged: the depthwise kernel, which waits
 * for its reads, then takes several times what memory needs; but where threads read for
 * themselves, its larger tiles may be faster. Logits of a pair that is one kernel are part
 * of it: their products cost what they cost anywhere, and all that they read is there.
 * The estimates put the ways in order for the tuner. */

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
/* Outputs that a thread computes while the GPU is not full: each waits for memory, or
 * for shared memory only. */
#define MAX_ROUNDS 4
#define MAX_STAGED_ROUNDS 8

struct _Y10CudaPairs
{
  const Y10CudaKernels *kernels;
  CUfunction function[Y10_N_SEPARABLE_TILES][2][N_TYPES]; /* with logits: 1 */
  int stages, multiprocessors;
  int max_shared, shared_of_all; /* of a block; of those on a multiprocessor */
};

static gboolean
find (Y10CudaPairs *pairs, int tile, int n_types)
{
  static const char *const types[N_TYPES] = { "f16", "bf16" };
  const Y10CudaDriver *d = pairs->kernels->driver;
  const Y10KIgemmTile t = y10_separable_tile (tile);

  for (int i = 0; i < 2 * n_types; i++) {
    CUfunction *f = &pairs->function[tile][i % 2][i / 2];
    g_autofree char *name = g_strdup_printf ("y10_separable_%s%s_%dx%d",
        i % 2 ? "logits_" : "", types[i / 2], t.rows, t.columns);

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
  pairs->shared_of_all = major == 9 || major == 10 ? 233472
      : major >= 8                                 ? Y10_SEPARABLE_MAX_SHARED
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
takes (const Y10CudaPairs *pairs, const Y10CudaPairDesc *desc, gboolean logits)
{
  return pairs
      && (!logits
          || (desc->logits.channels && desc->kernel == 3 && desc->stride == 1))
      && (desc->precision == Y10_PRECISION_FP16
          || (desc->precision == Y10_PRECISION_BF16
              && pairs->function[0][0][BF16]))
      && y10_separable_has (desc->kernel, desc->stride)
      && desc->pad == desc->kernel / 2
      && (gint64) desc->out.height * desc->out.width * desc->images
      < MAX_PIXELS;
}

static Y10KView
view (const Y10CudaConvView *v, CUdeviceptr data)
{
  return (Y10KView){ GSIZE_TO_POINTER (data), v->height, v->width, v->channels,
    (int) v->pixel, v->image };
}

static int
tile_of (Y10CudaPair way)
{
  return (int) way.tile - 1;
}

/* The kernel's parameters, without weights. */
static Y10KSeparable
params_of (const Y10CudaPairs *pairs, const Y10CudaPairDesc *desc,
    Y10CudaPair way, CUdeviceptr in, CUdeviceptr out)
{
  Y10KSeparable p = {
    .in = view (&desc->in, in),
    .out = view (way.logits ? &desc->logits : &desc->out, out),
    .middle = way.logits ? desc->out.channels : 0,
    .kernel = desc->kernel,
    .stride = desc->stride,
    .pad = desc->pad,
    .depthwise_silu = desc->depthwise_silu,
    .silu = desc->silu,
  };

  y10_separable_prepare (&p, (int) desc->images, tile_of (way), (int) way.parts,
      pairs->stages, pairs->max_shared);
  return p;
}

/* Depthwise outputs that a thread computes. */
static int
n_rounds (const Y10CudaPairDesc *desc, int tile)
{
  const Y10KIgemmTile t = y10_separable_tile (tile);

  return (t.rows * (desc->in.channels / 8) + t.threads - 1) / t.threads;
}

/* Clock cycles, roughly, as in conv/igemm.c: what one block takes if it waits for
 * memory, or what all take if a multiprocessor is full. Fewer blocks than four on one,
 * because of their shared memory, hide less of each other's waiting. */
static double
estimate (const Y10CudaPairs *pairs, const Y10CudaPairDesc *desc,
    Y10CudaPair way)
{
  const int tile = tile_of (way);
  const Y10KIgemmTile t = y10_separable_tile (tile);
  const Y10KSeparable p = params_of (pairs, desc, way, 0, 0);
  const Y10KLaunch l = y10_separable_launch (&p, tile, pairs->stages);
  const double taps = desc->kernel * desc->kernel;
  const double each = MAX (1,
      (double) l.grid[0] * l.grid[1] / MAX (pairs->multiprocessors, 1));
  const int resident = pairs->shared_of_all / (int) l.shared_bytes;
  const double crowd = resident >= 4 ? 1
      : resident == 3                ? 1.1
      : resident == 2                ? 1.4
                                     : 2;
  const int last = way.logits
      ? (p.out.channels + t.columns - 1) / t.columns * p.last_steps
      : 0;
  const double steps = p.steps * (double) (p.columns / t.columns) + last;
  const double outputs = t.rows * (desc->in.channels / 8.);
  const double products = MAX (t.rows * t.columns / 16., t.columns * 2.);
  const double latency = steps * 200
      + (p.staged ? 1000 + n_rounds (desc, tile) * taps * 12
                  : n_rounds (desc, tile) * taps * 60);
  const double work = outputs * taps * (p.staged ? .2 : .45) + steps * products;

  return 800 + MAX (latency, each * work * crowd)
      + each * t.rows * t.columns / 16.;
}

guint
y10_cuda_pair_candidates (const Y10CudaPairs *pairs,
    const Y10CudaPairDesc *desc, gboolean logits, Y10CudaPair *ways, guint max)
{
  double cycles[Y10_N_SEPARABLE_TILES * MAX_PARTS];
  Y10CudaPair all[Y10_N_SEPARABLE_TILES * MAX_PARTS];
  guint n = 0;

  if (!takes (pairs, desc, logits))
    return 0;
  for (int tile = 0; tile < Y10_N_SEPARABLE_TILES; tile++) {
    const Y10KIgemmTile t = y10_separable_tile (tile);
    const int columns = (desc->out.channels + t.columns - 1) / t.columns;

    if (y10_separable_shared (desc->in.channels, tile, pairs->stages)
            + (logits ? y10_separable_middle (desc->out.channels, tile) : 0)
        > pairs->max_shared)
      continue;
    for (int parts = 1; parts <= (logits ? 1 : MIN (columns, MAX_PARTS));
         parts *= 2) {
      const Y10CudaPair way = { (guint) tile + 1, (guint) parts, logits };
      const double now = estimate (pairs, desc, way);
      guint at = n++;

      for (; at > 0 && now < cycles[at - 1]; at--) {
        cycles[at] = cycles[at - 1];
        all[at] = all[at - 1];
      }
      cycles[at] = now;
      all[at] = way;
    }
  }
  n = MIN (n, max);
  memcpy (ways, all, n * sizeof *ways);
  return n;
}

/* Whether @way is likely to take less time than what it saves. */
static gboolean
pays (const Y10CudaPairs *pairs, const Y10CudaPairDesc *desc, Y10CudaPair way)
{
  const Y10KSeparable p = params_of (pairs, desc, way, 0, 0);
  const Y10KLaunch l = y10_separable_launch (&p, tile_of (way), pairs->stages);

  return l.grid[0] * l.grid[1] >= 2u * (unsigned int) pairs->multiprocessors
      ? p.staged
      : n_rounds (desc, tile_of (way))
          <= (p.staged ? MAX_STAGED_ROUNDS : MAX_ROUNDS);
}

Y10CudaPair
y10_cuda_pair_first (const Y10CudaPairs *pairs, const Y10CudaPairDesc *desc)
{
  Y10CudaPair way = { 0 };

  if (desc->kernel == 3)
    for (int logits = 1; logits >= 0; logits--)
      if (y10_cuda_pair_candidates (pairs, desc, logits, &way, 1)
          && pays (pairs, desc, way))
        return way;
  return (Y10CudaPair){ 0 };
}

const char *
y10_cuda_pair_describe (Y10CudaPair pair)
{
  const Y10KIgemmTile t = y10_separable_tile (tile_of (pair));
  g_autofree char *name = g_strdup_printf ("own:separable-%dx%d/%u", t.rows,
      t.columns, pair.parts);

  return g_intern_string (name);
}

gboolean
y10_cuda_pair_run (const Y10CudaPairs *pairs, const Y10CudaPairDesc *desc,
    Y10CudaPair pair, CUstream stream, CUdeviceptr in,
    const Y10CudaPairWeights *weights, CUdeviceptr out, GError **error)
{
  const int tile = tile_of (pair);
  const gboolean is_bf16 = desc->precision == Y10_PRECISION_BF16;
  Y10KSeparable p = params_of (pairs, desc, pair, in, out);

  p.depthwise = GSIZE_TO_POINTER (weights->weight[0]);
  p.depthwise_bias = GSIZE_TO_POINTER (weights->bias[0]);
  p.weight = GSIZE_TO_POINTER (weights->weight[1]);
  p.bias = GSIZE_TO_POINTER (weights->bias[1]);
  p.last_weight = GSIZE_TO_POINTER (weights->weight[2]);
  p.last_bias = GSIZE_TO_POINTER (weights->bias[2]);
  return y10_cuda_launch (pairs->kernels,
      pairs->function[tile][pair.logits != 0][is_bf16],
      y10_separable_launch (&p, tile, pairs->stages), stream, &p, error);
}
