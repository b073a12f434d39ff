/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Runs the graph's ops as kernel launches. */

#include "config.h"

#include "kernels/attention.h"
#include "kernels/conv.h"
#include "kernels/depthwise.h"
#include "kernels/epilogue.h"
#include "kernels/maxpool5.h"
#include "kernels/upsample2x.h"
#include "ops.h"

static gboolean
is_logits (const Y10Graph *graph, const Y10Op *op)
{
  return graph->tensors[op->out.tensor].role == Y10_ROLE_LOGITS;
}

static CUdeviceptr
address (Y10KView v)
{
  return GPOINTER_TO_SIZE (v.data);
}

/* The buffer for a convolution that cannot write to its output. */
static Y10KView
staging (CUdeviceptr scratch, Y10KView out)
{
  out.data = GSIZE_TO_POINTER (scratch);
  out.pixel = out.channels;
  out.image = (gint64) out.height * out.width * out.channels;
  return out;
}

static gboolean
run_dense (const Y10Program *program, const Y10CudaOpPlans *batch,
    const Y10CudaMemory *memory, guint index, guint n, CUstream stream,
    GError **error)
{
  const Y10CudaOpPlan *plan = &batch->ops[index];
  const Y10CudaKernels *kernels = &program->device->kernels;
  const Y10Graph *graph = program->plan->graph;
  const Y10Op *op = &graph->ops[index];
  const Y10CudaScratch *part = &batch->scratch[program->lanes->ops[index].lane];
  CUdeviceptr scratch = memory->scratch + part->offset;
  Y10KView in = y10_cuda_view (program->plan, memory, op->in);
  Y10KEpilogue f = {
    .out = y10_cuda_view (program->plan, memory, op->out),
    .add = y10_cuda_view (program->plan, memory, op->add),
    .out_float = is_logits (graph, op),
    .silu = op->act == Y10_ACT_SILU,
    .images = n,
  };

  f.in = plan->staged ? staging (scratch, f.out) : f.out;
  if (!y10_cuda_conv_plan_run (plan->conv->plan, stream, address (in),
          program->weights + program->weight[index],
          program->weights + program->bias[index], address (f.add),
          address (f.in), scratch + part->staging, error))
    return FALSE;
  return !plan->epilogue
      || y10_cuda_launch (kernels, kernels->epilogue[program->type],
          y10_epilogue_launch (&f), stream, &f, error);
}

static gboolean
run_depthwise (const Y10Program *program, const Y10CudaMemory *memory,
    guint index, guint n, CUstream stream, GError **error)
{
  const Y10CudaKernels *kernels = &program->device->kernels;
  const Y10Graph *graph = program->plan->graph;
  const Y10Op *op = &graph->ops[index];
  Y10KDepthwise p = {
    .in = y10_cuda_view (program->plan, memory, op->in),
    .out = y10_cuda_view (program->plan, memory, op->out),
    .add = y10_cuda_view (program->plan, memory, op->add),
    .out_float = is_logits (graph, op),
    .weight = GSIZE_TO_POINTER (program->weights + program->weight[index]),
    .bias = GSIZE_TO_POINTER (program->weights + program->bias[index]),
    .images = n,
    .kernel = op->kernel,
    .stride = op->stride,
    .pad = op->pad,
    .silu = op->act == Y10_ACT_SILU,
  };

  return y10_cuda_launch (kernels, kernels->depthwise[program->type],
      y10_depthwise_launch (&p), stream, &p, error);
}

static gboolean
run_attention (const Y10Program *program, const Y10CudaMemory *memory,
    guint index, guint n, CUstream stream, GError **error)
{
  const Y10CudaKernels *kernels = &program->device->kernels;
  const Y10Op *op = &program->plan->graph->ops[index];
  Y10KAttention p = {
    .in = y10_cuda_view (program->plan, memory, op->in),
    .out = y10_cuda_view (program->plan, memory, op->out),
    .weight = GSIZE_TO_POINTER (program->weights + program->weight[index]),
    .bias = GSIZE_TO_POINTER (program->weights + program->bias[index]),
    .heads = op->heads,
    .key_dim = op->key_dim,
    .head_dim = op->head_dim,
    .images = n,
  };

  return y10_cuda_launch (kernels, kernels->attention[program->type],
      y10_attention_launch (&p), stream, &p, error);
}

static gboolean
is_upsampled (const Y10CudaOpPlan *plan)
{
  return plan->upsampled && !plan->epilogue
      && y10_cuda_conv_plan_can_upsample (plan->conv->plan);
}

/* A 1×1 convolution and the upsampling of its result as one kernel. */
static guint
run_upsampled (const Y10Program *program, const Y10CudaOpPlan *plan,
    const Y10CudaMemory *memory, guint index, CUstream stream, GError **error)
{
  const Y10Op *op = &program->plan->graph->ops[index];
  const Y10KView up = y10_cuda_view (program->plan, memory, op[1].out);
  const Y10CudaConvView view = { up.height, up.width, up.channels, up.pixel,
    up.image };

  return y10_cuda_conv_plan_run_upsampled (plan->conv->plan, stream,
             address (y10_cuda_view (program->plan, memory, op->in)),
             program->weights + program->weight[index],
             program->weights + program->bias[index],
             address (y10_cuda_view (program->plan, memory, op->out)), &view,
             address (up), error)
      ? 2
      : 0;
}

/* A depthwise convolution and the 1×1 behind it as one kernel, with the logits if these
 * are among the ops before @end. */
static guint
run_pair (const Y10Program *program, const Y10CudaMemory *memory, guint index,
    guint end, guint n, Y10CudaPair pair, CUstream stream, GError **error)
{
  const Y10Op *op = &program->plan->graph->ops[index];
  const Y10CudaPairDesc desc = y10_cuda_pair_desc (program, index, n);
  Y10CudaPairWeights weights = { { 0 }, { 0 } };
  guint n_ops;

  pair.logits = pair.logits && index + 2 < end;
  n_ops = pair.logits ? 3 : 2;
  for (guint i = 0; i < n_ops; i++) {
    weights.weight[i] = program->weights + program->weight[index + i];
    weights.bias[i] = program->weights + program->bias[index + i];
  }
  return y10_cuda_pair_run (program->device->pairs, &desc, pair, stream,
             address (y10_cuda_view (program->plan, memory, op->in)), &weights,
             address (y10_cuda_view (program->plan, memory, op[n_ops - 1].out)),
             error)
      ? n_ops
      : 0;
}

/* Several pools as one kernel that reads the first one's input once. */
static guint
run_maxpool5 (const Y10Program *program, const Y10CudaMemory *memory,
    guint first, guint end, guint n, CUstream stream, GError **error)
{
  const Y10CudaKernels *kernels = &program->device->kernels;
  const Y10Op *ops = program->plan->graph->ops;
  Y10KMaxPool5 p = {
    .in = y10_cuda_view (program->plan, memory, ops[first].in),
    .images = n,
  };

  p.n = y10_cuda_count_pools (program->plan->graph, first, end);
  for (int i = 0; i < p.n; i++)
    p.out[i] = y10_cuda_view (program->plan, memory, ops[first + i].out);
  return y10_cuda_launch (kernels, kernels->maxpool5[program->type],
             y10_maxpool5_launch (&p), stream, &p, error)
      ? p.n
      : 0;
}

guint
y10_cuda_run_op (const Y10Program *program, const Y10CudaOpPlans *batch,
    const Y10CudaMemory *memory, guint first, guint end, guint n,
    CUstream stream, GError **error)
{
  const Y10CudaKernels *kernels = &program->device->kernels;
  const Y10Op *op = &program->plan->graph->ops[first];
  Y10KUpsample2x up = { y10_cuda_view (program->plan, memory, op->in),
    y10_cuda_view (program->plan, memory, op->out), n };

  switch (op->kind) {
    case Y10_OP_CONV:
      /* Alone, the first of a pair writes what the caller is going to read. */
      if (first + 1 < end && batch->ops[first].pair.tile)
        return run_pair (program, memory, first, end, n, batch->ops[first].pair,
            stream, error);
      if (first + 1 < end && is_upsampled (&batch->ops[first]))
        return run_upsampled (program, &batch->ops[first], memory, first,
            stream, error);
      return op->groups > 1
          ? run_depthwise (program, memory, first, n, stream, error)
          : run_dense (program, batch, memory, first, n, stream, error);
    case Y10_OP_MAXPOOL5:
      return run_maxpool5 (program, memory, first, end, n, stream, error);
    case Y10_OP_UPSAMPLE2X:
      return y10_cuda_launch (kernels, kernels->upsample2x[program->type],
          y10_upsample2x_launch (&up), stream, &up, error);
    case Y10_OP_ATTENTION:
      return run_attention (program, memory, first, n, stream, error);
  }
  return 0;
}

gboolean
y10_cuda_run (const Y10Program *program, const Y10CudaOpPlans *batch,
    const Y10CudaMemory *memory, guint first, guint end, guint n,
    CUstream stream, GError **error)
{
  for (guint i = first, done; i < end; i += done) {
    done = y10_cuda_run_op (program, batch, memory, i, end, n, stream, error);
    if (!done)
      return FALSE;
  }
  return TRUE;
}
