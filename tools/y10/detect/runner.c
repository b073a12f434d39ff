/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Runs frames through the engine's slots in order, so that the caller decodes
 * the next frame while the engine infers one. A frame with several parts takes
 * one step for every max_batch of them. Keeps a frame's pixels until its rows have
 * been reported, because drawing needs them. */

#include "config.h"

#include "detect/runner.h"
#include "media/frame.h"

#define N_SLOTS 2 /* must match detect's engine configuration */

/* A frame of which some step is under way. */
typedef struct
{
  ToolFrame frame;
  gboolean is_open; /* parts are still to begin */
  guint n_parts, n_begun, n_read;
  guint width, height; /* of the network's input for all parts */
  Y10Part
      parts[Y10_MAX_PARTS]; /* with room for rows where there may be several */
  GError *error;
} Pending;

/* A step over parts of one frame. */
typedef struct
{
  Y10Step step;
  Pending *pending;
  guint first, n;
} Run;

struct _ToolRunner
{
  Y10Engine *engine;
  Y10HeadParams params, part_params;
  const ToolParts *wanted;
  ToolResultFunc result;
  gpointer user;
  Pending pending[N_SLOTS + 1]; /* one for each run, and one that begins */
  Run runs[N_SLOTS];
  guint n_pushed; /* frames */
  guint first_run, n_runs;
  Y10Detection *rows, *part_rows;
  guint max_rows;
  gboolean ignore_par;
  Y10StepTimes times; /* of all steps */
};

static void
add_part_rows (ToolRunner *runner)
{
  const gsize n = Y10_MAX_PARTS * (gsize) Y10_MAX_PART_DETECTIONS;
  Y10Detection *rows = g_new (Y10Detection, n * G_N_ELEMENTS (runner->pending));

  runner->part_rows = rows;
  for (guint i = 0; i < G_N_ELEMENTS (runner->pending); i++)
    for (guint j = 0; j < Y10_MAX_PARTS; j++, rows += Y10_MAX_PART_DETECTIONS) {
      runner->pending[i].parts[j].detections = rows;
      runner->pending[i].parts[j].max_detections = Y10_MAX_PART_DETECTIONS;
    }
}

ToolRunner *
tool_runner_new (Y10Engine *engine, const Y10HeadParams *params,
    const ToolParts *parts, ToolResultFunc result, gpointer user)
{
  ToolRunner *runner = g_new0 (ToolRunner, 1);

  runner->engine = y10_engine_ref (engine);
  runner->params = *params;
  runner->wanted = parts;
  runner->result = result;
  runner->user = user;
  runner->max_rows = y10_engine_get_max_detections (engine);
  runner->rows = g_new (Y10Detection, runner->max_rows);
  y10_parts_get_params (params, runner->max_rows, &runner->part_params);
  if (parts->region || parts->tiles)
    add_part_rows (runner);
  return runner;
}

/* Results of all parts, or why there are none. */
static void
report (ToolRunner *runner, Pending *pending)
{
  ToolFrame *frame = &pending->frame;
  const guint n_parts = pending->n_parts;
  guint n = 0;

  if (!pending->error)
    n = n_parts ? y10_parts_merge (&frame->image, pending->parts, n_parts,
            &runner->params, runner->wanted->region, runner->wanted->anchor,
            runner->rows, runner->max_rows)
                : (guint) pending->parts[0].n_detections;
  runner->result (frame, runner->rows, n, pending->error, runner->user);
  g_clear_error (&pending->error);
  if (frame->pixels)
    frame->free_pixels (frame->pixels);
  frame->pixels = NULL;
}

static gboolean
read_rows (ToolRunner *runner, const Run *run, guint index, GError **error)
{
  Pending *pending = run->pending;
  Y10Part *part = &pending->parts[run->first + index];

  part->n_detections = pending->n_parts
      ? y10_step_read (&run->step, index, part->detections,
          part->max_detections, error)
      : y10_step_read (&run->step, index, runner->rows, runner->max_rows,
          error);
  return part->n_detections >= 0;
}

static void
add_times (ToolRunner *runner, const Run *run)
{
  Y10StepTimes times = { .size = sizeof times };

  if (!y10_step_get_times (&run->step, &times, NULL))
    return;
  runner->times.preprocess += times.preprocess;
  runner->times.inference += times.inference;
  runner->times.postprocess += times.postprocess;
}

/* Reads the oldest run and reports its frame if that was the last one of it. */
static void
finish_oldest (ToolRunner *runner)
{
  Run *run = &runner->runs[runner->first_run];
  Pending *pending = run->pending;
  GError *error = NULL;
  gboolean ok = y10_step_wait (&run->step, -1, &error);

  for (guint i = 0; ok && i < run->n; i++)
    ok = read_rows (runner, run, i, &error);
  add_times (runner, run);
  y10_step_end (&run->step);
  pending->n_read += run->n;
  if (pending->error)
    g_clear_error (&error);
  else
    pending->error = error;
  runner->first_run = (runner->first_run + 1) % N_SLOTS;
  runner->n_runs--;
  if (!pending->is_open && pending->n_read == pending->n_begun)
    report (runner, pending);
}

/* Adds as many parts as the step takes. */
static gboolean
add_parts (ToolRunner *runner, Run *run, GError **error)
{
  Pending *pending = run->pending;
  const Y10Image *image = &pending->frame.image;
  const guint most = MIN (y10_engine_get_max_batch (runner->engine),
      pending->n_parts - run->first);

  if (!pending->n_parts) {
    run->n = 1;
    return y10_step_add (&run->step, image, &runner->params, error);
  }
  if (!y10_step_set_input_size (&run->step, pending->width, pending->height,
          error))
    return FALSE;
  for (run->n = 0; run->n < most; run->n++) {
    Y10Image part;

    y10_part_get_image (&pending->parts[run->first + run->n], image, &part);
    if (!y10_step_add (&run->step, &part, &runner->part_params, error))
      return FALSE;
  }
  return TRUE;
}

static void
begin_run (ToolRunner *runner, Pending *pending)
{
  Run *run;

  if (runner->n_runs == N_SLOTS)
    finish_oldest (runner);
  run = &runner->runs[(runner->first_run + runner->n_runs) % N_SLOTS];
  run->pending = pending;
  run->first = pending->n_begun;
  if (!y10_step_begin (runner->engine, -1, &run->step, &pending->error))
    return;
  if (add_parts (runner, run, &pending->error)
      && y10_step_submit (&run->step, &pending->error)) {
    pending->n_begun += run->n;
    runner->n_runs++;
    return;
  }
  y10_step_end (&run->step);
}

void
tool_runner_ignore_par (ToolRunner *runner)
{
  runner->ignore_par = TRUE;
}

void
tool_runner_push (ToolRunner *runner, ToolFrame *frame)
{
  Pending *pending =
      &runner->pending[runner->n_pushed++ % G_N_ELEMENTS (runner->pending)];
  guint width, height;

  if (runner->ignore_par)
    frame->image.par_n = frame->image.par_d = 0;
  pending->frame = *frame;
  pending->is_open = TRUE;
  pending->n_begun = pending->n_read = 0;
  y10_engine_get_input_size (runner->engine, &width, &height);
  y10_parts_plan (&frame->image, runner->wanted->region, runner->wanted->tiles,
      width, height, pending->parts, Y10_MAX_PARTS, &pending->n_parts,
      &pending->error);
  if (!pending->error)
    y10_engine_choose_input_size (runner->engine, &frame->image, pending->parts,
        pending->n_parts, &pending->width, &pending->height);
  while (!pending->error && pending->n_begun < MAX (pending->n_parts, 1))
    begin_run (runner, pending);
  pending->is_open = FALSE;
  /* Report frames in order, including those that could not be submitted. */
  if (pending->n_read == pending->n_begun) {
    tool_runner_flush (runner);
    report (runner, pending);
  }
}

void
tool_runner_flush (ToolRunner *runner)
{
  while (runner->n_runs)
    finish_oldest (runner);
}

void
tool_runner_get_times (const ToolRunner *runner, Y10StepTimes *times)
{
  *times = runner->times;
}

void
tool_runner_free (ToolRunner *runner)
{
  if (!runner)
    return;
  tool_runner_flush (runner);
  y10_engine_unref (runner->engine);
  g_free (runner->rows);
  g_free (runner->part_rows);
  g_free (runner);
}
