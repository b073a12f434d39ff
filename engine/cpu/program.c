/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Compiles a program: for each op the function that runs it and its packed
 * weights, or those of a program for another input size, and the threads' scratch
 * memory. The program owns the scratch memory because only one call at a time uses it. */

#include "config.h"

#include "cpu/cpu-kernels.h"
#include "cpu/kernels/isa.h"
#include "cpu/program.h"

const Y10Kernels *
y10_cpu_kernels (Y10Precision precision)
{
#if defined(__x86_64__) || defined(__i386__)
  Y10Isa isa = y10_cpu_isa ();

#ifdef __x86_64__
  if (precision != Y10_PRECISION_FP32 && isa >= Y10_ISA_AMX_BF16)
    return &y10_kernels_amx_bf16;
#endif
  if (precision == Y10_PRECISION_BF16)
    return isa >= Y10_ISA_AVX512_BF16 ? &y10_kernels_avx512_bf16 : NULL;
  /* Without VNNI, kernels of 8-bit integers gain nothing from AVX-512. */
  if (isa >= (precision == Y10_PRECISION_INT8 ? Y10_ISA_AVX512_VNNI
                                              : Y10_ISA_AVX512))
    return &y10_kernels_avx512;
  if (isa >= Y10_ISA_AVX2)
    return &y10_kernels_avx2;
  if (isa >= Y10_ISA_SSE41)
    return &y10_kernels_sse41;
#elif defined(__aarch64__)
  Y10Isa isa = y10_cpu_isa ();

  if (precision == Y10_PRECISION_BF16)
    return isa >= Y10_ISA_NEON_BF16 ? &y10_kernels_neon_bf16 : NULL;
  /* Without dot products, those of int8 are portable, whose blocks are others. */
  if (isa >= (precision == Y10_PRECISION_INT8 ? Y10_ISA_NEON_DOTPROD
                                              : Y10_ISA_NEON))
    return &y10_kernels_neon;
#endif
  return precision == Y10_PRECISION_BF16 ? NULL : &y10_kernels_c;
}

const Y10Kernels *
y10_cpu_int8_kernels (void)
{
#if defined(__x86_64__) || defined(__i386__)
  Y10Isa isa = y10_cpu_isa ();

#ifdef __x86_64__
  if (isa >= Y10_ISA_AMX_BF16)
    return &y10_kernels_amx_int8;
#endif
  if (isa >= Y10_ISA_AVX512_VNNI)
    return &y10_kernels_avx512_vnni;
  if (isa == Y10_ISA_AVX_VNNI)
    return &y10_kernels_avx_vnni;
  if (isa >= Y10_ISA_AVX2)
    return &y10_kernels_avx2_int8;
  if (isa >= Y10_ISA_SSE41)
    return &y10_kernels_sse41_int8;
#elif defined(__aarch64__)
  Y10Isa isa = y10_cpu_isa ();

  if (isa >= Y10_ISA_NEON_I8MM)
    return &y10_kernels_neon_i8mm;
  if (isa >= Y10_ISA_NEON_DOTPROD)
    return &y10_kernels_neon_dotprod;
#endif
  return &y10_kernels_c_int8;
}

void
y10_cpu_program_free (Y10Program *program)
{
  y10_cpu_memory_clear (&program->weights);
  y10_cpu_memory_clear (&program->scratch);
  y10_cpu_box_ops_clear (&program->boxes);
  g_free (program->joints);
  g_free (program->ops);
  g_free (program->phase_op);
  g_free (program->first_phase);
  g_free (program);
}

static void
compile_op (Y10CpuCompile *c, Y10Program *program, guint i)
{
  const Y10Op *o = &c->plan->graph->ops[i];
  Y10CpuOp *op = &program->ops[i];

  op->op = o;
  y10_cpu_quant_compile (c, op);
  op->logits = c->plan->graph->tensors[o->out.tensor].role == Y10_ROLE_LOGITS;
  op->exact = i >= program->boxes.first;
  switch (o->kind) {
    case Y10_OP_CONV:
      y10_cpu_conv_compile (c, op);
      break;
    case Y10_OP_MAXPOOL5:
      y10_cpu_maxpool5_compile (c, op);
      break;
    case Y10_OP_UPSAMPLE2X:
      y10_cpu_upsample2x_compile (c, op);
      break;
    case Y10_OP_ATTENTION:
      y10_cpu_attention_compile (c, op);
      break;
  }
}

/* Lists the phases of all ops. */
static void
list_phases (Y10Program *program)
{
  guint n_ops = program->plan->graph->n_ops, n = 0;

  program->first_phase = g_new (guint, n_ops + 1);
  program->phase_op = g_new (guint, MAX (n_ops * Y10_CPU_MAX_PHASES, 1));
  for (guint i = 0; i < n_ops; i++) {
    program->first_phase[i] = n;
    for (guint p = 0; p < program->ops[i].n_phases; p++)
      program->phase_op[n++] = i;
  }
  program->first_phase[n_ops] = n;
}

/* Finds the upsamplings whose results need not be written. */
static void
join_ops (Y10CpuCompile *c, Y10Program *program)
{
  const Y10Graph *graph = program->plan->graph;
  guint n = 0;

  for (guint i = 0; i < graph->n_ops; i++)
    n += graph->ops[i].kind == Y10_OP_UPSAMPLE2X;
  program->joints = g_new0 (Y10CpuJoint, MAX (n, 1));
  n = 0;
  for (guint i = 0; i + 1 < program->boxes.first; i++)
    if (y10_cpu_upsampled_join (c, program->ops, i, &program->joints[n]))
      n++;
}

/* Takes the weights of the same op of another input size, unless that is computed in
 * another way. */
static gboolean
borrow_weights (Y10CpuOp *op, const Y10CpuOp *from)
{
  if (op->conv != from->conv || op->kernels != from->kernels
      || op->weight_size != from->weight_size
      || y10_cpu_quant_size (op) != y10_cpu_quant_size (from))
    return FALSE;
  op->weight = from->weight;
  op->bias = from->bias;
  op->fill = from->fill;
  op->start = from->start;
  op->scale = from->scale;
  op->affine = from->affine;
  return TRUE;
}

/* @base: nullable: the program with weights to borrow. */
static gboolean
pack_weights (Y10CpuCompile *c, Y10Program *program, const Y10Program *base,
    GCancellable *cancellable, GError **error)
{
  const Y10Graph *graph = c->plan->graph;
  gsize size = 0;

  for (guint i = 0; base && i < graph->n_ops; i++)
    borrow_weights (&program->ops[i], &base->ops[i]);
  for (guint i = 0; i < graph->n_ops; i++)
    if (program->ops[i].weight_size && !program->ops[i].weight)
      size += Y10_CPU_ROUND_UP (program->ops[i].weight_size, Y10_CPU_ALIGN)
          + Y10_CPU_ROUND_UP (y10_cpu_quant_size (&program->ops[i]),
              Y10_CPU_ALIGN);
  if (!y10_cpu_memory_init (&program->weights, "packed weights", size, error))
    return FALSE;
  size = 0;
  for (guint i = 0; i < graph->n_ops; i++) {
    Y10CpuOp *op = &program->ops[i];
    const Y10ConvShape *s;
    g_autofree gfloat *weight = NULL, *bias = NULL, *scale = NULL;
    g_autofree gint8 *integers = NULL;
    guint8 *packed = program->weights.data + size, *values;
    gsize n;

    if (!op->weight_size || op->weight)
      continue;
    if (g_cancellable_is_cancelled (cancellable)) {
      g_set_error (error, Y10_ERROR, Y10_ERROR_CANCELLED,
          "compilation was cancelled at \"%s\"", op->op->name);
      return FALSE;
    }
    size += Y10_CPU_ROUND_UP (op->weight_size, Y10_CPU_ALIGN);
    values = program->weights.data + size;
    size += Y10_CPU_ROUND_UP (y10_cpu_quant_size (op), Y10_CPU_ALIGN);
    c->kernels = op->kernels;
    s = y10_weights_get_shape (graph->weights, op->op->conv);
    n = (gsize) s->out_channels * s->in_channels * s->kernel * s->kernel;
    bias = g_new (gfloat, s->out_channels);
    if (op->integers) {
      integers = g_new (gint8, n);
      scale = g_new (gfloat, s->out_channels);
      if (!y10_weights_fetch_quantized (graph->weights, op->op->conv, integers,
              scale, bias, error))
        return FALSE;
    } else {
      weight = g_new (gfloat, n);
      if (!y10_weights_fetch (graph->weights, op->op->conv, weight, bias,
              error))
        return FALSE;
      y10_cpu_conv_check (c, op, weight);
    }
    op->weight = packed;
    y10_cpu_quant_pack (c, op, integers, scale, weight, bias, values);
    y10_cpu_conv_pack (c, op, integers, weight, packed);
  }
  return TRUE;
}

/* @base: nullable: a program of the same network for another input size. */
static Y10Program *
compile (Y10Device *device, const Y10Plan *plan, Y10Precision precision,
    const Y10Program *base, GCancellable *cancellable, GError **error)
{
  Y10Program *program = g_new0 (Y10Program, 1);
  guint n_ops = plan->graph->n_ops;
  gsize preprocess;
  Y10CpuCompile c = {
    .plan = plan,
    .floats = y10_cpu_kernels (precision),
    .int8 = plan->layout.quantized ? y10_cpu_int8_kernels () : NULL,
    .n_threads = device->threads,
  };

  program->device = device;
  program->plan = plan;
  program->kernels = c.floats;
  program->ops = g_new0 (Y10CpuOp, MAX (n_ops, 1));
  y10_cpu_box_ops_find (plan, &program->boxes);
  for (guint i = 0; i < n_ops; i++)
    compile_op (&c, program, i);
  if (!pack_weights (&c, program, base, cancellable, error))
    goto fail;
  list_phases (program);
  join_ops (&c, program);
  for (guint i = 0; i < n_ops; i++) {
    const Y10CpuOp *op = &program->ops[i];

    program->shared_size = MAX (program->shared_size, op->shared_size);
    program->thread_size = MAX (program->thread_size, op->scratch_size);
    if (op->joint)
      program->thread_size = MAX (program->thread_size,
          op->joint->scratch_size);
  }
  program->shared_size = Y10_CPU_ROUND_UP (program->shared_size, 4096);
  program->thread_size = Y10_CPU_ROUND_UP (program->thread_size, 4096);
  preprocess = y10_cpu_preprocess_scratch (plan->graph->width, device->threads);
  if (!y10_cpu_memory_init (&program->scratch, "scratch memory of the threads",
          program->shared_size + program->thread_size * device->threads
              + preprocess,
          error))
    goto fail;
  program->preprocess = program->scratch.data + program->shared_size
      + program->thread_size * device->threads;
  return program;

fail:
  y10_cpu_program_free (program);
  return NULL;
}

Y10Program *
y10_cpu_compile (Y10Device *device, const Y10Plan *plan, Y10Precision precision,
    GCancellable *cancellable, GError **error)
{
  return compile (device, plan, precision, NULL, cancellable, error);
}

Y10Program *
y10_cpu_compile_size (Y10Program *base, const Y10Plan *plan,
    Y10Precision precision, GError **error)
{
  return compile (base->device, plan, precision, base, NULL, error);
}
