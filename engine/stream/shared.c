/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A new stream joins the shared engine with its key or creates it; the last stream to
 * leave frees it. An engine that has lost its GPU gets no new streams: the next stream
 * with the same key creates another, which later streams share. */

#include "config.h"

#include "stream/shared.h"

#include <pthread.h>

#include "base/clock.h"
#include "model/model.h"

/* Warming up: one run, then up to WARM_RUNS more within about WARM_BUDGET
 * nanoseconds. */
#define WARM_RUNS 8
#define WARM_BUDGET (G_GINT64_CONSTANT (250) * 1000 * 1000)

/* While another thread creates the engine: interval at which the waiting thread
 * checks its cancellable, microseconds. */
#define POLL_INTERVAL 20000

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static GHashTable *shared_engines; /* by key; lock */

/* Does not compile once Y10EngineConfig has another field, which make_key () then needs,
 * too. */
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wmissing-field-initializers"
static const Y10EngineConfig no_config G_GNUC_UNUSED = {
  sizeof (Y10EngineConfig), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, 0, 0, 0
};
#pragma GCC diagnostic pop

/* Every setting that requires a separate engine: all but n_slots, which streams
 * ignore. A replaced file counts as a new one. */
static char *
make_key (const Y10Model *model, const Y10EngineConfig *config,
    const char *group)
{
  Y10EngineConfig c = *config;

  y10_engine_resolve_input (model, &c);
  return g_strdup_printf ("%d %d %d %ux%u %u+%u %u %u %d %d %d %d %d %p %s %s",
      c.backend, c.precision, c.head, c.width, c.height, c.max_batch,
      c.batch_timeout, c.threads, c.max_detections, c.device_id, c.cuda_graphs,
      c.tune, c.multi_label, c.auto_size, c.cuda_context,
      y10_model_get_identity (model), group ? group : "");
}

static gboolean
run_once (Y10Engine *engine, const Y10Image *image, gint64 *took)
{
  const Y10HeadParams params = Y10_HEAD_PARAMS_INIT;
  gint64 start = y10_clock_ns ();
  gboolean ok;
  Y10Step step;

  if (!y10_step_begin (engine, -1, &step, NULL))
    return FALSE;
  ok = y10_step_add (&step, image, &params, NULL)
      && y10_step_submit (&step, NULL) && y10_step_wait (&step, -1, NULL);
  y10_step_end (&step);
  *took = y10_clock_ns () - start;
  return ok;
}

/* Makes the first image of a stream as fast as later ones. Returns the longest run,
 * the p95 of so few. The first run counts only if it takes longer than WARM_BUDGET;
 * then it is the only one. 0: a run failed, and the first real image reports why, or
 * it was cancelled. */
static gint64
warm_up (Y10Engine *engine, GCancellable *cancellable)
{
  gint64 until = y10_clock_ns () + WARM_BUDGET, longest = 0, took;
  Y10Image image = { .size = sizeof image, .format = Y10_PIXEL_RGB };
  guint8 *pixels;

  y10_engine_get_input_size (engine, &image.width, &image.height);
  pixels = g_malloc0 ((gsize) image.width * image.height * 3);
  image.plane[0] = pixels;
  image.stride[0] = (gsize) image.width * 3;
  for (guint i = 0; i < 1 + WARM_RUNS; i++) {
    if (g_cancellable_is_cancelled (cancellable)
        || !run_once (engine, &image, &took))
      break;
    if (i || took > WARM_BUDGET)
      longest = MAX (longest, took);
    if (longest && y10_clock_ns () > until)
      break;
  }
  g_free (pixels);
  return longest;
}

static void
free_shared (Y10SharedEngine *self)
{
  y10_step_runner_clear (&self->runner);
  g_free (self->key);
  g_free (self);
}

/* Compiles the engine and warms it up. */
static gboolean
compile_shared (Y10SharedEngine *self, Y10Model *model,
    const Y10EngineConfig *config, GCancellable *cancellable, GError **error)
{
  Y10EngineConfig c = *config;
  Y10Engine *engine;

  /* 0: as many as keep the device busy, and no more, because images in a step can
   * no longer be withdrawn or replaced. */
  c.n_slots = 0;
  engine = y10_engine_new (model, &c, cancellable, error);
  if (!engine)
    return FALSE;
  self->warm_time = warm_up (engine, cancellable);
  return y10_step_runner_init (&self->runner, engine, error);
}

/* Call with the lock held. Removes an engine that has lost its device; its streams keep
 * it. */
static Y10SharedEngine *
find_shared (const char *key)
{
  Y10SharedEngine *shared = shared_engines
      ? g_hash_table_lookup (shared_engines, key)
      : NULL;

  if (!shared || !shared->ready
      || !y10_engine_is_lost (shared->runner.engine, NULL))
    return shared;
  g_hash_table_remove (shared_engines, key);
  return NULL;
}

/* Call with the lock held. */
static void
remove_shared (Y10SharedEngine *self)
{
  if (g_hash_table_lookup (shared_engines, self->key) == self)
    g_hash_table_remove (shared_engines, self->key);
  if (!g_hash_table_size (shared_engines))
    g_clear_pointer (&shared_engines, g_hash_table_unref);
}

/* Call with the lock held; it is released meanwhile. Takes @key. */
static Y10SharedEngine *
make_shared (char *key, Y10Model *model, const Y10EngineConfig *config,
    GCancellable *cancellable, GError **error)
{
  Y10SharedEngine *self = g_new0 (Y10SharedEngine, 1);
  gboolean ok;

  self->key = key;
  self->refs = 1;
  if (!shared_engines)
    shared_engines = g_hash_table_new (g_str_hash, g_str_equal);
  g_hash_table_insert (shared_engines, self->key, self);
  pthread_mutex_unlock (&lock);
  ok = compile_shared (self, model, config, cancellable, error);
  pthread_mutex_lock (&lock);
  if (ok) {
    self->ready = TRUE;
    return self;
  }
  remove_shared (self);
  free_shared (self);
  return NULL;
}

/* Waits while another thread creates the engine. If that fails, this thread
 * tries again. */
Y10SharedEngine *
y10_shared_engine_join (Y10Model *model, const Y10EngineConfig *config,
    const char *group, GCancellable *cancellable, GError **error)
{
  char *key = make_key (model, config, group);
  Y10SharedEngine *shared;

  pthread_mutex_lock (&lock);
  while ((shared = find_shared (key)) && !shared->ready) {
    pthread_mutex_unlock (&lock);
    if (g_cancellable_set_error_if_cancelled (cancellable, error)) {
      g_free (key);
      return NULL;
    }
    g_usleep (POLL_INTERVAL);
    pthread_mutex_lock (&lock);
  }
  if (shared) {
    shared->refs++;
    g_free (key);
  } else {
    shared = make_shared (key, model, config, cancellable, error);
  }
  pthread_mutex_unlock (&lock);
  return shared;
}

void
y10_shared_engine_leave (Y10SharedEngine *shared)
{
  gboolean last;

  pthread_mutex_lock (&lock);
  last = --shared->refs == 0;
  if (last && shared_engines)
    remove_shared (shared);
  pthread_mutex_unlock (&lock);
  if (last)
    free_shared (shared);
}

guint
y10_shared_engine_count (void)
{
  guint n;

  pthread_mutex_lock (&lock);
  n = shared_engines ? g_hash_table_size (shared_engines) : 0;
  pthread_mutex_unlock (&lock);
  return n;
}
