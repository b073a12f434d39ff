/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The cpu backend: a team of threads that belongs to the engine's device
 * thread walks through the ops together, a barrier after each. Box ops wait
 * for the class scores (boxes.c) unless somebody runs the ops in parts, who
 * may look at what lies between. The team's scratch belongs to the program:
 * one call at a time uses it. */

#include "config.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#if defined (__x86_64__) || defined (__i386__)
#include <cpuid.h>
#include <xmmintrin.h>
#endif

#include "../clock.h"
#include "boxes.h"
#include "dnnl.h"
#include "head.h"
#include "isa.h"
#include "memory.h"
#include "preprocess.h"

#define ALIGN 64
#define ROUND_UP(n, to) (((n) + (to) - 1) / (to) * (to))

struct _Y10Device
{
  guint threads;
  char *name;
  guint saved_csr;
  Y10Dnnl *dnnl;                /* or NULL */
  Y10Team *team;
};

struct _Y10Program
{
  Y10Device *device;
  const Y10Plan *plan;
  const Y10Kernels *kernels;
  Y10CpuOp *ops;
  Y10CpuBoxOps boxes;
  Y10CpuMemory weights;
  Y10CpuMemory scratch;         /* shared, then a part for each thread */
  gsize shared_size, thread_size;
  guint8 *preprocess;           /* scratch, in the above */
};

typedef struct
{
  Y10HeadParams params;
  Y10Letterbox letterbox;
  guint8 *classes;
  Y10Detection *rows;
  Y10Rows result;
  gboolean boxes_missing;       /* computed for the candidates only */
} CpuImage;

struct _Y10Slot
{
  Y10Program *program;
  guint max_batch, max_rows;
  Y10CpuMemory arenas;
  gsize arena_stride;
  Y10Candidate *candidates;
  gfloat *boxes;
  guint8 *keep;
  Y10CpuBoxPixels pixels;
  CpuImage *images;
  gint64 inference, postprocess;
};

static const Y10Kernels *
get_kernels (Y10Precision precision)
{
#if defined (__x86_64__) || defined (__i386__)
  Y10Isa isa = y10_cpu_isa ();

  if (precision == Y10_PRECISION_BF16)
    return isa >= Y10_ISA_AVX512_BF16 ? &y10_kernels_avx512_bf16 : NULL;
  if (isa >= Y10_ISA_AVX512)
    return &y10_kernels_avx512;
  if (isa >= Y10_ISA_AVX2)
    return &y10_kernels_avx2;
  if (isa >= Y10_ISA_SSE41)
    return &y10_kernels_sse41;
#endif
  return precision == Y10_PRECISION_BF16 ? NULL : &y10_kernels_c;
}

static int
cpu_probe (GString *why)
{
  return 10;
}

static guint
count_cores (void)
{
  cpu_set_t set;

  CPU_ZERO (&set);
  if (sched_getaffinity (0, sizeof set, &set) == 0)
    return MAX ((guint) CPU_COUNT (&set), 1);
  return MAX (g_get_num_processors (), 1);
}

static char *
get_cpu_name (void)
{
#if defined (__x86_64__) || defined (__i386__)
  guint r[13] = { 0, };

  if ((guint) __get_cpuid_max (0x80000000, NULL) >= 0x80000004) {
    for (guint i = 0; i < 3; i++)
      __get_cpuid (0x80000002 + i, &r[4 * i], &r[4 * i + 1], &r[4 * i + 2],
          &r[4 * i + 3]);
    return g_strstrip (g_strdup ((const char *) r));
  }
#endif
  return g_strdup ("CPU");
}

/* Denormal numbers cost a hundred times a normal one and mean nothing here.
 * Threads inherit the setting from the one that starts them. */
static void
flush_denormals (Y10Device *device, gboolean restore)
{
#ifdef __SSE__
  if (restore) {
    _mm_setcsr (device->saved_csr);
  } else {
    device->saved_csr = _mm_getcsr ();
    _mm_setcsr (device->saved_csr | 0x8040);
  }
#endif
}

static void
cpu_close (Y10Device *device)
{
  y10_team_free (device->team);
  y10_dnnl_free (device->dnnl);
  flush_denormals (device, TRUE);
  g_free (device->name);
  g_free (device);
}

static Y10Device *
cpu_open (const Y10DeviceConfig *config, GError **error)
{
  Y10Device *device = g_new0 (Y10Device, 1);
  g_autofree char *cpu = get_cpu_name (), *dnnl = NULL;

  device->threads = config->threads ? config->threads : count_cores ();
  flush_denormals (device, FALSE);
  device->dnnl = y10_dnnl_new ();
  device->team = y10_team_new (device->threads, device->dnnl != NULL, error);
  if (!device->team) {
    cpu_close (device);
    return NULL;
  }
  dnnl = y10_dnnl_describe (device->dnnl);
  device->name = g_strdup_printf ("%s, %u thread%s, %s%s%s", cpu,
      device->threads, device->threads == 1 ? "" : "s",
      y10_isa_get_name (y10_cpu_isa ()), dnnl ? ", " : "", dnnl ? dnnl : "");
  return device;
}

static const char *
cpu_describe (Y10Device *device)
{
  return device->name;
}

static guint
cpu_threads (Y10Device *device)
{
  return device->threads;
}

static gboolean
cpu_layout (Y10Device *device, Y10Precision *precision, Y10Layout *layout,
    GError **error)
{
  gboolean bf16 = get_kernels (Y10_PRECISION_BF16) != NULL;
  const Y10Kernels *k;

  if (*precision == Y10_PRECISION_AUTO)
    *precision = bf16 ? Y10_PRECISION_BF16 : Y10_PRECISION_FP32;
  if (*precision != Y10_PRECISION_FP32
      && !(*precision == Y10_PRECISION_BF16 && bf16)) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_UNSUPPORTED,
        "backend cpu has no precision %s on this CPU; it has %s",
        y10_precision_get_name (*precision), bf16 ? "fp32 and bf16" : "fp32");
    return FALSE;
  }
  k = get_kernels (*precision);
  *layout = (Y10Layout) {
    .block = k->block,.elem_size = k->elem,.input_block = 1,
    .input_elem_size = 4,.align = ALIGN,.max_run = 1,
  };
  return TRUE;
}

static gboolean
same_segments (const Y10Graph *graph, Y10View a, Y10View b)
{
  if (a.n != b.n)
    return FALSE;
  for (guint i = 0; i < a.n; i++)
    if (graph->tensors[a.tensor].seg_channels[a.first + i]
        != graph->tensors[b.tensor].seg_channels[b.first + i])
      return FALSE;
  return TRUE;
}

static gboolean
cpu_supports (Y10Device *device, const Y10Graph *graph, const Y10Op *op,
    Y10Precision precision, GString *why)
{
  guint in = y10_graph_view_channels (graph, op->in);

  if (!get_kernels (precision)) {
    g_string_append_printf (why, "no %s on this CPU",
        y10_precision_get_name (precision));
    return FALSE;
  }
  if (op->kind == Y10_OP_CONV && op->groups > 1 && op->groups != in)
    g_string_append_printf (why, "%u groups of several channels", op->groups);
  else if (op->kind == Y10_OP_CONV && op->groups > 1
      && y10_graph_view_channels (graph, op->out) != in)
    g_string_append (why, "several outputs for each channel");
  else if (op->kind == Y10_OP_CONV && (op->stride < 1 || op->stride > 2))
    g_string_append_printf (why, "stride %u", op->stride);
  else if (op->kind == Y10_OP_ATTENTION)
    return TRUE;
  else if ((op->kind != Y10_OP_CONV || op->groups > 1)
      && !same_segments (graph, op->in, op->out))
    g_string_append (why, "input and output are cut differently");
  else if (op->add.n && !same_segments (graph, op->add, op->out))
    g_string_append (why, "what is added is cut differently");
  else
    return TRUE;
  return FALSE;
}

Y10CpuPlane
y10_cpu_plane (const Y10Plan *plan, Y10View v)
{
  const Y10Tensor *t = &plan->graph->tensors[v.tensor];
  const Y10Storage *s = &plan->storage[v.tensor];

  if (!v.n)
    return (Y10CpuPlane) { 0, };
  return (Y10CpuPlane) {
    .offset = y10_plan_view_offset (plan, v),
    .block = (gsize) t->height * t->width * s->block * s->elem_size,
    .n_blocks = y10_plan_view_padded (plan, v) / s->block,
    .height = t->height,.width = t->width,
  };
}

const guint8 *
y10_cpu_patch (const guint8 *block, gsize pixel, guint height, guint width,
    gint y, gint x, guint rows, guint columns, guint8 *copy,
    gsize *row_stride)
{
  gsize left = MIN ((guint) MAX (-x, 0), columns) * pixel;
  gint end = MIN (x + (gint) columns, (gint) width), begin = MAX (x, 0);
  gsize middle = MAX (end - begin, 0) * pixel, right;

  if (y >= 0 && x >= 0 && y + rows <= height && x + columns <= width) {
    *row_stride = width * pixel;
    return block + ((gsize) y * width + x) * pixel;
  }
  *row_stride = columns * pixel;
  right = *row_stride - left - middle;
  for (guint i = 0; i < rows; i++, copy += *row_stride) {
    gint sy = y + (gint) i;

    if (sy < 0 || sy >= (gint) height) {
      memset (copy, 0, *row_stride);
      continue;
    }
    memset (copy, 0, left);
    memcpy (copy + left, block + ((gsize) sy * width + begin) * pixel,
        middle);
    memset (copy + left + middle, 0, right);
  }
  return copy - rows * *row_stride;
}

static void
cpu_program_free (Y10Program *program)
{
  for (guint i = 0; i < program->plan->graph->n_ops; i++)
    y10_dnnl_conv_free (program->ops[i].dnnl);
  y10_cpu_memory_clear (&program->weights);
  y10_cpu_memory_clear (&program->scratch);
  y10_cpu_box_ops_clear (&program->boxes);
  g_free (program->ops);
  g_free (program);
}

static void
compile_op (Y10CpuCompile *c, Y10Program *program, guint i)
{
  const Y10Op *o = &c->plan->graph->ops[i];
  Y10CpuOp *op = &program->ops[i];

  op->op = o;
  op->in = y10_cpu_plane (c->plan, o->in);
  op->out = y10_cpu_plane (c->plan, o->out);
  op->add = y10_cpu_plane (c->plan, o->add);
  op->logits = c->plan->graph->tensors[o->out.tensor].role == Y10_ROLE_LOGITS;
  c->exact = i >= program->boxes.first;
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

static gboolean
pack_weights (const Y10CpuCompile *c, Y10Program *program,
    GCancellable *cancellable, GError **error)
{
  const Y10Graph *graph = c->plan->graph;
  gsize size = 0;

  for (guint i = 0; i < graph->n_ops; i++)
    if (program->ops[i].weight_size)
      size += ROUND_UP (program->ops[i].weight_size, ALIGN)
          + ROUND_UP (program->ops[i].out.n_blocks * c->kernels->block
          * sizeof (gfloat), ALIGN);
  if (!y10_cpu_memory_init (&program->weights, size, error))
    return FALSE;
  size = 0;
  for (guint i = 0; i < graph->n_ops; i++) {
    Y10CpuOp *op = &program->ops[i];
    const Y10ConvShape *s;
    g_autofree gfloat *weight = NULL, *bias = NULL;
    guint8 *packed = program->weights.data + size;
    gfloat *packed_bias;

    if (!op->weight_size)
      continue;
    if (g_cancellable_is_cancelled (cancellable)) {
      g_set_error (error, Y10_ERROR, Y10_ERROR_CANCELLED,
          "compiling was cancelled at \"%s\"", op->op->name);
      return FALSE;
    }
    size += ROUND_UP (op->weight_size, ALIGN);
    packed_bias = (gfloat *) (program->weights.data + size);
    size += ROUND_UP (op->out.n_blocks * c->kernels->block * sizeof (gfloat),
        ALIGN);
    s = y10_weights_get_shape (graph->weights, op->op->conv);
    weight = g_new (gfloat, (gsize) s->out_channels * s->in_channels
        * s->kernel * s->kernel);
    bias = g_new (gfloat, s->out_channels);
    if (!y10_weights_fetch (graph->weights, op->op->conv, weight, bias, error))
      return FALSE;
    op->weight = packed;
    op->bias = packed_bias;
    if (op->dnnl) {
      if (!y10_dnnl_conv_pack (op->dnnl, c, op, weight, bias, packed,
              packed_bias, error))
        return FALSE;
    } else {
      y10_cpu_conv_pack (c, op, weight, bias, packed, packed_bias);
    }
  }
  return TRUE;
}

static Y10Program *
cpu_compile (Y10Device *device, const Y10Plan *plan, Y10Precision precision,
    GCancellable *cancellable, GError **error)
{
  Y10Program *program = g_new0 (Y10Program, 1);
  guint n_ops = plan->graph->n_ops;
  gsize preprocess;
  Y10CpuCompile c = {
    .plan = plan,.kernels = get_kernels (precision),
    .n_threads = device->threads
  };

  program->device = device;
  program->plan = plan;
  program->kernels = c.kernels;
  program->ops = g_new0 (Y10CpuOp, MAX (n_ops, 1));
  y10_cpu_box_ops_find (plan, &program->boxes);
  for (guint i = 0; i < n_ops; i++) {
    Y10CpuOp *op = &program->ops[i];

    compile_op (&c, program, i);
    if (op->op->kind == Y10_OP_CONV)
      y10_dnnl_conv_new (device->dnnl, &c, op);
    program->shared_size = MAX (program->shared_size, op->shared_size);
    program->thread_size = MAX (program->thread_size, op->scratch_size);
  }
  program->shared_size = ROUND_UP (program->shared_size, 4096);
  program->thread_size = ROUND_UP (program->thread_size, 4096);
  preprocess = y10_cpu_preprocess_scratch (plan->graph->width,
      device->threads);
  if (!pack_weights (&c, program, cancellable, error)
      || !y10_cpu_memory_init (&program->scratch, program->shared_size
          + program->thread_size * device->threads + preprocess, error))
    goto fail;
  program->preprocess = program->scratch.data + program->shared_size
      + program->thread_size * device->threads;
  return program;

fail:
  cpu_program_free (program);
  return NULL;
}

static const char *
cpu_impl (Y10Program *program, guint op)
{
  return program->ops[op].impl;
}

static gsize
cpu_weights_size (Y10Program *program)
{
  return program->weights.size;
}

static void
cpu_slot_free (Y10Slot *slot)
{
  for (guint i = 0; i < slot->max_batch; i++) {
    g_free (slot->images[i].classes);
    g_free (slot->images[i].rows);
  }
  g_free (slot->images);
  y10_cpu_memory_clear (&slot->arenas);
  y10_cpu_box_pixels_clear (&slot->program->boxes, &slot->pixels);
  g_free (slot->candidates);
  g_free (slot->boxes);
  g_free (slot->keep);
  g_free (slot);
}

static Y10Slot *
cpu_slot_new (Y10Program *program, guint max_batch, guint max_rows,
    GError **error)
{
  const Y10Plan *plan = program->plan;
  guint capacity = y10_head_capacity (plan->graph, max_rows);
  Y10Slot *slot = g_new0 (Y10Slot, 1);

  slot->program = program;
  slot->max_batch = max_batch;
  slot->max_rows = max_rows;
  slot->images = g_new0 (CpuImage, max_batch);
  for (guint i = 0; i < max_batch; i++) {
    slot->images[i].classes = g_new0 (guint8, plan->graph->n_classes);
    slot->images[i].rows = g_new0 (Y10Detection, max_rows);
  }
  slot->candidates = g_new (Y10Candidate, capacity);
  slot->boxes = g_new (gfloat, y10_head_n_floats (plan->graph, capacity));
  slot->keep = g_new (guint8, capacity);
  y10_cpu_box_pixels_init (&program->boxes, program->ops, &slot->pixels);
  slot->arena_stride = ROUND_UP (plan->arena_size, 4096);
  if (!y10_cpu_memory_init (&slot->arenas, slot->arena_stride * max_batch,
          error)) {
    cpu_slot_free (slot);
    return NULL;
  }
  return slot;
}

static guint8 *
arena (Y10Slot *slot, guint i)
{
  return slot->arenas.data + i * slot->arena_stride;
}

static gboolean
cpu_load (Y10Slot *slot, guint i, const Y10Image *image,
    const Y10Letterbox *letterbox, const Y10HeadParams *params,
    GError **error)
{
  Y10Program *program = slot->program;
  const Y10Graph *graph = program->plan->graph;
  CpuImage *c = &slot->images[i];

  c->params = *params;
  c->letterbox = *letterbox;
  if (params->classes) {
    memcpy (c->classes, params->classes, graph->n_classes);
    c->params.classes = c->classes;
  }
  y10_cpu_preprocess (image, letterbox, program->device->team,
      program->preprocess, (gfloat *) (arena (slot, i)
          + y10_plan_view_offset (program->plan, graph->input)));
  return TRUE;
}

/* A walk through our own ops [first, end). */
typedef struct
{
  Y10Slot *slot;
  guint image, first, end;
  gboolean lazy;                /* box ops, for the candidates only */
} Walk;

static void
walk (gpointer data, guint thread, guint n_threads)
{
  const Walk *w = data;
  Y10Program *program = w->slot->program;
  Y10CpuTask task = {
    .kernels = program->kernels,.team = program->device->team,
    .arena = arena (w->slot, w->image),.shared = program->scratch.data,
    .scratch = program->scratch.data + program->shared_size
        + thread * program->thread_size,
    .thread = thread,.n_threads = n_threads,
  };

  for (guint k = w->first; k < w->end; k++) {
    if (w->lazy)
      y10_cpu_box_op_run (&program->boxes, program->ops, &w->slot->pixels,
          k - program->boxes.first, &task);
    else
      program->ops[k].run (&program->ops[k], &task);
    if (k + 1 < w->end)
      y10_team_barrier (task.team);
  }
}

static gboolean
run_ops (Y10Slot *slot, guint i, guint first, guint end, gboolean lazy,
    GError **error)
{
  Y10Program *program = slot->program;

  while (first < end) {
    guint stop = first;

    while (stop < end && (lazy || !program->ops[stop].dnnl))
      stop++;
    if (stop > first) {
      Walk w = { slot, i, first, stop, lazy };

      y10_team_run (program->device->team, walk, &w);
      first = stop;
    } else {
      if (!y10_dnnl_conv_run (program->ops[first].dnnl, arena (slot, i), error))
        return FALSE;
      first++;
    }
  }
  return TRUE;
}

typedef struct
{
  const Y10Plan *plan;
  const guint8 *arena;
} Gather;

static void
gather (gpointer user, guint32 anchor, gfloat *logits)
{
  Gather *g = user;

  y10_cpu_head_gather (g->plan, g->arena, anchor, logits);
}

static gboolean
run_image (Y10Slot *slot, guint i, guint first, guint end, GError **error)
{
  Y10Program *program = slot->program;
  const Y10Plan *plan = program->plan;
  CpuImage *c = &slot->images[i];
  Gather g = { plan, arena (slot, i) };
  gboolean lazy = first == 0 && end == plan->graph->n_ops && program->boxes.n;
  guint stop = lazy ? program->boxes.first : end;
  gint64 time[4];
  Y10TopK topk;

  c->boxes_missing = lazy;
  time[0] = y10_clock_ns ();
  if (!run_ops (slot, i, first, stop, FALSE, error))
    return FALSE;
  time[1] = time[2] = time[3] = y10_clock_ns ();
  if (end == plan->graph->n_ops) {
    y10_topk_init (&topk, slot->candidates,
        y10_head_capacity (plan->graph, slot->max_rows),
        y10_head_logit_floor (c->params.confidence));
    y10_cpu_head_scan (plan, program->kernels, g.arena, &c->params, &topk);
    time[2] = time[3] = y10_clock_ns ();
    if (lazy) {
      y10_cpu_box_pixels_set (&program->boxes, program->ops, topk.heap,
          topk.n, &slot->pixels);
      if (!run_ops (slot, i, stop, end, TRUE, error))
        return FALSE;
      time[3] = y10_clock_ns ();
    }
    c->result.n = y10_head_finish (plan->graph, &topk, &c->params,
        &c->letterbox, gather, &g, slot->boxes, slot->keep, c->rows);
    c->result.rows = c->rows;
  }
  slot->inference += time[1] - time[0] + time[3] - time[2];
  slot->postprocess += time[2] - time[1] + y10_clock_ns () - time[3];
  return TRUE;
}

static gboolean
cpu_submit (Y10Slot *slot, guint n, guint first, guint end, GError **error)
{
  slot->inference = slot->postprocess = 0;
  for (guint i = 0; i < n; i++)
    if (!run_image (slot, i, first, end, error))
      return FALSE;
  return TRUE;
}

static const Y10Rows *
cpu_rows (Y10Slot *slot, guint i)
{
  return &slot->images[i].result;
}

static void
cpu_times (Y10Slot *slot, gint64 *inference, gint64 *postprocess)
{
  *inference = slot->inference;
  *postprocess = slot->postprocess;
}

/* Computes the boxes that nobody had needed, if @view is of a box op. */
static gboolean
complete_boxes (Y10Slot *slot, guint i, Y10View view, GError **error)
{
  Y10Program *program = slot->program;
  const Y10Graph *graph = program->plan->graph;
  guint k = program->boxes.first;

  while (k < graph->n_ops && graph->ops[k].out.tensor != view.tensor)
    k++;
  if (!slot->images[i].boxes_missing || k == graph->n_ops)
    return TRUE;
  slot->images[i].boxes_missing = FALSE;
  return run_ops (slot, i, program->boxes.first, graph->n_ops, FALSE, error);
}

static gboolean
cpu_peek (Y10Slot *slot, guint i, Y10View view, gfloat *nchw, GError **error)
{
  if (!complete_boxes (slot, i, view, error))
    return FALSE;
  y10_plan_view_export (slot->program->plan, view, arena (slot, i), nchw);
  return TRUE;
}

/* Padding must be zero, whatever was there. */
static gboolean
cpu_poke (Y10Slot *slot, guint i, Y10View view, const gfloat *nchw,
    GError **error)
{
  Y10CpuPlane p = y10_cpu_plane (slot->program->plan, view);

  memset (arena (slot, i) + p.offset, 0, p.n_blocks * p.block);
  y10_plan_view_import (slot->program->plan, view, arena (slot, i), nchw);
  return TRUE;
}

static void
cpu_poison (Y10Slot *slot)
{
  memset (slot->arenas.data, 0xff, slot->arenas.size);
  for (guint i = 0; i < slot->max_batch; i++)
    memset (slot->images[i].rows, 0xff, slot->max_rows
        * sizeof (Y10Detection));
}

const Y10BackendClass y10_backend_cpu = {
  .api_version = Y10_BACKEND_API_VERSION,
  .size = sizeof (Y10BackendClass),
  .kind = Y10_BACKEND_CPU,
  .name = "cpu",
  .probe = cpu_probe,
  .open = cpu_open,
  .close = cpu_close,
  .describe = cpu_describe,
  .threads = cpu_threads,
  .layout = cpu_layout,
  .supports = cpu_supports,
  .compile = cpu_compile,
  .program_free = cpu_program_free,
  .impl = cpu_impl,
  .weights_size = cpu_weights_size,
  .slot_new = cpu_slot_new,
  .slot_free = cpu_slot_free,
  .load = cpu_load,
  .submit = cpu_submit,
  .rows = cpu_rows,
  .times = cpu_times,
  .peek = cpu_peek,
  .poke = cpu_poke,
  .poison = cpu_poison,
};
