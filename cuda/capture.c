/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* What a slot runs: the network from first to last, as it is captured into a
 * graph, which is compared with what it was captured from. Between two steps a
 * slot looks whether the program has a newer batch, and captures that; whatever
 * is wrong with it leaves the graph as it was. */

#include "config.h"

#include <string.h>

#include "core/head.h"
#include "slot.h"
#include "autotune/autotune.h"

/* For the ops and for the head, which never run at the same time. */
gsize
y10_cuda_slot_scratch (const Y10Slot *slot, const Y10CudaOpPlans *batch)
{
  return MAX (batch->staging + batch->workspace,
      y10_head_scratch_bytes (&slot->head));
}

/* cuDNN may want more for fewer images, if hardly ever. */
static gboolean
fits (const Y10Slot *slot, const Y10CudaOpPlans *batch, guint n,
    GError **error)
{
  gsize size = y10_cuda_slot_scratch (slot, batch);

  if (size <= slot->scratch_size)
    return TRUE;
  g_set_error (error, Y10_ERROR, Y10_ERROR_BACKEND, "%u images need %"
      G_GSIZE_FORMAT " bytes of scratch; there are %" G_GSIZE_FORMAT, n,
      size, slot->scratch_size);
  return FALSE;
}

void
y10_cuda_slot_set_params (Y10Slot *slot, guint i, const Y10Letterbox *l,
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
  gboolean nms = y10_graph_has_nms (slot->program->plan->graph);

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

gboolean
y10_cuda_slot_run (Y10Slot *slot, const Y10CudaOpPlans *batch, guint n,
    guint first, guint end, GError **error)
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
gboolean
y10_cuda_slot_capture (Y10Slot *slot, const Y10CudaOpPlans *batch, guint n,
    CUgraphExec *exec, GError **error)
{
  const Y10CudaDriver *d = slot->program->device->driver;
  CUgraph graph = NULL;
  gboolean ok;

  if (!y10_cuda_check (d, d->stream_begin_capture (slot->stream,
              Y10_CU_CAPTURE_THREAD_LOCAL), "capturing the network", error))
    return FALSE;
  ok = y10_cuda_slot_run (slot, batch, n, 0, slot->program->plan->graph->n_ops,
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

gboolean
y10_cuda_slot_clear (Y10Slot *slot, guint8 value, GError **error)
{
  const Y10CudaDriver *d = slot->program->device->driver;

  return y10_cuda_check (d, d->memset_d8_async (slot->memory.arena, value,
          slot->program->plan->arena_size * slot->max_batch, slot->stream),
      "clearing the activations", error);
}

/* Once all that runs has been run. Then the graph of @n images has to give what
 * the same work gave uncaptured, on an input of zeros. */
gboolean
y10_cuda_slot_warm_up (Y10Slot *slot, const Y10CudaOpPlans *batch, guint n,
    CUgraphExec *exec, GError **error)
{
  static const Y10HeadParams all = {
    .size = sizeof (Y10HeadParams),.iou = 1,.max_detections = 1 };
  const Y10CudaDriver *d = slot->program->device->driver;
  const Y10Graph *graph = slot->program->plan->graph;
  guint8 *results = slot->pinned + slot->counts_at;
  gsize size = slot->io_size - slot->counts_at;
  g_autofree guint8 *expected = NULL;
  Y10Letterbox l;

  y10_letterbox_init (&l, graph->width, graph->height, graph->width,
      graph->height);
  for (guint i = 0; i < n; i++) {
    y10_cuda_slot_set_params (slot, i, &l, &all);
    ((Y10KHeadParams *) slot->pinned)[i].max_rows = slot->max_rows;
  }
  memset (results, 0xff, size);
  if (!y10_cuda_slot_clear (slot, 0, error)
      || !y10_cuda_slot_run (slot, batch, n, 0, graph->n_ops, error)
      || !y10_cuda_check (d, d->stream_synchronize (slot->stream),
          "running the network", error))
    return FALSE;
  if (!slot->program->device->graphs)
    return y10_cuda_slot_clear (slot, 0, error);
  expected = g_memdup2 (results, size);
  memset (results, 0xff, size);
  if (!y10_cuda_slot_capture (slot, batch, n, exec, error)
      || !y10_cuda_slot_clear (slot, 0, error)
      || !y10_cuda_check (d, d->graph_launch (*exec, slot->stream),
          "launching the network", error)
      || !y10_cuda_check (d, d->stream_synchronize (slot->stream),
          "running the network", error))
    return FALSE;
  if (!graph->n_anchors || memcmp (expected, results, size) == 0)
    return y10_cuda_slot_clear (slot, 0, error);
  g_set_error (error, Y10_ERROR, Y10_ERROR_BACKEND, "CUDA: the captured "
      "network gives other results than the same work uncaptured");
  return FALSE;
}

/* Takes @batch and whether it becomes what runs @n images here or not: what
 * cannot be captured, or gives something else when it is, leaves everything as
 * it was. */
static void
take_over (Y10Slot *slot, Y10CudaOpPlans *batch, guint n)
{
  static int n_failures;
  const Y10CudaDriver *d = slot->program->device->driver;
  CUgraphExec graph = NULL;
  GError *error = NULL;

  if (fits (slot, batch, n, &error)
      && y10_cuda_slot_warm_up (slot, batch, n, &graph, &error)) {
    if (slot->graphs[n - 1])
      d->graph_exec_destroy (slot->graphs[n - 1]);
    y10_cuda_op_plans_unref (slot->batches[n - 1]);
    slot->graphs[n - 1] = graph;
    slot->batches[n - 1] = batch;
    y10_cuda_program_used (slot->program, n, batch);
    return;
  }
  if (graph)
    d->graph_exec_destroy (graph);
  y10_cuda_op_plans_unref (batch);
  /* Of a lost device the step itself will tell. */
  if (!g_error_matches (error, Y10_ERROR, Y10_ERROR_DEVICE_LOST)
      && g_atomic_int_add (&n_failures, 1) == 0)
    g_warning ("CUDA: better plans for %u images are not used: %s", n,
        error->message);
  g_error_free (error);
}

/* Between two steps of the slot: nobody reads its results, and nothing of the
 * next step is in its arena. */
void
y10_cuda_slot_look_for_better (Y10Slot *slot)
{
  int version = g_atomic_int_get (&slot->program->version);

  if (slot->version == version)
    return;
  slot->version = version;
  for (guint n = 1; n <= slot->max_batch; n++) {
    Y10CudaOpPlans *batch = slot->batches[n - 1];

    if (!batch)
      continue;
    batch = y10_cuda_program_prepare (slot->program, n, NULL);
    if (batch && batch != slot->batches[n - 1])
      take_over (slot, batch, n);
    else
      y10_cuda_op_plans_unref (batch);
  }
}

/* Kept: a step looks nothing up. */
Y10CudaOpPlans *
y10_cuda_slot_find_batch (Y10Slot *slot, guint n, GError **error)
{
  Y10CudaOpPlans **batch = &slot->batches[n - 1];

  if (*batch)
    return *batch;
  *batch = y10_cuda_program_prepare (slot->program, n, error);
  if (*batch && !fits (slot, *batch, n, error))
    g_clear_pointer (batch, y10_cuda_op_plans_unref);
  if (*batch && slot->program->tune)
    y10_cuda_tune_add (slot->program->tune, n);
  return *batch;
}
