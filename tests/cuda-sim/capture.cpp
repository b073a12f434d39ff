/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Capture of streams into graphs, with the rules that cuStreamBeginCapture's
 * documentation gives: which streams take part, which calls are forbidden
 * meanwhile, and that all streams join the origin in the end. */

#include "device.h"

#include <algorithm>
#include <atomic>

static std::atomic<guint64> n_invalidated;
static std::atomic<guint> n_nodes, longest_chain, n_waits,
    forgotten_wait = G_MAXUINT;

namespace y10_sim {
std::vector<Capture *> &captures = *new std::vector<Capture *>;

namespace {
/* Never freed: events may still refer to the capture that they were recorded
 * in. */
std::vector<Capture *> &ended = *new std::vector<Capture *>;

void
add_unique (std::vector<guint> &to, const std::vector<guint> &from)
{
  for (guint i : from)
    if (std::find (to.begin (), to.end (), i) == to.end ())
      to.push_back (i);
}

guint
find_longest_chain (CUgraph graph)
{
  std::vector<guint> length;
  guint longest = 0;

  for (const Node &n : graph->nodes) {
    length.push_back (1);
    for (guint i : n.after)
      length.back () = std::max (length.back (), length[i] + 1);
    longest = std::max (longest, length.back ());
  }
  return longest;
}

void
finish (Capture *c)
{
  for (CUstream s : c->streams) {
    s->capture = nullptr;
    s->last.clear ();
  }
  captures.erase (std::find (captures.begin (), captures.end (), c));
  ended.push_back (c);
}
}

int
check_unsafe (const char *call)
{
  for (Capture *c : captures) {
    if (c->mode == 0 || (c->mode == 1 && c->thread == g_thread_self ())) {
      c->invalid = true;
      return misuse (Y10_CU_CAPTURE_UNSUPPORTED,
          "%s while a stream is captured", call);
    }
  }
  return 0;
}

int
check_not_captured (CUstream stream, CUevent event, const char *call)
{
  if (stream && stream->capture) {
    stream->capture->invalid = true;
    return misuse (Y10_CU_CAPTURE_UNSUPPORTED,
        "%s of a stream that is captured", call);
  }
  if (event && event->capture)
    return misuse (Y10_CU_CAPTURED_EVENT,
        "%s of an event that was recorded in a capture", call);
  return 0;
}

static void
invalidate (Capture *c)
{
  if (!c->invalid)
    n_invalidated++;
  c->invalid = true;
}

int
capture_op (CUstream stream, Op *op)
{
  Capture *c = stream->capture;

  if (c->doomed && --c->doomed == 0)
    invalidate (c);
  if (c->invalid)
    return Y10_CU_CAPTURE_INVALIDATED;
  c->graph->nodes.push_back ({ std::move (*op), stream->last });
  stream->last = { (guint) c->graph->nodes.size () - 1 };
  return 0;
}

/* The CUDA C++ Programming Guide, "Prohibited and Unhandled Operations": it is
 * invalid to synchronize a context while one of its streams is captured, and the
 * invalid operation invalidates the graph. The capture's mode does not matter. */
int
capture_synchronize (CUcontext context)
{
  int result = 0;

  for (Capture *c : captures) {
    if (c->origin->context == context) {
      invalidate (c);
      result = Y10_CU_CAPTURE_UNSUPPORTED;
    }
  }
  return result;
}

int
capture_begin (CUstream stream, int mode)
{
  Capture *c;

  if (stream->capture)
    return misuse (Y10_CU_INVALID_VALUE, "a stream is captured already");
  if (mode < 0 || mode > 2)
    return misuse (Y10_CU_INVALID_VALUE, "capture mode %d", mode);
  c = new Capture{};
  c->graph = new CUgraph_st{};
  c->graph->context = stream->context;
  c->graph->context->graphs.insert (c->graph);
  c->origin = stream;
  c->mode = mode;
  c->thread = g_thread_self ();
  if (is_broken (Y10_SIM_BREAK_INVALIDATE_CAPTURE))
    c->doomed = 1 + (guint) (y10_sim_random () % 16);
  c->streams.push_back (stream);
  stream->capture = c;
  stream->last.clear ();
  captures.push_back (c);
  return 0;
}

int
capture_end (CUstream stream, CUgraph *graph)
{
  Capture *c = stream->capture;
  std::vector<bool> followed;
  int result = 0;

  *graph = nullptr;
  if (!c)
    return misuse (Y10_CU_INVALID_VALUE,
        "the end of a capture that did not begin");
  if (c->origin != stream)
    return misuse (Y10_CU_CAPTURE_UNMATCHED,
        "a capture ends on another stream than it began");
  if (c->mode != 2 && c->thread != g_thread_self ())
    return misuse (Y10_CU_CAPTURE_WRONG_THREAD,
        "a capture ends in another thread");
  followed.resize (c->graph->nodes.size ());
  for (const Node &n : c->graph->nodes)
    for (guint i : n.after)
      followed[i] = true;
  for (guint i : stream->last)
    followed[i] = true;
  for (guint i : c->forgotten)
    followed[i] = true;
  if (c->invalid)
    result = Y10_CU_CAPTURE_INVALIDATED;
  else if (stream->context->error)
    /* Lost while its streams were apart: what would have joined them failed. */
    result = stream->context->error;
  else if (std::find (followed.begin (), followed.end (), false)
      != followed.end ())
    result = misuse (Y10_CU_CAPTURE_UNJOINED,
        "a capture ends, but not all of its streams have come together");
  n_nodes = c->graph->nodes.size ();
  longest_chain = find_longest_chain (c->graph);
  n_waits = c->n_waits;
  finish (c);
  if (result) {
    c->graph->context->graphs.erase (c->graph);
    delete c->graph;
  } else {
    *graph = c->graph;
  }
  return result;
}

bool
capture_record (CUevent event, CUstream stream)
{
  event->capture = stream->capture;
  event->last.clear ();
  if (!stream->capture)
    return false;
  event->last = stream->last;
  return true;
}

int
capture_wait (CUstream stream, CUevent event)
{
  Capture *c = event->capture;

  if (!c && !stream->capture)
    return -1;
  if (!c) {
    stream->capture->invalid = true;
    return misuse (Y10_CU_CAPTURE_ISOLATION,
        "a captured stream waits for an event from outside of the capture");
  }
  if (std::find (captures.begin (), captures.end (), c) == captures.end ())
    return misuse (Y10_CU_CAPTURED_EVENT,
        "waiting for an event of a capture that has ended");
  if (stream->capture && stream->capture != c)
    return misuse (Y10_CU_CAPTURE_ISOLATION,
        "two captures wait for one another");
  if (!stream->capture) {
    stream->capture = c;
    stream->last.clear ();
    c->streams.push_back (stream);
  }
  if (!event->last.empty () && c->n_waits++ == forgotten_wait) {
    c->forgotten = event->last;
    return 0;
  }
  add_unique (stream->last, event->last);
  return 0;
}
}

guint
y10_sim_n_nodes (void)
{
  return n_nodes;
}

guint
y10_sim_longest_chain (void)
{
  return longest_chain;
}

guint
y10_sim_n_waits (void)
{
  return n_waits;
}

void
y10_sim_forget_wait (guint wait)
{
  forgotten_wait = wait;
}

guint64
y10_sim_n_invalidated (void)
{
  return n_invalidated;
}
