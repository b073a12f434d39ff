/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Decides whether a pair runs as one kernel. Each of the ways in which it can is
 * compared with the depthwise kernel and our plain convolution behind it, and timed
 * beside the depthwise kernel; what the 1×1 takes is known from its group. Then the same
 * of the ways that compute logits, too. The cache stores the result, and a way from there
 * is compared again. */

#include "config.h"

#include <stdio.h>
#include <string.h>

#include "autotune/pair.h"
#include "kernels/depthwise.h"
#include "kernels/separable.h"

#define MAX_WAYS 4 /* to be tried */
/* How an entry of the cache begins. */
#define RECORD "y10-pair %u silu %d last %d tile %u parts %u logits %d"

static void
free_pair (gpointer data)
{
  g_array_unref (((Y10CudaTunePair *) data)->ops);
  g_free (data);
}

static gboolean
same_kind (const Y10CudaTunePair *pair, const Y10CudaPairDesc *desc,
    const Y10CudaTuneGroup *group, const Y10CudaTuneGroup *logits)
{
  const Y10CudaPairDesc *d = &pair->desc;

  return pair->group == group && pair->logits == logits
      && d->in.height == desc->in.height && d->in.width == desc->in.width
      && d->in.pixel == desc->in.pixel && d->in.image == desc->in.image
      && d->kernel == desc->kernel && d->stride == desc->stride
      && d->depthwise_silu == desc->depthwise_silu;
}

static const Y10CudaTuneGroup *
find_group (const GPtrArray *groups, guint op)
{
  for (guint i = 0; i < groups->len; i++) {
    const Y10CudaTuneGroup *group = groups->pdata[i];

    for (guint k = 0; k < group->ops->len; k++)
      if (g_array_index (group->ops, guint, k) == op)
        return group;
  }
  return NULL;
}

GPtrArray *
y10_cuda_tune_pairs (const Y10Program *program, guint n,
    const GPtrArray *groups)
{
  GPtrArray *pairs = g_ptr_array_new_with_free_func (free_pair);

  for (guint op = 0; op < program->plan->graph->n_ops; op++) {
    const Y10CudaTuneGroup *group, *logits = NULL;
    Y10CudaTunePair *pair = NULL;
    Y10CudaPairDesc desc;
    Y10CudaPair way;

    if (!y10_cuda_may_pair (program, op))
      continue;
    desc = y10_cuda_pair_desc (program, op, n);
    if (!y10_cuda_pair_candidates (program->device->pairs, &desc, FALSE, &way,
            1)
        || !(group = find_group (groups, op + 1)))
      continue;
    if (desc.logits.channels && !(logits = find_group (groups, op + 2)))
      desc.logits.channels = 0;
    for (guint i = 0; i < pairs->len && !pair; i++)
      if (same_kind (pairs->pdata[i], &desc, group, logits))
        pair = pairs->pdata[i];
    if (!pair) {
      pair = g_new0 (Y10CudaTunePair, 1);
      pair->desc = desc;
      pair->group = group;
      pair->logits = logits;
      pair->ops = g_array_new (FALSE, FALSE, sizeof (guint));
      g_ptr_array_add (pairs, pair);
    }
    g_array_append_val (pair->ops, op);
  }
  return pairs;
}

static const char *
name_of (const Y10CudaTuneTools *tools, const Y10CudaTunePair *pair)
{
  const Y10Graph *graph = tools->program->plan->graph;

  return graph->ops[g_array_index (pair->ops, guint, 0)].name;
}

/* What the cache knows a pair by, besides SiLU in its middle. */
static Y10CudaConvDesc
cache_desc (const Y10CudaPairDesc *desc)
{
  return (Y10CudaConvDesc){
    .precision = desc->precision,
    .images = desc->images,
    .in = desc->in,
    .out = desc->out,
    .kernel = desc->kernel,
    .stride = desc->stride,
    .pad = desc->pad,
    .silu = desc->silu,
  };
}

/* TRUE: @way is what an earlier start found. */
static gboolean
load (const Y10CudaTuneTools *tools, const Y10CudaTunePair *pair,
    Y10CudaPair *way)
{
  const Y10CudaConvDesc desc = cache_desc (&pair->desc);
  g_autoptr (GBytes) record = tools->cache
      ? y10_plan_cache_load (tools->cache, &desc, Y10_CUDA_CONV_PAIR)
      : NULL;
  g_autofree char *text = NULL;
  Y10CudaPair ways[MAX_WAYS];
  guint version, n;
  int silu, last;

  if (!record)
    return FALSE;
  text = g_strndup (g_bytes_get_data (record, NULL), g_bytes_get_size (record));
  if (sscanf (text, RECORD, &version, &silu, &last, &way->tile, &way->parts,
          &way->logits)
          != 6
      || version != Y10_SEPARABLE_VERSION
      || silu != (pair->desc.depthwise_silu != 0)
      || last != pair->desc.logits.channels)
    return FALSE;
  n = y10_cuda_pair_candidates (tools->program->device->pairs, &pair->desc,
      way->logits, ways, MAX_WAYS);
  for (guint i = 0; i < n; i++)
    if (way->tile == ways[i].tile && way->parts == ways[i].parts)
      return TRUE;
  return way->tile == 0;
}

static void
store (const Y10CudaTuneTools *tools, const Y10CudaTunePair *pair)
{
  const Y10CudaConvDesc desc = cache_desc (&pair->desc);
  const Y10CudaPair *way = &pair->winner;
  char *text = g_strdup_printf (RECORD "\n", Y10_SEPARABLE_VERSION,
      pair->desc.depthwise_silu != 0, pair->desc.logits.channels, way->tile,
      way->parts, way->logits);
  g_autoptr (GBytes) record = g_bytes_new_take (text, strlen (text));
  g_autoptr (GError) error = NULL;

  if (tools->cache
      && !y10_plan_cache_store (tools->cache, &desc, Y10_CUDA_CONV_PAIR, record,
          &error))
    g_debug ("%s: %s", name_of (tools, pair), error->message);
}

/* Leaves those ways that are right, and returns how many. */
static guint
drop_wrong (Y10CudaTuneTools *tools, const Y10CudaTunePair *pair,
    Y10CudaPair *ways, guint n)
{
  guint n_right = 0;

  for (guint i = 0; i < n; i++) {
    g_autoptr (GError) error = NULL;
    double difference;

    if (y10_cuda_trial_verify_pair (tools->trial, ways[i], &difference,
            &error)) {
      ways[n_right++] = ways[i];
    } else if (difference > 0 && !tools->warned) {
      tools->warned = TRUE;
      g_warning ("%s: rejected %s: %s", name_of (tools, pair),
          y10_cuda_pair_describe (ways[i]), error->message);
    } else {
      g_debug ("%s: skipped %s: %s", name_of (tools, pair),
          y10_cuda_pair_describe (ways[i]), error->message);
    }
  }
  return n_right;
}

/* The fastest of some ways, of those before and of a kernel for each convolution. */
static void
measure (Y10CudaTuneTools *tools, Y10CudaTunePair *pair,
    const Y10CudaPair *ways, guint n)
{
  const int before = y10_cuda_tune_count_steps (tools);
  const gint64 second = pair->group->ns,
               logits = pair->logits ? pair->logits->ns : 0;
  gint64 ns[MAX_WAYS], depthwise;
  g_autoptr (GError) error = NULL;

  if (!y10_cuda_trial_measure_pair (tools->trial, ways, n, tools->cancellable,
          &depthwise, ns, &error)) {
    g_debug ("%s: %s", name_of (tools, pair), error->message);
    return;
  }
  if (!pair->ns) {
    pair->ns = depthwise + second + logits;
    pair->winner = (Y10CudaPair){ 0 };
  }
  for (guint i = 0; i < n; i++) {
    const gint64 all = ns[i] + (ways[i].logits ? 0 : logits);

    g_debug ("%s: %s%s: %.1f us", name_of (tools, pair),
        y10_cuda_pair_describe (ways[i]), ways[i].logits ? " with logits" : "",
        (double) ns[i] / 1e3);
    if (all < pair->ns) {
      pair->ns = all;
      pair->winner = ways[i];
    }
  }
  g_debug (
      "%s: %.1f us at best; kernels of its own take %.1f, %.1f and %.1f us",
      name_of (tools, pair), (double) pair->ns / 1e3, (double) depthwise / 1e3,
      (double) second / 1e3, (double) logits / 1e3);
  pair->decided = TRUE;
  if (before < 0 || before != y10_cuda_tune_count_steps (tools))
    pair->disturbed = TRUE;
}

static gboolean
is_measured (const Y10CudaTuneGroup *group)
{
  return !group || group->ns > 0;
}

/* @known: what the cache says, instead of other ways; or NULL. */
static void
try_ways (Y10CudaTuneTools *tools, Y10CudaTunePair *pair, gboolean logits,
    const Y10CudaPair *known)
{
  Y10CudaPair ways[MAX_WAYS];
  guint n = 1;

  if (known)
    ways[0] = *known;
  else
    n = y10_cuda_pair_candidates (tools->program->device->pairs, &pair->desc,
        logits, ways, MAX_WAYS);
  n = drop_wrong (tools, pair, ways, n);
  if (n > 0 && known) {
    pair->winner = *known;
    pair->decided = TRUE;
  } else if (n > 0 && is_measured (pair->group) && is_measured (pair->logits)) {
    measure (tools, pair, ways, n);
  } else if (n == 0 && !pair->ns) { /* nor may it begin as one of them */
    pair->winner = (Y10CudaPair){ 0 };
    pair->decided = TRUE;
  }
}

/* With logits or without. FALSE and error: no other pair can be tried, either. */
static gboolean
try_pair (Y10CudaTuneTools *tools, Y10CudaTunePair *pair, gboolean logits,
    const Y10CudaPair *known, gsize workspace, GError **error)
{
  GError *local = NULL;

  if (y10_cuda_trial_begin_pair (tools->trial, &pair->desc, &pair->group->desc,
          logits ? &pair->logits->desc : NULL, workspace, &local))
    try_ways (tools, pair, logits, known);
  y10_cuda_trial_end_pair (tools->trial);
  if (!local)
    return TRUE;
  if (!g_error_matches (local, Y10_ERROR, Y10_ERROR_NO_MEMORY)) {
    g_propagate_error (error, local);
    return FALSE;
  }
  g_debug ("%s: %s", name_of (tools, pair), local->message);
  g_error_free (local);
  return TRUE;
}

gboolean
y10_cuda_tune_pair_decide (Y10CudaTuneTools *tools, Y10CudaTunePair *pair,
    gsize workspace, GError **error)
{
  Y10CudaPair way;

  if (load (tools, pair, &way)) {
    pair->decided = way.tile == 0;
    return pair->decided
        || try_pair (tools, pair, way.logits, &way, workspace, error);
  }
  for (int logits = 0; logits <= (pair->logits != NULL); logits++)
    if (!try_pair (tools, pair, logits, NULL, workspace, error))
      return FALSE;
  if (pair->ns && !pair->disturbed)
    store (tools, pair);
  return TRUE;
}
