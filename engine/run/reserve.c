/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* What images need, before they come: an input of their shape, and memory for images in host
 * memory. Without it, the step of the first one waits for the input, and the thread that
 * adds it allocates. */

#include "config.h"

#include "run/device.h"
#include "run/reserve.h"
#include "run/shape.h"

/* A step that is held for longer keeps its slot as it is. */
#define LONGEST (G_USEC_PER_SEC / 4)

/* Takes the slot as a step does, so that none can. */
static gboolean
take (Y10Engine *engine, Y10EngineSlot *slot)
{
  gint64 until = g_get_monotonic_time () + LONGEST;
  gboolean taken;

  pthread_mutex_lock (&engine->lock);
  while (slot->state != Y10_SLOT_FREE && !engine->lost
      && y10_slot_wait_change (engine, until))
    ;
  taken = slot->state == Y10_SLOT_FREE && !engine->lost;
  if (taken) {
    slot->state = Y10_SLOT_OPEN;
    slot->generation++;
  }
  pthread_mutex_unlock (&engine->lock);
  return taken;
}

static void
give_back (Y10Engine *engine, Y10EngineSlot *slot)
{
  pthread_mutex_lock (&engine->lock);
  slot->generation++;
  slot->state = Y10_SLOT_FREE;
  pthread_cond_broadcast (&engine->changed);
  pthread_mutex_unlock (&engine->lock);
}

static gboolean
need_shape (Y10Engine *engine, gpointer data, GError **error)
{
  const guint *size = data;

  return y10_engine_need_shape (engine, size[0], size[1], error) != NULL;
}

/* Makes the input of images of @width × @height with square pixels. */
static void
make_input (Y10Engine *engine, guint width, guint height)
{
  const Y10Image image = {
    .size = sizeof image,
    .width = width,
    .height = height,
  };
  g_autoptr (GError) error = NULL;
  guint size[2];

  y10_engine_choose_input_size (engine, &image, NULL, 0, &size[0], &size[1]);
  if (!y10_engine_call (engine, need_shape, size, &error))
    g_debug ("no input of %ux%u is made in advance: %s", size[0], size[1],
        error->message);
}

void
y10_engine_reserve (Y10Engine *engine, Y10PixelFormat format, guint width,
    guint height, guint n)
{
  const Y10BackendClass *backend = engine->backend;
  const Y10Image image = {
    .size = sizeof (Y10Image),
    .format = format,
    .width = width,
    .height = height,
  };

  if (engine->config.auto_size)
    make_input (engine, width, height);
  if (!backend->reserve)
    return;
  for (guint i = 0; i < engine->config.n_slots; i++) {
    Y10EngineSlot *slot = &engine->slots[i];
    g_autoptr (GError) error = NULL;

    if (!take (engine, slot))
      continue;
    if (!backend->reserve (slot->slot, MIN (n, engine->config.max_batch),
            &image, &error)) {
      g_debug ("no memory is reserved for %u images of %ux%u: %s", n, width,
          height, error->message);
      y10_engine_set_lost (engine, error);
    }
    give_back (engine, slot);
  }
}
