/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* What the driver's functions begin with, and those that driver_sim.cpp puts
 * into its table from elsewhere. */

#include <mutex>

#include "device.h"

using namespace y10_sim;

namespace y10_sim
{
extern std::mutex driver_lock;
extern thread_local std::vector<CUcontext> current_contexts;

/* 0, or the result that the call has to return. */
int enter (const char *call);
/* A call that makes something, in a thread where nothing may be made any more:
 * 0, or the result to return. */
int check_started (const char *call);
int check_stream (CUstream stream, const char *call);
/* In the current context. */
std::unique_ptr<Op> op_new (OpKind kind);
}

#define LOCK std::lock_guard<std::mutex> guard (driver_lock)
/* What every call but a few begins with. */
#define ENTER(call) \
  LOCK; \
  if (int wrong = enter (call)) \
    return wrong
#define RETURN_IF_WRONG(expression) \
  if (int wrong = (expression)) \
    return wrong

/* driver_contexts.cpp */
int sim_primary_ctx_retain (CUcontext *context, CUdevice device);
int sim_primary_ctx_release (CUdevice device);
int sim_primary_ctx_reset (CUdevice device);
int sim_ctx_push (CUcontext context);
int sim_ctx_pop (CUcontext *context);
int sim_ctx_get_current (CUcontext *context);
int sim_ctx_get_device (CUdevice *device);
int sim_ctx_get_priority_range (int *least, int *greatest);
/* driver_streams.cpp */
int sim_stream_create (CUstream *stream, unsigned int flags, int priority);
int sim_stream_destroy (CUstream stream);
int sim_stream_synchronize (CUstream stream);
int sim_stream_wait_event (CUstream stream, CUevent event, unsigned int flags);
int sim_event_create (CUevent *event, unsigned int flags);
int sim_event_destroy (CUevent event);
int sim_event_record (CUevent event, CUstream stream);
int sim_event_query (CUevent event);
int sim_event_synchronize (CUevent event);
int sim_event_elapsed_time (float *ms, CUevent start, CUevent end);
int sim_stream_begin_capture (CUstream stream, int mode);
int sim_stream_end_capture (CUstream stream, CUgraph *graph);
int sim_graph_instantiate (CUgraphExec *exec, CUgraph graph, unsigned long long flags);
int sim_graph_upload (CUgraphExec exec, CUstream stream);
int sim_graph_launch (CUgraphExec exec, CUstream stream);
int sim_graph_destroy (CUgraph graph);
int sim_graph_exec_destroy (CUgraphExec exec);
