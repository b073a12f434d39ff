/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The engine's threads. The device thread makes the backend's calls, one at a time; the
 * exceptions are listed in core/backend.h. If the backend is asynchronous, a completion
 * thread waits for submitted steps, in the order in which they were submitted. */

#include "config.h"

#include "base/clock.h"
#include "run/state.h"
#include "run/shape.h"
#include "run/tuning.h"

static void
make_slot (const Y10Engine *engine, Y10EngineSlot *slot)
{
  guint n = engine->config.max_batch;

  slot->images = g_new0 (Y10Image, n);
  slot->params = g_new0 (Y10HeadParams, n);
  slot->backend_params = g_new0 (Y10HeadParams, n);
  slot->class_confidence = g_new0 (gfloat,
      (gsize) n * engine->graph->n_classes);
  slot->classes = g_new0 (guint8, (gsize) n * engine->graph->n_classes);
  slot->letterboxes = g_new0 (Y10Letterbox, n);
}

/* Runs on the device thread. */
gboolean
y10_engine_make_device (Y10Engine *engine, gpointer data, GError **error)
{
  const Y10BackendClass *backend = engine->backend;
  Y10EngineConfig *c = &engine->config;
  Y10DeviceConfig device = {
    .threads = c->threads,
    .device_id = c->device_id,
    .cuda_graphs = c->cuda_graphs,
    .cuda_context = c->cuda_context,
    .many_sizes = c->auto_size,
  };

  engine->device = backend->open (&device, error);
  if (!engine->device)
    return FALSE;
  engine->device_name = g_strdup (backend->describe (engine->device));
  c->threads = backend->threads (engine->device);
  if (!y10_engine_make_first_shape (engine, data, error))
    return FALSE;
  engine->weights_size = backend->weights_size (engine->program);
  for (guint i = 0; i < c->n_slots; i++)
    make_slot (engine, &engine->slots[i]);
  for (guint n = 2; n < c->max_batch; n *= 2)
    y10_engine_prepare_batch_size (engine, n);
  if (c->tune && backend->tune)
    backend->tune (engine->program, y10_engine_tuned, engine);
  return TRUE;
}

static void
free_device (Y10Engine *engine)
{
  const Y10BackendClass *backend = engine->backend;

  if (engine->program && backend->tune_end)
    backend->tune_end (engine->program);
  for (guint i = 0; i < engine->config.n_slots; i++) {
    Y10EngineSlot *slot = &engine->slots[i];

    g_clear_error (&slot->error);
    g_free (slot->images);
    g_free (slot->params);
    g_free (slot->backend_params);
    g_free (slot->class_confidence);
    g_free (slot->classes);
    g_free (slot->letterboxes);
  }
  y10_engine_free_shapes (engine);
  if (engine->device)
    backend->close (engine->device);
}

gboolean
y10_engine_load_images (Y10Engine *engine, Y10EngineSlot *slot, GError **error)
{
  if (!y10_slot_enter_shape (engine, slot, error))
    return FALSE;
  for (guint i = 0; i < slot->n_images; i++)
    if (!engine->backend->load (slot->slot, i, &slot->images[i],
            &slot->letterboxes[i], &slot->backend_params[i], error))
      return FALSE;
  return TRUE;
}

/* A queued slot belongs to this thread; only its flags are shared. A
 * synchronous backend is done when submit returns; an asynchronous one's
 * step goes to the completion thread. */
static void
run_slot (Y10Engine *engine, guint index)
{
  const Y10BackendClass *backend = engine->backend;
  Y10EngineSlot *slot = &engine->slots[index];
  GError *error = NULL;
  gboolean ok;

  slot->start = y10_clock_ns ();
  ok = !y10_engine_is_lost (engine, &error)
      && y10_engine_load_images (engine, slot, &error);
  if (!backend->wait)
    y10_slot_set_input_done (engine, slot);
  ok = ok
      && backend->submit (slot->slot, slot->n_images, 0, engine->graph->n_ops,
          &error);
  if (ok && backend->wait) {
    pthread_mutex_lock (&engine->lock);
    y10_slot_queue_push (engine, &engine->under_way, index);
    pthread_cond_signal (&engine->started);
    pthread_mutex_unlock (&engine->lock);
    return;
  }
  y10_engine_set_lost (engine, error);
  /* The device may still be reading images that were loaded before the
   * error. */
  if (backend->wait) {
    if (!y10_engine_is_lost (engine, NULL))
      backend->wait_input (slot->slot, NULL);
    y10_slot_set_input_done (engine, slot);
  }
  y10_slot_set_done (engine, slot, error);
}

static void
complete_slot (Y10Engine *engine, guint index)
{
  const Y10BackendClass *backend = engine->backend;
  Y10EngineSlot *slot = &engine->slots[index];
  GError *error = NULL;

  if (!y10_engine_is_lost (engine, &error)
      && backend->wait_input (slot->slot, &error)) {
    y10_slot_set_input_done (engine, slot);
    backend->wait (slot->slot, &error);
  } else {
    y10_slot_set_input_done (engine, slot);
  }
  y10_engine_set_lost (engine, error);
  y10_slot_set_done (engine, slot, error);
}

/* Runs what y10_engine_call() was given, unless the device is lost. Its caller waits,
 * so the call's fields stay as they are. */
static gboolean
run_call (Y10Engine *engine)
{
  GError *error = NULL;
  gboolean result = !y10_engine_is_lost (engine, &error)
      && engine->call (engine, engine->call_data, &error);

  y10_engine_set_lost (engine, error);
  if (error)
    g_propagate_error (engine->call_error, error);
  return result;
}

static void *
device_thread (void *data)
{
  Y10Engine *engine = data;

  pthread_mutex_lock (&engine->lock);
  while (!engine->quit || engine->queued.n) {
    if (engine->call && !engine->call_done) {
      gboolean result;

      pthread_mutex_unlock (&engine->lock);
      result = run_call (engine);
      pthread_mutex_lock (&engine->lock);
      engine->call_result = result;
      engine->call_done = TRUE;
      pthread_cond_broadcast (&engine->changed);
    } else if (engine->queued.n) {
      guint slot = y10_slot_queue_pop (engine, &engine->queued);

      pthread_mutex_unlock (&engine->lock);
      run_slot (engine, slot);
      pthread_mutex_lock (&engine->lock);
    } else {
      pthread_cond_wait (&engine->work, &engine->lock);
    }
  }
  engine->drained = TRUE;
  pthread_cond_broadcast (&engine->started);
  pthread_mutex_unlock (&engine->lock);
  if (engine->completing)
    pthread_join (engine->completer, NULL);
  free_device (engine);
  return NULL;
}

/* Waits for the steps of an asynchronous backend, in the order in which they
 * were submitted, while the device thread submits others. */
static void *
completion_thread (void *data)
{
  Y10Engine *engine = data;

  pthread_mutex_lock (&engine->lock);
  while (!engine->drained || engine->under_way.n) {
    if (engine->under_way.n) {
      guint slot = y10_slot_queue_pop (engine, &engine->under_way);

      pthread_mutex_unlock (&engine->lock);
      complete_slot (engine, slot);
      pthread_mutex_lock (&engine->lock);
    } else {
      pthread_cond_wait (&engine->started, &engine->lock);
    }
  }
  pthread_mutex_unlock (&engine->lock);
  return NULL;
}

static gboolean
start_thread (pthread_t *thread, void *(*run) (void *), Y10Engine *engine,
    GError **error)
{
  int result = pthread_create (thread, NULL, run, engine);

  if (result)
    g_set_error (error, Y10_ERROR, Y10_ERROR_NO_MEMORY,
        "cannot start the engine's thread: %s", g_strerror (result));
  return !result;
}

gboolean
y10_engine_is_own_thread (const Y10Engine *engine)
{
  return pthread_equal (pthread_self (), engine->thread)
      || (engine->completing
          && pthread_equal (pthread_self (), engine->completer));
}

gboolean
y10_engine_call (Y10Engine *engine, Y10DeviceCall call, gpointer data,
    GError **error)
{
  gboolean result;

  pthread_mutex_lock (&engine->lock);
  while (engine->call)
    pthread_cond_wait (&engine->changed, &engine->lock);
  engine->call = call;
  engine->call_data = data;
  engine->call_error = error;
  engine->call_done = FALSE;
  pthread_cond_signal (&engine->work);
  while (!engine->call_done)
    pthread_cond_wait (&engine->changed, &engine->lock);
  result = engine->call_result;
  engine->call = NULL;
  pthread_cond_broadcast (&engine->changed);
  pthread_mutex_unlock (&engine->lock);
  return result;
}

gboolean
y10_engine_start (Y10Engine *engine, GError **error)
{
  if (!start_thread (&engine->thread, device_thread, engine, error))
    return FALSE;
  engine->running = TRUE;
  if (!engine->backend->wait)
    return TRUE;
  engine->completing = start_thread (&engine->completer, completion_thread,
      engine, error);
  return engine->completing;
}
