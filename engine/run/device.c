/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Who calls a backend: one device thread makes and runs everything, in turn;
 * for a backend that runs steps by itself a second one waits for them, in the
 * order in which they were submitted. */

#include "config.h"

#include "run/internal.h"

void
y10_slot_queue_push (const Y10Engine *engine, Y10SlotQueue *queue, guint slot)
{
  queue->slots[(queue->head + queue->n) % engine->config.n_slots] = slot;
  queue->n++;
}

guint
y10_slot_queue_pop (const Y10Engine *engine, Y10SlotQueue *queue)
{
  guint slot = queue->slots[queue->head];

  queue->head = (queue->head + 1) % engine->config.n_slots;
  queue->n--;
  return slot;
}

static void *
device_thread (void *data)
{
  Y10Engine *engine = data;

  pthread_mutex_lock (&engine->lock);
  while (!engine->quit || engine->queued.n) {
    if (engine->call && !engine->call_done) {
      Y10DeviceCall call = engine->call;
      gboolean result;

      pthread_mutex_unlock (&engine->lock);
      result = call (engine, engine->call_data, engine->call_error);
      pthread_mutex_lock (&engine->lock);
      engine->call_result = result;
      engine->call_done = TRUE;
      pthread_cond_broadcast (&engine->changed);
    } else if (engine->queued.n) {
      guint slot = y10_slot_queue_pop (engine, &engine->queued);

      pthread_mutex_unlock (&engine->lock);
      y10_engine_run_slot (engine, slot);
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
  y10_engine_free_device (engine);
  return NULL;
}

/* Waits for the steps of a backend that runs them by itself, in the order in
 * which they were submitted, while the device thread submits others. */
static void *
completion_thread (void *data)
{
  Y10Engine *engine = data;

  pthread_mutex_lock (&engine->lock);
  while (!engine->drained || engine->under_way.n) {
    if (engine->under_way.n) {
      guint slot = y10_slot_queue_pop (engine, &engine->under_way);

      pthread_mutex_unlock (&engine->lock);
      y10_engine_complete_slot (engine, slot);
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
