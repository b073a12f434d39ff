/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The simulated GPU, for tests: what it found, what it is asked to do, and how
 * kernels are known to it. Whatever is wrong in the code under test is one
 * report: a line on stderr, counted. A process whose simulator reported
 * something exits with 99, unless Y10_SIM_EXIT is 0.
 *
 * Environment: Y10_SIM_SEED, order of work and threads; Y10_SIM_CAPABILITY,
 * "7.5" unless set; Y10_SIM_MEMORY, bytes of the device. */

#include <glib.h>

#include "kernels/view.h"

G_BEGIN_DECLS

/* Reports so far, and the last one's text ("" before the first). */
guint y10_sim_n_reports (void);
const char *y10_sim_last_report (void);
/* Forgets them; tests that provoke reports call it. */
void y10_sim_reset_reports (void);
/* Reports are counted, not printed. */
void y10_sim_set_quiet (gboolean quiet);
void y10_sim_report (const char *format, ...) G_GNUC_PRINTF (1, 2);

void y10_sim_set_seed (guint64 seed);
guint64 y10_sim_random (void);
/* 75, 80, 86, …: decides what shared memory a block may have. */
void y10_sim_set_sm (guint sm);
guint y10_sim_sm (void);
guint y10_sim_max_shared_optin (void);

/* Allocating device or pinned memory, making a stream, an event or a graph, or
 * loading a module is a report from now on, in the calling thread. */
void y10_sim_mark_started (void);
void y10_sim_mark_stopped (void);

/* What tests take out to see that it is missed: one call in @n does nothing
 * and succeeds. Also as Y10_SIM_BREAK=wait-event:3, synchronize:1 or
 * invalidate-capture:2; and
 * Y10_SIM_BREAK=barrier:head_topk.cuh:164 takes out the one in that line. */
typedef enum
{
  Y10_SIM_BREAK_NOTHING,
  Y10_SIM_BREAK_WAIT_EVENT,     /* stream_wait_event */
  Y10_SIM_BREAK_SYNCHRONIZE,    /* …_synchronize and event_query */
  Y10_SIM_BREAK_UNTIMED,        /* event_synchronize, event_query of untimed ones */
  Y10_SIM_BREAK_INVALIDATE_CAPTURE,     /* every @n-th capture becomes invalid, as
                                         * if another thread synchronized */
} Y10SimBreak;

void y10_sim_break (Y10SimBreak kind, guint n);

/* For the simulator itself: whether the barrier there has been taken out. */
gboolean y10_sim_skips_barrier (const char *file, int line);

/* The @n-th kernel from now on does not run but loses its context, as an
 * illegal address does (700): every call in it returns @code. Also as
 * Y10_SIM_LOSE=N:CODE. 0: none does. */
void y10_sim_lose (guint n, int code);
/* Every request for a context fails, as on a GPU that fell off the bus. */
void y10_sim_set_gone (gboolean gone);

/* That have run, and been launched, so far. */
guint64 y10_sim_n_kernels (void);
guint64 y10_sim_n_graph_launches (void);
/* Kernels launched and copies queued so far, each by a call of its own. */
guint64 y10_sim_n_launches (void);
guint64 y10_sim_n_copies (void);
/* Waits that keep a core busy: for events without BLOCKING_SYNC. */
guint64 y10_sim_n_spins (void);
/* Device memory that nothing had written when a kernel got it. */
guint64 y10_sim_n_unset (void);
/* Captures that became invalid so far. */
guint64 y10_sim_n_invalidated (void);
/* Other threads get their turn between any two calls of a capture. */
void y10_sim_set_slow_captures (gboolean slow);
/* cuCtxSynchronize: the backend never calls it, but others in the process do. */
int y10_sim_ctx_synchronize (void);

/* A context that is not the primary one, as GStreamer makes them; freeing it
 * reports what was left in it. */
struct CUctx_st *y10_sim_context_new (void);
void y10_sim_context_free (struct CUctx_st *context);

typedef struct _Y10SimKernel Y10SimKernel;
struct _Y10SimKernel
{
  const char *name;
  gsize params_size;
  void (*run) (const void *params);     /* one thread of it */
};

/* NULL: no such kernel is linked in. */
const Y10SimKernel *y10_sim_kernel (const char *name);
/* A test's own; @kernel stays the caller's and has to live on. */
void y10_sim_register (const Y10SimKernel * kernel);

/* Runs it at once, in the calling thread. FALSE after a report.
 * @max_dynamic: what the function's attribute allows; 49152 unless set. */
gboolean y10_sim_check_launch (const Y10SimKernel * kernel, Y10KLaunch launch,
    guint max_dynamic);
gboolean y10_sim_run (const Y10SimKernel * kernel, Y10KLaunch launch,
    guint max_dynamic, const void *params);

G_END_DECLS
