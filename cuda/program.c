/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A program: the weights on the device, and for each number of images that is
 * in use a plan for every dense convolution. */

#include "config.h"

#include "cuda.h"

static Y10KType
type_of (Y10Precision precision)
{
  return precision == Y10_PRECISION_FP16 ? Y10_K_F16
      : precision == Y10_PRECISION_BF16 ? Y10_K_BF16 : Y10_K_F32;
}

static void
batch_free (const Y10Program *program, Y10CudaBatch *batch)
{
  for (guint i = 0; batch && i < program->plan->graph->n_ops; i++)
    if (batch->ops[i].conv)
      y10_cuda_conv_plan_free (batch->ops[i].conv);
  if (batch)
    g_free (batch->ops);
  g_free (batch);
}

void
y10_cuda_program_free (Y10Program *program)
{
  const Y10CudaDriver *d = program->device->driver;

  for (guint n = 0; n < program->batches->len; n++)
    batch_free (program, program->batches->pdata[n]);
  g_ptr_array_unref (program->batches);
  if (program->weights)
    d->mem_free (program->weights);
  g_free (program->weight);
  g_free (program->bias);
  g_free (program);
}

static gboolean
upload (Y10Program *program, const guint8 *packed, GError **error)
{
  const Y10CudaDriver *d = program->device->driver;
  CUstream stream = NULL;
  gboolean ok;

  ok = y10_cuda_check (d, d->mem_alloc (&program->weights,
          program->weights_size), "memory for the weights", error)
      && y10_cuda_check (d, d->stream_create (&stream,
          Y10_CU_STREAM_NON_BLOCKING, 0), "a stream", error)
      && y10_cuda_check (d, d->memcpy_htod_async (program->weights, packed,
          program->weights_size, stream), "copying the weights", error)
      && y10_cuda_check (d, d->stream_synchronize (stream),
      "copying the weights", error);
  if (stream)
    d->stream_destroy (stream);
  return ok;
}

Y10Program *
y10_cuda_program_new (Y10Device *device, const Y10Plan *plan,
    Y10Precision precision, GCancellable *cancellable, GError **error)
{
  Y10Program *program = g_new0 (Y10Program, 1);
  guint n_ops = plan->graph->n_ops;
  guint8 *packed;

  program->device = device;
  program->plan = plan;
  program->precision = precision;
  program->type = type_of (precision);
  program->elem_size = plan->layout.elem_size;
  program->weight = g_new0 (gsize, n_ops);
  program->bias = g_new0 (gsize, n_ops);
  program->batches = g_ptr_array_new ();
  packed = y10_cuda_pack (program, &program->weights_size, error);
  if (!packed || !upload (program, packed, error)
      || !y10_cuda_program_prepare (program, 1, error)
      || g_cancellable_set_error_if_cancelled (cancellable, error)) {
    y10_cuda_program_free (program);
    program = NULL;
  }
  g_free (packed);
  return program;
}

static Y10CudaConvView
conv_view (const Y10Program *program, Y10View v)
{
  static const Y10CudaMemory nowhere = {.max_batch = 1 };
  Y10KView k = y10_cuda_view (program, &nowhere, v);

  return (Y10CudaConvView) {
    k.height, k.width, k.channels, k.pixel, k.image
  };
}

/* The convolution adds its bias; SiLU, the addition and floats for logits come
 * after it, from a buffer of its own where what is added lies in the output. */
static gboolean
plan_dense (const Y10Program *program, const Y10Op *op, guint n,
    Y10CudaOpPlan *plan, GError **error)
{
  const Y10Graph *graph = program->plan->graph;
  gboolean logits = graph->tensors[op->out.tensor].role == Y10_ROLE_LOGITS;
  Y10CudaConvDesc desc = {
    .precision = program->precision,.images = n,
    .in = conv_view (program, op->in),.out = conv_view (program, op->out),
    .kernel = op->kernel,.stride = op->stride,.pad = op->pad,
  };

  plan->staged = logits || op->add.n;
  plan->finish = plan->staged || op->act == Y10_ACT_SILU;
  if (plan->staged) {
    desc.out.pixel = desc.out.channels;
    desc.out.image = (gint64) desc.out.height * desc.out.width
        * desc.out.channels;
  }
  plan->conv = y10_cuda_conv_plan_new (program->device->conv, &desc,
      Y10_CUDA_CONV_BIAS, error);
  if (!plan->conv)
    g_prefix_error (error, "\"%s\": ", op->name);
  return plan->conv != NULL;
}

static gboolean
plan_batch (const Y10Program *program, guint n, Y10CudaBatch *batch,
    GError **error)
{
  const Y10Graph *graph = program->plan->graph;

  for (guint i = 0; i < graph->n_ops; i++) {
    const Y10Op *op = &graph->ops[i];
    Y10CudaOpPlan *plan = &batch->ops[i];
    Y10CudaConvView out = conv_view (program, op->out);

    if (op->kind != Y10_OP_CONV || op->groups > 1)
      continue;
    if (!plan_dense (program, op, n, plan, error))
      return FALSE;
    if (plan->staged)
      batch->staging = MAX (batch->staging, (gsize) out.height * out.width
          * out.channels * n * program->elem_size);
    batch->workspace = MAX (batch->workspace,
        y10_cuda_conv_plan_workspace (plan->conv));
  }
  batch->staging = (batch->staging + Y10_CUDA_ALIGN - 1) / Y10_CUDA_ALIGN
      * Y10_CUDA_ALIGN;
  return TRUE;
}

const Y10CudaBatch *
y10_cuda_program_prepare (Y10Program *program, guint n, GError **error)
{
  Y10CudaBatch *batch;

  if (program->batches->len < n)
    g_ptr_array_set_size (program->batches, n);
  if (program->batches->pdata[n - 1])
    return program->batches->pdata[n - 1];
  batch = g_new0 (Y10CudaBatch, 1);
  batch->ops = g_new0 (Y10CudaOpPlan, program->plan->graph->n_ops);
  if (!plan_batch (program, n, batch, error)) {
    batch_free (program, batch);
    return NULL;
  }
  program->batches->pdata[n - 1] = batch;
  return batch;
}

const char *
y10_cuda_program_impl (Y10Program *program, guint op)
{
  const Y10CudaBatch *batch = program->batches->pdata[0];
  const Y10CudaConvPlan *conv = batch->ops[op].conv;

  return conv ? y10_cuda_conv_plan_describe (conv) : "cuda:own";
}
