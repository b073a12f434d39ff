/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The steps of a scheduler, run by an engine. */

#include "run/engine.h"
#include "stream/scheduler.h"

G_BEGIN_DECLS

/* A step of the scheduler while the engine runs it. */
typedef struct
{
  Y10Step step;
  const Y10Turn *turns;
  guint n;
  guint64 left_out;             /* a bit for each turn that has no image in the step */
} Y10RunningStep;

typedef struct
{
  Y10Engine *engine;
  Y10Scheduler *scheduler;
  /* By the scheduler's step number. */
  Y10RunningStep running[Y10_SCHEDULER_MAX_STEPS];
  guint by_slot[Y10_SCHEDULER_MAX_STEPS];       /* step number by engine slot */
} Y10StreamSteps;

/* Creates a scheduler that fills the steps of @engine, and takes ownership of
 * @engine. After a failure, y10_stream_steps_clear() frees the engine. */
gboolean y10_stream_steps_init (Y10StreamSteps * self, Y10Engine * engine,
    GError ** error);
void y10_stream_steps_clear (Y10StreamSteps * self);

G_END_DECLS
