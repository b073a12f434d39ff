/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A slot: a stream, the arena of its activations, what is wanted of each image
 * and the rows that were found, all its own. So is its captured graph, one for
 * each number of images: a graph writes to the same addresses at each launch,
 * and only because they belong to one slot, whose step ends before another
 * begins, can nobody's rows be overwritten.
 *
 * Pictures are read outside the graph, since they lie elsewhere each time. The
 * parameters are copied to the device inside it, from pinned memory, and the
 * rows back. Two events say when the pictures and when the rows are done. */

#include "config.h"

#include <string.h>

#include "cuda.h"
#include "head.h"
#include "tune.h"

G_STATIC_ASSERT (sizeof (Y10KRow) == sizeof (Y10Detection));

struct _Y10Slot
{
  Y10Program *program;
  guint max_batch, max_rows;
  CUstream stream;
  CUevent producer, start, input_done, done;
  Y10CudaMemory memory;
  gsize scratch_size;
  Y10CudaInput *inputs;         /* max_batch */
  CUgraphExec *graphs;          /* [n - 1]: of n images, or NULL */
  Y10CudaBatch **batches;       /* [n - 1]: what it was captured from */
  int version;                  /* the program's, when it was last looked at */
  Y10KHead head;                /* images is set at each run */
  /* One block of device memory, and of pinned memory, each: params, classes |
   * counts, rows. */
  CUdeviceptr io;
  guint8 *pinned;
  gsize classes_at, counts_at, rows_at, io_size;
  Y10Rows *results;             /* max_batch: views of the pinned rows */
  gfloat ms;                    /* of the last step, on the device */
};

/* Where things lie in the two blocks; what is copied in comes first. */
static void
lay_out_io (Y10Slot *slot)
{
  const Y10Graph *graph = slot->program->plan->graph;
  gsize n = slot->max_batch;

  slot->classes_at = n * sizeof (Y10KHeadParams);
  slot->counts_at = (slot->classes_at + n * graph->n_classes + 255) & ~(gsize) 255;
  slot->rows_at = slot->counts_at + ((n * sizeof (guint) + 255) & ~(gsize) 255);
  slot->io_size = slot->rows_at + n * slot->max_rows * sizeof (Y10KRow);
}

static void
init_head (Y10Slot *slot, CUdeviceptr scratch)
{
  const Y10Program *program = slot->program;
  const Y10Graph *graph = program->plan->graph;
  Y10KHead *h = &slot->head;
  guint anchor = 0;

  for (guint i = 0; i < Y10_N_LEVELS; i++) {
    Y10KView cls = y10_cuda_view (program, &slot->memory, graph->cls[i]);
    Y10KView box = y10_cuda_view (program, &slot->memory, graph->box[i]);

    h->level[i] = (Y10KLevel) {
      .cls = cls.data,.box = box.data,
      .cls_pixel = cls.pixel,.box_pixel = box.pixel,
      .cls_image = cls.image,.box_image = box.image,
      .height = cls.height,.width = cls.width,
      .stride = graph->stride[i],.first_anchor = anchor,
    };
    anchor += cls.height * cls.width;
  }
  h->n_anchors = graph->n_anchors;
  h->n_classes = graph->n_classes;
  h->n_bins = graph->n_bins;
  h->images = slot->max_batch;
  h->capacity = slot->max_rows;
  h->params = GSIZE_TO_POINTER (slot->io);
  h->classes = GSIZE_TO_POINTER (slot->io + slot->classes_at);
  h->counts = GSIZE_TO_POINTER (slot->io + slot->counts_at);
  h->rows = GSIZE_TO_POINTER (slot->io + slot->rows_at);
  h->scratch = GSIZE_TO_POINTER (scratch);
}

/* For the ops and for the head, which never run at the same time. */
static gsize
scratch_size (const Y10Slot *slot, const Y10CudaBatch *batch)
{
  return MAX (batch->staging + batch->workspace,
      y10_head_scratch_bytes (&slot->head));
}

/* cuDNN may want more for fewer images, if hardly ever. */
static gboolean
fits (const Y10Slot *slot, const Y10CudaBatch *batch, guint n,
    GError **error)
{
  gsize size = scratch_size (slot, batch);

  if (size <= slot->scratch_size)
    return TRUE;
  g_set_error (error, Y10_ERROR, Y10_ERROR_BACKEND, "%u images need %"
      G_GSIZE_FORMAT " bytes of scratch; there are %" G_GSIZE_FORMAT, n,
      size, slot->scratch_size);
  return FALSE;
}

static gboolean
allocate (Y10Slot *slot, const Y10CudaBatch *batch, GError **error)
{
  const Y10CudaDriver *d = slot->program->device->driver;
  gsize arena = MAX (slot->program->plan->arena_size, 1) * slot->max_batch;

  lay_out_io (slot);
  if (!y10_cuda_check (d, d->mem_alloc (&slot->memory.arena, arena),
          "memory for the activations", error)
      || !y10_cuda_check (d, d->mem_alloc (&slot->io, slot->io_size),
          "memory for the results", error)
      || !y10_cuda_check (d, d->mem_host_alloc ((void **) &slot->pinned,
              slot->io_size, 0), "pinned memory for the results", error))
    return FALSE;
  init_head (slot, 0);
  slot->scratch_size = scratch_size (slot, batch);
  if (!y10_cuda_check (d, d->mem_alloc (&slot->memory.scratch,
              MAX (slot->scratch_size, 1)), "scratch memory", error))
    return FALSE;
  init_head (slot, slot->memory.scratch);
  memset (slot->pinned, 0, slot->io_size);
  if (!y10_cuda_check (d, d->memset_d8_async (slot->io, 0, slot->io_size,
              slot->stream), "clearing the results", error))
    return FALSE;
  for (guint i = 0; i < slot->max_batch; i++) {
    slot->results[i].rows = (Y10Detection *) (slot->pinned + slot->rows_at)
        + (gsize) i * slot->max_rows;
    if (!y10_cuda_input_init (&slot->inputs[i], slot->program->device,
            slot->program->plan->graph, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
make_stream (Y10Slot *slot, GError **error)
{
  const Y10CudaDriver *d = slot->program->device->driver;

  return y10_cuda_check (d, d->stream_create (&slot->stream,
          Y10_CU_STREAM_NON_BLOCKING, 0), "a stream", error)
      && y10_cuda_check (d, d->event_create (&slot->producer,
          Y10_CU_EVENT_DISABLE_TIMING), "an event", error)
      && y10_cuda_check (d, d->event_create (&slot->input_done,
          Y10_CU_EVENT_DISABLE_TIMING), "an event", error)
      && y10_cuda_check (d, d->event_create (&slot->start, 0), "an event",
          error)
      && y10_cuda_check (d, d->event_create (&slot->done, 0), "an event",
          error);
}

void
y10_cuda_slot_free (Y10Slot *slot)
{
  Y10Device *device = slot->program->device;
  const Y10CudaDriver *d = device->driver;
  CUevent events[] = { slot->producer, slot->start, slot->input_done,
    slot->done
  };

  if (slot->stream)
    d->stream_synchronize (slot->stream);
  for (guint i = 0; i < slot->max_batch; i++) {
    if (slot->graphs[i])
      d->graph_exec_destroy (slot->graphs[i]);
    y10_cuda_batch_unref (slot->batches[i]);
    y10_cuda_input_clear (&slot->inputs[i], device);
  }
  if (slot->memory.arena)
    d->mem_free (slot->memory.arena);
  if (slot->memory.scratch)
    d->mem_free (slot->memory.scratch);
  if (slot->io)
    d->mem_free (slot->io);
  if (slot->pinned)
    d->mem_free_host (slot->pinned);
  for (guint i = 0; i < G_N_ELEMENTS (events); i++)
    if (events[i])
      d->event_destroy (events[i]);
  if (slot->stream)
    d->stream_destroy (slot->stream);
  g_free (slot->inputs);
  g_free (slot->graphs);
  g_free (slot->batches);
  g_free (slot->results);
  g_free (slot);
}

static void
set_params (Y10Slot *slot, guint i, const Y10Letterbox *l,
    const Y10HeadParams *params)
{
  guint n_classes = slot->program->plan->graph->n_classes;
  Y10KHeadParams *p = (Y10KHeadParams *) slot->pinned + i;

  *p = (Y10KHeadParams) {
    .floor = y10_head_logit_floor (params->confidence),
    .confidence = params->confidence,.iou = params->iou,
    .class_agnostic = params->class_agnostic,
    .max_rows = params->max_detections,
    .all_classes = params->classes == NULL,
    .scale = l->scale,.left = l->left,.top = l->top,
    .src_width = l->src_width,.src_height = l->src_height,
  };
  if (params->classes)
    memcpy (slot->pinned + slot->classes_at + (gsize) i * n_classes,
        params->classes, n_classes);
}

/* The head follows the last op; its rows are copied to where they are read. */
static gboolean
run_head (Y10Slot *slot, guint n, GError **error)
{
  const Y10CudaKernels *kernels = &slot->program->device->kernels;
  const Y10CudaDriver *d = slot->program->device->driver;
  gboolean nms = slot->program->plan->graph->head == Y10_HEAD_ONE2MANY;

  if (!slot->head.n_anchors)    /* a graph of a few ops, in tests */
    return TRUE;
  slot->head.images = n;
  return y10_cuda_launch (kernels, kernels->head_scan,
      y10_head_scan_launch (&slot->head), slot->stream, &slot->head, error)
      && (nms ? y10_cuda_launch (kernels, kernels->head_nms,
          y10_head_nms_launch (&slot->head), slot->stream, &slot->head, error)
      : y10_cuda_launch (kernels, kernels->head_select,
          y10_head_select_launch (&slot->head), slot->stream, &slot->head,
          error))
      && y10_cuda_check (d, d->memcpy_dtoh_async (slot->pinned
          + slot->counts_at, slot->io + slot->counts_at, slot->rows_at
          - slot->counts_at + (gsize) n * slot->max_rows * sizeof (Y10KRow),
          slot->stream), "copying the results", error);
}

static gboolean
run_range (Y10Slot *slot, const Y10CudaBatch *batch, guint n, guint first,
    guint end, GError **error)
{
  const Y10CudaDriver *d = slot->program->device->driver;

  if (!y10_cuda_check (d, d->memcpy_htod_async (slot->io, slot->pinned,
              slot->counts_at, slot->stream), "copying the parameters",
          error)
      || !y10_cuda_run (slot->program, batch, &slot->memory, first, end, n,
          slot->stream, error))
    return FALSE;
  return end < slot->program->plan->graph->n_ops
      || run_head (slot, n, error);
}

/* Queues nothing: records what a run of @n images queues. What is captured has
 * been run once before, so that nothing is loaded lazily any more. */
static gboolean
capture (Y10Slot *slot, const Y10CudaBatch *batch, guint n,
    CUgraphExec *exec, GError **error)
{
  const Y10CudaDriver *d = slot->program->device->driver;
  CUgraph graph = NULL;
  gboolean ok;

  if (!y10_cuda_check (d, d->stream_begin_capture (slot->stream,
              Y10_CU_CAPTURE_THREAD_LOCAL), "capturing the network", error))
    return FALSE;
  ok = run_range (slot, batch, n, 0, slot->program->plan->graph->n_ops,
      error);
  /* Ends the capture whether it is any good or not. */
  ok = y10_cuda_check (d, d->stream_end_capture (slot->stream, &graph),
      "capturing the network", ok ? error : NULL) && ok;
  ok = ok && y10_cuda_check (d, d->graph_instantiate (exec, graph, 0),
      "making a graph", error)
      && y10_cuda_check (d, d->graph_upload (*exec, slot->stream),
      "uploading a graph", error);
  if (graph)
    d->graph_destroy (graph);
  return ok;
}

static gboolean
clear_arena (Y10Slot *slot, guint8 value, GError **error)
{
  const Y10CudaDriver *d = slot->program->device->driver;

  return y10_cuda_check (d, d->memset_d8_async (slot->memory.arena, value,
          slot->program->plan->arena_size * slot->max_batch, slot->stream),
      "clearing the activations", error);
}

/* Once all that runs has been run. Then the graph of @n images has to give what
 * the same work gave uncaptured, on an input of zeros. */
static gboolean
warm_up (Y10Slot *slot, const Y10CudaBatch *batch, guint n,
    CUgraphExec *exec, GError **error)
{
  static const Y10HeadParams all = {.iou = 1,.max_detections = 1 };
  const Y10CudaDriver *d = slot->program->device->driver;
  const Y10Graph *graph = slot->program->plan->graph;
  guint8 *results = slot->pinned + slot->counts_at;
  gsize size = slot->io_size - slot->counts_at;
  g_autofree guint8 *expected = NULL;
  Y10Letterbox l;

  y10_letterbox_init (&l, graph->width, graph->height, graph->width,
      graph->height);
  for (guint i = 0; i < n; i++) {
    set_params (slot, i, &l, &all);
    ((Y10KHeadParams *) slot->pinned)[i].max_rows = slot->max_rows;
  }
  memset (results, 0xff, size);
  if (!clear_arena (slot, 0, error)
      || !run_range (slot, batch, n, 0, graph->n_ops, error)
      || !y10_cuda_check (d, d->stream_synchronize (slot->stream),
          "running the network", error))
    return FALSE;
  if (!slot->program->device->graphs)
    return clear_arena (slot, 0, error);
  expected = g_memdup2 (results, size);
  memset (results, 0xff, size);
  if (!capture (slot, batch, n, exec, error)
      || !clear_arena (slot, 0, error)
      || !y10_cuda_check (d, d->graph_launch (*exec, slot->stream),
          "launching the network", error)
      || !y10_cuda_check (d, d->stream_synchronize (slot->stream),
          "running the network", error))
    return FALSE;
  if (!graph->n_anchors || memcmp (expected, results, size) == 0)
    return clear_arena (slot, 0, error);
  g_set_error (error, Y10_ERROR, Y10_ERROR_BACKEND, "CUDA: the captured "
      "network gives other results than the same work uncaptured");
  return FALSE;
}

Y10Slot *
y10_cuda_slot_new (Y10Program *program, guint max_batch, guint max_rows,
    GError **error)
{
  Y10Slot *slot = g_new0 (Y10Slot, 1);
  Y10CudaBatch *batch;

  slot->program = program;
  slot->max_batch = slot->memory.max_batch = max_batch;
  slot->max_rows = max_rows;
  slot->inputs = g_new0 (Y10CudaInput, max_batch);
  slot->graphs = g_new0 (CUgraphExec, max_batch);
  slot->batches = g_new0 (Y10CudaBatch *, max_batch);
  slot->results = g_new0 (Y10Rows, max_batch);
  slot->version = g_atomic_int_get (&program->version);
  batch = y10_cuda_program_prepare (program, max_batch, error);
  slot->batches[max_batch - 1] = batch;
  if (batch && make_stream (slot, error) && allocate (slot, batch, error)
      && warm_up (slot, batch, max_batch, &slot->graphs[max_batch - 1],
          error)) {
    y10_cuda_program_used (program, max_batch, batch);
    return slot;
  }
  y10_cuda_slot_free (slot);
  return NULL;
}

/* Takes @batch and whether it becomes what runs @n images here or not: what
 * cannot be captured, or gives something else when it is, leaves everything as
 * it was. */
static void
take_over (Y10Slot *slot, Y10CudaBatch *batch, guint n)
{
  static int n_failures;
  const Y10CudaDriver *d = slot->program->device->driver;
  CUgraphExec graph = NULL;
  GError *error = NULL;

  if (fits (slot, batch, n, &error)
      && warm_up (slot, batch, n, &graph, &error)) {
    if (slot->graphs[n - 1])
      d->graph_exec_destroy (slot->graphs[n - 1]);
    y10_cuda_batch_unref (slot->batches[n - 1]);
    slot->graphs[n - 1] = graph;
    slot->batches[n - 1] = batch;
    y10_cuda_program_used (slot->program, n, batch);
    return;
  }
  if (graph)
    d->graph_exec_destroy (graph);
  y10_cuda_batch_unref (batch);
  if (g_atomic_int_add (&n_failures, 1) == 0)
    g_warning ("CUDA: better plans for %u images are not used: %s", n,
        error->message);
  g_error_free (error);
}

/* Between two steps of the slot: nobody reads its results, and nothing of the
 * next step is in its arena. */
static void
look_for_better (Y10Slot *slot)
{
  int version = g_atomic_int_get (&slot->program->version);

  if (slot->version == version)
    return;
  slot->version = version;
  for (guint n = 1; n <= slot->max_batch; n++) {
    Y10CudaBatch *batch = slot->batches[n - 1];

    if (!batch)
      continue;
    batch = y10_cuda_program_prepare (slot->program, n, NULL);
    if (batch && batch != slot->batches[n - 1])
      take_over (slot, batch, n);
    else
      y10_cuda_batch_unref (batch);
  }
}

gboolean
y10_cuda_slot_load (Y10Slot *slot, guint i, const Y10Image *image,
    const Y10Letterbox *letterbox, const Y10HeadParams *params,
    GError **error)
{
  const Y10CudaDriver *d = slot->program->device->driver;
  Y10KView out = y10_cuda_view (slot->program, &slot->memory,
      slot->program->plan->graph->input);

  if (i == 0)
    look_for_better (slot);
  out.data = (guint8 *) out.data + i * out.image * slot->program->elem_size;
  set_params (slot, i, letterbox, params);
  if (image->cuda_stream
      && (!y10_cuda_check (d, d->event_record (slot->producer,
                  image->cuda_stream), "following the producer", error)
          || !y10_cuda_check (d, d->stream_wait_event (slot->stream,
                  slot->producer, 0), "following the producer", error)))
    return FALSE;
  return y10_cuda_input_load (&slot->inputs[i], slot->program, image,
      letterbox, out, slot->stream, error)
      && y10_cuda_check (d, d->event_record (slot->input_done, slot->stream),
      "marking the input", error);
}

/* Kept: a step looks nothing up. */
static Y10CudaBatch *
find_batch (Y10Slot *slot, guint n, GError **error)
{
  Y10CudaBatch **batch = &slot->batches[n - 1];

  if (*batch)
    return *batch;
  *batch = y10_cuda_program_prepare (slot->program, n, error);
  if (*batch && !fits (slot, *batch, n, error))
    g_clear_pointer (batch, y10_cuda_batch_unref);
  if (*batch && slot->program->tune)
    y10_cuda_tune_add (slot->program->tune, n);
  return *batch;
}

/* Another number of images than the slot was made for runs uncaptured once,
 * and is captured then, unless nothing is to be. */
gboolean
y10_cuda_slot_submit (Y10Slot *slot, guint n, guint first, guint end,
    GError **error)
{
  const Y10CudaDriver *d = slot->program->device->driver;
  gboolean whole = first == 0 && end == slot->program->plan->graph->n_ops;
  const Y10CudaBatch *batch = find_batch (slot, n, error);

  if (!batch || !y10_cuda_check (d, d->event_record (slot->start, slot->stream),
          "marking the start", error))
    return FALSE;
  if (whole && slot->graphs[n - 1]
      ? !y10_cuda_check (d, d->graph_launch (slot->graphs[n - 1],
              slot->stream), "launching the network", error)
      : !run_range (slot, batch, n, first, end, error))
    return FALSE;
  if (!y10_cuda_check (d, d->event_record (slot->done, slot->stream),
          "marking the end", error))
    return FALSE;
  return !whole || slot->graphs[n - 1] || !slot->program->device->graphs
      || capture (slot, batch, n, &slot->graphs[n - 1], error);
}

gboolean
y10_cuda_slot_wait_input (Y10Slot *slot, GError **error)
{
  const Y10CudaDriver *d = slot->program->device->driver;

  return y10_cuda_check (d, d->event_synchronize (slot->input_done),
      "reading the pictures", error);
}

gboolean
y10_cuda_slot_wait (Y10Slot *slot, GError **error)
{
  const Y10CudaDriver *d = slot->program->device->driver;
  const guint *counts = (const guint *) (slot->pinned + slot->counts_at);

  if (!y10_cuda_check (d, d->event_synchronize (slot->done),
          "running the network", error)
      || !y10_cuda_check (d, d->event_elapsed_time (&slot->ms, slot->start,
          slot->done), "timing the network", error))
    return FALSE;
  for (guint i = 0; i < slot->max_batch; i++)
    slot->results[i].n = MIN (counts[i], slot->max_rows);
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

  ok = y10_cuda_check (d, d->memcpy_dtoh_async (arena + s->offset, tensor,
          s->size, slot->stream), "copying a tensor", error)
      && y10_cuda_check (d, d->stream_synchronize (slot->stream),
      "copying a tensor", error);
  if (ok && out)
    y10_plan_view_export (plan, view, arena, out);
  if (ok && in) {
    y10_plan_view_import (plan, view, arena, in);
    ok = y10_cuda_check (d, d->memcpy_htod_async (tensor, arena + s->offset,
            s->size, slot->stream), "copying a tensor", error)
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
      slot->io_size - slot->counts_at);
  if (clear_arena (slot, 0xff, NULL))
    slot->program->device->driver->stream_synchronize (slot->stream);
}

Y10Device *
y10_cuda_slot_device (Y10Slot *slot)
{
  return slot->program->device;
}
