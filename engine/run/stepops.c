/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Runs some ops of an open step, and copies the tensors between them, on the device
 * thread and between steps. */

#include "config.h"

#include "run/engine.h"
#include "run/stepops.h"

/* A request to an open step, run on the device thread. */
typedef struct
{
  Y10EngineSlot *slot;
  guint first, end; /* for run */
  guint image;      /* for read and write tensor, as all below */
  Y10View view;
  gfloat *out;
  const gfloat *in;
} StepCall;

static gboolean
run_range (Y10Engine *engine, gpointer data, GError **error)
{
  StepCall *r = data;

  if (r->first == 0 && !y10_engine_load_images (engine, r->slot, error))
    return FALSE;
  return engine->backend->submit (r->slot->slot, r->slot->n_images, r->first,
             r->end, error)
      && (!engine->backend->wait
          || engine->backend->wait (r->slot->slot, error));
}

static gboolean
access_tensor (Y10Engine *engine, gpointer data, GError **error)
{
  StepCall *r = data;

  if (r->in)
    return engine->backend->write_tensor (r->slot->slot, r->image, r->view,
        r->in, error);
  return engine->backend->read_tensor (r->slot->slot, r->image, r->view, r->out,
      error);
}

static gboolean
call_step (const Y10Step *step, Y10DeviceCall call, StepCall *step_call,
    GError **error)
{
  Y10EngineSlot *slot = y10_step_lock_slot (step, error);

  if (!slot)
    return FALSE;
  pthread_mutex_unlock (&step->engine->lock);
  step_call->slot = slot;
  return y10_engine_call (step->engine, call, step_call, error);
}

gboolean
y10_step_run (const Y10Step *step, guint first, guint end, GError **error)
{
  StepCall step_call = { .first = first, .end = end };

  if (!call_step (step, run_range, &step_call, error))
    return FALSE;
  if (end == step->engine->graph->n_ops) {
    pthread_mutex_lock (&step->engine->lock);
    step_call.slot->state = Y10_SLOT_DONE;
    pthread_mutex_unlock (&step->engine->lock);
  }
  return TRUE;
}

gboolean
y10_step_read_tensor (const Y10Step *step, guint image, Y10View view,
    gfloat *nchw, GError **error)
{
  StepCall step_call = { .image = image, .view = view, .out = nchw };

  return call_step (step, access_tensor, &step_call, error);
}

gboolean
y10_step_write_tensor (const Y10Step *step, guint image, Y10View view,
    const gfloat *nchw, GError **error)
{
  StepCall step_call = { .image = image, .view = view, .in = nchw };

  return call_step (step, access_tensor, &step_call, error);
}
