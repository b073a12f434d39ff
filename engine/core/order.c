/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The order that the data alone requires: an op runs after the ops whose results it
 * reads, and after those that read or write what it overwrites. All other ops may
 * run at the same time, as long as no two of their tensors share memory; the plan
 * of a backend that does so asks here which may. Sets of ops are bits, because each
 * pair of tensors is compared. */

#include "config.h"

#include <string.h>

#include "core/order.h"

struct _Y10Order
{
  guint n_words;          /* of a set */
  guint64 *before;        /* n_ops sets: the ops that precede each op */
  guint64 *users;         /* n_tensors sets: the ops that use each tensor */
  guint64 *earlier;       /* n_tensors sets: those that precede its users */
  gboolean *first, *last; /* n_tensors: used before, after all ops */
};

static gboolean
overlap (Y10View a, Y10View b)
{
  return a.n && b.n && a.tensor == b.tensor && a.first < b.first + b.n
      && b.first < a.first + a.n;
}

static gboolean
must_follow (const Y10Op *op, const Y10Op *earlier)
{
  return overlap (earlier->out, op->in) || overlap (earlier->out, op->add)
      || overlap (earlier->out, op->out) || overlap (earlier->in, op->out)
      || overlap (earlier->add, op->out);
}

static void
add (guint64 *set, guint i)
{
  set[i / 64] |= (guint64) 1 << (i % 64);
}

static gboolean
has (const guint64 *set, guint i)
{
  return set[i / 64] >> (i % 64) & 1;
}

static void
find_before (Y10Order *order, const Y10Graph *graph)
{
  for (guint k = 0; k < graph->n_ops; k++) {
    guint64 *set = order->before + (gsize) k * order->n_words;

    for (guint i = k; i-- > 0;) {
      if (has (set, i) || !must_follow (&graph->ops[k], &graph->ops[i]))
        continue;
      add (set, i);
      for (guint w = 0; w < order->n_words; w++)
        set[w] |= order->before[(gsize) i * order->n_words + w];
    }
  }
}

static void
use (Y10Order *order, guint tensor, guint op)
{
  gsize n = order->n_words;

  add (order->users + tensor * n, op);
  for (guint w = 0; w < n; w++)
    order->earlier[tensor * n + w] &= order->before[op * n + w];
}

static void
find_users (Y10Order *order, const Y10Graph *graph, gboolean pairs)
{
  memset (order->earlier, 0xff,
      (gsize) graph->n_tensors * order->n_words * sizeof (guint64));
  for (guint k = 0; k < graph->n_ops; k++) {
    const Y10Op *op = &graph->ops[k];
    const Y10View views[] = { op->in, op->out, op->add };

    for (guint v = 0; v < G_N_ELEMENTS (views); v++)
      if (views[v].n)
        use (order, views[v].tensor, k);
  }
  for (guint k = 0; pairs && k < graph->n_ops; k++)
    for (guint i = 1; i < y10_graph_count_joint (graph, k); i++)
      use (order, graph->ops[k].in.tensor, k + i);
  order->first[graph->input.tensor] = TRUE;
  for (guint t = 0; t < graph->n_tensors; t++)
    order->last[t] = graph->tensors[t].role == Y10_ROLE_LOGITS;
}

Y10Order *
y10_order_new (const Y10Graph *graph, gboolean pairs)
{
  Y10Order *order = g_new0 (Y10Order, 1);
  gsize n_tensors = graph->n_tensors;

  order->n_words = (graph->n_ops + 63) / 64;
  order->before = g_new0 (guint64, (gsize) graph->n_ops * order->n_words);
  order->users = g_new0 (guint64, n_tensors * order->n_words);
  order->earlier = g_new0 (guint64, n_tensors * order->n_words);
  order->first = g_new0 (gboolean, n_tensors);
  order->last = g_new0 (gboolean, n_tensors);
  find_before (order, graph);
  find_users (order, graph, pairs);
  return order;
}

void
y10_order_free (Y10Order *order)
{
  if (!order)
    return;
  g_free (order->before);
  g_free (order->users);
  g_free (order->earlier);
  g_free (order->first);
  g_free (order->last);
  g_free (order);
}

static gboolean
all_before (const Y10Order *order, guint a, guint b)
{
  const guint64 *users = order->users + (gsize) a * order->n_words;
  const guint64 *earlier = order->earlier + (gsize) b * order->n_words;

  if (order->last[a] || order->first[b])
    return FALSE;
  for (guint w = 0; w < order->n_words; w++)
    if (users[w] & ~earlier[w])
      return FALSE;
  return TRUE;
}

gboolean
y10_order_separates (const Y10Order *order, guint tensor, guint other)
{
  return all_before (order, tensor, other) || all_before (order, other, tensor);
}
