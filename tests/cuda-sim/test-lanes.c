/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The lanes of the published networks. The test runs each network in thought and
 * notes, for each 16 bytes of the arena, who wrote and who read them last: ops that
 * meet there in the graph's order have to run in this order on lanes, too. A memory
 * plan that was made for one op at a time must give right lanes as well. Without any
 * one of the waits some ops would not be ordered. */

#include <string.h>

#include "lanes.h"
#include "model/model.h"
#include "util.h"

#define GRAIN 16 /* bytes of 8 channels of half precision */
#define MAX_READERS 16

static Y10Graph *
graph_of (const char *shapes, guint size)
{
  const Y10TestFormat hollow = { .hollow = TRUE };
  Y10TestTensors *tensors = test_tensors (shapes, 0);
  Y10Model *model = test_model (tensors, &hollow);
  GError *error = NULL;
  Y10Graph *graph = y10_model_build_graph (model, size, size, Y10_HEAD_ONE2ONE,
      &error);

  g_assert_no_error (error);
  y10_model_unref (model);
  y10_test_tensors_free (tensors);
  return graph;
}

static Y10Plan *
plan_of (const Y10Graph *graph, gboolean parallel)
{
  const Y10Layout layout = {
    .block = 8,
    .channels_last = TRUE,
    .elem_size = 2,
    .input_block = 8,
    .input_elem_size = 2,
    .align = 256,
    .max_run = G_MAXUINT,
    .parallel = parallel,
    .pairs = parallel,
  };
  GError *error = NULL;
  Y10Plan *plan = y10_plan_new (graph, &layout, &error);

  g_assert_no_error (error);
  return plan;
}

/* Ops as they are launched, and which pairs meet in memory. */
typedef struct
{
  guint n_ops;
  guint *launch; /* by op: the first op of its kernel */
  GArray *pairs; /* guint[2]: earlier and later launch */
} Meetings;

typedef struct
{
  guint writer; /* plus 1 */
  guint n_readers, reader[MAX_READERS];
} Grain;

static void
note_pair (Meetings *m, guint8 *seen, guint earlier, guint later)
{
  guint pair[2] = { m->launch[earlier], m->launch[later] };
  guint8 *known = &seen[(gsize) pair[1] * m->n_ops + pair[0]];

  if (pair[0] != pair[1] && !*known)
    g_array_append_val (m->pairs, pair);
  *known = TRUE;
}

static void
touch (Meetings *m, guint8 *seen, Grain *grains, const Y10Plan *plan,
    Y10View view, guint op, gboolean writes)
{
  const Y10Tensor *t = &plan->graph->tensors[view.tensor];
  const Y10Storage *s = &plan->storage[view.tensor];
  gsize pixel = (gsize) s->padded_channels * s->elem_size;
  gsize from = y10_plan_view_offset (plan, view);
  gsize bytes = (gsize) y10_plan_view_padded (plan, view) * s->elem_size;

  for (guint p = 0; view.n && p < t->height * t->width; p++)
    for (gsize b = 0; b < bytes; b += GRAIN) {
      Grain *g = &grains[(from + p * pixel + b) / GRAIN];

      if (g->writer)
        note_pair (m, seen, g->writer - 1, op);
      if (!writes && (!g->n_readers || g->reader[g->n_readers - 1] != op)) {
        g_assert_cmpuint (g->n_readers, <, MAX_READERS);
        g->reader[g->n_readers++] = op;
      }
      if (!writes)
        continue;
      for (guint i = 0; i < g->n_readers; i++)
        note_pair (m, seen, g->reader[i], op);
      g->writer = op + 1;
      g->n_readers = 0;
    }
}

static void
find_meetings (Meetings *m, const Y10Plan *plan)
{
  const Y10Graph *graph = plan->graph;
  Grain *grains = g_new0 (Grain, plan->arena_size / GRAIN + 1);
  guint8 *seen = g_new0 (guint8, (gsize) graph->n_ops * graph->n_ops);

  m->n_ops = graph->n_ops;
  m->launch = g_new0 (guint, graph->n_ops);
  m->pairs = g_array_new (FALSE, FALSE, 2 * sizeof (guint));
  for (guint k = 0, n; k < graph->n_ops; k += n) {
    n = y10_cuda_count_joint (graph, k, graph->n_ops);
    for (guint i = 0; i < n; i++)
      m->launch[k + i] = k;
  }
  for (guint k = 0; k < graph->n_ops; k++) {
    touch (m, seen, grains, plan, graph->ops[k].in, k, FALSE);
    touch (m, seen, grains, plan, graph->ops[k].add, k, FALSE);
    touch (m, seen, grains, plan, graph->ops[k].out, k, TRUE);
  }
  g_free (grains);
  g_free (seen);
}

static void
meetings_clear (Meetings *m)
{
  g_free (m->launch);
  g_array_free (m->pairs, TRUE);
}

/* before[a * n_ops + b]: op a ends before op b begins. Row n_ops: before the end. */
typedef struct
{
  guint8 *before;
  guint *depth; /* launches on the longest chain up to each */
} Runs;

static void
follow (const Meetings *m, Runs *r, guint later, guint earlier)
{
  guint n = m->n_ops;

  r->before[later * n + earlier] = TRUE;
  r->depth[later] = MAX (r->depth[later], r->depth[earlier] + 1);
  for (guint i = 0; i < n; i++)
    r->before[later * n + i] |= r->before[earlier * n + i];
}

/* Follows the events. @without: the number of a wait that is left out. */
static guint
follow_lanes (const Meetings *m, const Y10CudaLanes *lanes, guint without,
    Runs *r)
{
  guint n = m->n_ops, tail[Y10_CUDA_MAX_LANES] = { 0 }, n_waits = 0;
  guint *recorded = g_new0 (guint, lanes->n_events);

  r->before = g_new0 (guint8, (gsize) n * (n + 1));
  r->depth = g_new0 (guint, n + 1);
  for (guint k = 0; k <= n; k++) {
    const Y10CudaWaits *waits = k < n ? &lanes->ops[k].waits : &lanes->joins;
    guint lane = k < n ? lanes->ops[k].lane : 0;

    if (k < n && m->launch[k] != k)
      continue;
    g_assert_cmpuint (lane, <, lanes->n_lanes);
    r->depth[k] = 1;
    /* A lane begins behind another, or with the network. */
    if (!tail[lane])
      g_assert_true (k == 0 || (waits->n > 0) != lanes->ops[k].forks);
    else
      follow (m, r, k, tail[lane] - 1);
    g_assert_cmpuint (waits->n, <, lanes->n_lanes);
    for (guint i = 0; i < waits->n; i++) {
      g_assert_cmpuint (recorded[waits->event[i]], !=, 0);
      if (n_waits++ != without)
        follow (m, r, k, recorded[waits->event[i]] - 1);
    }
    tail[lane] = k + 1;
    if (k < n && lanes->ops[k].event != Y10_CUDA_NO_EVENT) {
      g_assert_cmpuint (recorded[lanes->ops[k].event], ==, 0);
      recorded[lanes->ops[k].event] = k + 1;
    }
  }
  for (guint i = 0; i < lanes->n_events; i++)
    g_assert_cmpuint (recorded[i], !=, 0);
  g_free (recorded);
  return n_waits;
}

static void
runs_clear (Runs *r)
{
  g_free (r->before);
  g_free (r->depth);
}

/* The number of pairs in the wrong order, and of ops that do not end. */
static guint
count_wrong (const Meetings *m, const Runs *r)
{
  guint n = m->n_ops, wrong = 0;

  for (guint i = 0; i < m->pairs->len; i++) {
    const guint *pair = &g_array_index (m->pairs, guint, 2 * i);

    wrong += !r->before[pair[1] * n + pair[0]];
  }
  for (guint k = 0; k < n; k++)
    wrong += m->launch[k] == k && !r->before[n * n + k];
  return wrong;
}

static guint
count_in_lane (const Meetings *m, const Y10CudaLanes *lanes, guint lane)
{
  guint n = 0;

  for (guint k = 0; k < m->n_ops; k++)
    n += m->launch[k] == k && lanes->ops[k].lane == lane;
  return n;
}

static guint
check_lanes (const Y10Plan *plan, const Meetings *m, guint max_lanes,
    gboolean every_wait)
{
  Y10CudaLanes *lanes = y10_cuda_lanes_new (plan, 0, max_lanes);
  guint n_waits, longest;
  Runs runs;

  g_assert_cmpuint (lanes->n_lanes, <=, max_lanes);
  n_waits = follow_lanes (m, lanes, G_MAXUINT, &runs);
  g_assert_cmpuint (count_wrong (m, &runs), ==, 0);
  longest = runs.depth[m->n_ops] - 1;
  if (plan->layout.parallel && max_lanes == Y10_CUDA_MAX_LANES)
    g_assert_cmpuint (count_in_lane (m, lanes, 0), ==, longest);
  runs_clear (&runs);
  for (guint w = 0; every_wait && w < n_waits; w++) {
    follow_lanes (m, lanes, w, &runs);
    g_assert_cmpuint (count_wrong (m, &runs), >, 0);
    runs_clear (&runs);
  }
  if (max_lanes == 1) {
    g_assert_cmpuint (n_waits, ==, 0);
    g_assert_cmpuint (longest, ==, lanes->n_launches);
  }
  if (max_lanes == Y10_CUDA_MAX_LANES && plan->layout.parallel)
    g_test_message ("%u lanes, %u waits; %u kernels, at most %u (%u) in a "
                    "chain; arena %.2f MB",
        lanes->n_lanes, n_waits, lanes->n_launches, longest, lanes->n_longest,
        (double) plan->arena_size / 1e6);
  y10_cuda_lanes_free (lanes);
  return longest;
}

static void
test_variants (void)
{
  for (const char *v = "nsmblx"; *v; v++) {
    char shapes[] = "yolov10?-nc80";
    Y10Graph *graph;
    Y10Plan *serial, *parallel;

    *strchr (shapes, '?') = *v;
    graph = graph_of (shapes, 640);
    serial = plan_of (graph, FALSE);
    parallel = plan_of (graph, TRUE);
    g_test_message ("%s: %u ops, arena of one op at a time %.2f MB", shapes,
        graph->n_ops, (double) serial->arena_size / 1e6);
    for (guint i = 0; i < 2; i++) {
      const Y10Plan *plan = i ? parallel : serial;
      Meetings m;
      guint longest = G_MAXUINT;

      find_meetings (&m, plan);
      for (guint lanes = 1; lanes <= Y10_CUDA_MAX_LANES; lanes++) {
        guint now = check_lanes (plan, &m, lanes, lanes % 3 == 0);

        g_assert_cmpuint (now, <=, longest);
        longest = now;
      }
      meetings_clear (&m);
    }
    y10_plan_free (serial);
    y10_plan_free (parallel);
    y10_graph_free (graph);
  }
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/lanes/variants", test_variants);
  status = g_test_run ();
  test_dir_remove ();
  return status;
}
