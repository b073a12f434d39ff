/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A program: the weights on the device, and the op plans (opplans.c) of each
 * batch size in use. */

#include "config.h"

#include <string.h>

#include "kernels/stem.h"
#include "program.h"
#include "weights.h"

Y10KType
y10_cuda_type (Y10Precision precision)
{
  return precision == Y10_PRECISION_FP16 ? Y10_K_F16
      : precision == Y10_PRECISION_BF16  ? Y10_K_BF16
                                         : Y10_K_F32;
}

void
y10_cuda_program_free (Y10Program *program)
{
  const Y10CudaDriver *d = program->device->driver;

  y10_cuda_op_plans_unref (program->in_use);
  for (guint i = 0; i < Y10_CUDA_MAX_SIZE; i++)
    y10_cuda_op_plans_unref (program->batches[i]);
  pthread_mutex_destroy (&program->lock);
  pthread_mutex_destroy (&program->preparing);
  if (program->weights_size && program->weights)
    d->mem_free (program->weights);
  g_free (program->weight);
  g_free (program->bias);
  y10_cuda_lanes_free (program->lanes);
  g_free (program);
}

static gboolean
upload (Y10Program *program, const guint8 *packed, GError **error)
{
  const Y10CudaDriver *d = program->device->driver;
  CUstream stream = NULL;
  gboolean ok;

  ok = y10_cuda_check (d,
           d->mem_alloc (&program->weights, program->weights_size),
           "memory for the weights", error)
      && y10_cuda_check (d,
          d->stream_create (&stream, Y10_CU_STREAM_NON_BLOCKING, 0), "a stream",
          error)
      && y10_cuda_check (d,
          d->memcpy_htod_async (program->weights, packed, program->weights_size,
              stream),
          "copying the weights", error)
      && y10_cuda_check (d, d->stream_synchronize (stream),
          "copying the weights", error);
  if (stream)
    d->stream_destroy (stream);
  return ok;
}

/* Guards against mix-ups, not against attacks. Hashes a word at a time, because
 * the 60 MB of weights delay the first frame. */
static void
hash_weights (Y10Program *program, const guint8 *packed)
{
  guint64 h = 0, word;

  for (gsize i = 0; i + sizeof word <= program->weights_size;
       i += sizeof word) {
    memcpy (&word, packed + i, sizeof word);
    h = (h ^ word) * 0x9e3779b97f4a7c15u;
    h ^= h >> 32;
  }
  g_snprintf (program->hash, sizeof program->hash, "%016" G_GINT64_MODIFIER "x",
      h);
}

/* Whether op 0 is what the kernel stem computes, and the input's only reader. */
static gboolean
begins_with_stem (const Y10Plan *plan)
{
  const Y10Graph *graph = plan->graph;
  const Y10Op *op = graph->ops;
  guint readers = 0;

  for (guint i = 0; i < graph->n_ops; i++)
    readers += graph->ops[i].in.tensor == graph->input.tensor;
  return graph->n_ops > 1 && op->kind == Y10_OP_CONV && readers == 1
      && op->in.tensor == graph->input.tensor && op->groups == 1
      && op->kernel == 3 && op->stride == 2 && op->pad == 1 && !op->add.n
      && graph->tensors[op->out.tensor].role != Y10_ROLE_LOGITS
      && y10_plan_view_padded (plan, op->out) <= Y10_STEM_MAX_CHANNELS;
}

/* Fewer for tests and measurements. */
static guint
max_lanes (void)
{
  const char *text = g_getenv ("Y10_CUDA_LANES");

  return text ? (guint) g_ascii_strtoull (text, NULL, 10) : Y10_CUDA_MAX_LANES;
}

static Y10Program *
make_program (Y10Device *device, Y10Program *base, const Y10Plan *plan,
    Y10Precision precision)
{
  Y10Program *program = g_new0 (Y10Program, 1);

  program->device = device;
  program->base = base ? base : program;
  program->plan = plan;
  program->precision = precision;
  program->type = y10_cuda_type (precision);
  program->elem_size = plan->layout.elem_size;
  program->stem = begins_with_stem (plan);
  program->weight = g_new0 (gsize, plan->graph->n_ops);
  program->bias = g_new0 (gsize, plan->graph->n_ops);
  program->lanes = y10_cuda_lanes_new (plan, program->stem ? 1 : 0,
      max_lanes ());
  g_debug ("CUDA: %u kernels in %u lanes, %u in the longest chain",
      program->lanes->n_launches, program->lanes->n_lanes,
      program->lanes->n_longest);
  pthread_mutex_init (&program->lock, NULL);
  pthread_mutex_init (&program->preparing, NULL);
  return program;
}

static void
borrow_weights (Y10Program *program)
{
  const Y10Program *base = program->base;
  const gsize size = program->plan->graph->n_ops * sizeof *program->weight;

  program->weights = base->weights;
  memcpy (program->weight, base->weight, size);
  memcpy (program->bias, base->bias, size);
  memcpy (program->hash, base->hash, sizeof program->hash);
}

static gboolean
take_weights (Y10Program *program, GError **error)
{
  g_autofree guint8 *packed = NULL;

  if (program->base != program && y10_cuda_packs_alike (program)) {
    borrow_weights (program);
    return TRUE;
  }
  packed = y10_cuda_pack (program, &program->weights_size, error);
  if (!packed || !upload (program, packed, error))
    return FALSE;
  hash_weights (program, packed);
  return TRUE;
}

Y10Program *
y10_cuda_program_new (Y10Device *device, Y10Program *base, const Y10Plan *plan,
    Y10Precision precision, GCancellable *cancellable, GError **error)
{
  Y10Program *program = make_program (device, base, plan, precision);
  Y10CudaOpPlans *batch = NULL;

  if (!take_weights (program, error)
      || !(batch = y10_cuda_program_prepare (program, 1, NULL, cancellable,
               error))
      || g_cancellable_set_error_if_cancelled (cancellable, error)) {
    y10_cuda_op_plans_unref (batch);
    y10_cuda_program_free (program);
    return NULL;
  }
  y10_cuda_program_used (program, 1, batch);
  y10_cuda_op_plans_unref (batch);
  return program;
}

void
y10_cuda_program_request (Y10Program *program, guint n, Y10TuneChanged changed,
    gpointer data)
{
  g_autoptr (GError) error = NULL;

  if (!y10_cuda_program_add_size (program, n))
    return;
  if (!program->preparer)
    program->preparer = y10_cuda_preparer_new (program, changed, data, &error);
  if (program->preparer)
    y10_cuda_preparer_add (program->preparer, n);
  else
    g_message ("CUDA: steps of %u images run as larger ones: %s", n,
        error->message);
}
