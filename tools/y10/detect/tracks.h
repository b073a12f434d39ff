/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "media/frame.h"

G_BEGIN_DECLS

/* Follows the objects of one video after the other, and watches zones. */
typedef struct _ToolTracks ToolTracks;

/* @zones: a file, or NULL to follow objects only. */
ToolTracks *tool_tracks_new (const char *zones, GError **error);
void tool_tracks_free (ToolTracks *tracks);
/* Takes the objects of a frame. Returns the identity of each, 0 for those that have none
 * yet; valid until the next call. */
const gint *tool_tracks_frame (ToolTracks *tracks, const Y10Model *model,
    const ToolFrame *frame, const Y10Detection *rows, guint n);
/* The video has ended: forgets its objects. @source is its name. */
void tool_tracks_end (ToolTracks *tracks, const char *source);
/* Returns what has happened since the last call, a line of JSON each, or NULL. Free with
 * g_free(). */
char *tool_tracks_take_events (ToolTracks *tracks);

G_END_DECLS
