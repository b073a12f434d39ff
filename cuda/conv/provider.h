/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Those who can compute convolutions: cuDNN and our own kernels. Each has libraries and
 * plans of its own, which begin with their provider; conv/conv.c calls it, and
 * conv/providers.c joins several in one library. */

#include "conv/conv.h"
#include "driver/launch.h"

G_BEGIN_DECLS

typedef struct _Y10CudaConvProvider Y10CudaConvProvider;

struct _Y10CudaConvLib
{
  const Y10CudaConvProvider *provider;
};

struct _Y10CudaConvPlan
{
  const Y10CudaConvProvider *provider;
};

/* The functions of conv.h whose names they have. */
struct _Y10CudaConvProvider
{
  const char *name;  /* in Y10_CUDA_CONV */
  const char *title; /* in messages */
  gboolean (*probe) (GString *why);
  guint (*get_version) (void); /* 0: it is not here */
  Y10CudaConvLib *(*lib_new) (const Y10CudaKernels *kernels, GString *why);
  /* NULL: the library itself. */
  Y10CudaConvLib *(
      *lib_of) (Y10CudaConvLib *lib, const Y10CudaConvProvider *provider);
  /* Of a library that consists of others: the one with number @i, or NULL. NULL: it
   * does not. */
  Y10CudaConvLib *(*lib_part) (Y10CudaConvLib *lib, guint i);
  /* Frees that part, because of @message; FALSE: no other is left. Appends why there
   * are no more to @why then. */
  gboolean (*lib_leave_out) (Y10CudaConvLib *lib, guint i, const char *message,
      GString *why);
  /* NULL: there is none. */
  Y10CudaConvPlan *(
      *plan_other) (Y10CudaConvLib *lib, const Y10CudaConvDesc *desc);
  /* NULL: no. */
  gboolean (
      *lib_begins_fused) (Y10CudaConvLib *lib, const Y10CudaConvDesc *desc);
  gboolean (*lib_use_handles) (Y10CudaConvLib *lib, const char *why);
  void (*lib_forget_stream) (Y10CudaConvLib *lib);
  void (*lib_free) (Y10CudaConvLib *lib);
  void (*lib_abandon) (Y10CudaConvLib *lib);
  const char *(*lib_describe) (Y10CudaConvLib *lib);
  gboolean (*lib_can_fuse) (Y10CudaConvLib *lib, GString *why);
  /* NULL: not what adds in place, nor what has only a bias, which gains nothing from
   * fusing. */
  gboolean (*lib_takes) (Y10CudaConvLib *lib, const Y10CudaConvDesc *desc);
  Y10CudaConvPlan *(*plan_new) (Y10CudaConvLib *lib,
      const Y10CudaConvDesc *desc, Y10CudaConvStage stage, GError **error);
  GPtrArray *(*plan_candidates) (Y10CudaConvLib *lib,
      const Y10CudaConvDesc *desc, Y10CudaConvStage stage, guint max,
      GCancellable *cancellable, GError **error);
  void (*plan_free) (Y10CudaConvPlan *plan);
  GBytes *(*plan_save) (const Y10CudaConvPlan *plan, GError **error);
  Y10CudaConvPlan *(*plan_load) (Y10CudaConvLib *lib,
      const Y10CudaConvDesc *desc, Y10CudaConvStage stage, GBytes *bytes,
      GError **error);
  gsize (*plan_workspace) (const Y10CudaConvPlan *plan);
  gboolean (*plan_read_bias) (Y10CudaConvPlan *plan, CUstream stream,
      CUdeviceptr bias, GError **error);
  void (*plan_give) (Y10CudaConvPlan *plan, Y10CudaConvLib *lib);
  const char *(*plan_describe) (const Y10CudaConvPlan *plan);
  gboolean (*plan_run) (Y10CudaConvPlan *plan, CUstream stream, CUdeviceptr in,
      CUdeviceptr weight, CUdeviceptr bias, CUdeviceptr add, CUdeviceptr out,
      CUdeviceptr workspace, GError **error);
  /* NULL: no. Then there is no plan_run_upsampled, either. */
  gboolean (*plan_can_upsample) (const Y10CudaConvPlan *plan);
  gboolean (*plan_run_upsampled) (Y10CudaConvPlan *plan, CUstream stream,
      CUdeviceptr in, CUdeviceptr weight, CUdeviceptr bias, CUdeviceptr out,
      const Y10CudaConvView *up, CUdeviceptr up_at, GError **error);
};

/* The functions of a file that gives each the name of its field, but those that may be
 * NULL. */
#define Y10_CUDA_CONV_FUNCTIONS \
  .probe = probe, .get_version = get_version, .lib_new = lib_new, \
  .lib_use_handles = lib_use_handles, .lib_forget_stream = lib_forget_stream, \
  .lib_free = lib_free, .lib_abandon = lib_abandon, \
  .lib_describe = lib_describe, .lib_can_fuse = lib_can_fuse, \
  .plan_new = plan_new, .plan_candidates = plan_candidates, \
  .plan_free = plan_free, .plan_save = plan_save, .plan_load = plan_load, \
  .plan_workspace = plan_workspace, .plan_read_bias = plan_read_bias, \
  .plan_give = plan_give, .plan_describe = plan_describe, .plan_run = plan_run

extern const Y10CudaConvProvider y10_cudnn_provider; /* conv/cudnn_provider.c */
extern const Y10CudaConvProvider y10_igemm_provider; /* conv/igemm.c */

G_END_DECLS
