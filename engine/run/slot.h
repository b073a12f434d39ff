/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* What the engine knows of a slot beside the backend's part, and the functions that
 * change it. Functions that say so are called with the engine's lock held; the
 * others take it. */

#include <y10/step.h>

#include "core/backend.h"

G_BEGIN_DECLS

/* Of an engine. */
#define Y10_MAX_SLOTS 16
/* That no step holds. */
#define Y10_MAX_SHAPES 4

typedef struct _Y10Shape Y10Shape; /* run/shape.c */

typedef enum
{
  Y10_SLOT_FREE,
  Y10_SLOT_OPEN,      /* begun: accepts images */
  Y10_SLOT_SUBMITTED, /* the engine's threads own it */
  Y10_SLOT_DONE,      /* results, or an error, can be read */
} Y10SlotState;

typedef struct
{
  const Y10Shape *shape; /* whose is the next field */
  Y10Slot *slot;         /* the backend's; changes only on the device thread */
  guint width,
      height;        /* of the input that the step's images get; 0: none yet */
  gboolean has_size; /* set by y10_step_set_input_size() */
  Y10SlotState state;
  guint64 generation;  /* incremented at begin and end: odd while held */
  gboolean input_done; /* pixels are no longer needed */
  gboolean abandoned;  /* step ended while it was running */
  guint n_images;
  gboolean staging;              /* an image is copied without the lock */
  guint n_blocked;               /* threads that wait for the end of that */
  Y10Image *images;              /* arrays of max_batch, except as noted */
  Y10HeadParams *params;         /* as passed by the caller */
  Y10HeadParams *backend_params; /* without the limits of core/limits.h */
  guint8 *classes;               /* max_batch × n_classes; params point here */
  gfloat *class_confidence;      /* likewise */
  Y10Letterbox *letterboxes;
  Y10StepTimes times;
  gint64 start;  /* when loading of its images began, ns */
  GError *error; /* why the step failed */
} Y10EngineSlot;

/* FIFO of slot indices: a ring of n_slots, each slot at most once. */
typedef struct
{
  guint *slots;
  guint head, n;
} Y10SlotQueue;

/* Called when a step is done and can be read, on the thread that completed
 * it. */
typedef void (*Y10StepDone) (gpointer data, guint slot);

/* With the lock held. */
void y10_slot_queue_push (const Y10Engine *engine, Y10SlotQueue *queue,
    guint slot);
guint y10_slot_queue_pop (const Y10Engine *engine, Y10SlotQueue *queue);
/* The slot that @step holds, with the engine's lock taken; NULL, error set and
 * no lock taken when it holds none. */
Y10EngineSlot *y10_step_lock_slot (const Y10Step *step, GError **error);
/* Waits until any slot changes. @until: as for y10_step_begin (), or -1.
 * Returns FALSE after @until. Call with the engine's lock held. */
gboolean y10_slot_wait_change (Y10Engine *engine, gint64 until);
/* Call with the engine's lock held. */
gboolean y10_slot_check_state (Y10EngineSlot *slot, Y10SlotState wanted,
    const char *call, GError **error);
/* These three take the lock. */
void y10_slot_set_input_done (Y10Engine *engine, Y10EngineSlot *slot);
/* Takes @error. */
void y10_slot_set_done (Y10Engine *engine, Y10EngineSlot *slot, GError *error);
/* Sets a callback for each step that is done and was not ended before. */
void y10_engine_set_done_func (Y10Engine *engine, Y10StepDone done,
    gpointer data);

/* FALSE with the error that lost the device. Call with the engine's lock held. */
gboolean y10_engine_check_lost (const Y10Engine *engine, GError **error);
/* These two take the lock. An error that is not DEVICE_LOST, or NULL, changes
 * nothing. */
void y10_engine_set_lost (Y10Engine *engine, const GError *error);
gboolean y10_engine_is_lost (Y10Engine *engine, GError **error);

/* Makes begin hand out a slot that is still held, to show that the stress test
 * detects it. Set only by that test. */
extern gboolean y10_test_skip_slot_check;

G_END_DECLS
