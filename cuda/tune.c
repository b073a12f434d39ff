/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Fused plans while the network already runs. Convolutions that are alike are
 * one group, for which a few threads load what the cache on disk has or build
 * candidates; one more thread compares them with our own kernel, times them
 * beside the way that runs now, and keeps what wins, if only for the cache to
 * know that nothing did. The program gets a new batch when all groups are done,
 * and one half way where plans had to be built, which takes long. Whatever goes
 * wrong here leaves the network as it is. */

#include "config.h"

#include <string.h>
#include <sys/resource.h>

#include "plan_cache.h"
#include "tune.h"

#define MAX_CANDIDATES 3        /* of a group */
#define MAX_BUILDERS 4
#define NICENESS 10             /* frames come first */
#define RECORD "y10-tuned"      /* how an entry of the cache begins */

/* Atomic: a GPU was lost meanwhile. Maybe by a plan that was tried, and whoever
 * goes on with a new engine must not try it again. */
static int was_lost;

/* Convolutions that are alike. */
typedef struct
{
  Y10CudaConvDesc desc;
  GArray *ops;                  /* guint */
  GPtrArray *plans;             /* to be tried; NULL: none */
  gboolean known;               /* from the cache; without a plan: keep it as
                                 * it is */
  gboolean unsure;              /* not everything could be tried */
  Y10CudaSharedPlan *winner;
} Group;

/* What is done for one number of images. */
typedef struct
{
  Y10CudaTune *tune;
  GPtrArray *groups;
  gsize workspace;              /* that slots have */
  int next;                     /* atomic: group to build */
  GAsyncQueue *built;           /* of Group */
} Round;

struct _Y10CudaTune
{
  Y10Program *program;
  Y10TuneChanged changed;
  gpointer data;
  GCancellable *cancellable;
  pthread_t thread;
  gboolean running, warned;
  Y10CudaConvLib *lib;          /* what plans run in until they are given to
                                 * the device's, which is another thread's */
  Y10PlanCache *cache;          /* or NULL */
  Y10CudaTrial *trial;

  pthread_mutex_t lock;         /* of what follows */
  pthread_cond_t work;
  GArray *images;               /* guint: what was asked for */
  guint n_begun;                /* of these */
  Y10EngineProgress progress;
};

static gboolean
is_cancelled (Y10CudaTune *tune)
{
  return g_cancellable_is_cancelled (tune->cancellable);
}

static void
free_group (gpointer data)
{
  Group *group = data;

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
      && a->stride == b->stride && a->pad == b->pad && a->silu == b->silu;
}

/* Nothing follows a convolution without SiLU and addition: there is nothing to
 * be fused. */
static GPtrArray *
find_groups (const Y10Program *program, guint n)
{
  GPtrArray *groups = g_ptr_array_new_with_free_func (free_group);

  for (guint op = 0; op < program->plan->graph->n_ops; op++) {
    Y10CudaConvDesc desc;
    Group *group = NULL;

    if (!y10_cuda_fused_desc (program, op, n, &desc)
        || !(desc.silu || desc.add.channels))
      continue;
    for (guint i = 0; i < groups->len && !group; i++)
      if (same_desc (&desc, &((Group *) groups->pdata[i])->desc))
        group = groups->pdata[i];
    if (!group) {
      group = g_new0 (Group, 1);
      group->desc = desc;
      group->ops = g_array_new (FALSE, FALSE, sizeof (guint));
      g_ptr_array_add (groups, group);
    }
    g_array_append_val (group->ops, op);
  }
  return groups;
}

static const char *
name_of (const Y10CudaTune *tune, const Group *group)
{
  const Y10Graph *graph = tune->program->plan->graph;

  return graph->ops[g_array_index (group->ops, guint, 0)].name;
}

/* An entry of the cache is a line, "y10-tuned fused 1234 5678" or "y10-tuned
 * unfused 0 5678" with the nanoseconds of both ways, and the plan. */
static gboolean
load (Y10CudaTune *tune, Group *group)
{
  g_autoptr (GBytes) record = tune->cache ? y10_plan_cache_load (tune->cache,
      &group->desc, Y10_CUDA_CONV_FUSED) : NULL;
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
  if (g_str_has_prefix (data, RECORD " unfused "))
    return TRUE;
  end++;
  bytes = g_bytes_new_from_bytes (record, (gsize) (end - data),
      size - (gsize) (end - data));
  plan = y10_cuda_conv_plan_load (tune->program->device->conv, &group->desc,
      Y10_CUDA_CONV_FUSED, bytes, &error);
  if (!plan) {
    g_debug ("%s: the plan on disk is built anew: %s",
        name_of (tune, group), error->message);
    group->known = FALSE;
    return FALSE;
  }
  group->plans = g_ptr_array_new_with_free_func (
      (GDestroyNotify) y10_cuda_conv_plan_free);
  g_ptr_array_add (group->plans, plan);
  return TRUE;
}

static void
store (Y10CudaTune *tune, const Group *group, const Y10CudaConvPlan *plan,
    gint64 fused_ns, gint64 bias_ns)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = NULL, record = NULL;
  GByteArray *data = g_byte_array_new ();
  g_autofree char *line = g_strdup_printf (RECORD " %sfused %"
      G_GINT64_FORMAT " %" G_GINT64_FORMAT "\n", plan ? "" : "un", fused_ns,
      bias_ns);

  g_byte_array_append (data, (const guint8 *) line, strlen (line));
  if (plan && (bytes = y10_cuda_conv_plan_save (plan, &error)))
    g_byte_array_append (data, g_bytes_get_data (bytes, NULL),
        g_bytes_get_size (bytes));
  record = g_byte_array_free_to_bytes (data);
  if (error || !y10_plan_cache_store (tune->cache, &group->desc,
          Y10_CUDA_CONV_FUSED, record, &error))
    g_debug ("%s: %s", name_of (tune, group), error->message);
}

static void
build (Y10CudaTune *tune, Group *group)
{
  g_autoptr (GError) error = NULL;

  group->plans = y10_cuda_conv_plan_candidates (tune->program->device->conv,
      &group->desc, Y10_CUDA_CONV_FUSED, MAX_CANDIDATES, tune->cancellable,
      &error);
  if (!group->plans)
    g_debug ("%s: %s", name_of (tune, group), error->message);
}

/* Every group comes out, so that nobody waits for one for ever. */
static void *
build_thread (void *data)
{
  Round *round = data;
  Y10CudaTune *tune = round->tune;
  const Y10Device *device = tune->program->device;
  gboolean entered = device->driver->ctx_push (device->context) == 0;
  CUcontext popped;
  guint i;

  /* Linux has it by thread. */
  setpriority (PRIO_PROCESS, 0, NICENESS);
  while ((i = (guint) g_atomic_int_add (&round->next, 1))
      < round->groups->len) {
    Group *group = round->groups->pdata[i];

    if (entered && !is_cancelled (tune) && !load (tune, group))
      build (tune, group);
    g_async_queue_push (round->built, group);
  }
  if (entered)
    device->driver->ctx_pop (&popped);
  return NULL;
}

static void
progress_made (Y10CudaTune *tune, const Group *group)
{
  pthread_mutex_lock (&tune->lock);
  tune->progress.done++;
  tune->progress.loaded += group->known;
  tune->progress.faster += group->winner != NULL;
  pthread_mutex_unlock (&tune->lock);
  tune->changed (tune->data);
}

/* TRUE: it may be used. */
static gboolean
is_right (Y10CudaTune *tune, Group *group, Y10CudaConvPlan *plan,
    gsize workspace)
{
  g_autoptr (GError) error = NULL;
  double difference = 0;

  y10_cuda_conv_plan_give (plan, tune->lib);
  if (y10_cuda_conv_plan_workspace (plan) <= workspace
      && y10_cuda_trial_check (tune->trial, plan, &difference, &error))
    return TRUE;
  if (difference > 0) {
    pthread_mutex_lock (&tune->lock);
    tune->progress.wrong++;
    pthread_mutex_unlock (&tune->lock);
  } else if (error) {
    group->unsure = TRUE;
  }
  if (difference > 0 && !tune->warned) {
    tune->warned = TRUE;
    g_warning ("%s: %s %s; it is left out", name_of (tune, group),
        y10_cuda_conv_plan_describe (plan), error->message);
  } else {
    g_debug ("%s: %s is left out: %s", name_of (tune, group),
        y10_cuda_conv_plan_describe (plan), error ? error->message
        : "it needs too much workspace");
  }
  return FALSE;
}

static void
drop_wrong (Y10CudaTune *tune, Group *group, gsize workspace)
{
  for (guint i = 0; group->plans && i < group->plans->len;)
    if (is_right (tune, group, group->plans->pdata[i], workspace))
      i++;
    else
      g_ptr_array_remove_index (group->plans, i);
}

/* The plan, if any, that is faster than the way things are. */
static Y10CudaConvPlan *
choose (Y10CudaTune *tune, Group *group, gint64 *fused_ns, gint64 *bias_ns,
    GError **error)
{
  Y10CudaConvDesc desc = y10_cuda_unfused_desc (&group->desc,
      group->desc.add.channels > 0);
  gint64 ns[MAX_CANDIDATES];
  Y10CudaConvPlan *best = NULL, *bias = y10_cuda_conv_plan_new (tune->lib,
      &desc, Y10_CUDA_CONV_BIAS, error);
  guint winner = 0;

  if (!bias)
    return NULL;
  if (y10_cuda_trial_time (tune->trial, bias,
          (Y10CudaConvPlan **) group->plans->pdata, group->plans->len,
          tune->cancellable, bias_ns, ns, error)) {
    for (guint i = 1; i < group->plans->len; i++)
      if (ns[i] < ns[winner])
        winner = i;
    *fused_ns = ns[winner];
    g_debug ("%s: %s takes %.1f us, unfused %.1f us", name_of (tune, group),
        y10_cuda_conv_plan_describe (group->plans->pdata[winner]),
        (double) ns[winner] / 1e3, (double) *bias_ns / 1e3);
    if (ns[winner] < *bias_ns)
      best = g_ptr_array_steal_index (group->plans, winner);
  }
  y10_cuda_conv_plan_free (bias);
  return best;
}

/* The group's plan, or NULL, and whether that is for the cache. */
static Y10CudaConvPlan *
decide (Y10CudaTune *tune, Group *group, gsize workspace)
{
  Y10CudaConvPlan *best = NULL;
  gint64 fused_ns = 0, bias_ns = 0;
  GError *error = NULL;

  drop_wrong (tune, group, workspace);
  if (group->known && group->plans->len == 0) {
    group->known = FALSE;
    g_clear_pointer (&group->plans, g_ptr_array_unref);
    build (tune, group);
    drop_wrong (tune, group, workspace);
  }
  if (group->known)
    return g_ptr_array_steal_index (group->plans, 0);
  if (group->plans && group->plans->len > 0)
    best = choose (tune, group, &fused_ns, &bias_ns, &error);
  if (error) {
    g_debug ("%s: %s", name_of (tune, group), error->message);
    g_error_free (error);
  } else if (tune->cache && !group->unsure && !is_cancelled (tune)) {
    store (tune, group, best, fused_ns, bias_ns);
  }
  return best;
}

/* What a group gets, on the tuner's thread. Too little memory is no reason to
 * give up: others need less. */
static gboolean
finish_group (Y10CudaTune *tune, Group *group, gsize workspace,
    GError **error)
{
  Y10CudaConvPlan *best;
  GError *local = NULL;

  if (group->known && !group->plans)
    return TRUE;
  if (group->plans && !y10_cuda_trial_begin (tune->trial, &group->desc,
          workspace, &local)) {
    if (!g_error_matches (local, Y10_ERROR, Y10_ERROR_NO_MEMORY)) {
      g_propagate_error (error, local);
      return FALSE;
    }
    g_debug ("%s: %s", name_of (tune, group), local->message);
    g_error_free (local);
    return TRUE;
  }
  best = decide (tune, group, workspace);
  if (best) {
    y10_cuda_conv_plan_give (best, tune->program->device->conv);
    group->winner = y10_cuda_shared_plan_new (best);
  }
  g_clear_pointer (&group->plans, g_ptr_array_unref);
  return TRUE;
}

static void
publish (const Round *round, Y10CudaBatch *first, guint n)
{
  Y10CudaBatch *batch = NULL;

  for (guint i = 0; i < round->groups->len; i++) {
    const Group *group = round->groups->pdata[i];

    if (!group->winner)
      continue;
    if (!batch)
      batch = y10_cuda_batch_copy (first);
    for (guint k = 0; k < group->ops->len; k++)
      y10_cuda_batch_fuse (batch, g_array_index (group->ops, guint, k),
          group->winner);
  }
  if (batch)
    y10_cuda_program_publish (round->tune->program, n, batch);
}

/* Takes the groups as they are built; FALSE: it had to be given up. */
static gboolean
take_groups (Round *round, Y10CudaBatch *first, guint n, GError **error)
{
  guint n_groups = round->groups->len, n_built = 0;
  gboolean ok = TRUE;

  for (guint i = 0; i < n_groups; i++) {
    Group *group = g_async_queue_pop (round->built);

    if (!ok || is_cancelled (round->tune))
      continue;
    ok = finish_group (round->tune, group, round->workspace, error);
    n_built += !group->known;
    progress_made (round->tune, group);
    if (i + 1 == n_groups / 2 && n_built > 0)
      publish (round, first, n);
  }
  ok = ok && !is_cancelled (round->tune);
  if (ok)
    publish (round, first, n);
  return ok;
}

static void
tune_images (Y10CudaTune *tune, guint n, GError **error)
{
  Y10CudaBatch *first = y10_cuda_program_prepare (tune->program, n, error);
  guint n_builders = CLAMP (g_get_num_processors () - 1, 1, MAX_BUILDERS);
  Round round = {.tune = tune };
  pthread_t builders[MAX_BUILDERS];
  guint n_started = 0;

  if (!first)
    return;
  round.groups = find_groups (tune->program, n);
  round.workspace = first->workspace;
  round.built = g_async_queue_new ();
  pthread_mutex_lock (&tune->lock);
  tune->progress.total += round.groups->len;
  pthread_mutex_unlock (&tune->lock);
  tune->changed (tune->data);
  while (n_started < n_builders && pthread_create (&builders[n_started], NULL,
          build_thread, &round) == 0)
    n_started++;
  if (n_started > 0)
    take_groups (&round, first, n, error);
  while (n_started > 0)
    pthread_join (builders[--n_started], NULL);
  g_async_queue_unref (round.built);
  g_ptr_array_unref (round.groups);
  y10_cuda_batch_unref (first);
}

static void
open_cache (Y10CudaTune *tune)
{
  const Y10Device *device = tune->program->device;
  const Y10CudaDriver *d = device->driver;
  g_autoptr (GString) why = g_string_new (NULL);
  char name[128] = "GPU";
  Y10PlanCacheKey key = {.cudnn = y10_cuda_conv_lib_version (tune->lib),
    .gpu = name,.major = device->major,.minor = device->minor,
    .model = tune->program->hash
  };

  d->device_get_name (name, sizeof name, device->id);
  d->device_get_attribute (&key.multiprocessors, Y10_CU_MULTIPROCESSORS,
      device->id);
  tune->cache = y10_plan_cache_open (NULL, &key, why);
  if (!tune->cache)
    g_message ("plans for the GPU are built at every start: %s", why->str);
}

/* In the context; FALSE: nothing can be done. */
static gboolean
set_up (Y10CudaTune *tune, GError **error)
{
  g_autoptr (GString) why = g_string_new (NULL);

  tune->lib = y10_cuda_conv_lib_new (tune->program->device->driver, why);
  if (!tune->lib) {
    g_set_error_literal (error, Y10_ERROR, Y10_ERROR_BACKEND, why->str);
    return FALSE;
  }
  open_cache (tune);
  tune->trial = y10_cuda_trial_new (tune->program->device, error);
  return tune->trial != NULL;
}

/* What is not needed any more, or not for a while: its memory is the GPU's. */
static void
tear_down (Y10CudaTune *tune)
{
  g_clear_pointer (&tune->trial, y10_cuda_trial_free);
  g_clear_pointer (&tune->cache, y10_plan_cache_free);
  g_clear_pointer (&tune->lib, y10_cuda_conv_lib_free);
}

/* The next number of images, if there is one that has been asked for. */
static guint
next_images (Y10CudaTune *tune)
{
  guint n = 0;

  pthread_mutex_lock (&tune->lock);
  if (tune->n_begun < tune->images->len && !is_cancelled (tune))
    n = g_array_index (tune->images, guint, tune->n_begun++);
  pthread_mutex_unlock (&tune->lock);
  return n;
}

/* All that has been asked for. Nothing of the GPU's is kept afterwards. */
static gboolean
work (Y10CudaTune *tune, GError **error)
{
  const Y10Device *device = tune->program->device;
  GError *local = NULL;
  CUcontext popped;
  guint n;

  if (!y10_cuda_check (device->driver,
          device->driver->ctx_push (device->context), "entering the context",
          error))
    return FALSE;
  if (set_up (tune, &local))
    while (!local && (n = next_images (tune)) > 0)
      tune_images (tune, n, &local);
  tear_down (tune);
  device->driver->ctx_pop (&popped);
  if (!local)
    return TRUE;
  g_propagate_error (error, local);
  return FALSE;
}

/* FALSE: nothing more will be. */
static gboolean
wait_for_work (Y10CudaTune *tune)
{
  gboolean is_over;

  pthread_mutex_lock (&tune->lock);
  tune->progress.finished = tune->n_begun == tune->images->len;
  pthread_mutex_unlock (&tune->lock);
  tune->changed (tune->data);
  pthread_mutex_lock (&tune->lock);
  while (tune->n_begun == tune->images->len && !is_cancelled (tune))
    pthread_cond_wait (&tune->work, &tune->lock);
  is_over = is_cancelled (tune);
  pthread_mutex_unlock (&tune->lock);
  return !is_over;
}

static void *
tune_thread (void *data)
{
  Y10CudaTune *tune = data;
  GError *error = NULL;

  setpriority (PRIO_PROCESS, 0, NICENESS);
  do {
    work (tune, &error);
  } while (!error && wait_for_work (tune));
  if (!error)
    return NULL;
  if (!is_cancelled (tune))
    g_message ("no more plans are looked for: %s", error->message);
  if (g_error_matches (error, Y10_ERROR, Y10_ERROR_DEVICE_LOST))
    g_atomic_int_set (&was_lost, TRUE);
  pthread_mutex_lock (&tune->lock);
  tune->progress.note = g_intern_string (error->message);
  tune->progress.finished = TRUE;
  pthread_mutex_unlock (&tune->lock);
  tune->changed (tune->data);
  g_error_free (error);
  return NULL;
}

Y10CudaTune *
y10_cuda_tune_new (Y10Program *program, Y10TuneChanged changed,
    gpointer data, GError **error)
{
  g_autoptr (GString) why = g_string_new (NULL);
  Y10CudaTune *tune;

  if (!y10_cuda_conv_lib_can_fuse (program->device->conv, why)) {
    g_set_error_literal (error, Y10_ERROR, Y10_ERROR_UNSUPPORTED, why->str);
    return NULL;
  }
  if (g_atomic_int_get (&was_lost)) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_DEVICE_LOST,
        "the GPU was lost while plans were tried");
    return NULL;
  }
  tune = g_new0 (Y10CudaTune, 1);
  tune->program = program;
  tune->changed = changed;
  tune->data = data;
  tune->cancellable = g_cancellable_new ();
  tune->images = g_array_new (FALSE, FALSE, sizeof (guint));
  pthread_mutex_init (&tune->lock, NULL);
  pthread_cond_init (&tune->work, NULL);
  g_array_append_val (tune->images, program->in_use_images);
  tune->running = pthread_create (&tune->thread, NULL, tune_thread, tune) == 0;
  if (tune->running)
    return tune;
  g_set_error (error, Y10_ERROR, Y10_ERROR_NO_MEMORY,
      "cannot start the tuner's thread");
  y10_cuda_tune_free (tune);
  return NULL;
}

void
y10_cuda_tune_free (Y10CudaTune *tune)
{
  if (!tune)
    return;
  pthread_mutex_lock (&tune->lock);
  g_cancellable_cancel (tune->cancellable);
  pthread_cond_signal (&tune->work);
  pthread_mutex_unlock (&tune->lock);
  if (tune->running)
    pthread_join (tune->thread, NULL);
  g_object_unref (tune->cancellable);
  g_array_unref (tune->images);
  pthread_mutex_destroy (&tune->lock);
  pthread_cond_destroy (&tune->work);
  g_free (tune);
}

void
y10_cuda_tune_add (Y10CudaTune *tune, guint n)
{
  gboolean is_new = TRUE;

  pthread_mutex_lock (&tune->lock);
  for (guint i = 0; i < tune->images->len; i++)
    if (g_array_index (tune->images, guint, i) == n)
      is_new = FALSE;
  if (is_new) {
    g_array_append_val (tune->images, n);
    tune->progress.finished = FALSE;
    pthread_cond_signal (&tune->work);
  }
  pthread_mutex_unlock (&tune->lock);
}

void
y10_cuda_tune_get_progress (Y10CudaTune *tune, Y10EngineProgress *progress)
{
  pthread_mutex_lock (&tune->lock);
  *progress = tune->progress;
  pthread_mutex_unlock (&tune->lock);
}
