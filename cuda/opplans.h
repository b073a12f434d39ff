/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* How the ops run at one batch size, and the batch sizes of a program. */

#include "conv/pair.h"
#include "core/backend.h"
#include "lanes.h"

G_BEGIN_DECLS

/* Slots have at least so much workspace: plans come in while steps run, when
 * nothing is allocated any more. */
#define Y10_CUDA_WORKSPACE ((gsize) 1 << 20)

/* A plan of ops that are alike, in one batch or several: an atomic rc box. */
typedef struct
{
  Y10CudaConvPlan *plan;
} Y10CudaSharedPlan;

/* How an op runs at one number of images. */
typedef struct
{
  Y10CudaSharedPlan *conv; /* dense convolutions only */
  gboolean staged;         /* conv cannot write where the result goes */
  gboolean epilogue;       /* SiLU, addition or conversion afterwards */
  Y10CudaPair pair;        /* how this op and the next ones run together */
  gboolean upsampled; /* the next op is part of it, if its plan can do that */
} Y10CudaOpPlan;

/* A lane's part of the scratch memory: a staging buffer, then cuDNN's workspace. */
typedef struct
{
  gsize offset;
  gsize staging; /* bytes of the largest staged output */
} Y10CudaScratch;

/* All ops at one number of images: an atomic rc box that never changes. */
typedef struct
{
  guint n_ops;
  Y10CudaOpPlan *ops;
  Y10CudaScratch scratch[Y10_CUDA_MAX_LANES];
  gsize scratch_size; /* of all lanes */
  gsize workspace;    /* bytes that cuDNN has in each */
} Y10CudaOpPlans;

/* A set of batch sizes: bit n - 1 is n images. */
#define Y10_CUDA_MAX_SIZE 64
#define Y10_CUDA_SIZE_BIT(n) ((guint64) 1 << ((n) -1))

/* The smallest size in @sizes that holds @n images; there is one. */
static inline guint
y10_cuda_smallest_size (guint64 sizes, guint n)
{
  return (guint) __builtin_ctzll (sizes & ~(Y10_CUDA_SIZE_BIT (n) - 1)) + 1;
}

/* A new reference to the newest op plans of @n images, which are made if there
 * are none. @stream: to read biases on now; NULL: the first run reads them. Any
 * thread; NULL on error or when cancelled. */
Y10CudaOpPlans *y10_cuda_program_prepare (Y10Program *program, guint n,
    CUstream stream, GCancellable *cancellable, GError **error);
/* NULL: there are none. */
Y10CudaOpPlans *y10_cuda_program_find (Y10Program *program, guint n);
guint64 y10_cuda_program_get_sizes (Y10Program *program);
/* Marks @n as requested; FALSE: it was already. */
gboolean y10_cuda_program_add_size (Y10Program *program, guint n);
Y10CudaOpPlans *y10_cuda_op_plans_ref (Y10CudaOpPlans *batch);
void y10_cuda_op_plans_unref (Y10CudaOpPlans *batch);
/* The same plans, to be changed before anybody else sees them. */
Y10CudaOpPlans *y10_cuda_op_plans_copy (const Y10CudaOpPlans *batch);
/* Op @op's convolution is @plan from now on, and nothing follows it; or, where @plan is
 * of stage BIAS for @unfused, its epilogue. */
void y10_cuda_op_plans_replace (Y10CudaOpPlans *batch, guint op,
    Y10CudaSharedPlan *plan, const Y10CudaConvDesc *unfused);
/* Takes @plan. */
Y10CudaSharedPlan *y10_cuda_shared_plan_new (Y10CudaConvPlan *plan);
void y10_cuda_shared_plan_unref (Y10CudaSharedPlan *plan);
/* Slots will take @batch over, which belongs to the program from now on. Any
 * thread, as y10_cuda_program_used(), which says that one has. */
void y10_cuda_program_publish (Y10Program *program, guint n,
    Y10CudaOpPlans *batch);
void y10_cuda_program_used (Y10Program *program, guint n,
    Y10CudaOpPlans *batch);
/* FALSE: op @op is no dense convolution, or nobody has a plan for all of it. Else @desc is all of it, with SiLU and addition, at @n images. */
gboolean y10_cuda_fused_desc (const Y10Program *program, guint op, guint n,
    Y10CudaConvDesc *desc);
/* Unfused, the result is written to packed memory first. */
gboolean y10_cuda_is_staged (const Y10CudaConvDesc *desc);
/* Makes @desc, which somebody takes, that of the first plan, of the stage that it
 * returns. */
Y10CudaConvStage y10_cuda_first_desc (Y10CudaConvLib *lib,
    Y10CudaConvDesc *desc);
/* The convolution and its bias alone. */
Y10CudaConvDesc y10_cuda_unfused_desc (const Y10CudaConvDesc *desc);
/* Whether op @op and the next one may run as one kernel, whichever it is: blocks then
 * write while others read. */
gboolean y10_cuda_may_pair (const Y10Program *program, guint op);
/* The same of a 1×1 convolution and the upsampling of its result. */
gboolean y10_cuda_may_upsample (const Y10Program *program, guint op);
/* Both of a pair at @n images, if they may, and the logits behind them. */
Y10CudaPairDesc y10_cuda_pair_desc (const Y10Program *program, guint op,
    guint n);
const char *y10_cuda_program_impl (Y10Program *program, guint op);

G_END_DECLS
