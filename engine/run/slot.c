/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* State of slots, under the engine's lock: the queues, waiting for a change,
 * the checks for stale steps and for a lost device. */

#include "config.h"

#include <errno.h>

#include "base/clock.h"
#include "run/state.h"

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

gboolean y10_test_skip_slot_check;

gboolean
y10_slot_wait_change (Y10Engine *engine, gint64 until)
{
  struct timespec t;

  if (until < 0)
    return pthread_cond_wait (&engine->changed, &engine->lock) == 0;
  t.tv_sec = until / G_USEC_PER_SEC;
  t.tv_nsec = until % G_USEC_PER_SEC * 1000;
  return pthread_cond_timedwait (&engine->changed, &engine->lock, &t)
      != ETIMEDOUT;
}

Y10EngineSlot *
y10_step_lock_slot (const Y10Step *step, GError **error)
{
  Y10EngineSlot *slot = &step->engine->slots[step->slot];
  guint64 generation;

  pthread_mutex_lock (&step->engine->lock);
  slot->n_blocked++;
  while (slot->staging)
    y10_slot_wait_change (step->engine, -1);
  slot->n_blocked--;
  generation = slot->generation;
  if (generation == step->generation || y10_test_skip_slot_check)
    return slot;
  pthread_mutex_unlock (&step->engine->lock);
  g_set_error (error, Y10_ERROR, Y10_ERROR_STALE,
      "the step has ended: its generation is %" G_GUINT64_FORMAT "; slot %u "
      "is at %" G_GUINT64_FORMAT,
      step->generation, step->slot, generation);
  return NULL;
}

gboolean
y10_slot_check_state (Y10EngineSlot *slot, Y10SlotState wanted,
    const char *call, GError **error)
{
  static const char *const names[] = { "has ended", "is open", "is running",
    "is done" };

  if (slot->state == wanted)
    return TRUE;
  g_set_error (error, Y10_ERROR, Y10_ERROR_STALE, "cannot %s: the step %s",
      call, names[slot->state]);
  return FALSE;
}

gboolean
y10_engine_check_lost (const Y10Engine *engine, GError **error)
{
  if (!engine->lost)
    return TRUE;
  g_propagate_error (error, g_error_copy (engine->lost));
  return FALSE;
}

/* From the first DEVICE_LOST error on the engine makes no more calls to the
 * device; all waiting steps fail at once. */
void
y10_engine_set_lost (Y10Engine *engine, const GError *error)
{
  if (!g_error_matches (error, Y10_ERROR, Y10_ERROR_DEVICE_LOST))
    return;
  pthread_mutex_lock (&engine->lock);
  if (!engine->lost)
    engine->lost = g_error_copy (error);
  pthread_cond_broadcast (&engine->changed);
  pthread_mutex_unlock (&engine->lock);
}

gboolean
y10_engine_is_lost (Y10Engine *engine, GError **error)
{
  gboolean lost;

  pthread_mutex_lock (&engine->lock);
  lost = !y10_engine_check_lost (engine, error);
  pthread_mutex_unlock (&engine->lock);
  return lost;
}

void
y10_slot_set_input_done (Y10Engine *engine, Y10EngineSlot *slot)
{
  slot->times.preprocess = y10_clock_ns () - slot->start;
  pthread_mutex_lock (&engine->lock);
  slot->input_done = TRUE;
  pthread_cond_broadcast (&engine->changed);
  pthread_mutex_unlock (&engine->lock);
}

void
y10_engine_set_done_func (Y10Engine *engine, Y10StepDone done, gpointer data)
{
  pthread_mutex_lock (&engine->lock);
  engine->done = done;
  engine->done_data = data;
  pthread_mutex_unlock (&engine->lock);
}

void
y10_slot_set_done (Y10Engine *engine, Y10EngineSlot *slot, GError *error)
{
  Y10StepDone done = NULL;
  gpointer data;

  if (!error)
    engine->backend->times (slot->slot, &slot->times.inference,
        &slot->times.postprocess);
  pthread_mutex_lock (&engine->lock);
  slot->state = Y10_SLOT_DONE;
  slot->error = error;
  if (slot->abandoned) {
    slot->abandoned = FALSE;
    g_clear_error (&slot->error);
#ifdef Y10_POISON
    engine->backend->poison (slot->slot);
#endif
    slot->state = Y10_SLOT_FREE;
  } else {
    done = engine->done;
  }
  data = engine->done_data;
  pthread_cond_broadcast (&engine->changed);
  pthread_mutex_unlock (&engine->lock);
  if (done)
    done (data, (guint) (slot - engine->slots));
}
