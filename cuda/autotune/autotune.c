/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Searches fused plans while the network already runs. A few threads load or build
 * the candidates for each group of convolutions; one more thread tries them, on a
 * separate stream. The program gets new op plans when all groups are done, and
 * also half way if plans had to be built, which takes long. Programs of several input
 * sizes have one tuner: measurements would disturb one another. */

#include "config.h"

#include <sys/resource.h>

#include "autotune/pair.h"

#define MAX_BUILDERS 4
#define NICENESS 10 /* frames have precedence */

/* Atomic: a GPU was lost during tuning, possibly because of a plan on trial. A
 * new engine must not try that again. */
static int was_lost;

/* @n images of @program. */
typedef struct
{
  Y10Program *program;
  guint n;
} Request;

/* Steps add requests without allocating: all sizes of as many programs as an engine has. */
#define MAX_REQUESTS (32 * Y10_CUDA_MAX_SIZE)

/* Tuning for one number of images. */
typedef struct
{
  Y10CudaTune *tune;
  Y10Program *program;
  GPtrArray *groups;
  guint n_decided;
  GPtrArray *pairs;   /* of Y10CudaTunePair */
  gsize workspace;    /* bytes per slot */
  int next;           /* atomic: next group to build */
  int over;           /* atomic: cancelled */
  GAsyncQueue *built; /* of Y10CudaTuneGroup */
} Round;

struct _Y10CudaTune
{
  Y10Program *program; /* the base */
  Y10TuneChanged changed;
  gpointer data;
  GCancellable *cancellable; /* of the round */
  pthread_t thread;
  gboolean running;
  Y10CudaTuneTools tools;

  pthread_mutex_t lock; /* guards the members below */
  pthread_cond_t work;
  GArray *requests;          /* Request */
  guint n_begun;             /* started, of requests */
  const Y10Program *current; /* of the round; NULL: none */
  gboolean quit, ended;      /* the thread is to end; has ended */
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
progress_made (Round *round, const Y10CudaTuneGroup *group)
{
  Y10CudaTune *tune = round->tune;

  round->n_decided++;
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
  for (guint i = 0; i < round->pairs->len; i++) {
    const Y10CudaTunePair *pair = round->pairs->pdata[i];
    const Y10CudaPair now =
        first->ops[g_array_index (pair->ops, guint, 0)].pair;

    if (!pair->decided
        || (now.tile == pair->winner.tile && now.parts == pair->winner.parts
            && now.logits == pair->winner.logits))
      continue;
    if (!batch)
      batch = y10_cuda_op_plans_copy (first);
    for (guint k = 0; k < pair->ops->len; k++)
      batch->ops[g_array_index (pair->ops, guint, k)].pair = pair->winner;
  }
  if (batch)
    y10_cuda_program_publish (round->program, n, batch);
}

/* Tries the groups as they are built, then the pairs; returns FALSE if tuning must
 * stop. */
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
    progress_made (round, group);
    if (i + 1 == n_groups / 2 && n_built > 0)
      publish (round, first, n);
  }
  for (guint i = 0; i < round->pairs->len && ok && !is_cancelled (round->tune);
       i++)
    ok = y10_cuda_tune_pair_decide (&round->tune->tools, round->pairs->pdata[i],
        round->workspace, error);
  ok = ok && !is_cancelled (round->tune);
  if (ok)
    publish (round, first, n);
  return ok;
}

static void
add_total (Y10CudaTune *tune, int n)
{
  pthread_mutex_lock (&tune->lock);
  tune->progress.total += (guint) n;
  pthread_mutex_unlock (&tune->lock);
}

static void
run_round (Round *round, Y10CudaOpPlans *first, guint n, GError **error)
{
  Y10CudaTune *tune = round->tune;
  guint n_builders = CLAMP (g_get_num_processors () - 1, 1, MAX_BUILDERS);
  pthread_t builders[MAX_BUILDERS];
  guint n_started = 0;

  while (n_started < n_builders
      && pthread_create (&builders[n_started], NULL, build_thread, round) == 0)
    n_started++;
  if (n_started > 0)
    take_groups (round, first, n, error);
  while (n_started > 0)
    pthread_join (builders[--n_started], NULL);
  if (is_cancelled (tune))
    add_total (tune, (int) round->n_decided - (int) round->groups->len);
}

static void
tune_images (Y10CudaTune *tune, const Request *request, GError **error)
{
  const guint n = request->n;
  Y10CudaOpPlans *first = y10_cuda_program_prepare (request->program, n, NULL,
      tune->cancellable, error);
  Round round = { .tune = tune, .program = request->program };

  if (!first)
    return;
  tune->tools.program = request->program;
  round.groups = y10_cuda_tune_groups (request->program, n);
  round.pairs = y10_cuda_tune_pairs (request->program, n, round.groups);
  round.workspace = first->workspace;
  round.built = g_async_queue_new ();
  add_total (tune, (int) round.groups->len);
  tune->changed (tune->data);
  run_round (&round, first, n, error);
  g_async_queue_unref (round.built);
  g_ptr_array_unref (round.pairs);
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

/* Begins a round; FALSE: nothing is to do. */
static gboolean
begin_round (Y10CudaTune *tune, Request *request)
{
  gboolean begun = FALSE;

  pthread_mutex_lock (&tune->lock);
  if (tune->n_begun < tune->requests->len && !tune->quit) {
    *request = g_array_index (tune->requests, Request, tune->n_begun++);
    tune->current = request->program;
    begun = TRUE;
  }
  pthread_mutex_unlock (&tune->lock);
  return begun;
}

/* A round that was cancelled for its program's sake is no error. */
static void
end_round (Y10CudaTune *tune, GError **error)
{
  pthread_mutex_lock (&tune->lock);
  tune->current = NULL;
  if (is_cancelled (tune) && !tune->quit) {
    if (g_error_matches (*error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
      g_clear_error (error);
    g_cancellable_reset (tune->cancellable);
  }
  pthread_mutex_unlock (&tune->lock);
}

/* Processes all requests, then frees its GPU memory. */
static gboolean
work (Y10CudaTune *tune, GError **error)
{
  Y10Device *device = tune->program->device;
  GError *local = NULL;
  Request request;

  if (!y10_cuda_enter (device, error))
    return FALSE;
  if (set_up (tune, &local))
    while (!local && begin_round (tune, &request)) {
      tune_images (tune, &request, &local);
      end_round (tune, &local);
    }
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
  tune->progress.finished = tune->n_begun == tune->requests->len;
  pthread_mutex_unlock (&tune->lock);
  tune->changed (tune->data);
  pthread_mutex_lock (&tune->lock);
  while (tune->n_begun == tune->requests->len && !tune->quit)
    pthread_cond_wait (&tune->work, &tune->lock);
  is_over = tune->quit;
  pthread_mutex_unlock (&tune->lock);
  return !is_over;
}

static void *
tune_thread (void *data)
{
  Y10CudaTune *tune = data;
  GError *error = NULL;

  setpriority (PRIO_PROCESS, 0, NICENESS);
  while (!error && wait_for_work (tune))
    work (tune, &error);
  if (!error)
    return NULL;
  if (!is_cancelled (tune))
    g_message ("tuning stopped: %s", error->message);
  if (g_error_matches (error, Y10_ERROR, Y10_ERROR_DEVICE_LOST))
    g_atomic_int_set (&was_lost, TRUE);
  pthread_mutex_lock (&tune->lock);
  tune->progress.note = g_intern_string (error->message);
  tune->progress.finished = tune->ended = TRUE;
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
  tune->requests = g_array_sized_new (FALSE, FALSE, sizeof (Request),
      MAX_REQUESTS);
  pthread_mutex_init (&tune->lock, NULL);
  pthread_cond_init (&tune->work, NULL);
  if (!program->device->many_sizes)
    y10_cuda_tune_add (tune, program, program->in_use_images);
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
  tune->quit = TRUE;
  g_cancellable_cancel (tune->cancellable);
  pthread_cond_signal (&tune->work);
  pthread_mutex_unlock (&tune->lock);
  if (tune->running)
    pthread_join (tune->thread, NULL);
  g_object_unref (tune->cancellable);
  g_array_unref (tune->requests);
  pthread_mutex_destroy (&tune->lock);
  pthread_cond_destroy (&tune->work);
  g_free (tune);
}

void
y10_cuda_tune_add (Y10CudaTune *tune, Y10Program *program, guint n)
{
  const Request request = { program, n };
  gboolean is_new;

  pthread_mutex_lock (&tune->lock);
  is_new = !tune->ended;
  for (guint i = 0; i < tune->requests->len; i++) {
    const Request *r = &g_array_index (tune->requests, Request, i);

    if (r->program == program && r->n == n)
      is_new = FALSE;
  }
  if (is_new) {
    g_array_append_val (tune->requests, request);
    tune->progress.finished = FALSE;
    pthread_cond_signal (&tune->work);
  }
  pthread_mutex_unlock (&tune->lock);
}

gboolean
y10_cuda_tune_leave (Y10CudaTune *tune, const Y10Program *program)
{
  gboolean busy;

  pthread_mutex_lock (&tune->lock);
  for (guint i = 0; i < tune->requests->len;)
    if (g_array_index (tune->requests, Request, i).program == program) {
      g_array_remove_index (tune->requests, i);
      tune->n_begun -= i < tune->n_begun;
    } else {
      i++;
    }
  busy = tune->current == program;
  if (busy)
    g_cancellable_cancel (tune->cancellable);
  pthread_mutex_unlock (&tune->lock);
  return !busy;
}

void
y10_cuda_tune_get_progress (Y10CudaTune *tune, Y10TuningProgress *progress)
{
  pthread_mutex_lock (&tune->lock);
  *progress = tune->progress;
  pthread_mutex_unlock (&tune->lock);
}
