/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Convolutions of the same kind, and the best plan for them: loaded from the
 * cache or built, compared with our own kernel, and timed beside the plan that
 * runs now. The cache also stores that no plan is faster. After any error here
 * the network runs as before. */

#include "config.h"

#include <stdio.h>
#include <string.h>

#include "autotune/group.h"

#define MAX_CANDIDATES 5   /* of a group, by cuDNN */
#define MAX_TIMINGS 3      /* of a group without a faster plan */
#define RECORD "y10-tuned" /* how an entry of the cache begins */

static void
free_group (gpointer data)
{
  Y10CudaTuneGroup *group = data;

  g_array_unref (group->ops);
  if (group->plans)
    g_ptr_array_unref (group->plans);
  y10_cuda_shared_plan_unref (group->winner);
  g_free (group);
}

static gboolean
same_view (const Y10CudaConvView *a, const Y10CudaConvView *b)
{
  return a->height == b->height && a->width == b->width
      && a->channels == b->channels && a->pixel == b->pixel
      && a->image == b->image;
}

static gboolean
same_desc (const Y10CudaConvDesc *a, const Y10CudaConvDesc *b)
{
  return a->precision == b->precision && a->images == b->images
      && same_view (&a->in, &b->in) && same_view (&a->out, &b->out)
      && same_view (&a->add, &b->add) && a->kernel == b->kernel
      && a->stride == b->stride && a->pad == b->pad && a->silu == b->silu
      && a->out_float == b->out_float && a->in_place == b->in_place;
}

GPtrArray *
y10_cuda_tune_groups (const Y10Program *program, guint n)
{
  GPtrArray *groups = g_ptr_array_new_with_free_func (free_group);

  for (guint op = 0; op < program->plan->graph->n_ops; op++) {
    Y10CudaConvDesc desc;
    Y10CudaTuneGroup *group = NULL;

    if (!y10_cuda_fused_desc (program, op, n, &desc))
      continue;
    for (guint i = 0; i < groups->len && !group; i++)
      if (same_desc (&desc, &((Y10CudaTuneGroup *) groups->pdata[i])->desc))
        group = groups->pdata[i];
    if (!group) {
      group = g_new0 (Y10CudaTuneGroup, 1);
      group->desc = desc;
      group->ops = g_array_new (FALSE, FALSE, sizeof (guint));
      g_ptr_array_add (groups, group);
    }
    g_array_append_val (group->ops, op);
  }
  return groups;
}

static const char *
name_of (const Y10CudaTuneTools *tools, const Y10CudaTuneGroup *group)
{
  const Y10Graph *graph = tools->program->plan->graph;

  return graph->ops[g_array_index (group->ops, guint, 0)].name;
}

/* A cache entry is the line "y10-tuned fused 1234 5678" or, if no plan is faster than
 * the first, "y10-tuned unfused 0 5678", with the nanoseconds of both, followed by the
 * plan. */
static gint64
time_in (const char *line, const char *end)
{
  g_autofree char *text = g_strndup (line, (gsize) (end - line));
  gint64 fused = 0, first = 0;

  sscanf (text, RECORD " %*s %" G_GINT64_FORMAT " %" G_GINT64_FORMAT, &fused,
      &first);
  return fused > 0 ? fused : first;
}

static gboolean
load (const Y10CudaTuneTools *tools, Y10CudaTuneGroup *group)
{
  g_autoptr (GBytes) record = tools->cache
      ? y10_plan_cache_load (tools->cache, &group->desc, Y10_CUDA_CONV_FUSED)
      : NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;
  const char *data, *end;
  Y10CudaConvPlan *plan;
  gsize size;

  if (!record)
    return FALSE;
  data = g_bytes_get_data (record, &size);
  end = memchr (data, '\n', size);
  if (!end || !g_str_has_prefix (data, RECORD " "))
    return FALSE;
  group->known = TRUE;
  group->ns = time_in (data, end);
  if (g_str_has_prefix (data, RECORD " unfused "))
    return TRUE;
  end++;
  bytes = g_bytes_new_from_bytes (record, (gsize) (end - data),
      size - (gsize) (end - data));
  plan = y10_cuda_conv_plan_load (tools->program->device->conv, &group->desc,
      Y10_CUDA_CONV_FUSED, bytes, &error);
  if (!plan) {
    g_debug ("%s: building the cached plan again: %s", name_of (tools, group),
        error->message);
    group->known = FALSE;
    return FALSE;
  }
  group->plans = g_ptr_array_new_with_free_func (
      (GDestroyNotify) y10_cuda_conv_plan_free);
  g_ptr_array_add (group->plans, plan);
  return TRUE;
}

static void
store (const Y10CudaTuneTools *tools, const Y10CudaTuneGroup *group,
    const Y10CudaConvPlan *plan, gint64 fused_ns, gint64 first_ns)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = NULL, record = NULL;
  GByteArray *data = g_byte_array_new ();
  g_autofree char *line = g_strdup_printf (RECORD " %sfused %" G_GINT64_FORMAT
                                                  " %" G_GINT64_FORMAT "\n",
      plan ? "" : "un", fused_ns, first_ns);

  g_byte_array_append (data, (const guint8 *) line, strlen (line));
  if (plan && (bytes = y10_cuda_conv_plan_save (plan, &error)))
    g_byte_array_append (data, g_bytes_get_data (bytes, NULL),
        g_bytes_get_size (bytes));
  record = g_byte_array_free_to_bytes (data);
  if (error
      || !y10_plan_cache_store (tools->cache, &group->desc, Y10_CUDA_CONV_FUSED,
          record, &error))
    g_debug ("%s: %s", name_of (tools, group), error->message);
}

static void
build (const Y10CudaTuneTools *tools, Y10CudaTuneGroup *group)
{
  g_autoptr (GError) error = NULL;

  group->plans = y10_cuda_conv_plan_candidates (tools->program->device->conv,
      &group->desc, Y10_CUDA_CONV_FUSED, MAX_CANDIDATES, tools->cancellable,
      &error);
  if (!group->plans)
    g_debug ("%s: %s", name_of (tools, group), error->message);
}

void
y10_cuda_tune_group_find (const Y10CudaTuneTools *tools,
    Y10CudaTuneGroup *group)
{
  if (!load (tools, group))
    build (tools, group);
}

/* TRUE: @plan may be used. */
static gboolean
is_right (Y10CudaTuneTools *tools, Y10CudaTuneGroup *group,
    Y10CudaConvPlan *plan, gsize workspace)
{
  g_autoptr (GError) error = NULL;
  double difference = 0;

  y10_cuda_conv_plan_give (plan, tools->lib);
  if (y10_cuda_conv_plan_workspace (plan) <= workspace
      && y10_cuda_trial_verify (tools->trial, plan, &difference, &error))
    return TRUE;
  group->n_wrong += difference > 0;
  group->unsure |= error && difference == 0;
  if (difference > 0 && !tools->warned) {
    tools->warned = TRUE;
    g_warning ("%s: rejected %s: %s", name_of (tools, group),
        y10_cuda_conv_plan_describe (plan), error->message);
  } else {
    g_debug ("%s: skipped %s: %s", name_of (tools, group),
        y10_cuda_conv_plan_describe (plan),
        error ? error->message : "it needs too much workspace");
  }
  return FALSE;
}

static void
drop_wrong (Y10CudaTuneTools *tools, Y10CudaTuneGroup *group, gsize workspace)
{
  for (guint i = 0; group->plans && i < group->plans->len;)
    if (is_right (tools, group, group->plans->pdata[i], workspace))
      i++;
    else
      g_ptr_array_remove_index (group->plans, i);
}

static gint64
time_of (const Y10CudaTuneGroup *group, const char *name, const gint64 *ns)
{
  for (guint i = 0; i < group->plans->len; i++)
    if (g_str_equal (y10_cuda_conv_plan_describe (group->plans->pdata[i]),
            name))
      return ns[i];
  return G_MAXINT64; /* it was wrong */
}

/* Where the first plan is one of ours, cuDNN's with an epilogue behind it: not every
 * convolution has a fused plan by cuDNN. NULL: there is none, or it is wrong. */
static Y10CudaConvPlan *
make_other (Y10CudaTuneTools *tools, Y10CudaTuneGroup *group, gsize workspace)
{
  const Y10CudaConvDesc desc = y10_cuda_unfused_desc (&group->desc);
  Y10CudaConvPlan *plan = y10_cuda_conv_plan_other (tools->lib, &desc);
  g_autoptr (GError) error = NULL;
  double difference;

  if (!plan
      || (y10_cuda_conv_plan_workspace (plan) <= workspace
          && y10_cuda_trial_verify_unfused (tools->trial, plan, &difference,
              &error)))
    return plan;
  g_debug ("%s: skipped %s: %s", name_of (tools, group),
      y10_cuda_conv_plan_describe (plan),
      error ? error->message : "it needs too much workspace");
  y10_cuda_conv_plan_free (plan);
  return NULL;
}

/* The plan, if any, that is faster than the first one: the convolution and its
 * epilogue, or one of the candidates. */
static Y10CudaConvPlan *
choose (Y10CudaTuneTools *tools, Y10CudaTuneGroup *group, gsize workspace,
    gint64 *fused_ns, gint64 *first_ns, GError **error)
{
  Y10CudaConvDesc desc = group->desc;
  const Y10CudaConvStage stage = y10_cuda_first_desc (tools->lib, &desc);
  g_autofree gint64 *ns = g_new (gint64, group->plans->len);
  Y10CudaConvPlan *best = NULL,
                  *first = y10_cuda_conv_plan_new (tools->lib, &desc, stage,
                      error),
                  *other = NULL;
  gint64 other_ns = G_MAXINT64;
  guint winner = 0;

  if (!first)
    return NULL;
  if (stage == Y10_CUDA_CONV_FUSED)
    other = make_other (tools, group, workspace);
  if (y10_cuda_trial_measure (tools->trial,
          stage == Y10_CUDA_CONV_BIAS ? first : other,
          (Y10CudaConvPlan **) group->plans->pdata, group->plans->len,
          tools->cancellable, first_ns, ns, error)) {
    if (stage == Y10_CUDA_CONV_FUSED) {
      other_ns = other ? *first_ns : G_MAXINT64;
      *first_ns = time_of (group, y10_cuda_conv_plan_describe (first), ns);
    }
    for (guint i = 0; i < group->plans->len; i++) {
      g_debug ("%s: %s: %.1f us", name_of (tools, group),
          y10_cuda_conv_plan_describe (group->plans->pdata[i]),
          (double) ns[i] / 1e3);
      if (ns[i] < ns[winner])
        winner = i;
    }
    *fused_ns = ns[winner];
    g_debug ("%s: %s takes %.1f us, %s %.1f us", name_of (tools, group),
        y10_cuda_conv_plan_describe (group->plans->pdata[winner]),
        (double) ns[winner] / 1e3,
        stage == Y10_CUDA_CONV_BIAS ? "unfused"
                                    : y10_cuda_conv_plan_describe (first),
        (double) *first_ns / 1e3);
    group->ns = MIN (other_ns, MIN (ns[winner], *first_ns));
    group->unfused = other_ns < MIN (ns[winner], *first_ns);
    if (group->unfused)
      best = g_steal_pointer (&other);
    else if (ns[winner] < *first_ns)
      best = g_ptr_array_steal_index (group->plans, winner);
  }
  y10_cuda_conv_plan_free (other);
  y10_cuda_conv_plan_free (first);
  return best;
}

int
y10_cuda_tune_count_steps (const Y10CudaTuneTools *tools)
{
  return g_atomic_int_get (&tools->program->base->n_running)
      ? -1
      : g_atomic_int_get (&tools->program->base->n_submitted);
}

/* That nothing is faster is stored only if no step ran meanwhile; a few more
 * attempts may find such a time between two frames. */
static Y10CudaConvPlan *
choose_undisturbed (Y10CudaTuneTools *tools, Y10CudaTuneGroup *group,
    gsize workspace, gint64 *fused_ns, gint64 *first_ns, GError **error)
{
  Y10CudaConvPlan *best = NULL;
  GError *local = NULL;

  group->disturbed = TRUE;
  for (guint i = 0; !best && !local && group->disturbed && i < MAX_TIMINGS;
       i++) {
    int before = y10_cuda_tune_count_steps (tools);

    best = choose (tools, group, workspace, fused_ns, first_ns, &local);
    group->disturbed = before < 0
        || before != y10_cuda_tune_count_steps (tools);
  }
  if (local)
    g_propagate_error (error, local);
  return best;
}

static gboolean
is_lost (const Y10CudaTuneTools *tools)
{
  size_t unused[2];

  return y10_cuda_is_lost (
      tools->program->device->driver->mem_get_info (&unused[0], &unused[1]));
}

/* The group's plan, or NULL. The cache gets the result; it also gets that a trial
 * lost the GPU, so that the next start does not repeat it. */
static Y10CudaConvPlan *
decide (Y10CudaTuneTools *tools, Y10CudaTuneGroup *group, gsize workspace)
{
  Y10CudaConvPlan *best = NULL;
  gint64 fused_ns = 0, first_ns = 0;
  GError *error = NULL;

  drop_wrong (tools, group, workspace);
  if (group->known && group->plans->len == 0) {
    group->known = FALSE;
    g_clear_pointer (&group->plans, g_ptr_array_unref);
    build (tools, group);
    drop_wrong (tools, group, workspace);
  }
  if (group->known)
    return g_ptr_array_steal_index (group->plans, 0);
  if (group->plans && group->plans->len > 0)
    best = choose_undisturbed (tools, group, workspace, &fused_ns, &first_ns,
        &error);
  if (error)
    g_debug ("%s: %s", name_of (tools, group), error->message);
  group->unsure |= error != NULL || (!best && group->disturbed);
  g_clear_error (&error);
  /* A record holds a fused plan. */
  if (tools->cache && !group->unfused
      && (group->unsure ? is_lost (tools)
                        : !g_cancellable_is_cancelled (tools->cancellable)))
    store (tools, group, best, fused_ns, first_ns);
  return best;
}

/* Continues after running out of memory: other groups need less. */
gboolean
y10_cuda_tune_group_decide (Y10CudaTuneTools *tools, Y10CudaTuneGroup *group,
    gsize workspace, GError **error)
{
  Y10CudaConvPlan *best;
  GError *local = NULL;

  if (group->known && !group->plans)
    return TRUE;
  if (group->plans
      && !y10_cuda_trial_begin (tools->trial, &group->desc, workspace,
          &local)) {
    if (!g_error_matches (local, Y10_ERROR, Y10_ERROR_NO_MEMORY)) {
      g_propagate_error (error, local);
      return FALSE;
    }
    g_debug ("%s: %s", name_of (tools, group), local->message);
    if (!tools->note)
      tools->note = g_intern_string (local->message);
    g_error_free (local);
    return TRUE;
  }
  best = decide (tools, group, workspace);
  if (best) {
    y10_cuda_conv_plan_give (best, tools->program->device->conv);
    group->winner = y10_cuda_shared_plan_new (best);
  }
  g_clear_pointer (&group->plans, g_ptr_array_unref);
  return TRUE;
}
