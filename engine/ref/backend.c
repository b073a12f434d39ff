/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The reference backend: one thread, planar floats, no optimizations. It
 * runs the whole network, so that other backends can be compared layer by
 * layer, and runs on every machine. */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/backend.h"
#include "base/clock.h"
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
  gfloat **weight, **bias;      /* one per convolution */
  gsize weights_size;
};

typedef struct
{
  Y10HeadParams params;
  Y10Letterbox letterbox;
  guint8 *classes;
  Y10Detection *rows;
  Y10Rows result;
} RefImage;

struct _Y10Slot
{
  Y10Program *program;
  guint max_batch, max_rows;
  guint8 *arenas;               /* one per image, consecutive */
  gfloat *row;                  /* scratch memory: a row, or scores of attention */
  Y10Candidate *candidates;
  gfloat *boxes;
  guint8 *keep;
  RefImage *images;
  gint64 inference, postprocess;
};

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
  if (*precision != Y10_PRECISION_AUTO && *precision != Y10_PRECISION_FP32) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_UNSUPPORTED,
        "backend ref does not support precision %s; expected fp32",
        y10_precision_get_name (*precision));
    return FALSE;
  }
  *precision = Y10_PRECISION_FP32;
  *layout = (Y10Layout) {
    .block = 1,.elem_size = 4,.input_block = 1,.input_elem_size = 4,
    .align = 64,.max_run = 1,
  };
  return TRUE;
}

static gboolean
ref_supports (Y10Device *device, const Y10Graph *graph, const Y10Op *op,
    Y10Precision precision, GString *why)
{
  return precision == Y10_PRECISION_FP32;
}

static void
ref_program_free (Y10Program *program)
{
  guint n = y10_weights_get_n (program->plan->graph->weights);

  for (guint i = 0; i < n; i++) {
    g_free (program->weight[i]);
    g_free (program->bias[i]);
  }
  g_free (program->weight);
  g_free (program->bias);
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
  for (guint i = 0; i < n; i++) {
    const Y10ConvShape *s = y10_weights_get_shape (weights, i);
    gsize size = (gsize) s->out_channels * s->in_channels * s->kernel
        * s->kernel;

    program->weight[i] = g_new (gfloat, size);
    program->bias[i] = g_new (gfloat, s->out_channels);
    program->weights_size += (size + s->out_channels) * sizeof (gfloat);
    if (!y10_weights_fetch (weights, i, program->weight[i],
            program->bias[i], error)) {
      ref_program_free (program);
      return NULL;
    }
  }
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
  for (guint i = 0; i < slot->max_batch; i++) {
    g_free (slot->images[i].classes);
    g_free (slot->images[i].rows);
  }
  g_free (slot->images);
  free (slot->arenas);
  g_free (slot->row);
  g_free (slot->candidates);
  g_free (slot->boxes);
  g_free (slot->keep);
  g_free (slot);
}

static Y10Slot *
ref_slot_new (Y10Program *program, guint max_batch, guint max_rows,
    GError **error)
{
  const Y10Plan *plan = program->plan;
  const Y10Graph *graph = plan->graph;
  guint capacity = y10_head_capacity (graph, max_rows), row = 0;
  Y10Slot *slot = g_new0 (Y10Slot, 1);

  slot->program = program;
  slot->max_batch = max_batch;
  slot->max_rows = max_rows;
  slot->images = g_new0 (RefImage, max_batch);
  for (guint i = 0; i < graph->n_ops; i++) {
    const Y10Tensor *t = &graph->tensors[graph->ops[i].out.tensor];
    row = MAX (row, graph->ops[i].kind == Y10_OP_ATTENTION
        ? t->width * t->height : t->width);
  }
  if (posix_memalign ((void **) &slot->arenas, plan->layout.align,
          MAX (plan->arena_size, 1) * max_batch)) {
    slot->arenas = NULL;
    ref_slot_free (slot);
    g_set_error (error, Y10_ERROR, Y10_ERROR_NO_MEMORY,
        "no memory for %u activations of %" G_GSIZE_FORMAT " bytes",
        max_batch, plan->arena_size);
    return NULL;
  }
  memset (slot->arenas, 0, plan->arena_size * max_batch);
  slot->row = g_new (gfloat, row);
  slot->candidates = g_new (Y10Candidate, capacity);
  slot->boxes = g_new (gfloat, y10_head_n_floats (graph, capacity));
  slot->keep = g_new (guint8, capacity);
  for (guint i = 0; i < max_batch; i++) {
    slot->images[i].classes = g_new0 (guint8, graph->n_classes);
    slot->images[i].rows = g_new0 (Y10Detection, max_rows);
  }
  return slot;
}

static guint8 *
arena (Y10Slot *slot, guint i)
{
  return slot->arenas + i * slot->program->plan->arena_size;
}

static gfloat *
floats (Y10Slot *slot, guint i, Y10View v)
{
  return (gfloat *) (arena (slot, i)
      + y10_plan_view_offset (slot->program->plan, v));
}

static gboolean
ref_load (Y10Slot *slot, guint i, const Y10Image *image,
    const Y10Letterbox *letterbox, const Y10HeadParams *params,
    GError **error)
{
  const Y10Graph *graph = slot->program->plan->graph;
  RefImage *r = &slot->images[i];

  r->params = *params;
  r->letterbox = *letterbox;
  if (params->classes) {
    memcpy (r->classes, params->classes, graph->n_classes);
    r->params.classes = r->classes;
  }
  y10_ref_preprocess (image, letterbox, floats (slot, i, graph->input));
  return TRUE;
}

static void
run_op (Y10Slot *slot, guint i, const Y10Op *op)
{
  Y10Program *program = slot->program;
  const Y10Graph *graph = program->plan->graph;
  const Y10Tensor *in = &graph->tensors[op->in.tensor];
  const Y10Tensor *out = &graph->tensors[op->out.tensor];
  guint in_channels = y10_graph_view_channels (graph, op->in);

  switch (op->kind) {
    case Y10_OP_CONV:
      y10_ref_conv (op, floats (slot, i, op->in), in_channels, in->height,
          in->width, program->weight[op->conv], program->bias[op->conv],
          op->add.n ? floats (slot, i, op->add) : NULL,
          floats (slot, i, op->out), y10_graph_view_channels (graph, op->out),
          out->height, out->width, slot->row);
      break;
    case Y10_OP_MAXPOOL5:
      y10_ref_maxpool5 (floats (slot, i, op->in), floats (slot, i, op->out),
          in_channels, in->height, in->width);
      break;
    case Y10_OP_UPSAMPLE2X:
      y10_ref_upsample2x (floats (slot, i, op->in), floats (slot, i, op->out),
          in_channels, in->height, in->width);
      break;
    case Y10_OP_ATTENTION:
      y10_ref_attention (op, floats (slot, i, op->in),
          floats (slot, i, op->out), in->height, in->width,
          program->weight[op->conv], program->bias[op->conv], slot->row);
      break;
  }
}

static void
run_head (Y10Slot *slot, guint i)
{
  const Y10Plan *plan = slot->program->plan;
  RefImage *r = &slot->images[i];
  const guint8 *data = arena (slot, i);
  Y10TopK topk;

  y10_topk_init (&topk, slot->candidates,
      y10_head_capacity (plan->graph, slot->max_rows),
      y10_head_logit_floor (r->params.confidence));
  y10_ref_head_scan (plan, data, &r->params, &topk);
  r->result.n = y10_head_finish (plan, data, &topk, &r->params, &r->letterbox,
      slot->boxes, slot->keep, r->rows);
  r->result.rows = r->rows;
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
  slot->inference = middle - start;
  slot->postprocess = y10_clock_ns () - middle;
  return TRUE;
}

static const Y10Rows *
ref_rows (Y10Slot *slot, guint i)
{
  return &slot->images[i].result;
}

static void
ref_times (Y10Slot *slot, gint64 *inference, gint64 *postprocess)
{
  *inference = slot->inference;
  *postprocess = slot->postprocess;
}

static gboolean
ref_read_tensor (Y10Slot *slot, guint i, Y10View view, gfloat *nchw, GError **error)
{
  y10_plan_view_export (slot->program->plan, view, arena (slot, i), nchw);
  return TRUE;
}

static gboolean
ref_write_tensor (Y10Slot *slot, guint i, Y10View view, const gfloat *nchw,
    GError **error)
{
  y10_plan_view_import (slot->program->plan, view, arena (slot, i), nchw);
  return TRUE;
}

static void
ref_poison (Y10Slot *slot)
{
  memset (slot->arenas, 0xff, slot->program->plan->arena_size
      * slot->max_batch);
  for (guint i = 0; i < slot->max_batch; i++)
    memset (slot->images[i].rows, 0xff, slot->max_rows
        * sizeof (Y10Detection));
}

const Y10BackendClass y10_backend_ref = {
  .api_version = Y10_BACKEND_API_VERSION,
  .size = sizeof (Y10BackendClass),
  .kind = Y10_BACKEND_REF,
  .name = "ref",
  .probe = ref_probe,
  .open = ref_open,
  .close = ref_close,
  .describe = ref_describe,
  .threads = ref_threads,
  .layout = ref_layout,
  .supports = ref_supports,
  .compile = ref_compile,
  .program_free = ref_program_free,
  .impl = ref_impl,
  .weights_size = ref_weights_size,
  .slot_new = ref_slot_new,
  .slot_free = ref_slot_free,
  .load = ref_load,
  .submit = ref_submit,
  .rows = ref_rows,
  .times = ref_times,
  .read_tensor = ref_read_tensor,
  .write_tensor = ref_write_tensor,
  .poison = ref_poison,
};
