/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Dense convolutions by cuDNN, which is loaded at run time, and by our own kernels;
 * conv/provider.h has what each of them does. All functions must be called with the
 * library's context current, and by one thread at a time, except for plan_new and
 * plan_candidates, which several threads may call at once. */

#include <gio/gio.h>
#include <y10/engine.h>

#include "driver/launch.h"

G_BEGIN_DECLS

/* A view in cuDNN's terms: NHWC with strides in elements. */
typedef struct
{
  gint height, width, channels;
  gint64 pixel, image;
} Y10CudaConvView;

typedef enum
{
  Y10_CUDA_CONV_BIAS,  /* precompiled kernels: bias only, ready at once */
  Y10_CUDA_CONV_FUSED, /* bias, SiLU, addition; compiled by NVRTC */
  Y10_CUDA_CONV_PAIR,  /* in the plan cache only: how a pair runs */
} Y10CudaConvStage;

typedef struct
{
  Y10Precision precision; /* of in, add, out and weights; never AUTO */
  guint images;
  Y10CudaConvView in, out, add; /* add.channels 0: no addition */
  gint kernel, stride, pad;
  gboolean silu;      /* FUSED only */
  gboolean out_float; /* FUSED only: out holds floats (logits) */
  gboolean in_place;  /* FUSED only: add is out */
} Y10CudaConvDesc;

typedef struct _Y10CudaConvLib Y10CudaConvLib;
typedef struct _Y10CudaConvPlan Y10CudaConvPlan;

/* Returns TRUE if y10_cuda_conv_lib_new () has what it needs, or appends the reason to
 * @why. Needs neither a context nor a GPU. Any thread. */
gboolean y10_cuda_conv_probe (GString *why);
/* All providers, or the one that Y10_CUDA_CONV ("cudnn", "own") names. Returns NULL and
 * appends the reason to @why if there is none: cuDNN, or a library that it needs
 * (without cuBLASLt it aborts), is missing or too old. @kernels outlive it. */
Y10CudaConvLib *y10_cuda_conv_lib_new (const Y10CudaKernels *kernels,
    GString *why);
/* Another one with the providers that @lib has, to which plans can be given. */
Y10CudaConvLib *y10_cuda_conv_lib_new_like (const Y10CudaConvLib *lib,
    const Y10CudaKernels *kernels, GString *why);
/* check.c: runs one plan of each provider and compares its result. Where a plan that is
 * built without a handle does not run, all plans of @lib are built with one from then
 * on; where none runs, @lib goes on without that provider. Returns @lib; NULL, with the
 * reason appended to @why, if no provider is left: then @lib is freed. Before other
 * threads use @lib, which may be NULL. */
Y10CudaConvLib *y10_cuda_conv_lib_prove (Y10CudaConvLib *lib,
    const Y10CudaDriver *driver, GString *why);
/* From now on plans are built with a handle, because of @why; FALSE: there is no other
 * way. Before other threads use @lib. */
gboolean y10_cuda_conv_lib_use_handles (Y10CudaConvLib *lib, const char *why);
/* Call before the stream that plans last ran on is destroyed and others are
 * still to run. */
void y10_cuda_conv_lib_forget_stream (Y10CudaConvLib *lib);
void y10_cuda_conv_lib_free (Y10CudaConvLib *lib);
/* Frees only host memory. For a context that no longer exists: the driver calls
 * would otherwise affect another context. */
void y10_cuda_conv_lib_abandon (Y10CudaConvLib *lib);
/* "cuDNN 9.19.0", then how plans are built where it is not without a handle, and
 * why fused plans cannot be; "own convolutions" and why without cuDNN. */
const char *y10_cuda_conv_lib_describe (Y10CudaConvLib *lib);
gboolean y10_cuda_conv_lib_can_fuse (Y10CudaConvLib *lib, GString *why);
/* Whether anybody may have a fused plan for @desc. */
gboolean y10_cuda_conv_lib_takes (Y10CudaConvLib *lib,
    const Y10CudaConvDesc *desc);
/* Whether the first plan for @desc, which somebody takes, is one of stage FUSED: it is
 * there as soon as one of stage BIAS would be. */
gboolean y10_cuda_conv_lib_begins_fused (Y10CudaConvLib *lib,
    const Y10CudaConvDesc *desc);
/* The version of provider @name, cuDNN's 91900: what saved plans depend on; 0 without
 * it. The first without a library. */
guint y10_cuda_conv_get_version (const char *name);
guint y10_cuda_conv_lib_version (Y10CudaConvLib *lib, const char *name);

/* Returns the best plan by its provider's heuristics, or NULL with an error if there is
 * none. The provider is that of a table: it depends on @desc alone, and not on whether
 * there is cuDNN where our own kernels are meant. A fused plan in fp16 or bf16 must run
 * on tensor cores; on sm_75 there is none for some views, which keep their plan of stage
 * BIAS. */
Y10CudaConvPlan *y10_cuda_conv_plan_new (Y10CudaConvLib *lib,
    const Y10CudaConvDesc *desc, Y10CudaConvStage stage, GError **error);
/* A plan of stage BIAS by somebody else than who makes the first one; NULL: nobody. */
Y10CudaConvPlan *y10_cuda_conv_plan_other (Y10CudaConvLib *lib,
    const Y10CudaConvDesc *desc);
/* Builds plans of each provider, best first by the same heuristics, as candidates for a
 * trial; up to @max of those that take time to build. The array owns them. Cancelling @cancellable skips further plans. */
GPtrArray *y10_cuda_conv_plan_candidates (Y10CudaConvLib *lib,
    const Y10CudaConvDesc *desc, Y10CudaConvStage stage, guint max,
    GCancellable *cancellable, GError **error);
void y10_cuda_conv_plan_free (Y10CudaConvPlan *plan);
/* Serialize a plan for the cache on disk. @desc and @stage must be those of the
 * plan. Loading fails if anything differs: another cuDNN or GPU, no NVRTC. */
GBytes *y10_cuda_conv_plan_save (const Y10CudaConvPlan *plan, GError **error);
Y10CudaConvPlan *y10_cuda_conv_plan_load (Y10CudaConvLib *lib,
    const Y10CudaConvDesc *desc, Y10CudaConvStage stage, GBytes *bytes,
    GError **error);
gsize y10_cuda_conv_plan_workspace (const Y10CudaConvPlan *plan);
/* Reads @bias ahead of the first run, which then does not allocate and wait for
 * that. For a plan that no other thread uses yet. */
gboolean y10_cuda_conv_plan_read_bias (Y10CudaConvPlan *plan, CUstream stream,
    CUdeviceptr bias, GError **error);
/* Moves a plan to @lib, in the same context: from now on it runs with that
 * handle and on that thread. Drops the plan's pointer sets. */
void y10_cuda_conv_plan_give (Y10CudaConvPlan *plan, Y10CudaConvLib *lib);
/* Returns a name such as "cudnn:eng7,tensor-core,fused" or "own:64x32", owned by the
 * plan. */
const char *y10_cuda_conv_plan_describe (const Y10CudaConvPlan *plan);
/* Queues the convolution on @stream. Weights are [out channels][kernel][kernel]
 * [in channels] in the precision's type, @bias is in floats; neither may change.
 * Blocks and allocates only for pointers that it has not seen before; may be
 * captured after one run with the same pointers. */
gboolean y10_cuda_conv_plan_run (Y10CudaConvPlan *plan, CUstream stream,
    CUdeviceptr in, CUdeviceptr weight, CUdeviceptr bias, CUdeviceptr add,
    CUdeviceptr out, CUdeviceptr workspace, GError **error);
/* Whether the plan, of a 1×1 that adds nothing and writes no floats, can upsample its
 * result, too. */
gboolean y10_cuda_conv_plan_can_upsample (const Y10CudaConvPlan *plan);
/* The same, and writes the result to view @up of @up_at as well, whose pixels are twice as
 * many in each direction. Needs neither what is added nor a workspace. */
gboolean y10_cuda_conv_plan_run_upsampled (Y10CudaConvPlan *plan,
    CUstream stream, CUdeviceptr in, CUdeviceptr weight, CUdeviceptr bias,
    CUdeviceptr out, const Y10CudaConvView *up, CUdeviceptr up_at,
    GError **error);

G_END_DECLS
