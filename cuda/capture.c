/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Queues the work of a slot: ops, head, results. The same is captured
 * into a graph, there with lanes that run at the same time; the graph's results must
 * equal those of the uncaptured run. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "capture.h"
#include "core/head.h"

/* For the ops and for the head, which never run at the same time. */
gsize
y10_cuda_slot_scratch (const Y10Slot *slot, const Y10CudaOpPlans *batch)
{
  return MAX (batch->scratch_size, y10_head_scratch_bytes (&slot->head));
}

void
y10_cuda_slot_set_params (Y10Slot *slot, guint i, const Y10Letterbox *l,
    const Y10HeadParams *params)
{
  guint n_classes = slot->program->plan->graph->n_classes;
  Y10KHeadParams *p = (Y10KHeadParams *) slot->pinned + i;

  *p = (Y10KHeadParams){
    .floor = y10_head_logit_floor (params->confidence),
    .confidence = params->confidence,
    .iou = params->iou,
    .class_agnostic = params->class_agnostic,
    .max_rows = params->max_detections,
    .all_classes = params->classes == NULL,
    .scale = l->scale,
    .left = l->left,
    .top = l->top,
    .src_width = l->src_width,
    .src_height = l->src_height,
  };
  if (params->classes)
    memcpy (slot->pinned + slot->classes_at + (gsize) i * n_classes,
        params->classes, n_classes);
}

void
y10_cuda_slot_set_surplus (Y10Slot *slot, guint i)
{
  Y10KHeadParams *p = (Y10KHeadParams *) slot->pinned + i;

  *p = (Y10KHeadParams){
    .floor = INFINITY,
    .confidence = 1,
    .iou = 1,
    .all_classes = TRUE,
    .scale = 1,
  };
}

/* The head follows the last op. */
static gboolean
run_head (Y10Slot *slot, guint n, GError **error)
{
  const Y10CudaKernels *kernels = &slot->program->device->kernels;
  Y10KHead *head = &slot->head;
  Y10KLaunch launch;
  CUfunction rows;

  if (!head->n_anchors) /* a graph of a few ops, in tests */
    return TRUE;
  head->images = n;
  if (head->max_pairs) {
    rows = kernels->head_nms_pairs;
    launch = y10_head_nms_pairs_launch (head);
  } else if (y10_graph_has_nms (slot->program->plan->graph)) {
    rows = kernels->head_nms;
    launch = y10_head_nms_launch (head);
  } else {
    rows = kernels->head_select;
    launch = y10_head_select_launch (head);
  }
  return y10_cuda_launch (kernels, kernels->head_scan,
             y10_head_scan_launch (head), slot->stream, head, error)
      && y10_cuda_launch (kernels, rows, launch, slot->stream, head, error);
}

/* Most steps have the parameters of the one before. A copy in the graph would run in each
 * of them. */
gboolean
y10_cuda_slot_copy_params (Y10Slot *slot, GError **error)
{
  const Y10CudaDriver *d = slot->program->device->driver;

  if (!memcmp (slot->copied, slot->pinned, slot->counts_at))
    return TRUE;
  if (!y10_cuda_check (d,
          d->memcpy_htod_async (slot->params, slot->pinned, slot->counts_at,
              slot->stream),
          "copying the parameters", error))
    return FALSE;
  memcpy (slot->copied, slot->pinned, slot->counts_at);
  return TRUE;
}

gboolean
y10_cuda_slot_run (Y10Slot *slot, const Y10CudaOpPlans *batch, guint n,
    guint first, guint end, GError **error)
{
  if (!y10_cuda_run (slot->program, batch, &slot->memory, first, end, n,
          slot->stream, error))
    return FALSE;
  return end < slot->program->plan->graph->n_ops || run_head (slot, n, error);
}

/* Records what a run of @n images queues, without running it. The plans must have
 * run before: loading code during a capture would invalidate it. */
static gboolean
capture (Y10Slot *slot, const Y10CudaOpPlans *batch, guint n, CUgraphExec *exec,
    GError **error)
{
  const Y10CudaDriver *d = slot->program->device->driver;
  CUgraph graph = NULL;
  gboolean ok;

  if (!y10_cuda_check (d,
          d->stream_begin_capture (slot->stream, Y10_CU_CAPTURE_THREAD_LOCAL),
          "capturing the network", error))
    return FALSE;
  ok = y10_cuda_streams_run (&slot->lanes, slot->program, batch, &slot->memory,
           n, error)
      && run_head (slot, n, error);
  /* Ends the capture, valid or not: the stream is usable again. */
  ok = y10_cuda_check (d, d->stream_end_capture (slot->stream, &graph),
           "capturing the network", ok ? error : NULL)
      && ok;
  ok = ok
      && y10_cuda_check (d, d->graph_instantiate (exec, graph, 0),
          "making a graph", error)
      && y10_cuda_check (d, d->graph_upload (*exec, slot->stream),
          "uploading a graph", error);
  if (graph)
    d->graph_destroy (graph);
  if (!ok && *exec)
    d->graph_exec_destroy (g_steal_pointer (exec));
  return ok;
}

gboolean
y10_cuda_slot_clear (Y10Slot *slot, guint8 value, GError **error)
{
  const Y10CudaDriver *d = slot->program->device->driver;

  return y10_cuda_check (d,
      d->memset_d8_async (slot->memory.arena, value,
          slot->program->plan->arena_size * slot->max_batch, slot->stream),
      "clearing the activations", error);
}

/* Every row that the head finds in an input of zeros. */
static void
set_all_params (Y10Slot *slot, guint n)
{
  static const Y10HeadParams all = {
    .size = sizeof (Y10HeadParams),
    .iou = 1,
    .max_detections = 1,
  };
  const Y10Graph *graph = slot->program->plan->graph;
  Y10Letterbox l;

  y10_letterbox_init (&l, graph->width, graph->height, graph->width,
      graph->height);
  for (guint i = 0; i < n; i++) {
    y10_cuda_slot_set_params (slot, i, &l, &all);
    ((Y10KHeadParams *) slot->pinned)[i].max_rows = slot->max_rows;
  }
}

static gboolean
finish_run (Y10Slot *slot, GError **error)
{
  const Y10CudaDriver *d = slot->program->device->driver;

  return y10_cuda_check (d, d->stream_synchronize (slot->stream),
      "running the network", error);
}

static gboolean
run_captured (Y10Slot *slot, const Y10CudaOpPlans *batch, guint n,
    CUgraphExec exec, GError **error)
{
  const Y10CudaDriver *d = slot->program->device->driver;

  return y10_cuda_slot_clear (slot, 0, error)
      && y10_cuda_slot_run (slot, batch, n, 0, slot->program->lanes->first,
          error)
      && y10_cuda_check (d, d->graph_launch (exec, slot->stream),
          "launching the network", error)
      && finish_run (slot, error);
}

gboolean
y10_cuda_slot_warm_up (Y10Slot *slot, const Y10CudaOpPlans *batch, guint n,
    CUgraphExec *exec, gboolean *differs, GError **error,
    GError **capture_error)
{
  const Y10CudaDriver *d = slot->program->device->driver;
  const Y10Graph *graph = slot->program->plan->graph;
  guint8 *results = slot->pinned + slot->counts_at;
  gsize size = slot->pinned_size - slot->counts_at;
  g_autofree guint8 *expected = NULL;
  gboolean ok;

  *differs = FALSE;
  set_all_params (slot, n);
  memset (results, 0xff, size);
  if (!y10_cuda_slot_clear (slot, 0, error)
      || !y10_cuda_slot_copy_params (slot, error)
      || !y10_cuda_slot_run (slot, batch, n, 0, graph->n_ops, error)
      || !finish_run (slot, error))
    return FALSE;
  if (!slot->program->device->graphs
      || !capture (slot, batch, n, exec, capture_error))
    return y10_cuda_slot_clear (slot, 0, error);
  expected = g_memdup2 (results, size);
  memset (results, 0xff, size);
  ok = run_captured (slot, batch, n, *exec, capture_error);
  *differs = ok && graph->n_anchors && memcmp (expected, results, size) != 0;
  if (*differs)
    g_set_error (capture_error, Y10_ERROR, Y10_ERROR_BACKEND,
        "the captured "
        "network gives other results than the same work uncaptured");
  if (!ok || *differs)
    d->graph_exec_destroy (g_steal_pointer (exec));
  /* In a lost context this fails, too. */
  return y10_cuda_slot_clear (slot, 0, error);
}
