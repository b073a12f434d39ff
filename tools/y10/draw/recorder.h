/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The annotated copy of a video or animation. */

#include "draw/draw.h"
#include "media/frame.h"

typedef struct _ToolRecorder ToolRecorder;

/* @source names the input; @sound_uri: where to read the sound, or NULL. Borrows
 * @draw. */
ToolRecorder *tool_recorder_new (ToolDraw *draw, const char *source,
    const char *sound_uri, gboolean is_live);
/* Writes the next frame, once it has its boxes: those of its result if it
 * @is_inferred, else those of the latest result before it. The functions that follow
 * fail with the first error of any of them. Any thread. */
gboolean tool_recorder_add (ToolRecorder *recorder, const ToolFrame *frame,
    gboolean is_inferred, GError **error);
/* Takes the result of @frame; results come in order. @ids: of the objects' tracks,
 * 0 for none; NULL: they are not followed. */
gboolean tool_recorder_take_result (ToolRecorder *recorder,
    const ToolFrame *frame, const Y10Detection *rows, guint n, const gint *ids,
    GError **error);
/* The number of frames that wait for their boxes. */
guint tool_recorder_get_n_waiting (ToolRecorder *recorder);
/* The number of frames of a live video for which the encoder was too slow. */
guint64 tool_recorder_get_n_left_out (ToolRecorder *recorder);
/* Completes the file. */
gboolean tool_recorder_finish (ToolRecorder *recorder, GError **error);
void tool_recorder_free (ToolRecorder *recorder);
