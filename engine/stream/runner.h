/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Runs the steps of a scheduler on an engine. */

#include "run/engine.h"
#include "stream/scheduler.h"

G_BEGIN_DECLS

/* What the engine makes of a step of the scheduler. */
typedef struct
{
  Y10Step step;
  guint64 left_out; /* a bit for each turn that has no image in the step */
} Y10RunningStep;

typedef struct
{
  Y10Engine *engine;
  Y10Scheduler *scheduler;
  /* By the scheduler's step number. */
  Y10RunningStep running[Y10_SCHEDULER_MAX_STEPS];
  guint by_slot[Y10_MAX_SLOTS]; /* step number by engine slot */
} Y10StepRunner;

/* Creates a scheduler that fills the steps of @engine, and takes ownership of
 * @engine. After a failure, y10_step_runner_clear() frees the engine. */
gboolean y10_step_runner_init (Y10StepRunner *self, Y10Engine *engine,
    GError **error);
void y10_step_runner_clear (Y10StepRunner *self);

G_END_DECLS
