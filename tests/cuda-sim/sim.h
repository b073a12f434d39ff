/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The simulated GPU's interface for tests: its reports, its settings and its
 * kernels. Each fault in the code under test gives one report: a line on
 * stderr, which is counted. A process whose simulator reported something exits
 * with 99, unless Y10_SIM_EXIT is 0.
 *
 * Environment: Y10_SIM_SEED, order of work and threads; Y10_SIM_CAPABILITY,
 * "7.5" unless set; Y10_SIM_MEMORY, bytes of the device; Y10_SIM_PTX, compiled kernels
 * to run (tests/ptx). */

#include <glib.h>

#include "kernels/view.h"

G_BEGIN_DECLS

/* The number of reports so far, and the last one's text ("" before the
 * first). */
guint y10_sim_n_reports (void);
const char *y10_sim_last_report (void);
/* Forgets the reports; for tests that provoke them. */
void y10_sim_reset_reports (void);
/* TRUE: reports are counted, not printed. */
void y10_sim_set_quiet (gboolean quiet);
void y10_sim_report (const char *format, ...) G_GNUC_PRINTF (1, 2);

void y10_sim_set_seed (guint64 seed);
guint64 y10_sim_random (void);
/* 75, 80, 86, …: determines how much shared memory a block may have. */
void y10_sim_set_sm (guint sm);
guint y10_sim_sm (void);
guint y10_sim_max_shared_optin (void);

/* From now on, it is reported if the calling thread allocates device or pinned
 * memory, creates a stream, an event or a graph, or loads a module. */
void y10_sim_mark_started (void);
void y10_sim_mark_stopped (void);

/* Faults that tests inject to check that they are noticed: one call in @n does
 * nothing and succeeds. Also set by Y10_SIM_BREAK=wait-event:3, synchronize:1,
 * invalidate-capture:2 or graph:1; Y10_SIM_BREAK=barrier:head_topk.cuh:164 removes the
 * barrier in that line. */
typedef enum
{
  Y10_SIM_BREAK_NOTHING,
  Y10_SIM_BREAK_WAIT_EVENT,  /* stream_wait_event */
  Y10_SIM_BREAK_SYNCHRONIZE, /* …_synchronize and event_query */
  Y10_SIM_BREAK_UNTIMED,     /* event_synchronize and event_query of untimed
                                 * events */
  Y10_SIM_BREAK_INVALIDATE_CAPTURE, /* every @n-th capture becomes invalid, as
                                         * if another thread synchronized */
  Y10_SIM_BREAK_GRAPH, /* one graph in @n leaves out its first kernel */
} Y10SimBreak;

void y10_sim_break (Y10SimBreak kind, guint n);

/* For the simulator itself: whether the barrier at that line is removed. */
gboolean y10_sim_skips_barrier (const char *file, int line);

/* The @n-th kernel from now on does not run but loses its context, like an
 * illegal address (700): every call in the context returns @code. 0: no kernel
 * does. Also set by Y10_SIM_LOSE=N:CODE. */
void y10_sim_lose (guint n, int code);
/* The next calls that launch kernels outside of captures, and those that launch graphs
 * that copy memory, as the network's do and the tuner's do not, fail for lack of
 * memory; the context is not lost. */
void y10_sim_refuse (guint n_kernels, guint n_graphs);
/* Every request for a context fails, as on a GPU that fell off the bus. */
void y10_sim_set_gone (gboolean gone);

/* The numbers of kernels that have run, and of graph launches, so far. */
guint64 y10_sim_n_kernels (void);
guint64 y10_sim_n_graph_launches (void);
/* The numbers of kernels launched and copies queued so far, outside of
 * graphs. */
guint64 y10_sim_n_launches (void);
guint64 y10_sim_n_copies (void);
/* The number of waits that keep a core busy: for events without
 * BLOCKING_SYNC. */
guint64 y10_sim_n_spins (void);
/* How often a kernel got device memory that nothing had written. */
guint64 y10_sim_n_unset (void);
/* The number of captures that became invalid so far. */
guint64 y10_sim_n_invalidated (void);
/* Of the last graph that was captured: its nodes, those on its longest chain, and the
 * waits of one stream for nodes of another that made its edges. */
guint y10_sim_n_nodes (void);
guint y10_sim_longest_chain (void);
guint y10_sim_n_waits (void);
/* From now on each capture forgets the edges of its wait @wait, counted from 0;
 * and each graph runs its node @node after all that do not have to follow it.
 * G_MAXUINT: none. */
void y10_sim_forget_wait (guint wait);
void y10_sim_delay_node (guint node);
/* TRUE: other threads get a turn between any two calls of a capture. */
void y10_sim_set_slow_captures (gboolean slow);
/* cuCtxSynchronize: the backend never calls it, but others in the process do. */
int y10_sim_ctx_synchronize (void);

/* Creates a context that is not the primary one, as GStreamer does; freeing it
 * reports objects that are left in it. */
struct CUctx_st *y10_sim_context_new (void);
/* The same on GPU @device. GPU 1 exists in such contexts only: its primary context
 * cannot be taken. */
struct CUctx_st *y10_sim_context_new_on (int device);
void y10_sim_context_free (struct CUctx_st *context);

typedef struct _Y10SimKernel Y10SimKernel;
struct _Y10SimKernel
{
  const char *name;
  gsize params_size;
  void (*run) (const void *params); /* one thread of it */
};

/* Returns NULL if no such kernel is linked in. */
const Y10SimKernel *y10_sim_kernel (const char *name);
/* Adds a test's own kernel; the caller owns @kernel and must keep it. */
void y10_sim_register (const Y10SimKernel *kernel);

/* Runs a kernel synchronously, in the calling thread. FALSE after a report.
 * @max_dynamic: what the function's attribute allows; 49152 unless set. */
gboolean y10_sim_check_launch (const Y10SimKernel *kernel, Y10KLaunch launch,
    guint max_dynamic);
gboolean y10_sim_run (const Y10SimKernel *kernel, Y10KLaunch launch,
    guint max_dynamic, const void *params);

G_END_DECLS
