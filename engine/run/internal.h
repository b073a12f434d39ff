/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The engine from inside: engine.c makes it, step.c runs it. */

#include <pthread.h>
#include <y10/step.h>

#include "core/backend.h"

G_BEGIN_DECLS

typedef enum
{
  Y10_SLOT_FREE,
  Y10_SLOT_OPEN,                /* begun: images are added */
  Y10_SLOT_QUEUED,              /* submitted: the device thread has it */
  Y10_SLOT_DONE,                /* results can be read, or why there are none */
} Y10SlotState;

typedef struct
{
  Y10Slot *slot;                /* the backend's */
  Y10SlotState state;
  guint64 generation;           /* counts begins; odd numbers of none */
  gboolean input_done;          /* pixels are no longer needed */
  gboolean abandoned;           /* ended while the device thread had it */
  guint n_images;
  Y10Image *images;             /* max_batch of each */
  Y10HeadParams *params;        /* as the caller wants them */
  Y10HeadParams *backend_params;        /* without what core/limits.h applies */
  guint8 *classes;              /* max_batch × n_classes: what params point to */
  gfloat *class_confidence;     /* likewise */
  Y10Letterbox *letterboxes;
  guint first_op, end_op;       /* the range to run */
  Y10StepTimes times;
  gint64 start;                 /* ns: when its images began to be loaded */
  GError *error;                /* why it failed; allocated only then */
} Y10EngineSlot;

/* Slots in order, each at most once: a ring of n_slots. */
typedef struct
{
  guint *slots;
  guint head, n;
} Y10SlotQueue;

/* A step is done and can be read; on the thread that found it so. */
typedef void (*Y10StepDone) (gpointer data, guint slot);

typedef gboolean (*Y10DeviceCall) (Y10Engine * engine, gpointer data,
    GError ** error);

struct _Y10Engine
{
  int refs;
  Y10Model *model;
  Y10EngineConfig config;       /* as asked, then as resolved */
  char *fallback_reason;        /* NULL unless auto passed over a faster one */
  const Y10BackendClass *backend;
  Y10Device *device;
  Y10Program *program;
  Y10Graph *graph;
  Y10Plan *plan;
  gsize weights_size;
  guint threads;
  char *device_name;

  /* pthread, not GMutex: ThreadSanitizer knows them. */
  pthread_mutex_t lock;
  pthread_cond_t changed;       /* any slot's state, or the call's */
  pthread_cond_t work;          /* for the device thread */
  pthread_t thread;
  gboolean running, quit;
  Y10EngineSlot *slots;         /* config.n_slots */
  Y10SlotQueue queued;          /* for the device thread */
  /* Backends with wait: steps that have been submitted, for the thread that
   * waits for them. */
  pthread_t completer;
  pthread_cond_t started;       /* under_way or drained changed */
  Y10SlotQueue under_way;
  gboolean completing, drained;
  GError *lost;                 /* why the device is; NULL: it is not */
  Y10StepDone done;             /* NULL: nobody is told */
  gpointer done_data;
  /* One call at a time is run on the device thread; NULL: none. */
  Y10DeviceCall call;
  gpointer call_data;
  GError **call_error;
  gboolean call_result, call_done;
};

/* device.c: starts the engine's threads; they end, freeing what the backend
 * made, after quit has been set and the work is done. */
gboolean y10_engine_start (Y10Engine * engine, GError ** error);
/* On the device thread, as everything a backend does but waiting. */
gboolean y10_engine_make_device (Y10Engine * engine, gpointer data,
    GError ** error);
/* Runs @call on the device thread, in turn with the steps, and waits. */
gboolean y10_engine_call (Y10Engine * engine, Y10DeviceCall call,
    gpointer data, GError ** error);
/* Whether the caller is one of the engine's threads. */
gboolean y10_engine_is_own_thread (const Y10Engine * engine);
/* What @config leaves to @model. */
void y10_engine_resolve_input (const Y10Model * model,
    Y10EngineConfig * config);
/* Has @done called for each step that is done and has not been ended. */
void y10_engine_tell_done (Y10Engine * engine, Y10StepDone done,
    gpointer data);
/* tuning.c: called by the backend when its progress has changed. */
void y10_engine_tuned (gpointer engine);
const Y10Graph *y10_engine_get_graph (const Y10Engine * engine);
const Y10Plan *y10_engine_get_plan (const Y10Engine * engine);
/* With the lock taken. */
void y10_slot_queue_push (const Y10Engine * engine, Y10SlotQueue * queue,
    guint slot);
guint y10_slot_queue_pop (const Y10Engine * engine, Y10SlotQueue * queue);
/* slot.c */

/* The slot that @step holds, with the engine's lock taken; NULL, error set and
 * no lock taken when it holds none. */
Y10EngineSlot *y10_step_lock_slot (const Y10Step * step, GError ** error);
/* Waits for a change of any slot. @until: g_get_monotonic_time (), or -1. */
gboolean y10_slot_wait_change (Y10Engine * engine, gint64 until);
gboolean y10_slot_check_state (Y10EngineSlot * slot, Y10SlotState wanted,
    const char *call, GError ** error);
void y10_slot_set_input_done (Y10Engine * engine, Y10EngineSlot * slot);
void y10_slot_set_done (Y10Engine * engine, Y10EngineSlot * slot,
    GError * error);
/* With the engine's lock taken. */
gboolean y10_engine_check_lost (const Y10Engine * engine, GError ** error);
void y10_engine_note_lost (Y10Engine * engine, const GError * error);
gboolean y10_engine_load_images (Y10Engine * engine, Y10EngineSlot * slot,
    GError ** error);
gboolean y10_engine_is_lost (Y10Engine * engine, GError ** error);
/* Copies what a caller passed over @to, which holds the defaults. */
gboolean y10_engine_config_read (Y10EngineConfig * to,
    const Y10EngineConfig * from, GError ** error);
/* Copies what a caller passed and checks it as y10_step_add() does. */
gboolean y10_engine_read_image (const Y10Engine * engine,
    const Y10Image * image, const Y10HeadParams * params,
    Y10Image * image_read, Y10HeadParams * params_read, GError ** error);

/* profile.c, for tests. Runs ops [first, end) of an open step's images synchronously,
 * loading the images first when @first is 0; the step stays open until the
 * last op has run, then it is done and can be read. */
gboolean y10_step_run (const Y10Step * step, guint first, guint end,
    GError ** error);
gboolean y10_step_read_tensor (const Y10Step * step, guint image, Y10View view,
    gfloat * nchw, GError ** error);
gboolean y10_step_write_tensor (const Y10Step * step, guint image, Y10View view,
    const gfloat * nchw, GError ** error);
/* Lets begin hand out a slot that is still held, to show that the stress test
 * would notice. Never set outside that test. */
extern gboolean y10_test_skip_slot_check;

/* registry.c */

/* Sets *@passed_over, where @asked is auto, to why nothing faster was taken. */
const Y10BackendClass *y10_backend_choose (Y10BackendKind asked,
    char **passed_over, GError **error);

G_END_DECLS
