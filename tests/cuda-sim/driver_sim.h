/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The common beginning of the driver's functions, and the functions of other
 * files that driver_sim.cpp puts into its table. */

#include <condition_variable>
#include <mutex>

#include "device.h"

using namespace y10_sim;

namespace y10_sim {
/* Serves threads in turn: otherwise a thread that polls the GPU could keep the
 * lock to itself. */
class FairMutex {
public:
  void
  lock ()
  {
    std::unique_lock<std::mutex> guard (mutex);
    guint64 mine = next++;

    changed.wait (guard, [&] { return mine == serving; });
  }
  void
  unlock ()
  {
    std::lock_guard<std::mutex> guard (mutex);

    serving++;
    changed.notify_all ();
  }

private:
  std::mutex mutex;
  std::condition_variable changed;
  guint64 next = 0, serving = 0;
};

extern FairMutex driver_lock;
extern thread_local std::vector<CUcontext> current_contexts;

/* Returns 0, or the result that the call must return. */
int enter (const char *call);
/* Checks a call that creates something, in a thread that may create nothing
 * after the start: returns 0 or the result to return. */
int check_started (const char *call);
int check_stream (CUstream stream, const char *call);
/* Creates an op in the current context. */
std::unique_ptr<Op> op_new (OpKind kind);
}

#define LOCK std::lock_guard<FairMutex> guard (driver_lock)
/* Almost every call begins with this. */
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
int sim_ctx_create (CUcontext *context, unsigned int flags, CUdevice device);
int sim_ctx_destroy (CUcontext context);
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
int sim_graph_instantiate (CUgraphExec *exec, CUgraph graph,
    unsigned long long flags);
int sim_graph_upload (CUgraphExec exec, CUstream stream);
int sim_graph_launch (CUgraphExec exec, CUstream stream);
int sim_graph_destroy (CUgraph graph);
int sim_graph_exec_destroy (CUgraphExec exec);
