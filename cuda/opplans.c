/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* How the ops run at one batch size: a conv plan for every dense convolution, and
 * the epilogue behind it. Op plans never change after they are published. Better
 * plans are published as new op plans: the program replaces the old ones at once,
 * each slot between two of its steps. Users hold references, so old op plans are
 * freed with the last graph that uses them. */

#include "config.h"

#include "arena.h"
#include "opplans.h"
#include "program.h"

static void
clear_shared_plan (gpointer data)
{
  y10_cuda_conv_plan_free (((Y10CudaSharedPlan *) data)->plan);
}

Y10CudaSharedPlan *
y10_cuda_shared_plan_new (Y10CudaConvPlan *plan)
{
  Y10CudaSharedPlan *shared = g_atomic_rc_box_new (Y10CudaSharedPlan);

  shared->plan = plan;
  return shared;
}

void
y10_cuda_shared_plan_unref (Y10CudaSharedPlan *plan)
{
  if (plan)
    g_atomic_rc_box_release_full (plan, clear_shared_plan);
}

static void
clear_batch (gpointer data)
{
  Y10CudaOpPlans *batch = data;

  for (guint i = 0; i < batch->n_ops; i++)
    y10_cuda_shared_plan_unref (batch->ops[i].conv);
  g_free (batch->ops);
}

Y10CudaOpPlans *
y10_cuda_op_plans_ref (Y10CudaOpPlans *batch)
{
  return g_atomic_rc_box_acquire (batch);
}

void
y10_cuda_op_plans_unref (Y10CudaOpPlans *batch)
{
  if (batch)
    g_atomic_rc_box_release_full (batch, clear_batch);
}

Y10CudaOpPlans *
y10_cuda_op_plans_copy (const Y10CudaOpPlans *batch)
{
  Y10CudaOpPlans *copy = g_atomic_rc_box_dup (sizeof *batch, (gpointer) batch);

  copy->ops = g_memdup2 (batch->ops, batch->n_ops * sizeof *batch->ops);
  for (guint i = 0; i < copy->n_ops; i++)
    if (copy->ops[i].conv)
      g_atomic_rc_box_acquire (copy->ops[i].conv);
  return copy;
}

void
y10_cuda_op_plans_replace (Y10CudaOpPlans *batch, guint op,
    Y10CudaSharedPlan *plan, const Y10CudaConvDesc *unfused)
{
  const gboolean staged = unfused && y10_cuda_is_staged (unfused);

  y10_cuda_shared_plan_unref (batch->ops[op].conv);
  batch->ops[op] = (Y10CudaOpPlan){
    .conv = g_atomic_rc_box_acquire (plan),
    .staged = staged,
    .epilogue = staged || (unfused && unfused->silu),
    .upsampled = batch->ops[op].upsampled,
  };
}

static Y10CudaConvView
conv_view (const Y10Program *program, Y10View v)
{
  static const Y10CudaMemory nowhere = { .max_batch = 1 };
  Y10KView k = y10_cuda_view (program->plan, &nowhere, v);

  return (Y10CudaConvView){ k.height, k.width, k.channels, k.pixel, k.image };
}

static gsize
align (gsize size)
{
  return (size + Y10_CUDA_ALIGN - 1) / Y10_CUDA_ALIGN * Y10_CUDA_ALIGN;
}

static gboolean
is_dense (const Y10Op *op)
{
  return op->kind == Y10_OP_CONV && op->groups == 1;
}

static gboolean
is_logits (const Y10Program *program, const Y10Op *op)
{
  return program->plan->graph->tensors[op->out.tensor].role == Y10_ROLE_LOGITS;
}

static Y10CudaConvDesc
dense_desc (const Y10Program *program, const Y10Op *op, guint n)
{
  return (Y10CudaConvDesc){
    .precision = program->precision,
    .images = n,
    .in = conv_view (program, op->in),
    .out = conv_view (program, op->out),
    .add = op->add.n ? conv_view (program, op->add) : (Y10CudaConvView){ 0 },
    .kernel = op->kernel,
    .stride = op->stride,
    .pad = op->pad,
    .silu = op->act == Y10_ACT_SILU,
    .out_float = is_logits (program, op),
  };
}

static gboolean
same_place (const Y10Program *program, Y10View a, Y10View b)
{
  static const Y10CudaMemory nowhere = { .max_batch = 1 };
  Y10KView x = y10_cuda_view (program->plan, &nowhere, a);
  Y10KView y = y10_cuda_view (program->plan, &nowhere, b);

  return x.data == y.data && x.pixel == y.pixel && x.image == y.image
      && x.channels == y.channels;
}

/* A stem runs as part of reading the pictures. Not every fused kernel may overwrite
 * the tensor that it adds: cuDNN does not document the order of its reads and writes,
 * and no comparison of results could prove it. Ours reads what it adds in the thread
 * that overwrites it. */
gboolean
y10_cuda_fused_desc (const Y10Program *program, guint op, guint n,
    Y10CudaConvDesc *desc)
{
  const Y10Plan *plan = program->plan;
  const Y10Op *o = &plan->graph->ops[op];

  if ((op == 0 && program->stem) || !is_dense (o))
    return FALSE;
  *desc = dense_desc (program, o, n);
  desc->in_place = y10_plan_views_overlap (plan, o->add, o->out);
  return (!desc->in_place || same_place (program, o->add, o->out))
      && y10_cuda_conv_lib_takes (program->device->conv, desc);
}

gboolean
y10_cuda_is_staged (const Y10CudaConvDesc *desc)
{
  return desc->out_float || desc->add.channels;
}

Y10CudaConvDesc
y10_cuda_unfused_desc (const Y10CudaConvDesc *desc)
{
  Y10CudaConvDesc bias = *desc;

  bias.silu = bias.out_float = bias.in_place = FALSE;
  bias.add = (Y10CudaConvView){ 0 };
  if (y10_cuda_is_staged (desc)) {
    bias.out.pixel = bias.out.channels;
    bias.out.image = (gint64) bias.out.height * bias.out.width
        * bias.out.channels;
  }
  return bias;
}

Y10CudaConvStage
y10_cuda_first_desc (Y10CudaConvLib *lib, Y10CudaConvDesc *desc)
{
  if (y10_cuda_conv_lib_begins_fused (lib, desc))
    return Y10_CUDA_CONV_FUSED;
  *desc = y10_cuda_unfused_desc (desc);
  return Y10_CUDA_CONV_BIAS;
}

Y10CudaPairDesc
y10_cuda_pair_desc (const Y10Program *program, guint op, guint n)
{
  const Y10Plan *plan = program->plan;
  const Y10Op *o = &plan->graph->ops[op];
  const gboolean logits = y10_graph_is_logits_pair (plan->graph, op)
      && !y10_plan_views_overlap (plan, o->in, o[2].out);

  return (Y10CudaPairDesc){
    .precision = program->precision,
    .images = n,
    .in = conv_view (program, o->in),
    .out = conv_view (program, o[1].out),
    .logits = logits ? conv_view (program, o[2].out) : (Y10CudaConvView){ 0 },
    .kernel = o->kernel,
    .stride = o->stride,
    .pad = o->pad,
    .depthwise_silu = o->act == Y10_ACT_SILU,
    .silu = o[1].act == Y10_ACT_SILU,
  };
}

gboolean
y10_cuda_may_pair (const Y10Program *program, guint op)
{
  const Y10Plan *plan = program->plan;
  const Y10Op *o = &plan->graph->ops[op];

  return y10_graph_is_pair (plan->graph, op)
      && !y10_plan_views_overlap (plan, o->in, o[1].out);
}

gboolean
y10_cuda_may_upsample (const Y10Program *program, guint op)
{
  const Y10Plan *plan = program->plan;
  const Y10Op *o = &plan->graph->ops[op];

  return y10_graph_is_upsampled (plan->graph, op)
      && !y10_plan_views_overlap (plan, o->in, o[1].out);
}

/* The initial plan: one for everything, or the convolution adds its bias, and the
 * epilogue kernel then applies SiLU, the addition and the conversion of logits to
 * float. Where @op adds a tensor or writes floats, the convolution then writes to a
 * staging buffer. */
static gboolean
plan_dense (const Y10Program *program, guint op, guint n, Y10CudaOpPlan *plan,
    GError **error)
{
  Y10CudaConvLib *lib = program->device->conv;
  const Y10Op *o = &program->plan->graph->ops[op];
  Y10CudaConvDesc desc = dense_desc (program, o, n), fused;
  Y10CudaConvStage stage = Y10_CUDA_CONV_BIAS;
  Y10CudaConvPlan *conv;

  if (y10_cuda_fused_desc (program, op, n, &fused))
    stage = y10_cuda_first_desc (lib, &fused);
  if (stage == Y10_CUDA_CONV_FUSED) {
    desc = fused;
  } else {
    plan->staged = y10_cuda_is_staged (&desc);
    plan->epilogue = plan->staged || desc.silu;
    desc = y10_cuda_unfused_desc (&desc);
  }
  conv = y10_cuda_conv_plan_new (lib, &desc, stage, error);
  if (!conv) {
    g_prefix_error (error, "\"%s\": ", o->name);
    return FALSE;
  }
  plan->conv = y10_cuda_shared_plan_new (conv);
  return TRUE;
}

static void
lay_out_scratch (const Y10Program *program, Y10CudaOpPlans *batch)
{
  for (guint l = 0; l < program->lanes->n_lanes; l++) {
    batch->scratch[l].staging = align (batch->scratch[l].staging);
    batch->scratch[l].offset = batch->scratch_size;
    batch->scratch_size += batch->scratch[l].staging + align (batch->workspace);
  }
}

static gboolean
plan_batch (const Y10Program *program, guint n, CUstream stream,
    GCancellable *cancellable, Y10CudaOpPlans *batch, GError **error)
{
  const Y10Graph *graph = program->plan->graph;

  batch->workspace = Y10_CUDA_WORKSPACE;
  for (guint i = 0; i < graph->n_ops; i++) {
    const Y10Op *op = &graph->ops[i];
    Y10CudaOpPlan *plan = &batch->ops[i];
    Y10CudaConvView out = conv_view (program, op->out);
    Y10CudaScratch *part = &batch->scratch[program->lanes->ops[i].lane];

    if (y10_cuda_may_pair (program, i)) {
      const Y10CudaPairDesc pair = y10_cuda_pair_desc (program, i, n);

      plan->pair = y10_cuda_pair_first (program->device->pairs, &pair);
    }
    if (!is_dense (op))
      continue;
    plan->upsampled = y10_cuda_may_upsample (program, i);
    if (g_cancellable_set_error_if_cancelled (cancellable, error)
        || !plan_dense (program, i, n, plan, error)
        || (stream
            && !y10_cuda_conv_plan_read_bias (plan->conv->plan, stream,
                program->weights + program->bias[i], error)))
      return FALSE;
    /* Also for a plan that comes later. */
    if (op->add.n || is_logits (program, op))
      part->staging = MAX (part->staging,
          (gsize) out.height * out.width * out.channels * n
              * program->elem_size);
    batch->workspace = MAX (batch->workspace,
        y10_cuda_conv_plan_workspace (plan->conv->plan));
  }
  lay_out_scratch (program, batch);
  return TRUE;
}

Y10CudaOpPlans *
y10_cuda_program_find (Y10Program *program, guint n)
{
  Y10CudaOpPlans *batch = NULL;

  pthread_mutex_lock (&program->lock);
  if (program->batches[n - 1])
    batch = y10_cuda_op_plans_ref (program->batches[n - 1]);
  pthread_mutex_unlock (&program->lock);
  return batch;
}

guint64
y10_cuda_program_get_sizes (Y10Program *program)
{
  return __atomic_load_n (&program->sizes, __ATOMIC_RELAXED);
}

gboolean
y10_cuda_program_add_size (Y10Program *program, guint n)
{
  return !(__atomic_fetch_or (&program->sizes, Y10_CUDA_SIZE_BIT (n),
               __ATOMIC_RELAXED)
      & Y10_CUDA_SIZE_BIT (n));
}

Y10CudaOpPlans *
y10_cuda_program_prepare (Y10Program *program, guint n, CUstream stream,
    GCancellable *cancellable, GError **error)
{
  Y10CudaOpPlans *batch;

  pthread_mutex_lock (&program->preparing);
  batch = y10_cuda_program_find (program, n);
  if (!batch) {
    batch = g_atomic_rc_box_new0 (Y10CudaOpPlans);
    batch->n_ops = program->plan->graph->n_ops;
    batch->ops = g_new0 (Y10CudaOpPlan, batch->n_ops);
    if (plan_batch (program, n, stream, cancellable, batch, error))
      y10_cuda_program_publish (program, n, y10_cuda_op_plans_ref (batch));
    else
      g_clear_pointer (&batch, y10_cuda_op_plans_unref);
  }
  pthread_mutex_unlock (&program->preparing);
  return batch;
}

void
y10_cuda_program_publish (Y10Program *program, guint n, Y10CudaOpPlans *batch)
{
  Y10CudaOpPlans *old;

  pthread_mutex_lock (&program->lock);
  old = program->batches[n - 1];
  program->batches[n - 1] = batch;
  g_atomic_int_inc (&program->version);
  pthread_mutex_unlock (&program->lock);
  y10_cuda_program_add_size (program, n);
  y10_cuda_op_plans_unref (old);
}

void
y10_cuda_program_used (Y10Program *program, guint n, Y10CudaOpPlans *batch)
{
  Y10CudaOpPlans *old = NULL;

  pthread_mutex_lock (&program->lock);
  if (n >= program->in_use_images) {
    old = program->in_use;
    program->in_use = y10_cuda_op_plans_ref (batch);
    program->in_use_images = n;
  }
  pthread_mutex_unlock (&program->lock);
  y10_cuda_op_plans_unref (old);
}

/* Interned, because callers keep the names longer than the plans. */
const char *
y10_cuda_program_impl (Y10Program *program, guint op)
{
  const Y10CudaOpPlan *plan;
  const char *name = "cuda:own";

  pthread_mutex_lock (&program->lock);
  plan = program->in_use ? &program->in_use->ops[op] : NULL;
  if (plan && plan->pair.tile)
    name = "cuda:separable";
  else if (plan && op > 0 && plan[-1].pair.tile)
    name = y10_cuda_pair_describe (plan[-1].pair);
  else if (plan && op > 1 && plan[-2].pair.tile && plan[-2].pair.logits)
    name = y10_cuda_pair_describe (plan[-2].pair);
  else if (plan && plan->conv)
    name = g_intern_string (y10_cuda_conv_plan_describe (plan->conv->plan));
  pthread_mutex_unlock (&program->lock);
  return name;
}
