/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A new stream joins the group with its key or creates it; the last stream to
 * leave frees it. A lost GPU takes its group with it: the next stream with the
 * same key creates a new group, which later streams share. */

#include "config.h"

#include "stream/group.h"

#include <pthread.h>

#include "base/clock.h"
#include "model/model.h"

/* Warming up: one run, then up to WARM_RUNS more within about WARM_TIME
 * nanoseconds. */
#define WARM_RUNS 8
#define WARM_TIME (G_GINT64_CONSTANT (250) * 1000 * 1000)

/* While another thread creates the engine: interval at which the waiting thread
 * checks its cancellable, microseconds. */
#define POLL_INTERVAL 20000

/* Groups by key. */
static pthread_mutex_t registry_lock = PTHREAD_MUTEX_INITIALIZER;
static GHashTable *registry;

/* A compiler warns here about a field of Y10EngineConfig that is not listed yet;
 * make_key () needs it, too. */
static const Y10EngineConfig no_config G_GNUC_UNUSED = {
  sizeof (Y10EngineConfig), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, 0
};

/* Every setting that requires a separate engine: all but n_slots, which streams
 * ignore. A replaced file counts as a new one. */
static char *
make_key (const Y10Model *model, const Y10EngineConfig *config,
    const char *group)
{
  Y10EngineConfig c = *config;

  y10_engine_resolve_input (model, &c);
  return g_strdup_printf ("%d %d %d %ux%u %u+%u %u %u %d %d %d %d %p %s %s",
      c.backend, c.precision, c.head, c.width, c.height, c.max_batch,
      c.batch_timeout, c.threads, c.max_detections, c.device_id, c.cuda_graphs,
      c.tune, c.multi_label, c.cuda_context, y10_model_get_identity (model),
      group ? group : "");
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
 * the p95 of so few. The first run counts only if it takes longer than WARM_TIME;
 * then it is the only one. 0: a run failed, and the first real image reports why, or
 * it was cancelled. */
static gint64
warm_up (Y10Engine *engine, GCancellable *cancellable)
{
  gint64 until = y10_clock_ns () + WARM_TIME, longest = 0, took;
  Y10Image image = {.size = sizeof image,.format = Y10_PIXEL_RGB };
  guint8 *pixels;

  y10_engine_get_input_size (engine, &image.width, &image.height);
  pixels = g_malloc0 ((gsize) image.width * image.height * 3);
  image.plane[0] = pixels;
  image.stride[0] = (gsize) image.width * 3;
  for (guint i = 0; i < 1 + WARM_RUNS; i++) {
    if (g_cancellable_is_cancelled (cancellable)
        || !run_once (engine, &image, &took))
      break;
    if (i || took > WARM_TIME)
      longest = MAX (longest, took);
    if (longest && y10_clock_ns () > until)
      break;
  }
  g_free (pixels);
  return longest;
}

static void
free_group (Y10Group *self)
{
  y10_stream_steps_clear (&self->steps);
  g_free (self->key);
  g_free (self);
}

/* Compiles the engine and warms it up. */
static gboolean
compile_group (Y10Group *self, Y10Model *model, const Y10EngineConfig *config,
    GCancellable *cancellable, GError **error)
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
  return y10_stream_steps_init (&self->steps, engine, error);
}

/* Call with the registry's lock held. Removes a group that has lost its device;
 * its streams keep it. */
static Y10Group *
find_group (const char *key)
{
  Y10Group *group = registry ? g_hash_table_lookup (registry, key) : NULL;

  if (!group || !group->ready
      || !y10_engine_is_lost (group->steps.engine, NULL))
    return group;
  g_hash_table_remove (registry, key);
  return NULL;
}

/* Call with the registry's lock held. */
static void
remove_group (Y10Group *self)
{
  if (g_hash_table_lookup (registry, self->key) == self)
    g_hash_table_remove (registry, self->key);
  if (!g_hash_table_size (registry))
    g_clear_pointer (&registry, g_hash_table_unref);
}

/* Call with the registry's lock held; it is released meanwhile. Takes @key. */
static Y10Group *
make_group (char *key, Y10Model *model, const Y10EngineConfig *config,
    GCancellable *cancellable, GError **error)
{
  Y10Group *self = g_new0 (Y10Group, 1);
  gboolean ok;

  self->key = key;
  self->refs = 1;
  if (!registry)
    registry = g_hash_table_new (g_str_hash, g_str_equal);
  g_hash_table_insert (registry, self->key, self);
  pthread_mutex_unlock (&registry_lock);
  ok = compile_group (self, model, config, cancellable, error);
  pthread_mutex_lock (&registry_lock);
  if (ok) {
    self->ready = TRUE;
    return self;
  }
  remove_group (self);
  free_group (self);
  return NULL;
}

/* Waits while another thread creates the group. If that fails, this thread
 * tries again. */
Y10Group *
y10_group_join (Y10Model *model, const Y10EngineConfig *config,
    const char *name, GCancellable *cancellable, GError **error)
{
  char *key = make_key (model, config, name);
  Y10Group *group;

  pthread_mutex_lock (&registry_lock);
  while ((group = find_group (key)) && !group->ready) {
    pthread_mutex_unlock (&registry_lock);
    if (g_cancellable_set_error_if_cancelled (cancellable, error)) {
      g_free (key);
      return NULL;
    }
    g_usleep (POLL_INTERVAL);
    pthread_mutex_lock (&registry_lock);
  }
  if (group) {
    group->refs++;
    g_free (key);
  } else {
    group = make_group (key, model, config, cancellable, error);
  }
  pthread_mutex_unlock (&registry_lock);
  return group;
}

void
y10_group_leave (Y10Group *group)
{
  gboolean last;

  pthread_mutex_lock (&registry_lock);
  last = --group->refs == 0;
  if (last && registry)
    remove_group (group);
  pthread_mutex_unlock (&registry_lock);
  if (last)
    free_group (group);
}

guint
y10_group_count (void)
{
  guint n;

  pthread_mutex_lock (&registry_lock);
  n = registry ? g_hash_table_size (registry) : 0;
  pthread_mutex_unlock (&registry_lock);
  return n;
}
