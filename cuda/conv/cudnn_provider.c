/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* cuDNN as a provider of convolutions: its functions by the types that all providers
 * share. */

#include "config.h"

#include "conv/plan.h"

static Y10CudnnLib *
to_lib (Y10CudaConvLib *lib)
{
  return (Y10CudnnLib *) lib;
}

static Y10CudnnPlan *
to_plan (const Y10CudaConvPlan *plan)
{
  return (Y10CudnnPlan *) plan;
}

static gboolean
probe (GString *why)
{
  return y10_cudnn_get (why) != NULL;
}

static guint
get_version (void)
{
  const Y10Cudnn *cudnn = y10_cudnn_get (NULL);

  return cudnn ? cudnn->version : 0;
}

static Y10CudaConvLib *
lib_new (const Y10CudaKernels *kernels, GString *why)
{
  const Y10Cudnn *cudnn = y10_cudnn_get (why);

  return cudnn
      ? (Y10CudaConvLib *) y10_cudnn_lib_new (cudnn, kernels->driver, why)
      : NULL;
}

static gboolean
lib_use_handles (Y10CudaConvLib *lib, const char *why)
{
  return y10_cudnn_lib_use_handles (to_lib (lib), why);
}

static void
lib_forget_stream (Y10CudaConvLib *lib)
{
  y10_cudnn_lib_forget_stream (to_lib (lib));
}

static void
lib_free (Y10CudaConvLib *lib)
{
  y10_cudnn_lib_free (to_lib (lib));
}

static void
lib_abandon (Y10CudaConvLib *lib)
{
  y10_cudnn_lib_abandon (to_lib (lib));
}

static const char *
lib_describe (Y10CudaConvLib *lib)
{
  return y10_cudnn_lib_describe (to_lib (lib));
}

static gboolean
lib_can_fuse (Y10CudaConvLib *lib, GString *why)
{
  return y10_cudnn_lib_can_fuse (to_lib (lib), why);
}

static Y10CudaConvPlan *
plan_new (Y10CudaConvLib *lib, const Y10CudaConvDesc *desc,
    Y10CudaConvStage stage, GError **error)
{
  return (
      Y10CudaConvPlan *) y10_cudnn_plan_new (to_lib (lib), desc, stage, error);
}

static GPtrArray *
plan_candidates (Y10CudaConvLib *lib, const Y10CudaConvDesc *desc,
    Y10CudaConvStage stage, guint max, GCancellable *cancellable,
    GError **error)
{
  return y10_cudnn_plan_candidates (to_lib (lib), desc, stage, max, cancellable,
      error);
}

static void
plan_free (Y10CudaConvPlan *plan)
{
  y10_cudnn_plan_free (to_plan (plan));
}

static GBytes *
plan_save (const Y10CudaConvPlan *plan, GError **error)
{
  return y10_cudnn_plan_save (to_plan (plan), error);
}

static Y10CudaConvPlan *
plan_load (Y10CudaConvLib *lib, const Y10CudaConvDesc *desc,
    Y10CudaConvStage stage, GBytes *bytes, GError **error)
{
  return (Y10CudaConvPlan *) y10_cudnn_plan_load (to_lib (lib), desc, stage,
      bytes, error);
}

static gsize
plan_workspace (const Y10CudaConvPlan *plan)
{
  return to_plan (plan)->workspace;
}

static gboolean
plan_read_bias (Y10CudaConvPlan *plan, CUstream stream, CUdeviceptr bias,
    GError **error)
{
  return y10_cudnn_plan_read_bias (to_plan (plan), stream, bias, error);
}

static void
plan_give (Y10CudaConvPlan *plan, Y10CudaConvLib *lib)
{
  y10_cudnn_plan_give (to_plan (plan), to_lib (lib));
}

static const char *
plan_describe (const Y10CudaConvPlan *plan)
{
  return y10_cudnn_plan_describe (to_plan (plan));
}

static gboolean
plan_run (Y10CudaConvPlan *plan, CUstream stream, CUdeviceptr in,
    CUdeviceptr weight, CUdeviceptr bias, CUdeviceptr add, CUdeviceptr out,
    CUdeviceptr workspace, GError **error)
{
  return y10_cudnn_plan_run (to_plan (plan), stream, in, weight, bias, add, out,
      workspace, error);
}

const Y10CudaConvProvider y10_cudnn_provider = {
  .name = "cudnn",
  .title = "cuDNN",
  Y10_CUDA_CONV_FUNCTIONS,
};
