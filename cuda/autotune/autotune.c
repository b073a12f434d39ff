/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Searches fused plans while the network already runs. A few threads load or build
 * the candidates for each group of convolutions; one more thread tries them, on a
 * separate stream. The program gets new op plans when all groups are done, and
 * also half way if plans had to be built, which takes long. */

#include "config.h"

#include <sys/resource.h>

#include "autotune/group.h"

#define MAX_BUILDERS 4
#define NICENESS 10 /* frames have precedence */

/* Atomic: a GPU was lost during tuning, possibly because of a plan on trial. A
 * new engine must not try that again. */
static int was_lost;

/* Tuning for one number of images. */
typedef struct
{
  Y10CudaTune *tune;
  GPtrArray *groups;
  gsize workspace;    /* bytes per slot */
  int next;           /* atomic: next group to build */
  int over;           /* atomic: cancelled */
  GAsyncQueue *built; /* of Y10CudaTuneGroup */
} Round;

struct _Y10CudaTune
{
  Y10Program *program;
  Y10TuneChanged changed;
  gpointer data;
  GCancellable *cancellable;
  pthread_t thread;
  gboolean running;
  Y10CudaTuneTools tools;

  pthread_mutex_t lock; /* guards the members below */
  pthread_cond_t work;
  GArray *images; /* guint: requested numbers of images */
  guint n_begun;  /* started, of images */
  Y10TuningProgress progress;
};

static gboolean
is_cancelled (Y10CudaTune *tune)
{
  return g_cancellable_is_cancelled (tune->cancellable);
}

/* Passes on every group, even after a failure: the tuner waits for each. */
static void *
build_thread (void *data)
{
  Round *round = data;
  Y10CudaTune *tune = round->tune;
  Y10Device *device = tune->program->device;
  gboolean entered = y10_cuda_enter (device, NULL);
  guint i;

  /* On Linux this sets the priority of the calling thread only. */
  setpriority (PRIO_PROCESS, 0, NICENESS);
  while (
      (i = (guint) g_atomic_int_add (&round->next, 1)) < round->groups->len) {
    Y10CudaTuneGroup *group = round->groups->pdata[i];

    if (entered && !is_cancelled (tune) && !g_atomic_int_get (&round->over))
      y10_cuda_tune_group_find (&tune->tools, group);
    g_async_queue_push (round->built, group);
  }
  if (entered)
    y10_cuda_leave (device);
  return NULL;
}

static void
progress_made (Y10CudaTune *tune, const Y10CudaTuneGroup *group)
{
  pthread_mutex_lock (&tune->lock);
  tune->progress.done++;
  tune->progress.loaded += group->known;
  tune->progress.faster += group->winner != NULL;
  tune->progress.wrong += group->n_wrong;
  tune->progress.note = tune->tools.note;
  pthread_mutex_unlock (&tune->lock);
  tune->changed (tune->data);
}

static void
publish (const Round *round, Y10CudaOpPlans *first, guint n)
{
  Y10CudaOpPlans *batch = NULL;

  for (guint i = 0; i < round->groups->len; i++) {
    const Y10CudaTuneGroup *group = round->groups->pdata[i];

    if (!group->winner)
      continue;
    if (!batch)
      batch = y10_cuda_op_plans_copy (first);
    for (guint k = 0; k < group->ops->len; k++)
      y10_cuda_op_plans_replace (batch, g_array_index (group->ops, guint, k),
          group->winner, group->unfused ? &group->desc : NULL);
  }
  if (batch)
    y10_cuda_program_publish (round->tune->program, n, batch);
}

/* Tries the groups as they are built; returns FALSE if tuning must stop. */
static gboolean
take_groups (Round *round, Y10CudaOpPlans *first, guint n, GError **error)
{
  guint n_groups = round->groups->len, n_built = 0;
  gboolean ok = TRUE;

  for (guint i = 0; i < n_groups; i++) {
    Y10CudaTuneGroup *group = g_async_queue_pop (round->built);

    if (!ok || is_cancelled (round->tune))
      continue;
    ok = y10_cuda_tune_group_decide (&round->tune->tools, group,
        round->workspace, error);
    g_atomic_int_set (&round->over, !ok);
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
  Y10CudaOpPlans *first = y10_cuda_program_prepare (tune->program, n, NULL,
      tune->cancellable, error);
  guint n_builders = CLAMP (g_get_num_processors () - 1, 1, MAX_BUILDERS);
  Round round = { .tune = tune };
  pthread_t builders[MAX_BUILDERS];
  guint n_started = 0;

  if (!first)
    return;
  round.groups = y10_cuda_tune_groups (tune->program, n);
  round.workspace = first->workspace;
  round.built = g_async_queue_new ();
  pthread_mutex_lock (&tune->lock);
  tune->progress.total += round.groups->len;
  pthread_mutex_unlock (&tune->lock);
  tune->changed (tune->data);
  while (n_started < n_builders
      && pthread_create (&builders[n_started], NULL, build_thread, &round) == 0)
    n_started++;
  if (n_started > 0)
    take_groups (&round, first, n, error);
  while (n_started > 0)
    pthread_join (builders[--n_started], NULL);
  g_async_queue_unref (round.built);
  g_ptr_array_unref (round.groups);
  y10_cuda_op_plans_unref (first);
}

static void
open_cache (Y10CudaTune *tune)
{
  const Y10Device *device = tune->program->device;
  const Y10CudaDriver *d = device->driver;
  g_autoptr (GString) why = g_string_new (NULL);
  char name[128] = "GPU";
  Y10PlanCacheKey key = {
    .cudnn = y10_cuda_conv_lib_version (tune->tools.lib, "cudnn"),
    .own = y10_cuda_conv_lib_version (tune->tools.lib, "own"),
    .gpu = name,
    .major = device->major,
    .minor = device->minor,
    .model = tune->program->hash,
  };

  d->device_get_name (name, sizeof name, device->id);
  d->device_get_attribute (&key.multiprocessors, Y10_CU_MULTIPROCESSORS,
      device->id);
  tune->tools.cache = y10_plan_cache_open (NULL, &key, why);
  if (!tune->tools.cache)
    g_message ("the plan cache is unusable, so every start builds the plans "
               "again: %s",
        why->str);
}

/* Called with the context current. Returns FALSE if tuning is impossible. */
static gboolean
set_up (Y10CudaTune *tune, GError **error)
{
  g_autoptr (GString) why = g_string_new (NULL);

  tune->tools.lib = y10_cuda_conv_lib_new_like (tune->program->device->conv,
      &tune->program->device->kernels, why);
  if (!tune->tools.lib) {
    g_set_error_literal (error, Y10_ERROR, Y10_ERROR_BACKEND, why->str);
    return FALSE;
  }
  open_cache (tune);
  tune->tools.trial = y10_cuda_trial_new (tune->program->device, error);
  return tune->tools.trial != NULL;
}

/* Frees GPU memory between rounds. */
static void
tear_down (Y10CudaTune *tune)
{
  g_clear_pointer (&tune->tools.trial, y10_cuda_trial_free);
  g_clear_pointer (&tune->tools.cache, y10_plan_cache_free);
  g_clear_pointer (&tune->tools.lib, y10_cuda_conv_lib_free);
}

/* Returns the next requested number of images, or 0. */
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

/* Processes all requests, then frees its GPU memory. */
static gboolean
work (Y10CudaTune *tune, GError **error)
{
  Y10Device *device = tune->program->device;
  GError *local = NULL;
  guint n;

  if (!y10_cuda_enter (device, error))
    return FALSE;
  if (set_up (tune, &local))
    while (!local && (n = next_images (tune)) > 0)
      tune_images (tune, n, &local);
  tear_down (tune);
  y10_cuda_leave (device);
  if (!local)
    return TRUE;
  g_propagate_error (error, local);
  return FALSE;
}

/* Returns FALSE at the end of the thread. */
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
    g_message ("tuning stopped: %s", error->message);
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
y10_cuda_tune_new (Y10Program *program, Y10TuneChanged changed, gpointer data,
    GError **error)
{
  g_autoptr (GString) why = g_string_new (NULL);
  Y10CudaTune *tune;

  if (!y10_cuda_conv_lib_can_fuse (program->device->conv, why)) {
    g_set_error_literal (error, Y10_ERROR, Y10_ERROR_UNSUPPORTED, why->str);
    return NULL;
  }
  if (g_atomic_int_get (&was_lost)) {
    g_set_error (error, Y10_ERROR, Y10_ERROR_DEVICE_LOST,
        "the GPU was lost during tuning");
    return NULL;
  }
  tune = g_new0 (Y10CudaTune, 1);
  tune->program = program;
  tune->changed = changed;
  tune->data = data;
  tune->cancellable = g_cancellable_new ();
  tune->tools.program = program;
  tune->tools.cancellable = tune->cancellable;
  tune->images = g_array_sized_new (FALSE, FALSE, sizeof (guint),
      Y10_CUDA_MAX_SIZE); /* steps add to it */
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
y10_cuda_tune_get_progress (Y10CudaTune *tune, Y10TuningProgress *progress)
{
  pthread_mutex_lock (&tune->lock);
  *progress = tune->progress;
  pthread_mutex_unlock (&tune->lock);
}
