/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <y10/detection.h>
#include <y10/engine.h>
#include <y10/image.h>

G_BEGIN_DECLS

/**
 * Y10Step:
 * @engine: the engine it runs on, borrowed
 * @slot: index of the slot it holds
 * @generation: the slot's generation while this step holds it
 *
 * One run over one to max_batch images: begin → add → submit → wait → read →
 * end. A plain value; copy it freely. The slot behind it belongs to the step
 * from y10_step_begin() to y10_step_end() and nobody else writes to it;
 * every call checks the generation, so using a step after its end is
 * %Y10_ERROR_STALE and never somebody else's result.
 *
 * One thread at a time may use a step; different steps are independent. All
 * steps must have ended before the last reference to the engine goes.
 *
 * Since: 0.1
 */
typedef struct
{
  Y10Engine *engine;
  guint slot;
  guint64 generation;
} Y10Step;

/**
 * Y10StepTimes:
 * @size: set it to sizeof: how the library knows which fields are there
 * @preprocess: nanoseconds to letterbox and convert all images
 * @inference: nanoseconds in the network
 * @postprocess: nanoseconds to choose and decode the detections
 *
 * Where the time of a finished step went.
 *
 * Since: 0.1
 */
typedef struct
{
  gsize size;
  gint64 preprocess, inference, postprocess;
} Y10StepTimes;

Y10_API gboolean y10_step_begin (Y10Engine *engine, gint64 until,
    Y10Step *step, GError **error);
Y10_API gboolean y10_step_add (const Y10Step *step, const Y10Image *image,
    const Y10HeadParams *params, GError **error);
Y10_API gboolean y10_step_submit (const Y10Step *step, GError **error);
Y10_API gboolean y10_step_wait_input (const Y10Step *step, gint64 until,
    GError **error);
Y10_API gboolean y10_step_wait (const Y10Step *step, gint64 until,
    GError **error);
Y10_API gint y10_step_read (const Y10Step *step, guint image,
    Y10Detection *detections, guint max_detections, GError **error);
Y10_API gboolean y10_step_get_times (const Y10Step *step, Y10StepTimes *times,
    GError **error);
Y10_API void y10_step_end (const Y10Step *step);

G_END_DECLS
