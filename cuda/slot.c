/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A slot: a stream, further ones for the lanes of its graphs, the arena of its
 * activations, the parameters and the rows of each image, and a captured graph for
 * each batch size. A graph writes to the same addresses at each launch. Only the
 * slot uses them, and its step ends before the next begins, so no step overwrites
 * another's rows.
 *
 * Slots for several input sizes, of which one at a time has a step, share the stream and
 * the pictures' memory: what a picture is staged in does not depend on the size, which is
 * known later, and what one of them queues runs before what the next does.
 *
 * Pictures are read outside the graph, since their addresses change. Parameters that
 * changed are copied from pinned memory to the device before; the head writes rows to
 * pinned memory, where they can be read after the step's last event. Another event
 * marks the end of reading the pictures. */

#include "config.h"

#include <string.h>

#include "base/clock.h"
#include "capture.h"
#include "core/head.h"
#include "slot.h"
#include "takeover.h"

/* Waking a thread takes about this long: a timer that is up to 50 us late, and
 * the scheduler; ns. */
#define WAKE_TIME 80000
#define SPIN_TIME 50000 /* ns */

G_STATIC_ASSERT (sizeof (Y10KRow) == sizeof (Y10Detection));

/* Where things lie in pinned memory; what is copied to the device comes first. */
static void
lay_out_pinned (Y10Slot *slot)
{
  const Y10Graph *graph = slot->program->plan->graph;
  gsize n = slot->max_batch;

  slot->classes_at = n * sizeof (Y10KHeadParams);
  slot->counts_at = (slot->classes_at + n * graph->n_classes + 255)
      & ~(gsize) 255;
  slot->rows_at = slot->counts_at + ((n * sizeof (guint) + 255) & ~(gsize) 255);
  slot->pinned_size = slot->rows_at + n * slot->max_rows * sizeof (Y10KRow);
}

static void
init_head (Y10Slot *slot, CUdeviceptr scratch)
{
  const Y10Program *program = slot->program;
  const Y10Graph *graph = program->plan->graph;
  Y10KHead *h = &slot->head;
  guint anchor = 0;

  for (guint i = 0; i < graph->n_levels; i++) {
    Y10KView cls = y10_cuda_view (program->plan, &slot->memory, graph->cls[i]);
    Y10KView box = y10_cuda_view (program->plan, &slot->memory, graph->box[i]);

    h->level[i] = (Y10KLevel){
      .cls = cls.data,
      .box = box.data,
      .cls_pixel = cls.pixel,
      .box_pixel = box.pixel,
      .cls_image = cls.image,
      .box_image = box.image,
      .height = cls.height,
      .width = cls.width,
      .stride = graph->stride[i],
      .first_anchor = anchor,
    };
    anchor += cls.height * cls.width;
  }
  h->n_levels = (int) graph->n_levels;
  h->n_anchors = graph->n_anchors;
  h->n_classes = graph->n_classes;
  h->n_bins = graph->n_bins;
  h->kind = (int) graph->head_kind;
  h->images = slot->max_batch;
  h->capacity = slot->max_rows;
  h->best_class = y10_graph_has_best_class (graph);
  h->max_pairs = graph->multi_label && y10_graph_has_nms (graph)
      ? (int) y10_head_capacity (graph, slot->max_rows)
      : 0;
  h->params = GSIZE_TO_POINTER (slot->params);
  h->classes = GSIZE_TO_POINTER (slot->params + slot->classes_at);
  h->counts = GSIZE_TO_POINTER (slot->mapped + slot->counts_at);
  h->rows = GSIZE_TO_POINTER (slot->mapped + slot->rows_at);
  h->scratch = GSIZE_TO_POINTER (scratch);
}

/* @batches: of the sizes that are prepared at the start. */
static gboolean
allocate (Y10Slot *slot, Y10CudaOpPlans *const batches[2], GError **error)
{
  const Y10CudaDriver *d = slot->program->device->driver;
  gsize arena = MAX (slot->program->plan->arena_size, 1) * slot->max_batch;

  lay_out_pinned (slot);
  slot->copied = g_malloc0 (slot->counts_at);
  if (!y10_cuda_check (d, d->mem_alloc (&slot->memory.arena, arena),
          "memory for the activations", error)
      || !y10_cuda_check (d, d->mem_alloc (&slot->params, slot->counts_at),
          "memory for the parameters", error)
      || !y10_cuda_check (d,
          d->mem_host_alloc ((void **) &slot->pinned, slot->pinned_size,
              Y10_CU_MEMHOSTALLOC_DEVICEMAP),
          "pinned memory for the results", error)
      || !y10_cuda_check (d,
          d->mem_host_get_device_pointer (&slot->mapped, slot->pinned, 0),
          "mapping the results", error))
    return FALSE;
  init_head (slot, 0);
  slot->scratch_size = MAX (y10_cuda_slot_scratch (slot, batches[0]),
      y10_cuda_slot_scratch (slot, batches[1]));
  if (!y10_cuda_check (d,
          d->mem_alloc (&slot->memory.scratch, MAX (slot->scratch_size, 1)),
          "scratch memory", error))
    return FALSE;
  init_head (slot, slot->memory.scratch);
  memset (slot->pinned, 0, slot->pinned_size);
  /* Memory is set once before a kernel reads it, or compute-sanitizer's
   * initcheck would report padding that only copies read. */
  if (!y10_cuda_check (d,
          d->memset_d8_async (slot->params, 0, slot->counts_at, slot->stream),
          "clearing the parameters", error)
      || !y10_cuda_check (d,
          d->memset_d8_async (slot->memory.scratch, 0,
              MAX (slot->scratch_size, 1), slot->stream),
          "clearing the scratch memory", error))
    return FALSE;
  for (guint i = 0; i < slot->max_batch; i++) {
    slot->results[i].rows = (Y10Detection *) (slot->pinned + slot->rows_at)
        + (gsize) i * slot->max_rows;
  }
  return slot->base != slot
      || y10_cuda_inputs_init (slot->inputs, slot->program->device,
          slot->program->plan->graph, slot->max_batch, error);
}

/* A step before the tuner's, which has the lowest priority, and lane 0, which has the
 * longest chain, before the other lanes; lower is higher. */
static gboolean
make_streams (Y10Slot *slot, GError **error)
{
  const Y10CudaDriver *d = slot->program->device->driver;
  int least = 0, greatest = 0, priority;

  if (!y10_cuda_check (d, d->ctx_get_priority_range (&least, &greatest),
          "the streams' priorities", error))
    return FALSE;
  priority = MAX (least - 1, greatest);
  return (slot->stream
             || y10_cuda_check (d,
                 d->stream_create (&slot->stream, Y10_CU_STREAM_NON_BLOCKING,
                     MAX (priority - 1, greatest)),
                 "a stream", error))
      && y10_cuda_streams_init (&slot->lanes, slot->program, slot->stream,
          priority, error)
      && y10_cuda_check (d,
          d->event_create (&slot->producer, Y10_CU_EVENT_DISABLE_TIMING),
          "an event", error)
      && y10_cuda_check (d,
          d->event_create (&slot->input_done,
              Y10_CU_EVENT_BLOCKING_SYNC | Y10_CU_EVENT_DISABLE_TIMING),
          "an event", error)
      && y10_cuda_check (d, d->event_create (&slot->start, 0), "an event",
          error)
      && y10_cuda_check (d,
          d->event_create (&slot->done, Y10_CU_EVENT_BLOCKING_SYNC), "an event",
          error);
}

void
y10_cuda_slot_free (Y10Slot *slot)
{
  Y10Device *device = slot->program->device;
  const Y10CudaDriver *d = device->driver;
  CUevent events[] = { slot->producer, slot->start, slot->input_done,
    slot->done };

  if (slot->stream)
    d->stream_synchronize (slot->stream);
  for (guint i = 0; i < slot->max_batch; i++) {
    if (slot->runs[i].graph)
      d->graph_exec_destroy (slot->runs[i].graph);
    y10_cuda_op_plans_unref (slot->runs[i].batch);
    y10_cuda_op_plans_unref (slot->runs[i].rejected);
  }
  if (slot->base == slot)
    y10_cuda_inputs_clear (slot->inputs, device);
  if (slot->memory.arena)
    d->mem_free (slot->memory.arena);
  if (slot->memory.scratch)
    d->mem_free (slot->memory.scratch);
  if (slot->params)
    d->mem_free (slot->params);
  if (slot->pinned)
    d->mem_free_host (slot->pinned);
  for (guint i = 0; i < G_N_ELEMENTS (events); i++)
    if (events[i])
      d->event_destroy (events[i]);
  y10_cuda_streams_clear (&slot->lanes, d);
  if (slot->stream && slot->base == slot)
    d->stream_destroy (slot->stream);
  g_free (slot->runs);
  g_free (slot->results);
  g_free (slot->copied);
  g_free (slot);
}

Y10Slot *
y10_cuda_slot_new (Y10Program *program, Y10Slot *base, guint max_batch,
    guint max_rows, GError **error)
{
  const guint sizes[2] = { 1, max_batch };
  Y10Slot *slot = g_new0 (Y10Slot, 1);
  Y10CudaOpPlans *batches[2];
  gboolean ok = TRUE;

  slot->program = program;
  slot->base = base ? base : slot;
  slot->inputs = &slot->base->own_inputs;
  slot->stream = slot->base->stream;
  slot->max_batch = slot->memory.max_batch = max_batch;
  slot->max_rows = max_rows;
  slot->runs = g_new0 (Y10CudaSlotRun, max_batch);
  slot->results = g_new0 (Y10Rows, max_batch);
  slot->version = g_atomic_int_get (&program->version);
  slot->retry_at = 1;
  for (guint i = 0; i < 2; i++) {
    batches[i] = ok
        ? y10_cuda_program_prepare (program, sizes[i], NULL, NULL, error)
        : NULL;
    ok = batches[i] != NULL;
  }
  ok = ok && make_streams (slot, error) && allocate (slot, batches, error);
  for (guint i = 0; ok && i < 2; i++)
    ok = slot->runs[sizes[i] - 1].batch
        || y10_cuda_slot_try (slot, batches[i], sizes[i], error);
  for (guint i = 0; i < 2; i++)
    y10_cuda_op_plans_unref (batches[i]);
  if (ok)
    return slot;
  y10_cuda_slot_free (slot);
  return NULL;
}

gboolean
y10_cuda_slot_reserve (Y10Slot *slot, guint n, const Y10Image *image,
    GError **error)
{
  for (guint i = 0; i < n; i++)
    if (!y10_cuda_input_reserve (&slot->inputs->images[i],
            slot->program->device, image, error))
      return FALSE;
  return TRUE;
}

gboolean
y10_cuda_slot_stage (Y10Slot *slot, guint i, const Y10Image *image,
    GError **error)
{
  return y10_cuda_input_stage (&slot->inputs->images[i], slot->program->device,
      image, error);
}

gboolean
y10_cuda_slot_load (Y10Slot *slot, guint i, const Y10Image *image,
    const Y10Letterbox *letterbox, const Y10HeadParams *params, GError **error)
{
  const Y10CudaDriver *d = slot->program->device->driver;

  if (i == 0)
    y10_cuda_slot_take_over (slot);
  y10_cuda_slot_set_params (slot, i, letterbox, params);
  if (image->cuda_stream
      && (!y10_cuda_check (d,
              d->event_record (slot->producer, image->cuda_stream),
              "following the producer", error)
          || !y10_cuda_check (d,
              d->stream_wait_event (slot->stream, slot->producer, 0),
              "following the producer", error)))
    return FALSE;
  return y10_cuda_inputs_load (slot->inputs, slot->program->device, i, image,
      letterbox, slot->stream, error);
}

/* Reads the pictures that are loaded, if any: into the network's input, or with
 * @stem into what op 0 makes of it. */
static gboolean
run_inputs (Y10Slot *slot, gboolean stem, GError **error)
{
  const Y10Program *program = slot->program;
  const Y10CudaDriver *d = program->device->driver;
  const Y10Graph *graph = program->plan->graph;
  Y10KView out = y10_cuda_view (program->plan, &slot->memory,
      stem ? graph->ops[0].out : graph->input);

  return !slot->inputs->n_loaded
      || ((stem ? y10_cuda_inputs_run_stem : y10_cuda_inputs_run) (slot->inputs,
              program, out, slot->stream, error)
          && y10_cuda_check (d,
              d->event_record (slot->input_done, slot->stream),
              "marking the input", error));
}

/* The tuner measures nothing while a step runs. */
static void
set_running (Y10Slot *slot, gboolean running)
{
  if (slot->running != running)
    g_atomic_int_add (&slot->program->base->n_running, running ? 1 : -1);
  slot->running = running;
}

/* Ops [first, end) after op 0, or with it where there is no stem: by the graph, if
 * that has them. */
static gboolean
queue_ops (Y10Slot *slot, guint size, guint first, guint end, GError **error)
{
  const Y10CudaDriver *d = slot->program->device->driver;
  const Y10CudaSlotRun *run = &slot->runs[size - 1];

  if (run->graph && first == slot->program->lanes->first
      && end == slot->program->plan->graph->n_ops)
    return y10_cuda_check (d, d->graph_launch (run->graph, slot->stream),
        "launching the network", error);
  return y10_cuda_slot_run (slot, run->batch, size, first, end, error);
}

/* The stem reads the pictures. Without any, which is how tests write the input
 * themselves, op 0 runs alone. */
static gboolean
queue_step (Y10Slot *slot, guint size, guint first, guint end, GError **error)
{
  const Y10CudaDriver *d = slot->program->device->driver;
  gboolean begin = slot->program->stem && first == 0 && end > 0;
  gboolean stem = begin && slot->inputs->n_loaded;

  return y10_cuda_check (d, d->event_record (slot->start, slot->stream),
             "marking the start", error)
      && y10_cuda_slot_copy_params (slot, error)
      && run_inputs (slot, stem, error)
      && (!begin || stem
          || y10_cuda_slot_run (slot, slot->runs[size - 1].batch, size, 0, 1,
              error))
      && queue_ops (slot, size, begin ? 1 : first, end, error)
      && y10_cuda_check (d, d->event_record (slot->done, slot->stream),
          "marking the end", error);
}

gboolean
y10_cuda_slot_submit (Y10Slot *slot, guint n, guint first, guint end,
    GError **error)
{
  guint size = y10_cuda_slot_choose_size (slot, n);
  gboolean ok;

  set_running (slot, TRUE);
  g_atomic_int_inc (&slot->program->base->n_submitted);
  slot->n_images = n;
  slot->size = size;
  for (guint i = n; i < size; i++)
    y10_cuda_slot_set_surplus (slot, i);
  ok = queue_step (slot, size, first, end, error);
  slot->submitted = y10_clock_ns ();
  if (!ok) /* nobody waits for it */
    set_running (slot, FALSE);
  return ok;
}

/* Polls for as long as waking a thread takes, then sleeps. */
static gboolean
wait_for (const Y10Slot *slot, CUevent event, gint64 spin_time,
    const char *what, GError **error)
{
  const Y10CudaDriver *d = slot->program->device->driver;
  gint64 until = y10_clock_ns () + spin_time;
  int result;

  do
    result = d->event_query (event);
  while (result == Y10_CU_NOT_READY && y10_clock_ns () < until);
  if (result == Y10_CU_NOT_READY)
    result = d->event_synchronize (event);
  return y10_cuda_check (d, result, what, error);
}

gboolean
y10_cuda_slot_wait_input (Y10Slot *slot, GError **error)
{
  gboolean ok = run_inputs (slot, FALSE, error)
      && wait_for (slot, slot->input_done, SPIN_TIME, "reading the pictures",
          error);

  if (!ok) /* nor is the step waited for */
    set_running (slot, FALSE);
  return ok;
}

/* Sleeps until shortly before the step is expected to end, then polls: the driver's
 * blocking wait would wake the thread up to 0.1 ms too late, a quarter of yolov10n's
 * step. */
static gboolean
wait_for_step (const Y10Slot *slot, GError **error)
{
  gint64 expected = slot->runs[slot->size - 1].expected;
  gint64 margin = MIN (WAKE_TIME, expected / 4);
  gint64 wake = slot->submitted + expected - margin;
  gint64 now = y10_clock_ns ();

  if (wake > now)
    g_usleep ((gulong) (wake - now) / 1000);
  return wait_for (slot, slot->done, 2 * margin + SPIN_TIME,
      "running the network", error);
}

/* The next step of this size is expected to take as long. The expectation rises by
 * little at once, since a step that had to share the GPU says nothing about the
 * next. */
static void
update_expected (Y10Slot *slot)
{
  gint64 *expected = &slot->runs[slot->size - 1].expected;

  *expected = MIN ((gint64) (slot->ms * 1e6),
      *expected + *expected / 8 + SPIN_TIME);
}

gboolean
y10_cuda_slot_wait (Y10Slot *slot, GError **error)
{
  const Y10CudaDriver *d = slot->program->device->driver;
  guint *counts = (guint *) (slot->pinned + slot->counts_at);

  set_running (slot, FALSE);
  if (!wait_for_step (slot, error)
      || !y10_cuda_check (d,
          d->event_elapsed_time (&slot->ms, slot->start, slot->done),
          "timing the network", error))
    return FALSE;
  update_expected (slot);
  /* The count is written back, so that waiting again changes nothing. */
  for (guint i = 0; i < slot->n_images; i++)
    slot->results[i].n = counts[i] =
        y10_head_drop_not_finite ((Y10Detection *) slot->results[i].rows,
            MIN (counts[i], slot->max_rows));
  return TRUE;
}

const Y10Rows *
y10_cuda_slot_rows (Y10Slot *slot, guint i)
{
  return &slot->results[i];
}

/* The head is part of the graph and cannot be told apart. */
void
y10_cuda_slot_times (Y10Slot *slot, gint64 *inference, gint64 *postprocess)
{
  *inference = (gint64) (slot->ms * 1e6);
  *postprocess = 0;
}

/* Tests: one tensor of one image, through a copy of its arena on the host. */
gboolean
y10_cuda_slot_copy (Y10Slot *slot, guint i, Y10View view, gfloat *out,
    const gfloat *in, GError **error)
{
  const Y10CudaDriver *d = slot->program->device->driver;
  const Y10Plan *plan = slot->program->plan;
  const Y10Storage *s = &plan->storage[view.tensor];
  CUdeviceptr tensor = slot->memory.arena + s->offset * slot->max_batch
      + i * s->size;
  guint8 *arena = g_malloc0 (s->offset + s->size);
  gboolean ok;

  ok = run_inputs (slot, FALSE, error)
      && y10_cuda_check (d,
          d->memcpy_dtoh_async (arena + s->offset, tensor, s->size,
              slot->stream),
          "copying a tensor", error)
      && y10_cuda_check (d, d->stream_synchronize (slot->stream),
          "copying a tensor", error);
  if (ok && out)
    y10_plan_view_export (plan, view, arena, out);
  if (ok && in) {
    y10_plan_view_import (plan, view, arena, in);
    ok = y10_cuda_check (d,
             d->memcpy_htod_async (tensor, arena + s->offset, s->size,
                 slot->stream),
             "copying a tensor", error)
        && y10_cuda_check (d, d->stream_synchronize (slot->stream),
            "copying a tensor", error);
  }
  g_free (arena);
  return ok;
}

/* Every op writes all of its output, padding too. */
void
y10_cuda_slot_poison (Y10Slot *slot)
{
  memset (slot->pinned + slot->counts_at, 0xff,
      slot->pinned_size - slot->counts_at);
  if (y10_cuda_slot_clear (slot, 0xff, NULL))
    slot->program->device->driver->stream_synchronize (slot->stream);
}
