/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The simulated driver's functions for streams, events and graphs. */

#include "driver_sim.h"

#include <algorithm>
#include <atomic>

int
sim_stream_create (CUstream *stream, unsigned int flags, int priority)
{
  ENTER ("cuStreamCreate");
  if (!(flags & Y10_CU_STREAM_NON_BLOCKING))
    return misuse (Y10_CU_INVALID_VALUE,
        "a stream that waits for the NULL stream is made");
  RETURN_IF_WRONG (check_started ("cuStreamCreate"));
  *stream = new CUstream_st{};
  (*stream)->context = current_contexts.back ();
  current_contexts.back ()->n_streams++;
  streams.push_back (*stream);
  return 0;
}

/* Returns at once: queued work still runs. */
int
sim_stream_destroy (CUstream stream)
{
  ENTER ("cuStreamDestroy");
  RETURN_IF_WRONG (check_stream (stream, "cuStreamDestroy"));
  if (stream->capture)
    return misuse (Y10_CU_CAPTURE_UNSUPPORTED,
        "a stream is destroyed while it is captured");
  stream->context->n_streams--;
  stream->destroyed = true;
  if (stream->queue.empty ()) {
    streams.erase (std::find (streams.begin (), streams.end (), stream));
    delete stream;
  }
  return 0;
}

int
sim_stream_synchronize (CUstream stream)
{
  ENTER ("cuStreamSynchronize");
  RETURN_IF_WRONG (check_stream (stream, "cuStreamSynchronize"));
  RETURN_IF_WRONG (check_not_captured (stream, nullptr, "cuStreamSynchronize"));
  if (is_broken (Y10_SIM_BREAK_SYNCHRONIZE))
    return 0;
  if (!run_until_empty (stream))
    return Y10_CU_LAUNCH_FAILED;
  return current_contexts.back ()->error;
}

int
y10_sim_ctx_synchronize (void)
{
  ENTER ("cuCtxSynchronize");
  CUcontext context = current_contexts.back ();

  RETURN_IF_WRONG (capture_synchronize (context));
  for (guint i = 0; i < streams.size (); i++)
    if (streams[i]->context == context && !streams[i]->destroyed)
      run_until_empty (streams[i]);
  return context->error;
}

int
sim_stream_wait_event (CUstream stream, CUevent event, unsigned int flags)
{
  ENTER ("cuStreamWaitEvent");
  RETURN_IF_WRONG (check_stream (stream, "cuStreamWaitEvent"));
  int result;

  if (is_broken (Y10_SIM_BREAK_WAIT_EVENT))
    return 0;
  if ((result = capture_wait (stream, event)) >= 0)
    return result;
  if (event->recorded == 0)
    return 0;
  auto op = op_new (OP_WAIT);
  op->event = event;
  op->number = event->recorded;
  enqueue (stream, std::move (op));
  return 0;
}

int
sim_event_create (CUevent *event, unsigned int flags)
{
  ENTER ("cuEventCreate");
  RETURN_IF_WRONG (check_started ("cuEventCreate"));
  *event = new CUevent_st{};
  (*event)->context = current_contexts.back ();
  (*event)->timing = !(flags & Y10_CU_EVENT_DISABLE_TIMING);
  (*event)->blocking = flags & Y10_CU_EVENT_BLOCKING_SYNC;
  current_contexts.back ()->events.insert (*event);
  return 0;
}

int
sim_event_destroy (CUevent event)
{
  ENTER ("cuEventDestroy");
  event->context->events.erase (event);
  event->destroyed = true;
  forget_event (event);
  return 0;
}

int
sim_event_record (CUevent event, CUstream stream)
{
  ENTER ("cuEventRecord");
  RETURN_IF_WRONG (check_stream (stream, "cuEventRecord"));
  if (event->context != stream->context)
    return misuse (Y10_CU_INVALID_HANDLE,
        "an event is recorded on a stream of another context");
  if (capture_record (event, stream))
    return 0;
  auto op = op_new (OP_RECORD);
  op->event = event;
  op->number = ++event->recorded;
  enqueue (stream, std::move (op));
  return 0;
}

int
sim_event_query (CUevent event)
{
  ENTER ("cuEventQuery");
  RETURN_IF_WRONG (check_unsafe ("cuEventQuery"));
  RETURN_IF_WRONG (check_not_captured (nullptr, event, "cuEventQuery"));
  if (is_broken (Y10_SIM_BREAK_SYNCHRONIZE)
      || (!event->timing && is_broken (Y10_SIM_BREAK_UNTIMED)))
    return 0;
  /* Seldom runs work: the polling rate must not decide what has run. */
  if (y10_sim_random () % 64 == 0)
    run_some (1 + (guint) (y10_sim_random () % 8));
  if (!is_done (event, event->recorded))
    return Y10_CU_NOT_READY;
  return current_contexts.back ()->error;
}

static std::atomic<guint64> n_spins;

guint64
y10_sim_n_spins (void)
{
  return n_spins;
}

int
sim_event_synchronize (CUevent event)
{
  ENTER ("cuEventSynchronize");
  RETURN_IF_WRONG (check_unsafe ("cuEventSynchronize"));
  RETURN_IF_WRONG (check_not_captured (nullptr, event, "cuEventSynchronize"));
  n_spins += !event->blocking;
  if (is_broken (Y10_SIM_BREAK_SYNCHRONIZE)
      || (!event->timing && is_broken (Y10_SIM_BREAK_UNTIMED)))
    return 0;
  if (!run_until (event, event->recorded))
    return Y10_CU_LAUNCH_FAILED;
  return current_contexts.back ()->error;
}

int
sim_event_elapsed_time (float *ms, CUevent start, CUevent end)
{
  ENTER ("cuEventElapsedTime");
  if (!start->timing || !end->timing || start->recorded == 0
      || end->recorded == 0)
    return misuse (Y10_CU_INVALID_HANDLE, "the time of an event that has none");
  if (!is_done (start, start->recorded) || !is_done (end, end->recorded))
    return Y10_CU_NOT_READY;
  *ms = (float) (end->time - start->time) / 1e6f;
  return 0;
}

/* Graphs. */

static std::atomic<guint64> n_graph_launches;

guint64
y10_sim_n_graph_launches (void)
{
  return n_graph_launches;
}

int
sim_stream_begin_capture (CUstream stream, int mode)
{
  ENTER ("cuStreamBeginCapture");
  RETURN_IF_WRONG (check_stream (stream, "cuStreamBeginCapture"));
  return capture_begin (stream, mode);
}

int
sim_stream_end_capture (CUstream stream, CUgraph *graph)
{
  /* Even after an error the stream is no longer captured. */
  LOCK;
  int before = enter ("cuStreamEndCapture"), result;

  RETURN_IF_WRONG (check_stream (stream, "cuStreamEndCapture"));
  result = capture_end (stream, graph);
  return before ? before : result;
}

int
sim_graph_instantiate (CUgraphExec *exec, CUgraph graph,
    unsigned long long flags)
{
  ENTER ("cuGraphInstantiate");
  RETURN_IF_WRONG (check_started ("cuGraphInstantiate"));
  *exec = new CUgraphExec_st{};
  (*exec)->context = graph->context;
  (*exec)->nodes = graph->nodes;
  (*exec)->broken = is_broken (Y10_SIM_BREAK_GRAPH);
  graph->context->execs.insert (*exec);
  return 0;
}

int
sim_graph_upload (CUgraphExec exec, CUstream stream)
{
  ENTER ("cuGraphUpload");
  RETURN_IF_WRONG (check_stream (stream, "cuGraphUpload"));
  return check_not_captured (stream, nullptr, "cuGraphUpload");
}

/* Not the tuner's, which repeats a convolution. */
static bool
is_network (const CUgraphExec exec)
{
  for (const Node &n : exec->nodes)
    if (n.op.kind == OP_KERNEL
        && g_str_has_prefix (n.op.kernel->name, "y10_head"))
      return true;
  return false;
}

int
sim_graph_launch (CUgraphExec exec, CUstream stream)
{
  ENTER ("cuGraphLaunch");
  RETURN_IF_WRONG (check_stream (stream, "cuGraphLaunch"));
  auto op = op_new (OP_GRAPH);

  if (exec->destroyed || exec->context != stream->context)
    return misuse (Y10_CU_INVALID_VALUE,
        "a graph that is destroyed or of another context");
  if (stream->capture)
    return misuse (Y10_CU_CAPTURE_UNSUPPORTED,
        "a graph is launched in a capture");
  for (const Node &n : exec->nodes)
    for (const Allocation *a : n.op.uses)
      if (a->freed)
        return misuse (Y10_CU_INVALID_VALUE, "a graph uses %p, which was freed",
            (void *) a->base);
  if (is_network (exec) && is_refused (OP_GRAPH))
    return Y10_CU_OUT_OF_MEMORY;
  op->exec = exec;
  n_graph_launches++;
  enqueue (stream, std::move (op));
  return 0;
}

int
sim_graph_destroy (CUgraph graph)
{
  ENTER ("cuGraphDestroy");
  graph->context->graphs.erase (graph);
  delete graph;
  return 0;
}

int
sim_graph_exec_destroy (CUgraphExec exec)
{
  ENTER ("cuGraphExecDestroy");
  exec->context->execs.erase (exec);
  exec->destroyed = true;
  forget_exec (exec);
  return 0;
}
