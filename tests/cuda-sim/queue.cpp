/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Queued work and the order in which it runs. Work runs only when a caller
 * waits, and now and then when an op is queued; the seed decides which stream's
 * next op runs. Every order that streams, events and graphs allow can occur, so
 * sooner or later work that the code forgot to wait for is not done yet, or is
 * done too early. */

#include "device.h"

#include <algorithm>
#include <atomic>
#include <string.h>
#include <time.h>

namespace y10_sim {
std::vector<CUstream> &streams = *new std::vector<CUstream>;
guint delayed_node = G_MAXUINT;

namespace {
std::atomic<guint64> n_kernels, n_unset;

gint64
now ()
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return (gint64) t.tv_sec * 1000000000 + t.tv_nsec;
}

void
mark_done (CUevent event, guint64 number)
{
  std::vector<guint64> &p = event->pending;

  p.erase (std::find (p.begin (), p.end (), number));
  event->time = now ();
}

void
set_memory (const void *p)
{
  const Allocation *a = memory_find (p);

  if (a)
    a->set = true;
}

/* FALSE after a report: the context is lost. */
bool
run_op (Op *op)
{
  char text[128];
  bool ok = true;

  /* In a lost context only events run, so that waiting threads are woken. */
  if (op->context->error && op->kind != OP_RECORD && op->kind != OP_WAIT)
    return false;
  for (const Allocation *a : op->uses) {
    if (a->freed) {
      y10_sim_report ("%s uses %p, which was freed before it ran",
          op_name (op, text, sizeof text), (void *) a->base);
      op->context->error = Y10_CU_ILLEGAL_ADDRESS;
      return false;
    }
  }
  switch (op->kind) {
    case OP_KERNEL:
      for (const Allocation *a : op->uses) {
        n_unset += !a->set && !a->pinned;
        a->set = true;
      }
      n_kernels++;
      if ((op->context->error = lose_now ()))
        return false;
      ok = y10_sim_run (op->kernel, op->launch, op->max_dynamic,
          op->params.data ());
      if (!ok)
        op->context->error = Y10_CU_LAUNCH_FAILED;
      break;
    case OP_COPY:
      set_memory (op->to);
      memmove (op->to, op->staged.empty () ? op->from : op->staged.data (),
          op->size);
      break;
    case OP_MEMSET:
      set_memory (op->to);
      memset (op->to, op->value, op->size);
      break;
    case OP_RECORD:
      mark_done (op->event, op->number);
      op->event->n_queued--;
      forget_event (op->event);
      break;
    case OP_WAIT:
      op->event->n_queued--;
      forget_event (op->event);
      break;
    case OP_GRAPH:
      break;
  }
  return ok;
}

bool
is_runnable (CUstream stream)
{
  Op *op = stream->queue.empty () ? nullptr : stream->queue.front ().get ();

  if (!op)
    return false;
  if (op->kind == OP_WAIT)
    return is_done (op->event, op->number);
  if (op->kind == OP_GRAPH)
    return !op->exec->running || op->exec->running == op;
  return true;
}

void
begin_graph (Op *op)
{
  const std::vector<Node> &nodes = op->exec->nodes;

  op->begun = true;
  op->exec->running = op;
  op->n_left = nodes.size ();
  op->missing.clear ();
  op->ready.clear ();
  for (guint i = 0; i < nodes.size (); i++) {
    op->missing.push_back (nodes[i].after.size ());
    if (nodes[i].after.empty ())
      op->ready.push_back (i);
  }
}

/* A broken graph skips the first kernel that was captured, each time that it runs:
 * plans may run one several times. */
bool
is_left_out (const CUgraphExec exec, guint node)
{
  guint first = 0;

  while (exec->nodes[first].op.kind != OP_KERNEL)
    first++;
  return exec->broken
      && exec->nodes[node].op.kernel == exec->nodes[first].op.kernel;
}

/* Runs any node that may run. TRUE: it was the last. */
bool
step_graph (Op *op)
{
  const std::vector<Node> &nodes = op->exec->nodes;
  guint at, node;

  if (!op->begun)
    begin_graph (op);
  if (op->n_left > 0) {
    at = y10_sim_random () % op->ready.size ();
    if (op->ready[at] == delayed_node)
      at = (at + 1) % op->ready.size ();
    node = op->ready[at];
    op->ready[at] = op->ready.back ();
    op->ready.pop_back ();
    if (!is_left_out (op->exec, node))
      run_op ((Op *) &nodes[node].op);
    for (guint i = node + 1; i < nodes.size (); i++) {
      const std::vector<guint> &after = nodes[i].after;

      if (std::find (after.begin (), after.end (), node) != after.end ()
          && --op->missing[i] == 0)
        op->ready.push_back (i);
    }
    op->n_left--;
  }
  if (op->n_left > 0)
    return false;
  op->exec->running = nullptr;
  op->exec->n_queued--;
  forget_exec (op->exec);
  return true;
}

void
drop_if_done (CUstream stream)
{
  if (!stream->destroyed || !stream->queue.empty ())
    return;
  streams.erase (std::find (streams.begin (), streams.end (), stream));
  delete stream;
}

void
step (CUstream stream)
{
  Op *op = stream->queue.front ().get ();

  if (op->kind != OP_GRAPH)
    run_op (op);
  else if (!step_graph (op))
    return;
  stream->queue.pop_front ();
  drop_if_done (stream);
}

bool
step_any ()
{
  guint n = 0, chosen;

  for (CUstream s : streams)
    n += is_runnable (s);
  if (n == 0)
    return false;
  chosen = y10_sim_random () % n;
  for (CUstream s : streams) {
    if (is_runnable (s) && chosen-- == 0) {
      step (s);
      break;
    }
  }
  return true;
}

/* Returns the stream whose next op @stream waits for, directly or
 * indirectly. */
CUstream
find_needed (CUstream stream)
{
  for (guint depth = 0;
       stream && !is_runnable (stream) && depth <= streams.size (); depth++) {
    Op *op = stream->queue.empty () ? nullptr : stream->queue.front ().get ();
    CUstream next = nullptr;

    for (CUstream s : streams) {
      for (const auto &o : s->queue) {
        bool records = op && op->kind == OP_WAIT && o->kind == OP_RECORD
            && o->event == op->event && o->number == op->number;
        bool runs = op && op->kind == OP_GRAPH && op->exec->running == o.get ();

        if (records || runs)
          next = s;
      }
    }
    stream = next;
  }
  return stream && is_runnable (stream) ? stream : nullptr;
}

CUstream
find_record (CUevent event, guint64 number)
{
  for (CUstream s : streams)
    for (const auto &o : s->queue)
      if (o->kind == OP_RECORD && o->event == event && o->number == number)
        return s;
  return nullptr;
}

/* Sometimes runs only the required work, sometimes any work. */
bool
step_towards (CUstream stream, bool only)
{
  CUstream needed;

  if (!only)
    return step_any ();
  needed = stream ? find_needed (stream) : nullptr;
  if (!needed)
    return step_any ();
  step (needed);
  return true;
}
}

bool
is_done (CUevent event, guint64 number)
{
  const std::vector<guint64> &p = event->pending;

  return std::find (p.begin (), p.end (), number) == p.end ();
}

void
forget_event (CUevent event)
{
  if (event->destroyed && event->n_queued == 0)
    delete event;
}

void
forget_exec (CUgraphExec exec)
{
  if (exec->destroyed && exec->n_queued == 0)
    delete exec;
}

void
run_some (guint n)
{
  while (n-- > 0 && step_any ())
    ;
}

void
enqueue (CUstream stream, std::unique_ptr<Op> op)
{
  if (op->kind == OP_RECORD || op->kind == OP_WAIT)
    op->event->n_queued++;
  if (op->kind == OP_RECORD)
    op->event->pending.push_back (op->number);
  if (op->kind == OP_GRAPH)
    op->exec->n_queued++;
  stream->queue.push_back (std::move (op));
  if (y10_sim_random () % 8 == 0)
    run_some (y10_sim_random () % 8);
}

bool
run_until (CUevent event, guint64 number)
{
  bool only = y10_sim_random () % 2;

  while (!is_done (event, number)) {
    if (!step_towards (find_record (event, number), only)) {
      y10_sim_report ("waiting for an event that nothing will record");
      return false;
    }
  }
  if (y10_sim_random () % 4 == 0)
    run_some (y10_sim_random () % 32);
  return true;
}

static bool
is_there (CUstream stream)
{
  return std::find (streams.begin (), streams.end (), stream) != streams.end ();
}

void
streams_drop (CUcontext context)
{
  std::vector<CUstream> all = streams;

  /* step_any () frees a stream that was destroyed before, once its last op has
   * run. */
  for (CUstream s : all) {
    while (is_there (s) && s->context == context && !s->queue.empty ()
        && step_any ())
      ;
    if (!is_there (s) || s->context != context)
      continue;
    s->queue.clear (); /* only work remains that waits for something
                                 * that never comes */
    s->destroyed = true;
    drop_if_done (s);
  }
}

bool
run_until_empty (CUstream stream)
{
  bool only = y10_sim_random () % 2;

  while (!stream->queue.empty ()) {
    if (!step_towards (stream, only)) {
      y10_sim_report ("waiting for a stream that cannot go on");
      return false;
    }
  }
  return true;
}
}

void
y10_sim_delay_node (guint node)
{
  y10_sim::delayed_node = node;
}

guint64
y10_sim_n_kernels (void)
{
  return y10_sim::n_kernels;
}

guint64
y10_sim_n_unset (void)
{
  return y10_sim::n_unset;
}
