/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The engine from inside. Each file of engine/run knows its own part of it. */

#include <pthread.h>

#include "run/device.h"
#include "run/slot.h"

G_BEGIN_DECLS

struct _Y10Engine
{
  int refs;
  Y10Model *model;
  /* As resolved, but for the device_id, which the backend keeps. */
  Y10EngineConfig config;
  char *fallback_reason; /* NULL unless auto skipped a faster backend */
  const Y10BackendClass *backend;
  Y10Device *device;
  /* Of the first shape, which is the only one without auto_size. What depends on the size
   * is only right for that one. */
  Y10Program *program;
  Y10Graph *graph;
  Y10Plan *plan;
  Y10Shape *shapes[Y10_MAX_SHAPES + Y10_MAX_SLOTS]; /* see run/shape.h */
  guint n_shapes;
  guint64 n_entered;   /* steps; device thread */
  guint64 batch_sizes; /* requested; bit n - 1: n images; device thread */
  gsize weights_size;
  char *device_name;
  gint64 start_time; /* nanoseconds that creating it took */

  pthread_mutex_t lock;
  pthread_cond_t changed; /* a slot's state, the call, progress or lost */
  pthread_cond_t work;    /* wakes the device thread */
  pthread_t thread;
  gboolean running, quit;
  Y10EngineSlot *slots; /* config.n_slots */
  Y10SlotQueue queued;  /* for the device thread */
  /* Asynchronous backends only: the completion thread and the submitted steps
   * that it waits for. */
  pthread_t completer;
  pthread_cond_t started; /* under_way or drained has changed */
  Y10SlotQueue under_way;
  gboolean completing, drained;
  GError *lost;     /* why the device is lost; NULL: it is not */
  Y10StepDone done; /* nullable */
  gpointer done_data;
  /* The call that the device thread is to run, one at a time; NULL: none. */
  Y10DeviceCall call;
  gpointer call_data;
  GError **call_error;
  gboolean call_result, call_done;
};

G_END_DECLS
