/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The simulated driver's contexts: the primary one and others, and how one is
 * lost. In a lost context every call returns the error that it was lost by; its
 * objects can only be freed by destroying it. */

#include "driver_sim.h"

#include <stdlib.h>
#include <string.h>

static CUctx_st primary;
/* Existing contexts and destroyed ones: a destroyed context may still be
 * current in other threads. */
static std::set<CUcontext> &others = *new std::set<CUcontext>;
static std::vector<CUcontext> &destroyed = *new std::vector<CUcontext>;
static bool gone;
/* The number of kernels until one loses its context; 0: none does. */
static guint lose_in;
static int lose_code;
static bool lose_read;

void
y10_sim_lose (guint n, int code)
{
  LOCK;
  lose_read = true;
  lose_in = n;
  lose_code = code;
}

void
y10_sim_set_gone (gboolean is_gone)
{
  LOCK;
  gone = is_gone;
}

/* Reads Y10_SIM_LOSE=N:CODE at the first call. */
int
y10_sim::lose_now ()
{
  if (!lose_read) {
    const char *text = getenv ("Y10_SIM_LOSE"),
               *colon = text ? strchr (text, ':') : nullptr;

    lose_read = true;
    lose_in = text ? (guint) strtoul (text, nullptr, 10) : 0;
    lose_code = colon ? (int) strtol (colon + 1, nullptr, 10)
                      : Y10_CU_ILLEGAL_ADDRESS;
  }
  return lose_in > 0 && --lose_in == 0 ? lose_code : 0;
}

/* Reports objects that are left in a context when it is destroyed, unless it is
 * lost: then its objects cannot be freed. */
static void
check_left (CUcontext c)
{
  gsize bytes;
  guint n = memory_count (c, &bytes);

  if (c->error)
    return;
  if (n || c->n_streams || !c->events.empty () || !c->modules.empty ()
      || !c->graphs.empty () || !c->execs.empty ())
    y10_sim_report (
        "left in a context at its end: %u allocations (%zu bytes), %u streams, "
        "%zu events, %zu modules, %zu graphs",
        n, bytes, c->n_streams, c->events.size (), c->modules.size (),
        c->graphs.size () + c->execs.size ());
}

/* Destroys all objects of the context. */
static void
clear (CUcontext c)
{
  c->error = Y10_CU_CONTEXT_IS_DESTROYED;
  streams_drop (c);
  memory_drop (c);
  for (CUmodule m : c->modules)
    delete m;
  for (CUgraph g : c->graphs)
    delete g;
  for (CUgraphExec e : c->execs) {
    e->destroyed = true;
    forget_exec (e);
  }
  for (CUevent e : c->events) {
    e->destroyed = true;
    forget_event (e);
  }
}

CUcontext
y10_sim_context_new_on (int device)
{
  LOCK;
  CUcontext context = *others.insert (new CUctx_st{}).first;

  context->device = device;
  return context;
}

CUcontext
y10_sim_context_new (void)
{
  return y10_sim_context_new_on (0);
}

void
y10_sim_context_free (CUcontext context)
{
  LOCK;
  if (!others.count (context)) {
    misuse (Y10_CU_INVALID_CONTEXT,
        "a context is destroyed that does not exist");
    return;
  }
  check_left (context);
  clear (context);
  others.erase (context);
  destroyed.push_back (context);
}

/* The next caller that retains it gets a new context. */
static void
renew_primary (void)
{
  clear (&primary);
  primary = CUctx_st{};
}

int
sim_primary_ctx_retain (CUcontext *context, CUdevice device)
{
  LOCK;
  if (gone)
    return Y10_CU_DEVICE_UNAVAILABLE;
  primary.references++;
  *context = &primary;
  return 0;
}

int
sim_primary_ctx_release (CUdevice device)
{
  LOCK;
  if (primary.references == 0)
    return misuse (Y10_CU_INVALID_CONTEXT,
        "the primary context is released too often");
  if (--primary.references == 0) {
    check_left (&primary);
    renew_primary ();
  }
  return 0;
}

int
sim_ctx_create (CUcontext *context, unsigned int flags, CUdevice device)
{
  if (gone)
    return Y10_CU_DEVICE_UNAVAILABLE;
  *context = y10_sim_context_new ();
  current_contexts.push_back (*context);
  return 0;
}

int
sim_ctx_destroy (CUcontext context)
{
  y10_sim_context_free (context);
  return 0;
}

int
sim_ctx_push (CUcontext context)
{
  LOCK;

  if (!context)
    return misuse (Y10_CU_INVALID_CONTEXT, "no context is pushed");
  if (context != &primary && !others.count (context))
    return Y10_CU_CONTEXT_IS_DESTROYED;
  current_contexts.push_back (context);
  return 0;
}

int
sim_ctx_pop (CUcontext *context)
{
  if (current_contexts.empty ())
    return misuse (Y10_CU_INVALID_CONTEXT,
        "a context is popped, but none is current");
  *context = current_contexts.back ();
  current_contexts.pop_back ();
  return 0;
}

int
sim_ctx_get_current (CUcontext *context)
{
  *context = current_contexts.empty () ? nullptr : current_contexts.back ();
  return 0;
}

int
sim_ctx_get_device (CUdevice *device)
{
  ENTER ("cuCtxGetDevice");
  *device = current_contexts.back ()->device;
  return 0;
}

int
sim_ctx_get_priority_range (int *least, int *greatest)
{
  ENTER ("cuCtxGetStreamPriorityRange");
  *least = 0;
  *greatest = -5;
  return 0;
}

/* A program that still holds the primary context at the end has not freed its
 * objects. */
__attribute__ ((destructor)) static void
at_exit (void)
{
  if (primary.references > 0)
    check_left (&primary);
}
