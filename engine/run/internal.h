/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Internals of the engine, shared by the files of engine/run and by
 * engine/stream. */

#include <pthread.h>
#include <y10/step.h>

#include "core/backend.h"

G_BEGIN_DECLS

typedef enum
{
  Y10_SLOT_FREE,
  Y10_SLOT_OPEN,                /* begun: accepts images */
  Y10_SLOT_QUEUED,              /* submitted: the engine's threads own it */
  Y10_SLOT_DONE,                /* results, or an error, can be read */
} Y10SlotState;

typedef struct
{
  Y10Slot *slot;                /* the backend's */
  Y10SlotState state;
  guint64 generation;           /* incremented at begin and end: odd while held */
  gboolean input_done;          /* pixels are no longer needed */
  gboolean abandoned;           /* step ended while the slot was queued */
  guint n_images;
  gboolean staging;             /* an image is copied without the lock */
  guint n_blocked;              /* threads that wait for the end of that */
  Y10Image *images;             /* arrays of max_batch, except as noted */
  Y10HeadParams *params;        /* as passed by the caller */
  Y10HeadParams *backend_params;        /* without the limits of core/limits.h */
  guint8 *classes;              /* max_batch × n_classes; params point here */
  gfloat *class_confidence;     /* likewise */
  Y10Letterbox *letterboxes;
  guint first_op, end_op;       /* ops to run */
  Y10StepTimes times;
  gint64 start;                 /* when loading of its images began, ns */
  GError *error;                /* why the step failed */
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

typedef gboolean (*Y10DeviceCall) (Y10Engine * engine, gpointer data,
    GError ** error);

struct _Y10Engine
{
  int refs;
  Y10Model *model;
  Y10EngineConfig config;       /* as requested, later as resolved */
  char *fallback_reason;        /* NULL unless auto skipped a faster backend */
  const Y10BackendClass *backend;
  Y10Device *device;
  Y10Program *program;
  Y10Graph *graph;
  Y10Plan *plan;
  gsize weights_size;
  guint threads;
  char *device_name;
  gint64 start_time;            /* nanoseconds that creating it took */

  /* pthread locks, not GMutex: ThreadSanitizer understands them. */
  pthread_mutex_t lock;
  pthread_cond_t changed;       /* a slot's state, the call, progress or lost */
  pthread_cond_t work;          /* wakes the device thread */
  pthread_t thread;
  gboolean running, quit;
  Y10EngineSlot *slots;         /* config.n_slots */
  Y10SlotQueue queued;          /* for the device thread */
  /* Asynchronous backends only: the completion thread and the submitted steps
   * that it waits for. */
  pthread_t completer;
  pthread_cond_t started;       /* under_way or drained has changed */
  Y10SlotQueue under_way;
  gboolean completing, drained;
  GError *lost;                 /* why the device is lost; NULL: it is not */
  Y10StepDone done;             /* nullable */
  gpointer done_data;
  /* The call that the device thread is to run, one at a time; NULL: none. */
  Y10DeviceCall call;
  gpointer call_data;
  GError **call_error;
  gboolean call_result, call_done;
};

/* device.c: starts the engine's threads. After quit is set they finish the
 * queued steps, free what the backend allocated and end. */
gboolean y10_engine_start (Y10Engine * engine, GError ** error);
/* Opens the device, compiles the model and allocates the slots. Runs on the
 * device thread; @data: the GCancellable. */
gboolean y10_engine_make_device (Y10Engine * engine, gpointer data,
    GError ** error);
/* Runs @call on the device thread, between steps, and waits for it. */
gboolean y10_engine_call (Y10Engine * engine, Y10DeviceCall call,
    gpointer data, GError ** error);
/* Whether the caller is one of the engine's threads. */
gboolean y10_engine_is_own_thread (const Y10Engine * engine);
/* Fills in the input size and head that @config leaves to the model. */
void y10_engine_resolve_input (const Y10Model * model,
    Y10EngineConfig * config);
/* Sets a callback for each step that is done and was not ended before. */
void y10_engine_set_done_func (Y10Engine * engine, Y10StepDone done,
    gpointer data);
/* tuning.c: Y10TuneChanged for the backend. */
void y10_engine_tuned (gpointer engine);
/* Prepares steps of @n images, in the background: a GPU runs 1, 2, 4, 8, … and
 * max_batch images at a time and rounds other numbers up. Repeated requests and
 * numbers above max_batch do nothing. Waits for the device thread's turn; never
 * call it from a thread of the engine, as Y10StepDone is. */
void y10_engine_request_batch_size (Y10Engine * engine, guint n);
/* reserve.c: makes room for @n images of this size in host memory in each slot.
 * Waits for slots that steps hold, but not for long. Any thread but the engine's. */
void y10_engine_reserve (Y10Engine * engine, Y10PixelFormat format,
    guint width, guint height, guint n);
const Y10Graph *y10_engine_get_graph (const Y10Engine * engine);
const Y10Plan *y10_engine_get_plan (const Y10Engine * engine);
/* With the lock taken. */
void y10_slot_queue_push (const Y10Engine * engine, Y10SlotQueue * queue,
    guint slot);
guint y10_slot_queue_pop (const Y10Engine * engine, Y10SlotQueue * queue);
/* Takes the engine's lock and returns the slot that @step holds; returns NULL
 * without the lock if @step is stale. */

/* The slot that @step holds, with the engine's lock taken; NULL, error set and
 * no lock taken when it holds none. */
Y10EngineSlot *y10_step_lock_slot (const Y10Step * step, GError ** error);
/* Waits until any slot changes. @until: as for y10_step_begin (), or -1.
 * Returns FALSE after @until. Call with the engine's lock held. */
gboolean y10_slot_wait_change (Y10Engine * engine, gint64 until);
gboolean y10_slot_check_state (Y10EngineSlot * slot, Y10SlotState wanted,
    const char *call, GError ** error);
void y10_slot_set_input_done (Y10Engine * engine, Y10EngineSlot * slot);
void y10_slot_set_done (Y10Engine * engine, Y10EngineSlot * slot,
    GError * error);
/* Call with the engine's lock held. */
gboolean y10_engine_check_lost (const Y10Engine * engine, GError ** error);
void y10_engine_note_lost (Y10Engine * engine, const GError * error);
gboolean y10_engine_load_images (Y10Engine * engine, Y10EngineSlot * slot,
    GError ** error);
gboolean y10_engine_is_lost (Y10Engine * engine, GError ** error);
/* Copies a caller's struct, of any version, over the defaults in @to. */
gboolean y10_engine_config_read (Y10EngineConfig * to,
    const Y10EngineConfig * from, GError ** error);
/* Copies and checks the arguments of y10_step_add(). */
gboolean y10_engine_read_image (const Y10Engine * engine,
    const Y10Image * image, const Y10HeadParams * params,
    Y10Image * image_read, Y10HeadParams * params_read, GError ** error);

/* profile.c, for tests: runs ops [first, end) on the images of an open step and
 * waits. Loads the images if @first is 0. The step stays open until its last op
 * has run; it is done then and can be read. */
gboolean y10_step_run (const Y10Step * step, guint first, guint end,
    GError ** error);
gboolean y10_step_read_tensor (const Y10Step * step, guint image, Y10View view,
    gfloat * nchw, GError ** error);
gboolean y10_step_write_tensor (const Y10Step * step, guint image, Y10View view,
    const gfloat * nchw, GError ** error);
/* Makes begin hand out a slot that is still held, to show that the stress test
 * detects it. Set only by that test. */
extern gboolean y10_test_skip_slot_check;

/* registry.c: returns NULL and appends the reason to @why if the backend is not
 * installed. */
const Y10BackendClass *y10_backend_find (Y10BackendKind kind, GString * why);

/* engine.c: checks a configuration for @model and replaces 0 and auto where the
 * model decides. */
gboolean y10_engine_config_resolve (const Y10Model * model,
    Y10EngineConfig * config, GError ** error);
/* y10_engine_new() with a chosen backend and a resolved @config.
 * @fallback_reason (nullable): why auto chose no faster one. */
Y10Engine *y10_engine_create (Y10Model * model,
    const Y10EngineConfig * config, const Y10BackendClass * backend,
    const char *fallback_reason, GCancellable * cancellable, GError ** error);

/* selfcheck.c: TRUE where @class requests no check, where it has passed on this
 * combination of device, driver, libraries and build, or passes now. @again: a
 * stored verdict is ignored and replaced. *@device (nullable): the description
 * of the device that was checked, or NULL. */
gboolean y10_backend_check_with (const Y10BackendClass * class,
    const Y10EngineConfig * config, gboolean again, char **device,
    GError ** error);

G_END_DECLS
