/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Measures variants of a convolution in captured graphs, as the network is one.
 * Except for the smallest convolutions, the sets of buffers together exceed the L2
 * cache. The variants alternate, so that other work on the GPU affects all of
 * them, and the median counts. */

#include "config.h"

#include <stdlib.h>

#include "kernels/epilogue.h"
#include "autotune/verify.h"

#define MAX_CAPTURES 4 /* of a way */
#define MIN_RUNS 16    /* of a graph */
#define SLOW_MS 1.0f   /* of a run: then a graph has one */
#define MIN_ROUNDS 3
#define MAX_ROUNDS 9
#define ROUNDS_TIME (G_USEC_PER_SEC / 20)

/* One variant being measured. */
typedef struct
{
  Y10CudaConvPlan *plan; /* NULL: a pair */
  gboolean fused;
  Y10CudaPair pair;
  CUgraphExec graph;
  guint runs; /* per launch */
  gfloat ms[MAX_ROUNDS];
} Way;

static gboolean
run_way (Y10CudaTrial *t, const Way *way, guint set, GError **error)
{
  const Y10CudaKernels *kernels = &t->device->kernels;
  const Y10CudaConvDesc *desc = &t->desc;
  gboolean staged = !way->fused && y10_cuda_is_staged (desc);
  CUdeviceptr out = staged
      ? t->memory + t->staging_at
      : y10_cuda_trial_address (t, set, t->out_at, &desc->out);
  Y10KEpilogue f = {
    .out = y10_cuda_trial_view (t, set, t->out_at, &desc->out),
    .add = y10_cuda_trial_view (t, set, t->add_at, &desc->add),
    .silu = desc->silu,
    .out_float = desc->out_float,
    .images = (int) desc->images,
  };

  if (!way->plan)
    return y10_cuda_trial_run_pair (t, set, way->pair, error);
  if (!y10_cuda_conv_plan_run (way->plan, t->stream,
          y10_cuda_trial_address (t, set, t->in_at, &desc->in),
          t->memory + set * t->set_size + t->weight_at, t->memory + t->bias_at,
          y10_cuda_trial_address (t, set, t->add_at, &desc->add), out,
          t->memory + t->workspace_at, error))
    return FALSE;
  f.in = f.out;
  if (staged) {
    f.in.data = GSIZE_TO_POINTER (out);
    f.in.pixel = f.in.channels;
    f.in.image = (gint64) f.in.height * f.in.width * f.in.channels;
  }
  return way->fused || !(staged || desc->silu)
      || y10_cuda_launch (kernels, kernels->epilogue[t->type],
          y10_epilogue_launch (&f), t->stream, &f, error);
}

gboolean
y10_cuda_trial_verify_unfused (Y10CudaTrial *t, Y10CudaConvPlan *plan,
    double *difference, GError **error)
{
  const Way way = { .plan = plan };

  *difference = 0;
  return y10_cuda_trial_clear (t, error) && run_way (t, &way, 0, error)
      && y10_cuda_trial_compare (t, difference, error);
}

static gboolean
elapsed (Y10CudaTrial *t, gfloat *ms, GError **error)
{
  const Y10CudaDriver *d = t->device->driver;

  return y10_cuda_check (d, d->event_record (t->end, t->stream),
             "marking the end", error)
      && y10_cuda_check (d, d->event_synchronize (t->end),
          "running a convolution", error)
      && y10_cuda_check (d, d->event_elapsed_time (ms, t->start, t->end),
          "timing a convolution", error);
}

static gboolean
capture_way (Y10CudaTrial *t, Way *way, GError **error)
{
  const Y10CudaDriver *d = t->device->driver;
  CUgraph graph = NULL;
  gboolean ok = TRUE;

  if (!y10_cuda_check (d,
          d->stream_begin_capture (t->stream, Y10_CU_CAPTURE_THREAD_LOCAL),
          "capturing a convolution", error))
    return FALSE;
  for (guint i = 0; ok && i < way->runs; i++)
    ok = run_way (t, way, i % t->n_sets, error);
  ok = y10_cuda_check (d, d->stream_end_capture (t->stream, &graph),
           "capturing a convolution", ok ? error : NULL)
      && ok;
  ok = ok
      && y10_cuda_check (d, d->graph_instantiate (&way->graph, graph, 0),
          "making a graph", error)
      && y10_cuda_check (d, d->graph_upload (way->graph, t->stream),
          "uploading a graph", error);
  if (graph)
    d->graph_destroy (graph);
  return ok;
}

/* Runs it with every set first, so that its code is loaded and cuDNN has seen
 * all pointers. Another thread may invalidate a capture: it is repeated. */
static gboolean
prepare_way (Y10CudaTrial *t, Way *way, GError **error)
{
  const Y10CudaDriver *d = t->device->driver;
  gfloat ms;
  gboolean ok = TRUE;

  for (guint i = 0; ok && i < t->n_sets; i++)
    ok = run_way (t, way, i, error);
  ok = ok
      && y10_cuda_check (d, d->event_record (t->start, t->stream),
          "marking the start", error)
      && run_way (t, way, 0, error) && elapsed (t, &ms, error);
  if (!ok)
    return FALSE;
  way->runs = ms > SLOW_MS ? 1 : MAX (MIN_RUNS, t->n_sets);
  for (guint i = 1; i < MAX_CAPTURES; i++)
    if (capture_way (t, way, NULL))
      return TRUE;
  return capture_way (t, way, error);
}

static int
compare_ms (const void *a, const void *b)
{
  const gfloat x = *(const gfloat *) a, y = *(const gfloat *) b;

  return x < y ? -1 : x > y;
}

static gboolean
time_ways (Y10CudaTrial *t, Way *ways, guint n, GCancellable *cancellable,
    GError **error)
{
  const Y10CudaDriver *d = t->device->driver;
  gint64 start = g_get_monotonic_time ();
  guint rounds = 0;

  while (rounds < MAX_ROUNDS
      && (rounds < MIN_ROUNDS
          || g_get_monotonic_time () - start < ROUNDS_TIME)) {
    for (guint i = 0; i < n; i++)
      if (g_cancellable_set_error_if_cancelled (cancellable, error)
          || !y10_cuda_check (d, d->event_record (t->start, t->stream),
              "marking the start", error)
          || !y10_cuda_check (d, d->graph_launch (ways[i].graph, t->stream),
              "launching a convolution", error)
          || !elapsed (t, &ways[i].ms[rounds], error))
        return FALSE;
    rounds++;
  }
  for (guint i = 0; i < n; i++) {
    qsort (ways[i].ms, rounds, sizeof *ways[i].ms, compare_ms);
    ways[i].ms[0] = ways[i].ms[rounds / 2] / (gfloat) ways[i].runs;
  }
  return TRUE;
}

/* Prepares and times @ways; the median of each is its first. */
static gboolean
measure (Y10CudaTrial *t, Way *ways, guint n, GCancellable *cancellable,
    GError **error)
{
  gboolean ok = TRUE;

  for (guint i = 0; ok && i < n; i++)
    ok = prepare_way (t, &ways[i], error);
  ok = ok && time_ways (t, ways, n, cancellable, error);
  for (guint i = 0; i < n; i++)
    if (ways[i].graph)
      t->device->driver->graph_exec_destroy (ways[i].graph);
  return ok;
}

static gint64
ns_of (const Way *way)
{
  return (gint64) (way->ms[0] * 1e6f);
}

gboolean
y10_cuda_trial_measure (Y10CudaTrial *t, Y10CudaConvPlan *bias,
    Y10CudaConvPlan *const *fused, guint n, GCancellable *cancellable,
    gint64 *bias_ns, gint64 *fused_ns, GError **error)
{
  const guint n_ways = bias ? n + 1 : n;
  Way *ways = g_new0 (Way, n + 1);
  gboolean ok;

  for (guint i = 0; i < n_ways; i++) {
    ways[i].plan = i < n ? fused[i] : bias;
    ways[i].fused = i < n;
  }
  ok = measure (t, ways, n_ways, cancellable, error);
  for (guint i = 0; ok && i < n; i++)
    fused_ns[i] = ns_of (&ways[i]);
  if (ok && bias)
    *bias_ns = ns_of (&ways[n]);
  g_free (ways);
  return ok;
}

gboolean
y10_cuda_trial_measure_pair (Y10CudaTrial *t, const Y10CudaPair *how, guint n,
    GCancellable *cancellable, gint64 *depthwise_ns, gint64 *ns, GError **error)
{
  Way *ways = g_new0 (Way, n + 1);
  gboolean ok;

  for (guint i = 0; i < n; i++)
    ways[i].pair = how[i];
  ok = measure (t, ways, n + 1, cancellable, error);
  for (guint i = 0; ok && i < n; i++)
    ns[i] = ns_of (&ways[i]);
  if (ok)
    *depthwise_ns = ns_of (&ways[n]);
  g_free (ways);
  return ok;
}
