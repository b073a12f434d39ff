/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The simulated driver: correctly queued work gives the same result in every
 * order; faulty work is reported, or gives another result in some orders. */

#include <string.h>

#include "driver/driver.h"
#include "selftest.h"
#include "sim.h"

#define DECLARE(name) extern "C" void name (SelfTest p);
SELF_KERNELS (DECLARE)

#define ENTRY(name) \
  { #name, sizeof (SelfTest), \
    [] (const void *p) { name (*(const SelfTest *) p); } },
static const Y10SimKernel kernels[] = { SELF_KERNELS (ENTRY) };

#define N 300 /* floats of one sum */

static const Y10CudaDriver *d;

#define OK(call) g_assert_cmpint (d->call, ==, 0)

/* A context, two streams, and buffers to copy from pinned memory to the device,
 * sum there, and copy back. */
typedef struct
{
  CUcontext context;
  CUmodule module;
  CUfunction sum;
  CUstream stream[2];
  CUevent event[2];
  float *pinned; /* N values, then the sum */
  CUdeviceptr in, out;
} Rig;

static void
rig_init (Rig *rig)
{
  memset (rig, 0, sizeof *rig);
  rig->context = y10_sim_context_new ();
  OK (ctx_push (rig->context));
  OK (module_load_data (&rig->module, y10_cuda_kernel_image ()));
  OK (module_get_function (&rig->sum, rig->module, "self_sum"));
  for (int i = 0; i < 2; i++) {
    OK (stream_create (&rig->stream[i], Y10_CU_STREAM_NON_BLOCKING, 0));
    OK (event_create (&rig->event[i], i ? Y10_CU_EVENT_DISABLE_TIMING : 0));
  }
  OK (mem_host_alloc ((void **) &rig->pinned, (N + 1) * sizeof (float), 0));
  OK (mem_alloc (&rig->in, N * sizeof (float)));
  OK (mem_alloc (&rig->out, sizeof (float)));
}

static void
rig_clear (Rig *rig)
{
  CUcontext popped;

  OK (stream_synchronize (rig->stream[0]));
  OK (stream_synchronize (rig->stream[1]));
  OK (mem_free (rig->in));
  OK (mem_free (rig->out));
  OK (mem_free_host (rig->pinned));
  for (int i = 0; i < 2; i++) {
    OK (stream_destroy (rig->stream[i]));
    OK (event_destroy (rig->event[i]));
  }
  OK (module_unload (rig->module));
  OK (ctx_pop (&popped));
  y10_sim_context_free (rig->context);
}

static float
fill (Rig *rig)
{
  float sum = 0;

  for (int i = 0; i < N; i++)
    sum += rig->pinned[i] = (float) (y10_sim_random () % 1000);
  rig->pinned[N] = -1;
  return sum;
}

static int
launch (Rig *rig, CUstream stream)
{
  SelfTest p = { (const float *) rig->in, (float *) rig->out, N };
  void *params[] = { &p };
  int result = d->launch_kernel (rig->sum, 1, 1, 1, 128, 1, 1, 0, stream,
      params, NULL);

  /* The driver has copied the parameters. */
  memset (&p, 0xff, sizeof p);
  return result;
}

/* Copy and sum on one stream, the result back on another one. */
static void
queue_all (Rig *rig)
{
  OK (memcpy_htod_async (rig->in, rig->pinned, N * sizeof (float),
      rig->stream[0]));
  OK (event_record (rig->event[0], rig->stream[0]));
  OK (stream_wait_event (rig->stream[1], rig->event[0], 0));
  g_assert_cmpint (launch (rig, rig->stream[1]), ==, 0);
  OK (memcpy_dtoh_async (rig->pinned + N, rig->out, sizeof (float),
      rig->stream[1]));
  OK (event_record (rig->event[1], rig->stream[1]));
}

static void
wait_polling (CUevent event)
{
  int result;

  while ((result = d->event_query (event)) == Y10_CU_NOT_READY)
    ;
  g_assert_cmpint (result, ==, 0);
}

static void
test_streams (void)
{
  Rig rig;
  guint not_yet = 0;

  rig_init (&rig);
  for (int i = 0; i < 200; i++) {
    float sum = fill (&rig);

    queue_all (&rig);
    not_yet += rig.pinned[N] < 0;
    if (i % 2)
      wait_polling (rig.event[1]);
    else
      OK (event_synchronize (rig.event[1]));
    g_assert_cmpfloat (rig.pinned[N], ==, sum);
  }
  /* In most rounds nothing has run before the wait, unless the machine is busy. */
  g_assert_cmpuint (not_yet, >, 0);
  rig_clear (&rig);
  g_assert_cmpuint (y10_sim_n_reports (), ==, 0);
}

/* A missing wait: the simulator skips one kind of wait after the other. */
static void
test_forgotten_wait (void)
{
  for (int kind = Y10_SIM_BREAK_WAIT_EVENT; kind <= Y10_SIM_BREAK_SYNCHRONIZE;
       kind++) {
    guint wrong = 0;
    Rig rig;

    rig_init (&rig);
    y10_sim_break ((Y10SimBreak) kind, 1);
    for (int i = 0; !wrong && i < 2000; i++) {
      float sum = fill (&rig);

      queue_all (&rig);
      OK (event_synchronize (rig.event[1]));
      wrong += rig.pinned[N] != sum;
      if (i % 8 == 0)
        wait_polling (rig.event[1]);
    }
    y10_sim_break (Y10_SIM_BREAK_NOTHING, 0);
    g_assert_cmpuint (wrong, >, 0);
    rig_clear (&rig);
  }
}

/* Fork and join in a capture: a diamond of copies, launched again and again,
 * from two streams. */
static void
test_graph (void)
{
  CUgraphExec exec;
  CUgraph graph;
  Rig rig;

  rig_init (&rig);
  OK (stream_begin_capture (rig.stream[1], Y10_CU_CAPTURE_THREAD_LOCAL));
  OK (event_record (rig.event[0], rig.stream[1]));
  OK (stream_wait_event (rig.stream[0], rig.event[0], 0));
  OK (memcpy_htod_async (rig.in, rig.pinned, N / 2 * sizeof (float),
      rig.stream[0]));
  OK (memcpy_htod_async (rig.in + N / 2 * sizeof (float), rig.pinned + N / 2,
      N / 2 * sizeof (float), rig.stream[1]));
  OK (event_record (rig.event[1], rig.stream[0]));
  OK (stream_wait_event (rig.stream[1], rig.event[1], 0));
  g_assert_cmpint (launch (&rig, rig.stream[1]), ==, 0);
  OK (memcpy_dtoh_async (rig.pinned + N, rig.out, sizeof (float),
      rig.stream[1]));
  OK (stream_end_capture (rig.stream[1], &graph));
  OK (graph_instantiate (&exec, graph, 0));
  OK (graph_destroy (graph));
  OK (graph_upload (exec, rig.stream[0]));
  for (int i = 0; i < 100; i++) {
    float sum = fill (&rig);

    OK (graph_launch (exec, rig.stream[i % 2]));
    if (i % 3 == 0)
      OK (graph_launch (exec, rig.stream[(i + 1) % 2]));
    OK (event_record (rig.event[0], rig.stream[i % 2]));
    OK (event_synchronize (rig.event[0]));
    g_assert_cmpfloat (rig.pinned[N], ==, sum);
    OK (stream_synchronize (rig.stream[(i + 1) % 2]));
  }
  OK (graph_exec_destroy (exec));
  rig_clear (&rig);
  g_assert_cmpuint (y10_sim_n_reports (), ==, 0);
}

/* The effect of each kind of misuse; each in a separate context, because the
 * error persists. Objects left behind do not matter here. */
typedef enum
{
  FREED_COPY,
  FREED_WHILE_QUEUED,
  FREED_IN_KERNEL,
  FREED_TWICE,
  FOREIGN_MEMORY,
  FOREIGN_STREAM,
  NULL_STREAM,
  NO_CONTEXT,
  OUTSIDE,
  NOT_MAPPED,
  STARTED,
  CAPTURE_ALLOC,
  CAPTURE_SYNC,
  CAPTURE_UNJOINED,
  CAPTURE_FOREIGN_EVENT,
  CAPTURE_PAGEABLE,
  TOO_MANY_THREADS,
  LEAK,
  N_MISUSES,
} Misuse;

static const char *const misuses[] = { "freed", "freed before", "freed",
  "again", "another context", "another context", "NULL stream",
  "without a current context", "leave the allocation", "not mapped",
  "after the start", "while a stream is captured", "captured", "come together",
  "outside of the capture", "pageable", "block larger", "left in a context" };

static void
do_misuse (Misuse misuse, Rig *rig, Rig *other)
{
  float pageable[N] = { 0 };
  void *params[1] = { pageable };
  CUdeviceptr p;
  CUcontext popped;
  CUgraph graph;

  switch (misuse) {
    case FREED_COPY:
      d->mem_free (rig->in);
      d->memcpy_htod_async (rig->in, rig->pinned, 16, rig->stream[0]);
      break;
    case FREED_WHILE_QUEUED:
      /* Repeats until the work is not done at once. */
      for (int i = 0; i < 100; i++)
        d->memset_d8_async (rig->in, 1, 16, rig->stream[0]);
      d->mem_free (rig->in);
      d->stream_synchronize (rig->stream[0]);
      break;
    case FREED_IN_KERNEL:
      d->mem_free (rig->out);
      launch (rig, rig->stream[0]);
      break;
    case FREED_TWICE:
      d->mem_free (rig->in);
      d->mem_free (rig->in);
      break;
    case FOREIGN_MEMORY:
      d->memset_d8_async (other->in, 0, 4, rig->stream[0]);
      break;
    case FOREIGN_STREAM:
      launch (rig, other->stream[0]);
      break;
    case NULL_STREAM:
      launch (rig, NULL);
      break;
    case NO_CONTEXT:
      d->ctx_pop (&popped);
      d->ctx_pop (&popped);
      d->mem_alloc (&p, 16);
      d->ctx_push (popped);
      d->ctx_push (rig->context);
      break;
    case OUTSIDE:
      d->memset_d8_async (rig->in, 0, (N + 1) * sizeof (float), rig->stream[0]);
      break;
    case NOT_MAPPED:
      rig->in = (CUdeviceptr) rig->pinned;
      launch (rig, rig->stream[0]);
      break;
    case STARTED:
      y10_sim_mark_started ();
      d->mem_alloc (&p, 16);
      y10_sim_mark_stopped ();
      break;
    case CAPTURE_ALLOC:
      d->stream_begin_capture (rig->stream[0], Y10_CU_CAPTURE_THREAD_LOCAL);
      d->mem_alloc (&p, 16);
      d->stream_end_capture (rig->stream[0], &graph);
      break;
    case CAPTURE_SYNC:
      d->stream_begin_capture (rig->stream[0], Y10_CU_CAPTURE_THREAD_LOCAL);
      d->stream_synchronize (rig->stream[0]);
      d->stream_end_capture (rig->stream[0], &graph);
      break;
    case CAPTURE_UNJOINED:
      d->stream_begin_capture (rig->stream[0], Y10_CU_CAPTURE_THREAD_LOCAL);
      d->event_record (rig->event[0], rig->stream[0]);
      d->stream_wait_event (rig->stream[1], rig->event[0], 0);
      launch (rig, rig->stream[1]);
      d->stream_end_capture (rig->stream[0], &graph);
      break;
    case CAPTURE_FOREIGN_EVENT:
      d->event_record (rig->event[0], rig->stream[1]);
      d->stream_begin_capture (rig->stream[0], Y10_CU_CAPTURE_THREAD_LOCAL);
      d->stream_wait_event (rig->stream[0], rig->event[0], 0);
      d->stream_end_capture (rig->stream[0], &graph);
      break;
    case CAPTURE_PAGEABLE:
      d->stream_begin_capture (rig->stream[0], Y10_CU_CAPTURE_THREAD_LOCAL);
      d->memcpy_htod_async (rig->in, pageable, 16, rig->stream[0]);
      d->stream_end_capture (rig->stream[0], &graph);
      break;
    case TOO_MANY_THREADS:
      d->launch_kernel (rig->sum, 1, 1, 1, 1025, 1, 1, 0, rig->stream[0],
          params, NULL);
      break;
    case LEAK:
      y10_sim_context_free (rig->context);
      break;
    case N_MISUSES:
      break;
  }
}

static void
test_misuse (void)
{
  static Rig rigs[N_MISUSES], other; /* reachable: nothing is freed */
  CUcontext popped;

  rig_init (&other);
  for (int i = 0; i < N_MISUSES; i++) {
    int status;

    rig_init (&rigs[i]);
    y10_sim_reset_reports ();
    y10_sim_set_quiet (TRUE);
    do_misuse ((Misuse) i, &rigs[i], &other);
    y10_sim_set_quiet (FALSE);
    if (y10_sim_n_reports () != 1
        || !strstr (y10_sim_last_report (), misuses[i]))
      g_error ("misuse %d: %u reports, \"%s\" and not \"%s\"", i,
          y10_sim_n_reports (), y10_sim_last_report (), misuses[i]);
    /* Every later call fails, too. */
    if (i != NO_CONTEXT && i != LEAK) {
      status = d->event_record (rigs[i].event[0], rigs[i].stream[1]);
      g_assert_cmpint (status, !=, 0);
    }
    OK (ctx_pop (&popped));
  }
  OK (ctx_pop (&popped));
  y10_sim_reset_reports ();
}

int
main (int argc, char **argv)
{
  g_autoptr (GString) why = g_string_new (NULL);

  for (const Y10SimKernel &k : kernels)
    y10_sim_register (&k);
  d = y10_cuda_driver_get (why);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cuda-sim/streams", test_streams);
  g_test_add_func ("/cuda-sim/forgotten-wait", test_forgotten_wait);
  g_test_add_func ("/cuda-sim/graph", test_graph);
  g_test_add_func ("/cuda-sim/misuse", test_misuse);
  return g_test_run ();
}
