/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Runs frames through the engine's slots in order, so that the caller decodes
 * the next frame while the engine infers one. Keeps a frame's pixels until its
 * rows have been reported, because drawing needs them. */

#include "config.h"

#include "tool.h"

#define N_SLOTS 2               /* must match detect's engine configuration */

typedef struct
{
  ToolFrame frame;
  Y10Step step;
} Pending;

struct _ToolRunner
{
  Y10Engine *engine;
  Y10HeadParams params;
  ToolResultFunc result;
  gpointer user;
  Pending pending[N_SLOTS];
  guint first, n_pending;
  Y10Detection *rows;
  guint max_rows;
};

ToolRunner *
tool_runner_new (Y10Engine *engine, const Y10HeadParams *params,
    ToolResultFunc result, gpointer user)
{
  ToolRunner *runner = g_new0 (ToolRunner, 1);

  runner->engine = y10_engine_ref (engine);
  runner->params = *params;
  runner->result = result;
  runner->user = user;
  runner->max_rows = y10_engine_get_max_detections (engine);
  runner->rows = g_new (Y10Detection, runner->max_rows);
  return runner;
}

static void
frame_done (ToolFrame *frame)
{
  if (frame->pixels)
    frame->free_pixels (frame->pixels);
  frame->pixels = NULL;
}

static void
report_oldest (ToolRunner *runner)
{
  Pending *pending = &runner->pending[runner->first];
  GError *error = NULL;
  gint n = -1;

  if (y10_step_wait (&pending->step, -1, &error))
    n = y10_step_read (&pending->step, 0, runner->rows, runner->max_rows,
        &error);
  y10_step_end (&pending->step);
  runner->result (&pending->frame, runner->rows, n < 0 ? 0 : (guint) n, error,
      runner->user);
  g_clear_error (&error);
  frame_done (&pending->frame);
  runner->first = (runner->first + 1) % N_SLOTS;
  runner->n_pending--;
}

void
tool_runner_push (ToolRunner *runner, ToolFrame *frame)
{
  Pending *pending;
  GError *error = NULL;

  if (runner->n_pending == N_SLOTS)
    report_oldest (runner);
  pending = &runner->pending[(runner->first + runner->n_pending) % N_SLOTS];
  pending->frame = *frame;

  if (y10_step_begin (runner->engine, -1, &pending->step, &error)) {
    if (y10_step_add (&pending->step, &frame->image, &runner->params, &error)
        && y10_step_submit (&pending->step, &error)) {
      runner->n_pending++;
      return;
    }
    y10_step_end (&pending->step);
  }
  /* Report frames in order, including those that could not be submitted. */
  tool_runner_flush (runner);
  runner->result (frame, NULL, 0, error, runner->user);
  g_clear_error (&error);
  frame_done (frame);
}

void
tool_runner_flush (ToolRunner *runner)
{
  while (runner->n_pending)
    report_oldest (runner);
}

void
tool_runner_free (ToolRunner *runner)
{
  if (!runner)
    return;
  tool_runner_flush (runner);
  y10_engine_unref (runner->engine);
  g_free (runner->rows);
  g_free (runner);
}
