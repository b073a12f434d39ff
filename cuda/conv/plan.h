/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Shared by conv/cudnn_plan.c, which runs plans, and conv/cudnn_search.c, which
 * finds them. */

#include "conv/cudnn_graph.h"
#include "conv/provider.h"

G_BEGIN_DECLS

/* Variant packs that a plan keeps: one for each slot and op that it runs for. */
#define Y10_CONV_MAX_PACKS 256
#define Y10_CONV_N_POINTERS 5

struct _Y10CudnnLib
{
  Y10CudaConvLib base;
  const Y10Cudnn *cudnn;
  const Y10CudaDriver *driver; /* NULL, like context and handle: deviceless */
  CUcontext context;
  cudnnHandle_t handle; /* runs plans */
  CUstream stream;      /* the handle's */
  Y10CudnnSet set;
  /* Plans are built from these without a handle; NULL: with a builder. */
  cudnnBackendDescriptor_t properties;
  GMutex lock;         /* of builders */
  GPtrArray *builders; /* handles that no thread builds with now */
  char *with_handles;  /* why properties is NULL */
  char *description;
};

typedef struct
{
  void *pointers[Y10_CONV_N_POINTERS], *workspace;
  cudnnBackendDescriptor_t pack;
} Y10CudaConvPack;

struct _Y10CudnnPlan
{
  Y10CudaConvPlan base;
  Y10CudnnLib *lib;
  Y10CudnnSet *graph; /* shared; NULL: the plan was loaded */
  Y10CudnnSet set;
  cudnnBackendDescriptor_t plan;
  gboolean add;
  Y10Precision bias_type; /* FP32, FP16 or BF16 */
  gsize n_bias, workspace;
  char *description;
  CUdeviceptr bias, converted; /* the bias, and what it is in bias_type */
  Y10CudaConvPack packs[Y10_CONV_MAX_PACKS];
  guint n_packs, next_pack;
};

/* For plans that are built with a handle: makes the context current, since a
 * thread that builds plans has none, and stores a handle that no other thread
 * uses. *@handle is NULL where plans are built without one. */
gboolean y10_cudnn_begin_build (Y10CudnnLib *lib, cudnnHandle_t *handle,
    GError **error);
void y10_cudnn_end_build (Y10CudnnLib *lib, cudnnHandle_t handle);
/* y10_cudnn_lib_new () with another cuDNN, for tests. */
Y10CudnnLib *y10_cudnn_lib_new (const Y10Cudnn *cudnn,
    const Y10CudaDriver *driver, GString *why);
void y10_cudnn_set_release (Y10CudnnSet *set);

/* What conv.h and conv/provider.h describe, by cuDNN. */
gboolean y10_cudnn_lib_use_handles (Y10CudnnLib *lib, const char *why);
void y10_cudnn_lib_forget_stream (Y10CudnnLib *lib);
void y10_cudnn_lib_free (Y10CudnnLib *lib);
void y10_cudnn_lib_abandon (Y10CudnnLib *lib);
const char *y10_cudnn_lib_describe (Y10CudnnLib *lib);
gboolean y10_cudnn_lib_can_fuse (Y10CudnnLib *lib, GString *why);
Y10CudnnPlan *y10_cudnn_plan_new (Y10CudnnLib *lib, const Y10CudaConvDesc *desc,
    Y10CudaConvStage stage, GError **error);
GPtrArray *y10_cudnn_plan_candidates (Y10CudnnLib *lib,
    const Y10CudaConvDesc *desc, Y10CudaConvStage stage, guint max,
    GCancellable *cancellable, GError **error);
GBytes *y10_cudnn_plan_save (const Y10CudnnPlan *plan, GError **error);
Y10CudnnPlan *y10_cudnn_plan_load (Y10CudnnLib *lib,
    const Y10CudaConvDesc *desc, Y10CudaConvStage stage, GBytes *bytes,
    GError **error);
void y10_cudnn_plan_free (Y10CudnnPlan *plan);
gboolean y10_cudnn_plan_read_bias (Y10CudnnPlan *plan, CUstream stream,
    CUdeviceptr bias, GError **error);
void y10_cudnn_plan_give (Y10CudnnPlan *plan, Y10CudnnLib *lib);
const char *y10_cudnn_plan_describe (const Y10CudnnPlan *plan);
gboolean y10_cudnn_plan_run (Y10CudnnPlan *plan, CUstream stream,
    CUdeviceptr in, CUdeviceptr weight, CUdeviceptr bias, CUdeviceptr add,
    CUdeviceptr out, CUdeviceptr workspace, GError **error);

G_END_DECLS
