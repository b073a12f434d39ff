/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Calls the provider of a library or plan. */

#include "config.h"

#include "conv/provider.h"

gboolean
y10_cuda_conv_lib_use_handles (Y10CudaConvLib *lib, const char *why)
{
  return lib->provider->lib_use_handles (lib, why);
}

void
y10_cuda_conv_lib_forget_stream (Y10CudaConvLib *lib)
{
  lib->provider->lib_forget_stream (lib);
}

void
y10_cuda_conv_lib_free (Y10CudaConvLib *lib)
{
  if (lib)
    lib->provider->lib_free (lib);
}

void
y10_cuda_conv_lib_abandon (Y10CudaConvLib *lib)
{
  if (lib)
    lib->provider->lib_abandon (lib);
}

const char *
y10_cuda_conv_lib_describe (Y10CudaConvLib *lib)
{
  return lib->provider->lib_describe (lib);
}

gboolean
y10_cuda_conv_lib_can_fuse (Y10CudaConvLib *lib, GString *why)
{
  return lib->provider->lib_can_fuse (lib, why);
}

gboolean
y10_cuda_conv_lib_takes (Y10CudaConvLib *lib, const Y10CudaConvDesc *desc)
{
  if (lib->provider->lib_takes)
    return lib->provider->lib_takes (lib, desc);
  return !desc->in_place
      && (desc->silu || desc->add.channels || desc->out_float);
}

gboolean
y10_cuda_conv_lib_begins_fused (Y10CudaConvLib *lib,
    const Y10CudaConvDesc *desc)
{
  return lib->provider->lib_begins_fused
      && lib->provider->lib_begins_fused (lib, desc);
}

Y10CudaConvPlan *
y10_cuda_conv_plan_new (Y10CudaConvLib *lib, const Y10CudaConvDesc *desc,
    Y10CudaConvStage stage, GError **error)
{
  return lib->provider->plan_new (lib, desc, stage, error);
}

Y10CudaConvPlan *
y10_cuda_conv_plan_other (Y10CudaConvLib *lib, const Y10CudaConvDesc *desc)
{
  return lib->provider->plan_other ? lib->provider->plan_other (lib, desc)
                                   : NULL;
}

GPtrArray *
y10_cuda_conv_plan_candidates (Y10CudaConvLib *lib, const Y10CudaConvDesc *desc,
    Y10CudaConvStage stage, guint max, GCancellable *cancellable,
    GError **error)
{
  return lib->provider->plan_candidates (lib, desc, stage, max, cancellable,
      error);
}

void
y10_cuda_conv_plan_free (Y10CudaConvPlan *plan)
{
  if (plan)
    plan->provider->plan_free (plan);
}

GBytes *
y10_cuda_conv_plan_save (const Y10CudaConvPlan *plan, GError **error)
{
  return plan->provider->plan_save (plan, error);
}

Y10CudaConvPlan *
y10_cuda_conv_plan_load (Y10CudaConvLib *lib, const Y10CudaConvDesc *desc,
    Y10CudaConvStage stage, GBytes *bytes, GError **error)
{
  return lib->provider->plan_load (lib, desc, stage, bytes, error);
}

gsize
y10_cuda_conv_plan_workspace (const Y10CudaConvPlan *plan)
{
  return plan->provider->plan_workspace (plan);
}

gboolean
y10_cuda_conv_plan_read_bias (Y10CudaConvPlan *plan, CUstream stream,
    CUdeviceptr bias, GError **error)
{
  return plan->provider->plan_read_bias (plan, stream, bias, error);
}

void
y10_cuda_conv_plan_give (Y10CudaConvPlan *plan, Y10CudaConvLib *lib)
{
  if (lib->provider->lib_of)
    lib = lib->provider->lib_of (lib, plan->provider);
  plan->provider->plan_give (plan, lib);
}

const char *
y10_cuda_conv_plan_describe (const Y10CudaConvPlan *plan)
{
  return plan->provider->plan_describe (plan);
}

gboolean
y10_cuda_conv_plan_run (Y10CudaConvPlan *plan, CUstream stream, CUdeviceptr in,
    CUdeviceptr weight, CUdeviceptr bias, CUdeviceptr add, CUdeviceptr out,
    CUdeviceptr workspace, GError **error)
{
  return plan->provider->plan_run (plan, stream, in, weight, bias, add, out,
      workspace, error);
}

gboolean
y10_cuda_conv_plan_can_upsample (const Y10CudaConvPlan *plan)
{
  return plan->provider->plan_can_upsample
      && plan->provider->plan_can_upsample (plan);
}

gboolean
y10_cuda_conv_plan_run_upsampled (Y10CudaConvPlan *plan, CUstream stream,
    CUdeviceptr in, CUdeviceptr weight, CUdeviceptr bias, CUdeviceptr out,
    const Y10CudaConvView *up, CUdeviceptr up_at, GError **error)
{
  return plan->provider->plan_run_upsampled (plan, stream, in, weight, bias,
      out, up, up_at, error);
}
