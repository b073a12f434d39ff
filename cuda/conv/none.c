/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* conv.h for a build without cuDNN's headers: opening fails, and the other
 * functions are never called. */

#include "config.h"

#include "conv/conv.h"

static void *
no_cudnn (GError **error)
{
  g_set_error (error, Y10_ERROR, Y10_ERROR_UNSUPPORTED,
      "this build has no cuDNN");
  return NULL;
}

Y10CudaConvLib *
y10_cuda_conv_lib_new (const Y10CudaDriver *driver, GString *why)
{
  g_string_append (why, "this build has no cuDNN");
  return NULL;
}

gboolean
y10_cuda_conv_lib_use_handles (Y10CudaConvLib *lib, const char *why)
{
  return FALSE;
}

void
y10_cuda_conv_lib_forget_stream (Y10CudaConvLib *lib)
{
}

gboolean
y10_cuda_conv_probe (GString *why)
{
  g_string_append (why, "this build has no cuDNN");
  return FALSE;
}

void
y10_cuda_conv_lib_free (Y10CudaConvLib *lib)
{
}

void
y10_cuda_conv_lib_abandon (Y10CudaConvLib *lib)
{
}

const char *
y10_cuda_conv_lib_describe (Y10CudaConvLib *lib)
{
  return "no cuDNN";
}

gboolean
y10_cuda_conv_lib_can_fuse (Y10CudaConvLib *lib, GString *why)
{
  g_string_append (why, "this build has no cuDNN");
  return FALSE;
}

guint
y10_cuda_conv_get_version (void)
{
  return 0;
}

guint
y10_cuda_conv_lib_version (Y10CudaConvLib *lib)
{
  return 0;
}

Y10CudaConvPlan *
y10_cuda_conv_plan_new (Y10CudaConvLib *lib, const Y10CudaConvDesc *desc,
    Y10CudaConvStage stage, GError **error)
{
  return no_cudnn (error);
}

GPtrArray *
y10_cuda_conv_plan_candidates (Y10CudaConvLib *lib,
    const Y10CudaConvDesc *desc, Y10CudaConvStage stage, guint max,
    GCancellable *cancellable, GError **error)
{
  return no_cudnn (error);
}

GBytes *
y10_cuda_conv_plan_save (const Y10CudaConvPlan *plan, GError **error)
{
  return no_cudnn (error);
}

Y10CudaConvPlan *
y10_cuda_conv_plan_load (Y10CudaConvLib *lib, const Y10CudaConvDesc *desc,
    Y10CudaConvStage stage, GBytes *bytes, GError **error)
{
  return no_cudnn (error);
}

void
y10_cuda_conv_plan_free (Y10CudaConvPlan *plan)
{
}

void
y10_cuda_conv_plan_give (Y10CudaConvPlan *plan, Y10CudaConvLib *lib)
{
}

gsize
y10_cuda_conv_plan_workspace (const Y10CudaConvPlan *plan)
{
  return 0;
}

const char *
y10_cuda_conv_plan_describe (const Y10CudaConvPlan *plan)
{
  return "none";
}

gboolean
y10_cuda_conv_plan_read_bias (Y10CudaConvPlan *plan, CUstream stream,
    CUdeviceptr bias, GError **error)
{
  return no_cudnn (error) != NULL;
}

gboolean
y10_cuda_conv_plan_run (Y10CudaConvPlan *plan, CUstream stream,
    CUdeviceptr in, CUdeviceptr weight, CUdeviceptr bias, CUdeviceptr add,
    CUdeviceptr out, CUdeviceptr workspace, GError **error)
{
  return no_cudnn (error) != NULL;
}
