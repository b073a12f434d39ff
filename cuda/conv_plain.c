/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* conv.h without cuDNN, by our own plain kernel: what the simulator runs. */

#include "config.h"

#include "conv.h"
#include "cuda.h"
#include "kernels/conv.h"

struct _Y10CudaConvLib
{
  Y10CudaKernels kernels;
};

struct _Y10CudaConvPlan
{
  Y10CudaConvLib *lib;
  Y10CudaConvDesc desc;
  Y10KType type;
};

gboolean
y10_cuda_conv_probe (GString *why)
{
  return TRUE;
}

Y10CudaConvLib *
y10_cuda_conv_lib_new (const Y10CudaDriver *driver, GString *why)
{
  Y10CudaConvLib *lib = g_new0 (Y10CudaConvLib, 1);
  GError *error = NULL;

  if (y10_cuda_kernels_load (&lib->kernels, driver, &error))
    return lib;
  g_string_append (why, error->message);
  g_error_free (error);
  g_free (lib);
  return NULL;
}

void
y10_cuda_conv_lib_free (Y10CudaConvLib *lib)
{
  if (!lib)
    return;
  y10_cuda_kernels_unload (&lib->kernels);
  g_free (lib);
}

const char *
y10_cuda_conv_lib_describe (Y10CudaConvLib *lib)
{
  return "without cuDNN";
}

gboolean
y10_cuda_conv_lib_can_fuse (Y10CudaConvLib *lib, GString *why)
{
  g_string_append (why, "there is no cuDNN");
  return FALSE;
}

Y10CudaConvPlan *
y10_cuda_conv_plan_new (Y10CudaConvLib *lib, const Y10CudaConvDesc *desc,
    Y10CudaConvStage stage, GError **error)
{
  Y10CudaConvPlan *plan = g_new0 (Y10CudaConvPlan, 1);

  plan->lib = lib;
  plan->desc = *desc;
  plan->type = desc->precision == Y10_PRECISION_FP16 ? Y10_K_F16
      : desc->precision == Y10_PRECISION_BF16 ? Y10_K_BF16 : Y10_K_F32;
  return plan;
}

void
y10_cuda_conv_plan_free (Y10CudaConvPlan *plan)
{
  g_free (plan);
}

gsize
y10_cuda_conv_plan_workspace (const Y10CudaConvPlan *plan)
{
  return 0;
}

const char *
y10_cuda_conv_plan_describe (const Y10CudaConvPlan *plan)
{
  return "cuda:plain";
}

static Y10KView
view (const Y10CudaConvView *v, CUdeviceptr data)
{
  return (Y10KView) {
    GSIZE_TO_POINTER (data), v->height, v->width, v->channels, v->pixel,
    v->image
  };
}

gboolean
y10_cuda_conv_plan_run (Y10CudaConvPlan *plan, CUstream stream,
    CUdeviceptr in, CUdeviceptr weight, CUdeviceptr bias, CUdeviceptr add,
    CUdeviceptr out, CUdeviceptr workspace, GError **error)
{
  const Y10CudaConvDesc *d = &plan->desc;
  Y10KConv p = {
    .in = view (&d->in, in),.out = view (&d->out, out),
    .add = view (&d->add, add),
    .weight = GSIZE_TO_POINTER (weight),.bias = GSIZE_TO_POINTER (bias),
    .images = d->images,.kernel = d->kernel,.stride = d->stride,
    .pad = d->pad,.silu = d->silu,
  };

  return y10_cuda_launch (&plan->lib->kernels,
      plan->lib->kernels.conv[plan->type], y10_conv_launch (&p), stream, &p,
      error);
}
