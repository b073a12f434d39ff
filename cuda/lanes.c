/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Decides which ops run at the same time. At small batches a kernel takes as long
 * as a GPU needs to start it and to read its first bytes, and fills a part of the
 * GPU only, so what counts is the number of kernels on the longest chain.
 *
 * Each op has a lane, which becomes a stream while the network is captured. The ops
 * of a lane run in the graph's order, and an op waits for the ops of other lanes
 * that it has to follow. It follows an earlier op if one of them writes memory that
 * the other reads or writes. That is read off the addresses in the memory plan, so
 * that it holds however the plan shares memory. No wait follows from others. A pair
 * counts as one op, whether it runs as one kernel or as two, which depends on the batch
 * size; so do a pair and the logits made of it, and a 1×1 convolution and the upsampling
 * of its result.
 *
 * Of the ops that read a result, the one with the longest chain behind it continues
 * the lane, so lane 0 has the longest chain of all. Another op continues a lane that
 * ended before it, or begins one; only when there are no more lanes, it waits for an
 * op that it need not wait for. */

#include "config.h"

#include "kernels/maxpool5.h"
#include "lanes.h"

/* An op, or several that one kernel runs or may run, while lanes are made. */
typedef struct
{
  guint first, n;      /* ops; n is 0 within another's */
  guint depth, height; /* launches up to it and from it on, with it */
  guint heir;          /* continues its lane; or G_MAXUINT */
  /* By lane: the last op that has ended when this one begins, plus 1. */
  guint ended[Y10_CUDA_MAX_LANES];
} Node;

typedef struct
{
  const Y10Plan *plan;
  Y10CudaLanes *lanes;
  guint max_lanes;
  Node *nodes;                    /* by first op */
  gboolean *follows;              /* n_ops × n_ops: nodes, [later][earlier] */
  guint tail[Y10_CUDA_MAX_LANES]; /* the last node of each lane */
} Maker;

static gboolean
same_view (Y10View a, Y10View b)
{
  return a.tensor == b.tensor && a.first == b.first && a.n == b.n;
}

guint
y10_cuda_count_pools (const Y10Graph *graph, guint first, guint end)
{
  const Y10Op *ops = graph->ops;
  guint i = first + 1;

  if (ops[first].kind == Y10_OP_MAXPOOL5)
    while (i < end && i - first < Y10_MAXPOOL5_MAX
        && ops[i].kind == Y10_OP_MAXPOOL5
        && same_view (ops[i].in, ops[i - 1].out))
      i++;
  return i - first;
}

guint
y10_cuda_count_joint (const Y10Graph *graph, guint first, guint end)
{
  const guint n = y10_graph_count_joint (graph, first);

  return n > 1 ? MIN (n, end - first)
               : y10_cuda_count_pools (graph, first, end);
}

static gboolean
must_follow (const Y10Plan *plan, const Y10Op *op, const Y10Op *earlier)
{
  return y10_plan_views_overlap (plan, earlier->out, op->in)
      || y10_plan_views_overlap (plan, earlier->out, op->add)
      || y10_plan_views_overlap (plan, earlier->out, op->out)
      || y10_plan_views_overlap (plan, earlier->in, op->out)
      || y10_plan_views_overlap (plan, earlier->add, op->out);
}

static gboolean
node_follows (const Maker *m, guint node, guint earlier)
{
  const Y10Op *ops = m->plan->graph->ops;

  for (guint i = 0; i < m->nodes[node].n; i++)
    for (guint j = 0; j < m->nodes[earlier].n; j++)
      if (must_follow (m->plan, &ops[node + i], &ops[earlier + j]))
        return TRUE;
  return FALSE;
}

static gboolean
follows (const Maker *m, guint node, guint earlier)
{
  return m->follows[(gsize) node * m->plan->graph->n_ops + earlier];
}

static void
find_chains (Maker *m)
{
  guint n_ops = m->plan->graph->n_ops;

  for (guint k = m->lanes->first; k < n_ops; k += m->nodes[k].n) {
    Node *node = &m->nodes[k];

    node->first = k;
    node->n = y10_cuda_count_joint (m->plan->graph, k, n_ops);
    node->depth = node->height = 1;
    node->heir = G_MAXUINT;
    for (guint i = m->lanes->first; i < k; i += m->nodes[i].n) {
      if (!node_follows (m, k, i))
        continue;
      m->follows[(gsize) k * n_ops + i] = TRUE;
      node->depth = MAX (node->depth, m->nodes[i].depth + 1);
    }
    m->lanes->n_launches++;
    m->lanes->n_longest = MAX (m->lanes->n_longest, node->depth);
  }
  for (guint k = n_ops; k-- > 0;)
    for (guint i = 0; i < k; i++)
      if (follows (m, k, i)) {
        Node *earlier = &m->nodes[i];

        /* Later nodes have their height already. The first of equals stays. */
        if (m->nodes[k].height + 1 >= earlier->height) {
          earlier->height = m->nodes[k].height + 1;
          earlier->heir = k;
        }
      }
}

/* Whether @lane's last op is one that @node waits for anyway, directly or not. */
static gboolean
ended (const Maker *m, guint lane, const Node *node)
{
  return node->ended[lane] > m->tail[lane];
}

/* What has ended when @node begins, whichever lane it gets. */
static void
find_ended (Maker *m, Node *node)
{
  for (guint i = 0; i < node->first; i++) {
    const Node *earlier = &m->nodes[i];
    guint lane = m->lanes->ops[i].lane;

    if (!earlier->n || !follows (m, node->first, i))
      continue;
    for (guint l = 0; l < m->lanes->n_lanes; l++)
      node->ended[l] = MAX (node->ended[l], earlier->ended[l]);
    node->ended[lane] = MAX (node->ended[lane], i + 1);
  }
}

static guint
choose_lane (const Maker *m, const Node *node)
{
  guint n_lanes = m->lanes->n_lanes, best = G_MAXUINT, depth = 0;

  /* The lane that it inherits; of several, the one that ends last. */
  for (guint l = 0; l < n_lanes; l++) {
    const Node *tail = &m->nodes[m->tail[l]];

    if (tail->heir == node->first && tail->depth > depth) {
      best = l;
      depth = tail->depth;
    }
  }
  /* A lane that has ended and that nobody is going to continue. */
  for (guint l = 0; l < n_lanes && best == G_MAXUINT; l++) {
    const Node *tail = &m->nodes[m->tail[l]];

    if (ended (m, l, node)
        && (tail->heir == G_MAXUINT || tail->heir < node->first))
      best = l;
  }
  if (best != G_MAXUINT || n_lanes < m->max_lanes)
    return MIN (best, n_lanes);
  for (guint l = 0; l < n_lanes; l++)
    if (best == G_MAXUINT || m->nodes[m->tail[l]].depth < depth) {
      best = l;
      depth = m->nodes[m->tail[l]].depth;
    }
  return best;
}

/* Makes @lane wait for op @op; @event is that of the op, made when needed. */
static void
wait_for (Maker *m, Y10CudaWaits *waits, guint op)
{
  Y10CudaLaneOp *o = &m->lanes->ops[op];

  if (o->event == Y10_CUDA_NO_EVENT)
    o->event = m->lanes->n_events++;
  waits->event[waits->n++] = o->event;
}

/* Goes from the latest op to the earliest: whatever follows from another wait, or
 * from the order within a lane, follows from a later one. */
static void
find_waits (Maker *m, Node *node, guint lane)
{
  Y10CudaWaits *waits = &m->lanes->ops[node->first].waits;
  guint known[Y10_CUDA_MAX_LANES] = { 0 };

  if (lane < m->lanes->n_lanes) {
    const Node *tail = &m->nodes[m->tail[lane]];

    for (guint l = 0; l < m->lanes->n_lanes; l++)
      known[l] = tail->ended[l];
    known[lane] = m->tail[lane] + 1;
  }
  for (guint i = node->first; i-- > 0;) {
    guint other = m->lanes->ops[i].lane;

    if (!follows (m, node->first, i) || known[other] > i)
      continue;
    for (guint l = 0; l < m->lanes->n_lanes; l++)
      known[l] = MAX (known[l], m->nodes[i].ended[l]);
    known[other] = i + 1;
    wait_for (m, waits, i);
  }
  for (guint l = 0; l < m->lanes->n_lanes; l++)
    node->ended[l] = known[l];
}

static void
place (Maker *m, Node *node)
{
  Y10CudaLaneOp *op = &m->lanes->ops[node->first];
  guint lane;

  find_ended (m, node);
  lane = choose_lane (m, node);
  find_waits (m, node, lane);
  op->forks = lane > 0 && lane == m->lanes->n_lanes && op->waits.n == 0;
  m->lanes->n_lanes = MAX (m->lanes->n_lanes, lane + 1);
  m->tail[lane] = node->first;
  for (guint i = 0; i < node->n; i++)
    m->lanes->ops[node->first + i].lane = lane;
}

/* The same for what follows the last op, on lane 0. */
static void
join (Maker *m)
{
  guint n_lanes = m->lanes->n_lanes, known[Y10_CUDA_MAX_LANES] = { 0 };

  if (!n_lanes)
    return;
  for (guint l = 0; l < n_lanes; l++)
    known[l] = m->nodes[m->tail[0]].ended[l];
  known[0] = m->tail[0] + 1;
  for (guint k = m->plan->graph->n_ops; k-- > 0;) {
    guint lane = m->lanes->ops[k].lane;

    if (k != m->tail[lane] || known[lane] > k)
      continue;
    for (guint l = 0; l < n_lanes; l++)
      known[l] = MAX (known[l], m->nodes[k].ended[l]);
    known[lane] = k + 1;
    wait_for (m, &m->lanes->joins, k);
  }
}

Y10CudaLanes *
y10_cuda_lanes_new (const Y10Plan *plan, guint first, guint max_lanes)
{
  guint n_ops = plan->graph->n_ops;
  g_autofree Node *nodes = g_new0 (Node, n_ops);
  g_autofree gboolean *all = g_new0 (gboolean, (gsize) n_ops * n_ops);
  Y10CudaLanes *lanes = g_new0 (Y10CudaLanes, 1);
  Maker m = {
    .plan = plan,
    .lanes = lanes,
    .nodes = nodes,
    .follows = all,
    .max_lanes = CLAMP (max_lanes, 1, Y10_CUDA_MAX_LANES),
  };

  lanes->first = first;
  lanes->ops = g_new0 (Y10CudaLaneOp, n_ops);
  for (guint k = 0; k < n_ops; k++)
    lanes->ops[k].event = Y10_CUDA_NO_EVENT;
  find_chains (&m);
  for (guint k = first; k < n_ops; k += nodes[k].n)
    place (&m, &nodes[k]);
  join (&m);
  return lanes;
}

void
y10_cuda_lanes_free (Y10CudaLanes *lanes)
{
  if (!lanes)
    return;
  g_free (lanes->ops);
  g_free (lanes);
}
