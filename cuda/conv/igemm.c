/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Our own convolutions as a provider: those on tensor cores (kernels/igemm.h), for which
 * a plan is a tile, and the plain kernel for what they do not do. Plans differ in how
 * long they take; a rough model of a multiprocessor puts them in order, and the tuner
 * measures the first few. Of 16 shapes of yolov10n at batch 1 and 32 on an H200, the
 * fastest tile was always among the model's first three, and its first took at most 1.17
 * times as long. */

#include "config.h"

#include <string.h>
#include <y10/error.h>

#include "conv/provider.h"
#include "driver/launch.h"
#include "kernels/conv.h"
#include "kernels/igemm.h"

#define PREFIX "own:"
#define PLAIN Y10_N_IGEMM_TILES /* instead of a tile */
#define N_SIZES 2               /* 1×1 and 3×3 */
#define N_SMALL_TYPES 2 /* of types: fp16 and bf16, which all tiles have */
#define MAX_PIXELS (1 << 30)
#define MAX_TRIED 4 /* tiles */
/* More shared memory than this must be asked for. */
#define USUAL_SHARED 49152

/* In the order of the kernels' names. */
enum
{
  F16,
  BF16,
  TF32,
  F32,
  N_TYPES
};

typedef struct
{
  Y10CudaConvLib base;
  const Y10CudaKernels *kernels;
  CUfunction igemm[Y10_N_IGEMM_TILES][N_TYPES][N_SIZES];
  int stages, multiprocessors;
  gboolean ampere; /* or later: the GPU has all types */
} Lib;

typedef struct
{
  Y10CudaConvPlan base;
  Lib *lib;
  Y10CudaConvDesc desc;
  gboolean fused;
  int tile; /* or PLAIN */
  char name[24];
} Plan;

static int
type_of (Y10Precision precision)
{
  return precision == Y10_PRECISION_FP16 ? F16
      : precision == Y10_PRECISION_BF16  ? BF16
      : precision == Y10_PRECISION_TF32  ? TF32
                                         : F32;
}

static int
elem_size (const Y10CudaConvDesc *desc)
{
  return type_of (desc->precision) < N_SMALL_TYPES ? 2 : 4;
}

static gboolean
probe (GString *why)
{
  return TRUE;
}

static guint
get_version (void)
{
  return Y10_IGEMM_VERSION;
}

static gboolean
find (Lib *lib, int tile, GError **error)
{
  const Y10CudaDriver *d = lib->kernels->driver;
  const Y10KIgemmTile t = y10_igemm_tile (tile);
  const int shared = (t.rows + t.columns) * Y10_IGEMM_ROW_BYTES
      * MIN (t.stages, lib->stages);

  static const char *const types[N_TYPES] = { "f16", "bf16", "tf32", "f32" };
  const int n_types = y10_igemm_has_floats (tile) ? N_TYPES : N_SMALL_TYPES;

  for (int i = 0; i < n_types * N_SIZES; i++) {
    CUfunction *f = &lib->igemm[tile][i / N_SIZES][i % N_SIZES];
    g_autofree char *name = g_strdup_printf ("y10_igemm_%s_%dx%d_k%d",
        types[i / N_SIZES], t.rows, t.columns, i % N_SIZES ? 3 : 1);

    if (!y10_cuda_check (d,
            d->module_get_function (f, lib->kernels->module, name), name, error)
        || (shared > USUAL_SHARED
            && !y10_cuda_check (d,
                d->func_set_attribute (*f, Y10_CU_FUNC_MAX_DYNAMIC_SHARED,
                    shared),
                "asking for shared memory", error)))
      return FALSE;
  }
  return TRUE;
}

static Y10CudaConvLib *
lib_new (const Y10CudaKernels *kernels, GString *why)
{
  const Y10CudaDriver *d = kernels->driver;
  Lib *lib = g_new0 (Lib, 1);
  int major = 0, minor = 0;
  GError *error = NULL;
  CUdevice id = 0;
  gboolean ok;

  lib->base.provider = &y10_igemm_provider;
  lib->kernels = kernels;
  ok = y10_cuda_check (d, d->ctx_get_device (&id), "asking for the GPU", &error)
      && y10_cuda_check (d,
          d->device_get_attribute (&lib->multiprocessors,
              Y10_CU_MULTIPROCESSORS, id),
          "counting multiprocessors", &error);
  y10_cuda_get_capability (d, id, &major, &minor);
  lib->ampere = major >= 8;
  lib->stages = major >= 8 ? G_MAXINT : 2;
  for (int tile = 0; ok && tile < Y10_N_IGEMM_TILES; tile++)
    ok = find (lib, tile, &error);
  if (ok)
    return &lib->base;
  g_string_append (why, error->message);
  g_error_free (error);
  g_free (lib);
  return NULL;
}

static gboolean
lib_use_handles (Y10CudaConvLib *lib, const char *why)
{
  return FALSE;
}

static void
lib_forget_stream (Y10CudaConvLib *lib)
{
}

static void
lib_free (Y10CudaConvLib *lib)
{
  g_free (lib);
}

static void
lib_abandon (Y10CudaConvLib *lib)
{
  lib_free (lib);
}

static const char *
lib_describe (Y10CudaConvLib *lib)
{
  return "own convolutions";
}

static gboolean
lib_can_fuse (Y10CudaConvLib *lib, GString *why)
{
  return TRUE;
}

static Y10KView
view (const Y10CudaConvView *v, CUdeviceptr data)
{
  return (Y10KView){ GSIZE_TO_POINTER (data), v->height, v->width, v->channels,
    (int) v->pixel, v->image };
}

static gboolean
has_tensor_cores (const Lib *lib, const Y10CudaConvDesc *desc)
{
  return (desc->precision == Y10_PRECISION_FP16 || lib->ampere)
      && (desc->kernel == 1 || desc->kernel == 3)
      && (gint64) desc->out.height * desc->out.width * desc->images
      < MAX_PIXELS;
}

static gboolean
has_tile (const Lib *lib, const Y10CudaConvDesc *desc, int tile)
{
  return has_tensor_cores (lib, desc)
      && lib->igemm[tile][type_of (desc->precision)][desc->kernel == 3];
}

/* Clock cycles, roughly: each multiprocessor computes its blocks one after another.
 * A step takes what its products take, or its bytes, or its latency. */
static double
estimate (const Lib *lib, const Y10CudaConvDesc *desc, int tile)
{
  const Y10KIgemmTile t = y10_igemm_tile (tile);
  const double pixels = (double) desc->out.height * desc->out.width
      * desc->images;
  const double blocks = (double) ((gint64) (pixels + t.rows - 1) / t.rows)
      * ((desc->out.channels + t.columns - 1) / t.columns);
  const int in_step = Y10_IGEMM_ROW_BYTES / elem_size (desc);
  const double steps = (desc->kernel * desc->kernel * desc->in.channels
                           + in_step - 1)
      / in_step;
  const double each = blocks / MAX (lib->multiprocessors, 1);
  /* In fp32 three instructions for one. */
  const double products = t.rows * t.columns / 16.
      * (desc->precision == Y10_PRECISION_FP32 ? 3 : 1);
  const double step = MAX (products, (t.rows + t.columns) * 2.);

  return 800 + MAX (each, 1) * (steps * step + t.rows * t.columns / 16.)
      + steps * 150;
}

static Y10CudaConvPlan *
plan_of (Lib *lib, const Y10CudaConvDesc *desc, Y10CudaConvStage stage,
    int tile)
{
  Plan *plan = g_new0 (Plan, 1);

  plan->base.provider = &y10_igemm_provider;
  plan->lib = lib;
  plan->desc = *desc;
  plan->fused = stage == Y10_CUDA_CONV_FUSED;
  plan->tile = tile;
  if (tile == PLAIN)
    strcpy (plan->name, PREFIX "plain");
  else
    g_snprintf (plan->name, sizeof plan->name, PREFIX "%dx%d",
        y10_igemm_tile (tile).rows, y10_igemm_tile (tile).columns);
  return &plan->base;
}

/* Tiles, best first. */
static guint
sort_tiles (const Lib *lib, const Y10CudaConvDesc *desc,
    int tiles[Y10_N_IGEMM_TILES])
{
  guint n = 0;

  for (int tile = 0; tile < Y10_N_IGEMM_TILES; tile++) {
    const double cycles = estimate (lib, desc, tile);
    guint at = n;

    if (!has_tile (lib, desc, tile))
      continue;
    n++;
    for (; at > 0 && cycles < estimate (lib, desc, tiles[at - 1]); at--)
      tiles[at] = tiles[at - 1];
    tiles[at] = tile;
  }
  return n;
}

static gboolean
lib_takes (Y10CudaConvLib *lib, const Y10CudaConvDesc *desc)
{
  return has_tensor_cores ((Lib *) lib, desc);
}

static Y10CudaConvPlan *
plan_new (Y10CudaConvLib *lib, const Y10CudaConvDesc *desc,
    Y10CudaConvStage stage, GError **error)
{
  int tiles[Y10_N_IGEMM_TILES];
  guint n = sort_tiles ((Lib *) lib, desc, tiles);

  return plan_of ((Lib *) lib, desc, stage, n > 0 ? tiles[0] : PLAIN);
}

static void
plan_free (Y10CudaConvPlan *plan)
{
  g_free (plan);
}

static GPtrArray *
plan_candidates (Y10CudaConvLib *lib, const Y10CudaConvDesc *desc,
    Y10CudaConvStage stage, guint max, GCancellable *cancellable,
    GError **error)
{
  int tiles[Y10_N_IGEMM_TILES];
  const guint n = sort_tiles ((Lib *) lib, desc, tiles);
  GPtrArray *plans;

  if (n == 0) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_UNSUPPORTED,
        "we have no kernel "
        "on tensor cores for this convolution");
    return NULL;
  }
  plans = g_ptr_array_new_with_free_func (
      (GDestroyNotify) y10_cuda_conv_plan_free);
  for (guint i = 0; i < MIN (n, MAX_TRIED); i++)
    g_ptr_array_add (plans, plan_of ((Lib *) lib, desc, stage, tiles[i]));
  return plans;
}

static GBytes *
plan_save (const Y10CudaConvPlan *plan, GError **error)
{
  const char *name = ((const Plan *) plan)->name;

  return g_bytes_new (name, strlen (name));
}

static Y10CudaConvPlan *
plan_load (Y10CudaConvLib *lib, const Y10CudaConvDesc *desc,
    Y10CudaConvStage stage, GBytes *bytes, GError **error)
{
  gsize size;
  const char *data = g_bytes_get_data (bytes, &size);

  for (int tile = 0; tile < Y10_N_IGEMM_TILES; tile++) {
    Y10CudaConvPlan *plan;

    if (!has_tile ((Lib *) lib, desc, tile))
      continue;
    plan = plan_of ((Lib *) lib, desc, stage, tile);
    if (size == strlen (((Plan *) plan)->name)
        && !memcmp (data, ((Plan *) plan)->name, size))
      return plan;
    plan_free (plan);
  }
  g_set_error (error, Y10_ERROR, Y10_ERROR_FAILED, "no saved plan");
  return NULL;
}

static gsize
plan_workspace (const Y10CudaConvPlan *plan)
{
  return 0;
}

static gboolean
plan_read_bias (Y10CudaConvPlan *plan, CUstream stream, CUdeviceptr bias,
    GError **error)
{
  return TRUE;
}

static void
plan_give (Y10CudaConvPlan *plan, Y10CudaConvLib *lib)
{
  ((Plan *) plan)->lib = (Lib *) lib;
}

static const char *
plan_describe (const Y10CudaConvPlan *plan)
{
  return ((const Plan *) plan)->name;
}

static gboolean
run_plain (const Plan *plan, CUstream stream, CUdeviceptr in,
    CUdeviceptr weight, CUdeviceptr bias, CUdeviceptr add, CUdeviceptr out,
    GError **error)
{
  const Y10CudaConvDesc *d = &plan->desc;
  const Y10CudaKernels *kernels = plan->lib->kernels;
  const Y10KType type = d->precision == Y10_PRECISION_FP16 ? Y10_K_F16
      : d->precision == Y10_PRECISION_BF16                 ? Y10_K_BF16
                                                           : Y10_K_F32;
  Y10KConv p = {
    .in = view (&d->in, in),
    .out = view (&d->out, out),
    .weight = GSIZE_TO_POINTER (weight),
    .bias = GSIZE_TO_POINTER (bias),
    .images = (int) d->images,
    .kernel = d->kernel,
    .stride = d->stride,
    .pad = d->pad,
    .silu = plan->fused && d->silu,
    .out_float = plan->fused && d->out_float,
  };

  if (plan->fused && d->add.channels)
    p.add = view (&d->add, add);
  return y10_cuda_launch (kernels, kernels->conv[type], y10_conv_launch (&p),
      stream, &p, error);
}

/* @up: without data if nothing is upsampled. */
static gboolean
run_tile (const Plan *plan, CUstream stream, CUdeviceptr in, CUdeviceptr weight,
    CUdeviceptr bias, CUdeviceptr add, CUdeviceptr out, Y10KView up,
    GError **error)
{
  const Y10CudaConvDesc *d = &plan->desc;
  Y10KIgemm p = {
    .in = view (&d->in, in),
    .out = view (&d->out, out),
    .up = up,
    .weight = GSIZE_TO_POINTER (weight),
    .bias = GSIZE_TO_POINTER (bias),
    .stride = d->stride,
    .pad = d->pad,
    .silu = plan->fused && d->silu,
    .out_float = plan->fused && d->out_float,
  };

  if (plan->fused && d->add.channels)
    p.add = view (&d->add, add);
  y10_igemm_prepare (&p, (int) d->images, d->kernel, elem_size (d));
  return y10_cuda_launch (plan->lib->kernels,
      plan->lib->igemm[plan->tile][type_of (d->precision)][d->kernel == 3],
      y10_igemm_launch (&p, plan->tile, plan->lib->stages), stream, &p, error);
}

static gboolean
plan_run (Y10CudaConvPlan *base, CUstream stream, CUdeviceptr in,
    CUdeviceptr weight, CUdeviceptr bias, CUdeviceptr add, CUdeviceptr out,
    CUdeviceptr workspace, GError **error)
{
  static const Y10KView none = { NULL };
  const Plan *plan = (const Plan *) base;

  return plan->tile == PLAIN
      ? run_plain (plan, stream, in, weight, bias, add, out, error)
      : run_tile (plan, stream, in, weight, bias, add, out, none, error);
}

static gboolean
plan_can_upsample (const Y10CudaConvPlan *base)
{
  const Plan *plan = (const Plan *) base;

  return plan->tile != PLAIN && plan->desc.kernel == 1;
}

static gboolean
plan_run_upsampled (Y10CudaConvPlan *base, CUstream stream, CUdeviceptr in,
    CUdeviceptr weight, CUdeviceptr bias, CUdeviceptr out,
    const Y10CudaConvView *up, CUdeviceptr up_at, GError **error)
{
  return run_tile ((const Plan *) base, stream, in, weight, bias, 0, out,
      view (up, up_at), error);
}

const Y10CudaConvProvider y10_igemm_provider = {
  .name = "own",
  .title = "our own kernel",
  .lib_takes = lib_takes,
  .plan_can_upsample = plan_can_upsample,
  .plan_run_upsampled = plan_run_upsampled,
  Y10_CUDA_CONV_FUNCTIONS,
};
