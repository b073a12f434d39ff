/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "media/frame.h"

/* Follows the objects of one video after the other, and watches zones. */
typedef struct _ToolTracks ToolTracks;

/* Whatever names a class that @model lacks is refused. @zones: a file, or NULL to follow objects only. @class_groups: labels between which an
 * object may change, as yolov10track takes them; NULL: none. */
ToolTracks *tool_tracks_new (const Y10Model *model, const char *zones,
    const char *class_groups, GError **error);
void tool_tracks_free (ToolTracks *tracks);
/* Call before the first frame. @params say which boxes are objects; sets @asked to what has
 * to be asked of the engine, so that weak boxes are among its rows, too. @most: detections of
 * a picture that it gives. Borrows what @params points to. */
void tool_tracks_ask (ToolTracks *tracks, const Y10Model *model,
    const Y10HeadParams *params, guint most, Y10HeadParams *asked);
/* Takes the time of each frame of the video, inferred or not, in their order. Sets the
 * frame's stretch. One thread, which need not be that of tool_tracks_frame(). */
void tool_tracks_pass (ToolTracks *tracks, ToolFrame *frame);
/* Takes the rows of an inferred frame, and leaves only objects in @rows and @n. Returns the
 * identity of each, 0 for those that have none yet. All is valid until the next call. */
const gint *tool_tracks_frame (ToolTracks *tracks, const Y10Model *model,
    const ToolFrame *frame, const Y10Detection **rows, guint *n);
/* The video has ended: forgets its objects. @source is its name. */
void tool_tracks_end (ToolTracks *tracks, const char *source);
/* Returns what has happened since the last call, a line of JSON each, or NULL. Free with
 * g_free(). */
char *tool_tracks_take_events (ToolTracks *tracks);
