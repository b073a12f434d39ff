/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Dense convolutions by cuDNN's graph API. cuDNN is looked up at run time. All
 * functions want the context current in which the library was made, and one
 * thread at a time; plan_new may be called by several threads at once. */

#include <gio/gio.h>
#include <y10/engine.h>

#include "driver/driver.h"

G_BEGIN_DECLS

/* A view as cuDNN sees it: NHWC with strides in elements. */
typedef struct
{
  gint height, width, channels;
  gint64 pixel, image;
} Y10CudaConvView;

typedef enum
{
  Y10_CUDA_CONV_BIAS,           /* precompiled: bias only, no time to build */
  Y10_CUDA_CONV_FUSED,          /* bias, SiLU, addition; built by NVRTC */
} Y10CudaConvStage;

typedef struct
{
  Y10Precision precision;       /* of in, add, out and weights; never AUTO */
  guint images;
  Y10CudaConvView in, out, add; /* add.channels 0: none */
  gint kernel, stride, pad;
  gboolean silu;                /* FUSED only */
  gboolean out_float;           /* FUSED only: out holds floats (logits) */
} Y10CudaConvDesc;

typedef struct _Y10CudaConvLib Y10CudaConvLib;
typedef struct _Y10CudaConvPlan Y10CudaConvPlan;

/* Whether y10_cuda_conv_lib_new () will find what it needs, without a context
 * and without a GPU; the reason is appended to @why. Any thread. */
gboolean y10_cuda_conv_probe (GString * why);
/* NULL, with the reason appended to @why, where cuDNN or something it needs
 * (it aborts without cuBLASLt) is missing or too old. */
Y10CudaConvLib *y10_cuda_conv_lib_new (const Y10CudaDriver * driver,
    GString * why);
/* check.c: runs one plan and compares its result. Where a plan that is built
 * without a handle does not run, all plans of @lib are built with one from then
 * on. Returns @lib; NULL, with the reason appended to @why, if neither runs: then
 * @lib is freed. Before other threads use @lib, which may be NULL. */
Y10CudaConvLib *y10_cuda_conv_lib_prove (Y10CudaConvLib * lib,
    const Y10CudaDriver * driver, GString * why);
/* From now on plans are built with a handle, because of @why; FALSE: they are
 * already. Before other threads use @lib. */
gboolean y10_cuda_conv_lib_use_handles (Y10CudaConvLib * lib,
    const char *why);
/* Call before the stream that plans last ran on is destroyed and others are
 * still to run. */
void y10_cuda_conv_lib_forget_stream (Y10CudaConvLib * lib);
void y10_cuda_conv_lib_free (Y10CudaConvLib * lib);
/* When its context does not exist any more, and no other one is to be touched
 * instead: frees what is the host's. */
void y10_cuda_conv_lib_abandon (Y10CudaConvLib * lib);
/* "cuDNN 9.19.0", then how plans are built where it is not without a handle, and
 * why fused plans cannot be. */
const char *y10_cuda_conv_lib_describe (Y10CudaConvLib * lib);
gboolean y10_cuda_conv_lib_can_fuse (Y10CudaConvLib * lib, GString * why);
/* Whether plans can be made while another thread runs plans of the library. */
gboolean y10_cuda_conv_lib_is_concurrent (const Y10CudaConvLib * lib);
/* cuDNN's version, 91900: what saved plans depend on; the second without a
 * library, 0 without cuDNN. */
guint y10_cuda_conv_get_version (void);
guint y10_cuda_conv_lib_version (Y10CudaConvLib * lib);

/* The best plan by cuDNN's own heuristics; NULL and error when it has none, and
 * fused in fp16 or bf16 also when it has none on tensor cores (views on sm_75):
 * the stage BIAS has, and stays. */
Y10CudaConvPlan *y10_cuda_conv_plan_new (Y10CudaConvLib * lib,
    const Y10CudaConvDesc * desc, Y10CudaConvStage stage, GError ** error);
/* Up to @max plans that can be built, best first by the same heuristics, to be
 * timed and compared with another kernel's results; they are the array's. Once
 * @cancellable is cancelled no further one is begun. */
GPtrArray *y10_cuda_conv_plan_candidates (Y10CudaConvLib * lib,
    const Y10CudaConvDesc * desc, Y10CudaConvStage stage, guint max,
    GCancellable * cancellable, GError ** error);
void y10_cuda_conv_plan_free (Y10CudaConvPlan * plan);
/* For a cache on disk; @desc and @stage as the plan was made for. Loading fails
 * where anything differs: another cuDNN, another GPU, no NVRTC. */
GBytes *y10_cuda_conv_plan_save (const Y10CudaConvPlan * plan,
    GError ** error);
Y10CudaConvPlan *y10_cuda_conv_plan_load (Y10CudaConvLib * lib,
    const Y10CudaConvDesc * desc, Y10CudaConvStage stage, GBytes * bytes,
    GError ** error);
gsize y10_cuda_conv_plan_workspace (const Y10CudaConvPlan * plan);
/* Reads @bias ahead of the first run, which then does not allocate and wait for
 * that. For a plan that no other thread uses yet. */
gboolean y10_cuda_conv_plan_read_bias (Y10CudaConvPlan * plan,
    CUstream stream, CUdeviceptr bias, GError ** error);
/* The plan runs in @lib from now on, with its handle and by its thread; what
 * it remembers of earlier runs is forgotten. For fused plans, and of libraries
 * in one context. */
void y10_cuda_conv_plan_give (Y10CudaConvPlan * plan, Y10CudaConvLib * lib);
/* "cudnn:eng7,tensor-core,fused"; lives as long as the plan. */
const char *y10_cuda_conv_plan_describe (const Y10CudaConvPlan * plan);
/* Queues it: weights [out channels][kernel][kernel][in channels] of the
 * precision's type, @bias floats, which never change. Waits and allocates only
 * when it sees pointers for the first time; may be captured once it has been
 * run with them. */
gboolean y10_cuda_conv_plan_run (Y10CudaConvPlan * plan, CUstream stream,
    CUdeviceptr in, CUdeviceptr weight, CUdeviceptr bias, CUdeviceptr add,
    CUdeviceptr out, CUdeviceptr workspace, GError ** error);

G_END_DECLS
