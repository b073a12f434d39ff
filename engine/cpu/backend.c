/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The cpu backend. The threads of the device's thread pool together run one op
 * after the other. Box ops wait for the class scores (boxes.c), except when the
 * ops are run in parts, because the caller may then read tensors in between.
 * The threads' scratch memory belongs to the program, so it computes only one
 * image at a time. */

#include "config.h"

#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#include <xmmintrin.h>
#endif

#include "base/clock.h"
#include "base/cpus.h"
#include "core/host-slot.h"
#include "cpu/head.h"
#include "cpu/kernels/isa.h"
#include "cpu/program.h"

struct _Y10Slot
{
  Y10HostSlot host;
  Y10Program *program;
  Y10CpuMemory arenas;
  Y10CpuBoxPixels pixels;
  gboolean *boxes_missing; /* of each image: boxes are computed at the
                                 * candidates only */
};

G_STATIC_ASSERT (G_STRUCT_OFFSET (struct _Y10Slot, host) == 0);

static int
cpu_probe (GString *why)
{
  y10_cpu_isa_describe_build (why);
  return 10; /* above ref */
}

static char *
get_cpu_name (void)
{
#if defined(__x86_64__) || defined(__i386__)
  guint r[13] = {
    0,
  };

  if ((guint) __get_cpuid_max (0x80000000, NULL) >= 0x80000004) {
    for (guint i = 0; i < 3; i++)
      __get_cpuid (0x80000002 + i, &r[4 * i], &r[4 * i + 1], &r[4 * i + 2],
          &r[4 * i + 3]);
    return g_strstrip (g_strdup ((const char *) r));
  }
#endif
  return g_strdup ("CPU");
}

/* Operations on denormals take a hundred times longer and gain no accuracy
 * here. New threads inherit the setting from their creator. */
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
#elif defined(__aarch64__)
  guint64 fpcr;

  if (restore) {
    fpcr = device->saved_csr;
  } else {
    __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
    device->saved_csr = (guint) fpcr;
    fpcr |= 1 << 24; /* FZ */
  }
  __asm__ volatile("msr fpcr, %0" ::"r"(fpcr));
#endif
}

static void
cpu_close (Y10Device *device)
{
  y10_threadpool_free (device->pool);
  flush_denormals (device, TRUE);
  g_free (device->name);
  g_free (device);
}

static Y10Device *
cpu_open (const Y10DeviceConfig *config, GError **error)
{
  Y10Device *device = g_new0 (Y10Device, 1);
  g_autofree char *cpu = get_cpu_name ();

  device->threads = config->threads ? config->threads : y10_cpus_granted ("");
  flush_denormals (device, FALSE);
  device->pool = y10_threadpool_new (device->threads, error);
  if (!device->pool) {
    cpu_close (device);
    return NULL;
  }
  device->name = g_strdup_printf ("%s, %u thread%s, %s, kernels %u", cpu,
      device->threads, device->threads == 1 ? "" : "s",
      y10_isa_get_name (y10_cpu_isa ()), Y10_KERNELS_VERSION);
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
  gboolean bf16 = y10_cpu_kernels (Y10_PRECISION_BF16) != NULL;
  const Y10Kernels *k;

  if (*precision == Y10_PRECISION_AUTO)
    *precision = y10_cpu_is_bf16_faster () ? Y10_PRECISION_BF16
                                           : Y10_PRECISION_FP32;
  if (*precision != Y10_PRECISION_FP32 && *precision != Y10_PRECISION_INT8
      && !(*precision == Y10_PRECISION_BF16 && bf16)) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_UNSUPPORTED,
        "backend cpu does not support precision %s on this CPU; expected fp32, "
        "%sor int8",
        y10_precision_get_name (*precision), bf16 ? "bf16 " : "");
    return FALSE;
  }
  k = y10_cpu_kernels (*precision);
  *layout = (Y10Layout){
    .block = k->block,
    .elem_size = k->elem,
    .input_block = 1,
    .input_elem_size = 4,
    .align = Y10_CPU_ALIGN,
    .max_run = 1,
    .quantized = *precision == Y10_PRECISION_INT8,
  };
  return TRUE;
}

static gboolean
cpu_prefers_int8 (Y10Device *device)
{
  return y10_cpu_is_int8_faster ();
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

  if (!y10_cpu_kernels (precision)) {
    g_string_append_printf (why, "this CPU does not support precision %s",
        y10_precision_get_name (precision));
    return FALSE;
  }
  if (op->kind == Y10_OP_CONV && op->groups > 1 && op->groups != in)
    g_string_append_printf (why,
        "%u groups of %u channels; expected 1 channel each", op->groups,
        in / op->groups);
  else if (op->kind == Y10_OP_CONV && op->groups > 1
      && y10_graph_view_channels (graph, op->out) != in)
    g_string_append (why, "several outputs per channel; expected 1");
  else if (op->kind == Y10_OP_CONV && (op->stride < 1 || op->stride > 2))
    g_string_append_printf (why, "stride %u; expected 1 or 2", op->stride);
  else if (op->kind == Y10_OP_ATTENTION)
    return TRUE;
  else if ((op->kind != Y10_OP_CONV || op->groups > 1)
      && !same_segments (graph, op->in, op->out))
    g_string_append (why, "input and output have different segments");
  else if (op->add.n && !same_segments (graph, op->add, op->out))
    g_string_append (why, "residual and output have different segments");
  else
    return TRUE;
  return FALSE;
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
  y10_host_slot_clear (&slot->host);
  y10_cpu_memory_clear (&slot->arenas);
  y10_cpu_box_pixels_clear (&slot->program->boxes, &slot->pixels);
  g_free (slot->boxes_missing);
  g_free (slot);
}

static Y10Slot *
cpu_slot_new (Y10Program *program, guint max_batch, guint max_rows,
    GError **error)
{
  const Y10Plan *plan = program->plan;
  Y10Slot *slot = g_new0 (Y10Slot, 1);

  slot->program = program;
  y10_host_slot_init (&slot->host, plan, max_batch, max_rows);
  slot->boxes_missing = g_new0 (gboolean, max_batch);
  y10_cpu_box_pixels_init (&program->boxes, program->ops, &slot->pixels);
  slot->host.arena_stride = Y10_CPU_ROUND_UP (plan->arena_size, 4096);
  if (!y10_cpu_memory_init (&slot->arenas, "activations",
          slot->host.arena_stride * max_batch, error)) {
    cpu_slot_free (slot);
    return NULL;
  }
  slot->host.arenas = slot->arenas.data;
  return slot;
}

static gboolean
cpu_load (Y10Slot *slot, guint i, const Y10Image *image,
    const Y10Letterbox *letterbox, const Y10HeadParams *params, GError **error)
{
  Y10Program *program = slot->program;

  y10_host_slot_set_image (&slot->host, i, letterbox, params);
  y10_cpu_preprocess (image, letterbox, program->device->pool,
      program->preprocess,
      y10_host_slot_floats (&slot->host, i, program->plan->graph->input));
  return TRUE;
}

/* A job of the thread pool: phases of ops, from @first on, on one image; or box
 * ops, each of one phase, at the candidates only. */
typedef struct
{
  Y10Slot *slot;
  guint image, first;
  guint first_op, end_op; /* whose phases these are, if not lazy */
  gboolean lazy;
} Phases;

/* The op of phase @p, or what replaces it. */
static const Y10CpuOp *
get_op (const Phases *w, guint p)
{
  const Y10Program *program = w->slot->program;
  const Y10CpuOp *op = &program->ops[program->phase_op[p]];

  return op->joint && op->joint_first >= w->first_op
          && op->joint_first + 1 < w->end_op
      ? op->joint
      : op;
}

static guint
count_chunks (gpointer data, guint stage)
{
  const Phases *w = data;
  const Y10Program *program = w->slot->program;
  guint p = w->first + stage;

  if (w->lazy)
    return y10_cpu_box_op_chunks (&program->boxes, program->ops,
        &w->slot->pixels, stage, program->kernels, program->device->threads);
  return get_op (w, p)
      ->phase[p - program->first_phase[program->phase_op[p]]]
      .n_chunks;
}

static void
run_chunk (gpointer data, guint stage, guint chunk, guint thread)
{
  const Phases *w = data;
  const Y10Program *program = w->slot->program;
  guint p = w->first + stage;
  const Y10CpuOp *op = w->lazy ? &program->ops[program->boxes.first + stage]
                               : get_op (w, p);
  const Y10Kernels *kernels = op->kernels;
  Y10CpuTask task = {
    .kernels = kernels,
    .arena = y10_host_slot_arena (&w->slot->host, w->image),
    .shared = program->scratch.data,
    .scratch = program->scratch.data + program->shared_size
        + thread * program->thread_size,
  };

  if (kernels->begin)
    kernels->begin ();
  if (w->lazy) {
    y10_cpu_box_op_run (&program->boxes, program->ops, &w->slot->pixels, stage,
        &task, chunk, count_chunks (data, stage));
  } else {
    const Y10CpuPhase *phase =
        &op->phase[p - program->first_phase[program->phase_op[p]]];

    phase->run (op, &task, chunk, phase->n_chunks);
  }
  if (kernels->end)
    kernels->end ();
}

static const Y10ThreadPoolJob phases_job = { count_chunks, run_chunk };

static void
run_ops (Y10Slot *slot, guint i, guint first, guint end)
{
  const Y10Program *program = slot->program;
  Phases w = { slot, i, program->first_phase[first], first, end, FALSE };

  y10_threadpool_run (program->device->pool, &phases_job,
      program->first_phase[end] - w.first, &w);
}

static void
run_boxes (Y10Slot *slot, guint i)
{
  Phases w = { slot, i, 0, 0, 0, TRUE };

  y10_threadpool_run (slot->program->device->pool, &phases_job,
      slot->program->boxes.n, &w);
}

static void
run_image (Y10Slot *slot, guint i, guint first, guint end)
{
  Y10Program *program = slot->program;
  const Y10Plan *plan = program->plan;
  Y10HostSlot *host = &slot->host;
  gboolean lazy = first == 0 && end == plan->graph->n_ops && program->boxes.n;
  guint stop = lazy ? program->boxes.first : end;
  gint64 time[4];
  Y10TopK topk;

  slot->boxes_missing[i] = lazy;
  time[0] = y10_clock_ns ();
  run_ops (slot, i, first, stop);
  time[1] = time[2] = time[3] = y10_clock_ns ();
  if (end == plan->graph->n_ops) {
    y10_host_slot_begin_head (host, i, &topk);
    y10_cpu_head_scan (plan, program->kernels, y10_host_slot_arena (host, i),
        &host->images[i].params, &topk);
    time[2] = time[3] = y10_clock_ns ();
    if (lazy) {
      y10_cpu_box_pixels_set (&program->boxes, program->ops, topk.heap, topk.n,
          &slot->pixels);
      run_boxes (slot, i);
      time[3] = y10_clock_ns ();
    }
    y10_host_slot_finish_head (host, i, &topk);
  }
  host->inference += time[1] - time[0] + time[3] - time[2];
  host->postprocess += time[2] - time[1] + y10_clock_ns () - time[3];
}

static gboolean
cpu_submit (Y10Slot *slot, guint n, guint first, guint end, GError **error)
{
  slot->host.inference = slot->host.postprocess = 0;
  for (guint i = 0; i < n; i++)
    run_image (slot, i, first, end);
  return TRUE;
}

/* Computes all boxes if @view is the output of a box op and some were
 * skipped. */
static void
complete_boxes (Y10Slot *slot, guint i, Y10View view)
{
  Y10Program *program = slot->program;
  const Y10Graph *graph = program->plan->graph;
  guint k = program->boxes.first;

  while (k < graph->n_ops && graph->ops[k].out.tensor != view.tensor)
    k++;
  if (!slot->boxes_missing[i] || k == graph->n_ops)
    return;
  slot->boxes_missing[i] = FALSE;
  run_ops (slot, i, program->boxes.first, graph->n_ops);
}

static gboolean
cpu_read_tensor (Y10Slot *slot, guint i, Y10View view, gfloat *nchw,
    GError **error)
{
  complete_boxes (slot, i, view);
  return y10_host_slot_read_tensor (slot, i, view, nchw, error);
}

/* Padding must be zero, whatever the arena contained. */
static gboolean
cpu_write_tensor (Y10Slot *slot, guint i, Y10View view, const gfloat *nchw,
    GError **error)
{
  Y10CpuPlane p = y10_cpu_plane (slot->program->plan, view);

  memset (y10_host_slot_arena (&slot->host, i) + p.offset, 0,
      p.n_blocks * p.block);
  return y10_host_slot_write_tensor (slot, i, view, nchw, error);
}

const Y10BackendClass y10_backend_cpu = {
  .api_version = Y10_BACKEND_API_VERSION,
  .size = sizeof (Y10BackendClass),
  .kind = Y10_BACKEND_CPU,
  .name = "cpu",
  .memories = Y10_MEMORY_BIT (Y10_MEMORY_HOST),
  .default_slots = 1,
  .host_arenas = TRUE,
  .probe = cpu_probe,
  .open = cpu_open,
  .close = cpu_close,
  .describe = cpu_describe,
  .threads = cpu_threads,
  .layout = cpu_layout,
  .prefers_int8 = cpu_prefers_int8,
  .supports = cpu_supports,
  .compile = y10_cpu_compile,
  .compile_size = y10_cpu_compile_size,
  .program_free = y10_cpu_program_free,
  .impl = cpu_impl,
  .weights_size = cpu_weights_size,
  .slot_new = cpu_slot_new,
  .slot_free = cpu_slot_free,
  .load = cpu_load,
  .submit = cpu_submit,
  .rows = y10_host_slot_rows,
  .times = y10_host_slot_times,
  .read_tensor = cpu_read_tensor,
  .write_tensor = cpu_write_tensor,
  .poison = y10_host_slot_poison,
};
