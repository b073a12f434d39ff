/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <y10/detection.h>
#include <y10/engine.h>
#include <y10/image.h>
#include <y10/parts.h>

G_BEGIN_DECLS

/**
 * Y10Step:
 * @engine: the engine that runs it, borrowed
 * @slot: index of the slot that it owns
 * @generation: generation of the slot while this step owns it
 *
 * One run over one to max_batch images: begin → add → submit → wait → read →
 * end. A plain value that may be copied. The step owns its slot from
 * y10_step_begin() to y10_step_end(), and nothing else writes to the slot. Each
 * call checks the generation: using a step after its end fails with
 * %Y10_ERROR_STALE and never returns another step's results.
 *
 * Only one thread at a time may use a step; different steps are independent. All
 * steps must have ended before the last reference to the engine is released.
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
 * @size: sizeof (Y10StepTimes)
 * @preprocess: nanoseconds for letterboxing and converting all images
 * @inference: nanoseconds for the network
 * @postprocess: nanoseconds for selecting and decoding the detections
 *
 * Durations of the stages of a finished step.
 *
 * Since: 0.1
 */
typedef struct
{
  gsize size;
  gint64 preprocess, inference, postprocess;
} Y10StepTimes;

Y10_API void y10_engine_choose_input_size (const Y10Engine *engine,
    const Y10Image *image, const Y10Part *parts, guint n_parts, guint *width,
    guint *height);
Y10_API gboolean y10_step_begin (Y10Engine *engine, gint64 until, Y10Step *step,
    GError **error);
Y10_API gboolean y10_step_add (const Y10Step *step, const Y10Image *image,
    const Y10HeadParams *params, GError **error);
Y10_API gboolean y10_step_set_input_size (const Y10Step *step, guint width,
    guint height, GError **error);
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
