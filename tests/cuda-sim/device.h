/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Shared by the files of the simulated driver: memory (memory.cpp), queued work
 * and the order in which it runs (queue.cpp), captures (capture.cpp). One lock
 * protects all of it; the functions of the driver's table (driver_sim.cpp) take
 * it, the functions here do not. */

#include <deque>
#include <memory>
#include <set>
#include <vector>

#include "driver/driver.h"
#include "sim.h"

/* Further result codes of cuda.h. */
enum
{
  Y10_CU_INVALID_VALUE = 1,
  Y10_CU_NOT_INITIALIZED = 3,
  Y10_CU_DEVICE_UNAVAILABLE = 46,
  Y10_CU_INVALID_DEVICE = 101,
  Y10_CU_INVALID_CONTEXT = 201,
  Y10_CU_INVALID_HANDLE = 400,
  Y10_CU_NOT_FOUND = 500,
  Y10_CU_ILLEGAL_ADDRESS = 700,
  Y10_CU_LAUNCH_FAILED = 719,
  Y10_CU_CAPTURE_UNSUPPORTED = 900,
  Y10_CU_CAPTURE_INVALIDATED = 901,
  Y10_CU_CAPTURE_UNMATCHED = 903,
  Y10_CU_CAPTURE_UNJOINED = 904,
  Y10_CU_CAPTURE_ISOLATION = 905,
  Y10_CU_CAPTURED_EVENT = 907,
  Y10_CU_CAPTURE_WRONG_THREAD = 908,
};

struct Capture;

struct CUctx_st
{
  guint references; /* of the primary context */
  int device;
  int error; /* the result of every further call; 0: not lost */
  guint n_streams;
  std::set<CUmodule> modules;
  std::set<CUevent> events;
  std::set<CUgraph> graphs;
  std::set<CUgraphExec> execs;
};

struct CUmod_st
{
  CUcontext context;
  std::vector<std::unique_ptr<CUfunc_st> > functions;
};

struct CUfunc_st
{
  CUcontext context;
  const Y10SimKernel *kernel;
  guint max_dynamic;
};

/* An allocation of device or pinned memory; kept after it is freed, until its
 * addresses are needed again. */
struct Allocation
{
  guint8 *base, *map;
  gsize size, map_size;
  CUcontext context;
  bool pinned, freed, mapped;
  mutable bool set; /* a copy, a memset or a kernel has used it */
};

enum OpKind
{
  OP_KERNEL,
  OP_COPY,
  OP_MEMSET,
  OP_RECORD,
  OP_WAIT,
  OP_GRAPH,
};

/* A queued operation. Parameters are copied when it is queued; the memory that
 * it reads is read when it runs. */
struct Op
{
  OpKind kind;
  CUcontext context;
  /* OP_KERNEL */
  const Y10SimKernel *kernel;
  Y10KLaunch launch;
  guint max_dynamic;
  std::vector<guint64> params;
  /* OP_COPY, OP_MEMSET */
  guint8 *to;
  const guint8 *from;
  gsize size;
  guint8 value;
  std::vector<guint8> staged; /* copy of pageable memory */
  /* OP_RECORD, OP_WAIT */
  CUevent event;
  guint64 number; /* of the record */
  /* OP_GRAPH */
  CUgraphExec exec;
  std::vector<guint> missing; /* per node: predecessors that have not run */
  std::vector<guint> ready;
  guint n_left;
  bool begun;

  std::vector<const Allocation *> uses;
};

struct Node
{
  Op op;
  std::vector<guint> after; /* nodes */
};

struct CUgraph_st
{
  CUcontext context;
  std::vector<Node> nodes;
};

struct CUgraphExec_st
{
  CUcontext context;
  std::vector<Node> nodes;
  bool broken; /* its first kernel does nothing */
  Op *running;
  guint n_queued;
  bool destroyed;
};

struct CUstream_st
{
  CUcontext context;
  std::deque<std::unique_ptr<Op> > queue;
  bool destroyed;
  Capture *capture;
  std::vector<guint> last; /* predecessors of the next node */
};

struct CUevent_st
{
  CUcontext context;
  bool timing, blocking, destroyed;
  guint64 recorded;             /* number of the last record */
  std::vector<guint64> pending; /* numbers of records that have not run */
  guint n_queued;               /* ops that refer to this event */
  gint64 time;                  /* ns, of the last record that ran */
  CUstream stream;              /* of the last record */
  Capture *capture;             /* the last record was captured */
  std::vector<guint> last;
};

struct Capture
{
  CUgraph graph;
  CUstream origin;
  int mode;
  GThread *thread;
  bool invalid;
  guint doomed;                 /* nodes until it becomes invalid; 0: never */
  guint n_waits;                /* between streams, for nodes */
  std::vector<guint> forgotten; /* nodes of the wait that made no edges */
  std::vector<CUstream> streams;
};

namespace y10_sim {
/* memory.cpp. */
int memory_alloc (CUcontext context, gsize size, bool pinned, guint8 **p);
/* Whether kernels may use pinned memory at @p. */
void memory_set_mapped (const void *p, bool mapped);
/* Returns Y10_CU_INVALID_VALUE and reports if @p is not such memory. */
int memory_free (guint8 *p, bool pinned);
/* Returns the allocation, freed or not, that @p lies in or just behind. */
const Allocation *memory_find (const void *p);
gboolean memory_fences_hold (const Allocation *a);
/* Whether all of @size at @p lies in one allocation, or it is no device memory. */
bool memory_holds (const void *p, gsize size);
/* Frees all memory of @context without a report. */
void memory_drop (CUcontext context);
void memory_info (gsize *free_bytes, gsize *total);
guint memory_count (CUcontext context, gsize *bytes);

/* queue.cpp. */
extern std::vector<CUstream> &streams;
/* Takes the op; now and then runs some of the queued work. */
void enqueue (CUstream stream, std::unique_ptr<Op> op);
bool is_done (CUevent event, guint64 number);
/* Runs work until the record has run; FALSE after a report. */
bool run_until (CUevent event, guint64 number);
bool run_until_empty (CUstream stream);
void run_some (guint n);
/* Frees the streams of a context that is destroyed, and drops their queued
 * work. */
void streams_drop (CUcontext context);
void forget_event (CUevent event);
void forget_exec (CUgraphExec exec);

/* The node of each graph that runs as late as possible; or G_MAXUINT. */
extern guint delayed_node;

/* capture.cpp. */
extern std::vector<Capture *> &captures;
/* Checks a call that a capture in progress may forbid: returns 0 or the result
 * to return. */
int check_unsafe (const char *call);
/* Adds @op to the capture of @stream: returns 0 or the result to return. */
int capture_op (CUstream stream, Op *op);
/* The effect on captures of synchronizing @context in any thread: returns 0 or
 * the result to return. */
int capture_synchronize (CUcontext context);
int capture_begin (CUstream stream, int mode);
int capture_end (CUstream stream, CUgraph *graph);
bool capture_record (CUevent event, CUstream stream);
/* Returns -1 if neither is captured. */
int capture_wait (CUstream stream, CUevent event);
/* Checks a call that takes no captured event or stream: returns 0 or the result
 * to return. */
int check_not_captured (CUstream stream, CUevent event, const char *call);

/* driver_contexts.cpp: returns the error by which the running kernel is to lose
 * its context, or 0. */
int lose_now ();
/* driver_sim.cpp: reports, marks the current context, returns @result. */
int misuse (int result, const char *format, ...) G_GNUC_PRINTF (2, 3);
const char *op_name (const Op *op, char *text, gsize size);
/* Whether this call is to be skipped (y10_sim_break ()). */
bool is_broken (Y10SimBreak kind);
/* Whether this launch is to fail (y10_sim_refuse ()). */
bool is_refused (OpKind kind);
}
