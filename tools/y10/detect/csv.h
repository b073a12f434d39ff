/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Tables of objects and of events, as comma-separated values. */

#include <y10/y10.h>

#include "media/frame.h"

/* Columns: source, frame, timestamp (s), width, height, label_id, label, confidence, x_min,
 * y_min, x_max, y_max (pixels) and, with ids, id. */
void tool_csv_append_head (GString *text, gboolean with_ids);
/* @id: of the object's track, 0: none yet; NULL: there is no such column. */
void tool_csv_append_object (GString *text, const Y10Model *model,
    const ToolFrame *frame, const Y10Detection *row, const gint *id);

/* Columns: members of the events' JSON; timestamp and duration in seconds. */
void tool_csv_append_event_head (GString *text);
/* @event: a line of JSON. */
void tool_csv_append_event (GString *text, const char *event);
