/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Queues the ops on the streams of their lanes, with an event for each wait between
 * lanes (lanes.c). This is done only while a graph is captured, which keeps the waits
 * as edges: the events are never recorded outside. An uncaptured run has one stream,
 * so its results do not depend on the waits, and the graph's are compared with it. */

#include "config.h"

#include "streams.h"

gboolean
y10_cuda_streams_init (Y10CudaStreams *streams, const Y10Program *program,
    CUstream own, int priority, GError **error)
{
  const Y10CudaDriver *d = program->device->driver;
  const Y10CudaLanes *lanes = program->lanes;
  gboolean ok;

  streams->lane[0] = own;
  streams->event = g_new0 (CUevent, lanes->n_events);
  streams->n_events = lanes->n_events;
  ok = y10_cuda_check (d,
      d->event_create (&streams->fork, Y10_CU_EVENT_DISABLE_TIMING), "an event",
      error);
  for (guint i = 0; ok && i < lanes->n_events; i++)
    ok = y10_cuda_check (d,
        d->event_create (&streams->event[i], Y10_CU_EVENT_DISABLE_TIMING),
        "an event", error);
  for (guint i = 1; ok && i < lanes->n_lanes; i++)
    ok = y10_cuda_check (d,
        d->stream_create (&streams->lane[i], Y10_CU_STREAM_NON_BLOCKING,
            priority),
        "a stream", error);
  return ok;
}

void
y10_cuda_streams_clear (Y10CudaStreams *streams, const Y10CudaDriver *driver)
{
  for (guint i = 1; i < Y10_CUDA_MAX_LANES; i++)
    if (streams->lane[i])
      driver->stream_destroy (streams->lane[i]);
  for (guint i = 0; i < streams->n_events; i++)
    if (streams->event[i])
      driver->event_destroy (streams->event[i]);
  if (streams->fork)
    driver->event_destroy (streams->fork);
  g_free (streams->event);
  *streams = (Y10CudaStreams){ 0 };
}

static gboolean
record (const Y10CudaStreams *s, const Y10CudaDriver *d, CUevent event,
    guint lane, GError **error)
{
  return y10_cuda_check (d, d->event_record (event, s->lane[lane]),
      "marking the end of an op", error);
}

static gboolean
wait_for (const Y10CudaStreams *s, const Y10CudaDriver *d, CUevent event,
    guint lane, GError **error)
{
  return y10_cuda_check (d, d->stream_wait_event (s->lane[lane], event, 0),
      "waiting for another lane", error);
}

static gboolean
wait_for_all (const Y10CudaStreams *s, const Y10CudaDriver *d,
    const Y10CudaWaits *waits, guint lane, GError **error)
{
  for (guint i = 0; i < waits->n; i++)
    if (!wait_for (s, d, s->event[waits->event[i]], lane, error))
      return FALSE;
  return TRUE;
}

/* An op, or those that belong together: the number of them, or 0. */
static guint
run_one (const Y10CudaStreams *s, const Y10Program *program,
    const Y10CudaOpPlans *batch, const Y10CudaMemory *memory, guint first,
    guint n, GError **error)
{
  const Y10CudaDriver *d = program->device->driver;
  const Y10CudaLaneOp *op = &program->lanes->ops[first];
  const guint n_ops = y10_cuda_count_joint (program->plan->graph, first,
      program->plan->graph->n_ops);

  if ((op->forks && !wait_for (s, d, s->fork, op->lane, error))
      || !wait_for_all (s, d, &op->waits, op->lane, error))
    return 0;
  if (!y10_cuda_run (program, batch, memory, first, first + n_ops, n,
          s->lane[op->lane], error))
    return 0;
  if (op->event != Y10_CUDA_NO_EVENT
      && !record (s, d, s->event[op->event], op->lane, error))
    return 0;
  return n_ops;
}

gboolean
y10_cuda_streams_run (const Y10CudaStreams *streams, const Y10Program *program,
    const Y10CudaOpPlans *batch, const Y10CudaMemory *memory, guint n,
    GError **error)
{
  const Y10CudaDriver *d = program->device->driver;
  const Y10CudaLanes *lanes = program->lanes;

  if (!record (streams, d, streams->fork, 0, error))
    return FALSE;
  for (guint i = lanes->first, done; i < program->plan->graph->n_ops;
       i += done) {
    done = run_one (streams, program, batch, memory, i, n, error);
    if (!done)
      return FALSE;
  }
  return wait_for_all (streams, d, &lanes->joins, 0, error);
}
