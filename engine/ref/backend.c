/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The reference backend: one thread, planar floats, or in
 * int8 8-bit integers where the file has them, no optimizations. It
 * runs the whole network, so that other backends can be compared layer by
 * layer, and runs on every machine. */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "core/host-slot.h"
#include "ref/head.h"
#include "ref/ops.h"
#include "ref/preprocess.h"

struct _Y10Device
{
  guint unused;
};

struct _Y10Program
{
  const Y10Plan *plan;
  gfloat **weight, **bias; /* one per convolution */
  gint8 **integers;        /* of quantized ones, in place of the weight */
  gfloat **scale;
  gsize weights_size;
  gboolean borrowed; /* the weights belong to another program */
};

struct _Y10Slot
{
  Y10HostSlot host;
  Y10Program *program;
  gfloat *row;            /* scratch memory: a row, or scores of attention */
  gfloat *in, *out, *add; /* of tensors that are stored in 8 bits */
};

G_STATIC_ASSERT (G_STRUCT_OFFSET (struct _Y10Slot, host) == 0);

static int
ref_probe (GString *why)
{
  return 1;
}

static Y10Device *
ref_open (const Y10DeviceConfig *config, GError **error)
{
  return g_new0 (Y10Device, 1);
}

static void
ref_close (Y10Device *device)
{
  g_free (device);
}

static const char *
ref_describe (Y10Device *device)
{
  return "plain C, 1 thread";
}

static guint
ref_threads (Y10Device *device)
{
  return 1;
}

static gboolean
ref_layout (Y10Device *device, Y10Precision *precision, Y10Layout *layout,
    GError **error)
{
  if (*precision == Y10_PRECISION_AUTO)
    *precision = Y10_PRECISION_FP32;
  if (*precision != Y10_PRECISION_FP32 && *precision != Y10_PRECISION_INT8) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_UNSUPPORTED,
        "backend ref does not support precision %s; expected fp32 or int8",
        y10_precision_get_name (*precision));
    return FALSE;
  }
  *layout = (Y10Layout){
    .block = 1,
    .elem_size = 4,
    .input_block = 1,
    .input_elem_size = 4,
    .align = 64,
    .max_run = 1,
    .quantized = *precision == Y10_PRECISION_INT8,
  };
  return TRUE;
}

static gboolean
ref_supports (Y10Device *device, const Y10Graph *graph, const Y10Op *op,
    Y10Precision precision, GString *why)
{
  return precision == Y10_PRECISION_FP32 || precision == Y10_PRECISION_INT8;
}

static void
ref_program_free (Y10Program *program)
{
  guint n = y10_weights_get_n (program->plan->graph->weights);

  if (program->borrowed) {
    g_free (program);
    return;
  }
  for (guint i = 0; i < n; i++) {
    g_free (program->weight[i]);
    g_free (program->bias[i]);
    g_free (program->integers[i]);
    g_free (program->scale[i]);
  }
  g_free (program->weight);
  g_free (program->bias);
  g_free (program->integers);
  g_free (program->scale);
  g_free (program);
}

static Y10Program *
ref_compile (Y10Device *device, const Y10Plan *plan, Y10Precision precision,
    GCancellable *cancellable, GError **error)
{
  const Y10Weights *weights = plan->graph->weights;
  guint n = y10_weights_get_n (weights);
  Y10Program *program = g_new0 (Y10Program, 1);

  program->plan = plan;
  program->weight = g_new0 (gfloat *, n);
  program->bias = g_new0 (gfloat *, n);
  program->integers = g_new0 (gint8 *, n);
  program->scale = g_new0 (gfloat *, n);
  for (guint i = 0; i < n; i++) {
    const Y10ConvShape *s = y10_weights_get_shape (weights, i);
    gsize size = (gsize) s->out_channels * s->in_channels * s->kernel
        * s->kernel;

    program->bias[i] = g_new (gfloat, s->out_channels);
    if (plan->layout.quantized && y10_weights_is_quantized (weights, i)) {
      program->integers[i] = g_new (gint8, size);
      program->scale[i] = g_new (gfloat, s->out_channels);
      program->weights_size += size + 2 * s->out_channels * sizeof (gfloat);
      if (!y10_weights_fetch_quantized (weights, i, program->integers[i],
              program->scale[i], program->bias[i], error)) {
        ref_program_free (program);
        return NULL;
      }
      continue;
    }
    program->weight[i] = g_new (gfloat, size);
    program->weights_size += (size + s->out_channels) * sizeof (gfloat);
    if (!y10_weights_fetch (weights, i, program->weight[i], program->bias[i],
            error)) {
      ref_program_free (program);
      return NULL;
    }
  }
  return program;
}

static Y10Program *
ref_compile_size (Y10Program *base, const Y10Plan *plan, Y10Precision precision,
    GError **error)
{
  Y10Program *program = g_new (Y10Program, 1);

  *program = *base;
  program->plan = plan;
  program->borrowed = TRUE;
  program->weights_size = 0;
  return program;
}

static const char *
ref_impl (Y10Program *program, guint op)
{
  return "plain C";
}

static gsize
ref_weights_size (Y10Program *program)
{
  return program->weights_size;
}

static void
ref_slot_free (Y10Slot *slot)
{
  y10_host_slot_clear (&slot->host);
  free (slot->host.arenas);
  g_free (slot->row);
  g_free (slot->in);
  g_free (slot->out);
  g_free (slot->add);
  g_free (slot);
}

static Y10Slot *
ref_slot_new (Y10Program *program, guint max_batch, guint max_rows,
    GError **error)
{
  const Y10Plan *plan = program->plan;
  const Y10Graph *graph = plan->graph;
  Y10Slot *slot = g_new0 (Y10Slot, 1);
  guint row = 0;

  slot->program = program;
  y10_host_slot_init (&slot->host, plan, max_batch, max_rows);
  for (guint i = 0; i < graph->n_ops; i++) {
    const Y10Tensor *t = &graph->tensors[graph->ops[i].out.tensor];
    row = MAX (row,
        graph->ops[i].kind == Y10_OP_ATTENTION ? t->width * t->height
                                               : t->width);
  }
  slot->host.arena_stride = plan->arena_size;
  if (posix_memalign ((void **) &slot->host.arenas, plan->layout.align,
          MAX (plan->arena_size, 1) * max_batch)) {
    slot->host.arenas = NULL;
    ref_slot_free (slot);
    g_set_error (error, Y10_ERROR, Y10_ERROR_NO_MEMORY,
        "no memory for %u activations of %" G_GSIZE_FORMAT " bytes", max_batch,
        plan->arena_size);
    return NULL;
  }
  memset (slot->host.arenas, 0, plan->arena_size * max_batch);
  slot->row = g_new (gfloat, row);
  if (plan->layout.quantized) {
    gsize most = 0;

    for (guint i = 0; i < graph->n_tensors; i++)
      most = MAX (most,
          (gsize) plan->storage[i].padded_channels * graph->tensors[i].height
              * graph->tensors[i].width);
    slot->in = g_new (gfloat, most);
    slot->out = g_new (gfloat, most);
    slot->add = g_new (gfloat, most);
  }
  return slot;
}

static gboolean
ref_load (Y10Slot *slot, guint i, const Y10Image *image,
    const Y10Letterbox *letterbox, const Y10HeadParams *params, GError **error)
{
  y10_host_slot_set_image (&slot->host, i, letterbox, params);
  y10_ref_preprocess (image, letterbox,
      y10_host_slot_floats (&slot->host, i, slot->program->plan->graph->input));
  return TRUE;
}

static gboolean
is_quantized (const Y10Plan *plan, Y10View view)
{
  return view.n && plan->storage[view.tensor].elem_size == 1;
}

/* The values of @view as floats, at @copy if they are stored in 8 bits. */
static const gfloat *
get_floats (Y10Slot *slot, guint i, Y10View view, gfloat *copy)
{
  const Y10Plan *plan = slot->program->plan;

  if (!view.n)
    return NULL;
  if (!is_quantized (plan, view))
    return y10_host_slot_floats (&slot->host, i, view);
  y10_plan_view_export (plan, view, y10_host_slot_arena (&slot->host, i), copy);
  return copy;
}

/* Integers and their zero points, then what a convolution adds. */
static void
run_integers (Y10Slot *slot, guint i, const Y10Op *op, const gfloat *add,
    gfloat *to)
{
  Y10Program *program = slot->program;
  const Y10Plan *plan = program->plan;
  const Y10Graph *graph = plan->graph;
  const Y10Tensor *in = &graph->tensors[op->in.tensor];
  const Y10Tensor *out = &graph->tensors[op->out.tensor];
  guint channels = y10_graph_view_channels (graph, op->out);
  gsize n = (gsize) channels * out->height * out->width;
  const guint8 *zero;

  y10_graph_view_scale (graph, op->in, &zero);
  y10_ref_conv_int8 (op,
      y10_host_slot_arena (&slot->host, i)
          + y10_plan_view_offset (plan, op->in),
      y10_graph_view_channels (graph, op->in), in->height, in->width, zero,
      program->integers[op->conv], program->scale[op->conv],
      program->bias[op->conv], slot->out, channels, out->height, out->width,
      (gint32 *) slot->row);
  for (gsize j = 0; j < n; j++)
    to[j] = add ? slot->out[j] + add[j] : slot->out[j];
}

static void
run_op (Y10Slot *slot, guint i, const Y10Op *op)
{
  Y10Program *program = slot->program;
  const Y10Graph *graph = program->plan->graph;
  const Y10Tensor *in = &graph->tensors[op->in.tensor];
  const Y10Tensor *out = &graph->tensors[op->out.tensor];
  guint in_channels = y10_graph_view_channels (graph, op->in);
  const gboolean quantized = is_quantized (program->plan, op->out);
  const gfloat *from = get_floats (slot, i, op->in, slot->in);
  const gfloat *add = get_floats (slot, i, op->add, slot->add);
  gfloat *to = quantized ? slot->out
                         : y10_host_slot_floats (&slot->host, i, op->out);

  switch (op->kind) {
    case Y10_OP_CONV:
      if (program->integers[op->conv]) {
        run_integers (slot, i, op, add, to);
        break;
      }
      y10_ref_conv (op, from, in_channels, in->height, in->width,
          program->weight[op->conv], program->bias[op->conv], add, to,
          y10_graph_view_channels (graph, op->out), out->height, out->width,
          slot->row);
      break;
    case Y10_OP_MAXPOOL5:
      y10_ref_maxpool5 (from, to, in_channels, in->height, in->width);
      break;
    case Y10_OP_UPSAMPLE2X:
      y10_ref_upsample2x (from, to, in_channels, in->height, in->width);
      break;
    case Y10_OP_ATTENTION:
      y10_ref_attention (op, from, to, in->height, in->width,
          program->weight[op->conv], program->bias[op->conv], slot->row);
      break;
  }
  if (quantized)
    y10_plan_view_import (program->plan, op->out,
        y10_host_slot_arena (&slot->host, i), to);
}

static void
run_head (Y10Slot *slot, guint i)
{
  Y10TopK topk;

  y10_host_slot_begin_head (&slot->host, i, &topk);
  y10_ref_head_scan (slot->program->plan, y10_host_slot_arena (&slot->host, i),
      &slot->host.images[i].params, &topk);
  y10_host_slot_finish_head (&slot->host, i, &topk);
}

static gboolean
ref_submit (Y10Slot *slot, guint n, guint first, guint end, GError **error)
{
  const Y10Graph *graph = slot->program->plan->graph;
  gint64 start = y10_clock_ns (), middle;

  for (guint i = 0; i < n; i++)
    for (guint k = first; k < end; k++)
      run_op (slot, i, &graph->ops[k]);
  middle = y10_clock_ns ();
  if (end == graph->n_ops)
    for (guint i = 0; i < n; i++)
      run_head (slot, i);
  slot->host.inference = middle - start;
  slot->host.postprocess = y10_clock_ns () - middle;
  return TRUE;
}

const Y10BackendClass y10_backend_ref = {
  .api_version = Y10_BACKEND_API_VERSION,
  .size = sizeof (Y10BackendClass),
  .kind = Y10_BACKEND_REF,
  .name = "ref",
  .memories = Y10_MEMORY_BIT (Y10_MEMORY_HOST),
  .default_slots = 1,
  .host_arenas = TRUE,
  .probe = ref_probe,
  .open = ref_open,
  .close = ref_close,
  .describe = ref_describe,
  .threads = ref_threads,
  .layout = ref_layout,
  .supports = ref_supports,
  .compile = ref_compile,
  .compile_size = ref_compile_size,
  .program_free = ref_program_free,
  .impl = ref_impl,
  .weights_size = ref_weights_size,
  .slot_new = ref_slot_new,
  .slot_free = ref_slot_free,
  .load = ref_load,
  .submit = ref_submit,
  .rows = y10_host_slot_rows,
  .times = y10_host_slot_times,
  .read_tensor = y10_host_slot_read_tensor,
  .write_tensor = y10_host_slot_write_tensor,
  .poison = y10_host_slot_poison,
};
