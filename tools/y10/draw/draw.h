/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Annotated copies, drawn by the yolov10overlay element. */

#include "draw/privacy.h"
#include "media/frame.h"

typedef struct _ToolDraw ToolDraw;

/* Returns TRUE if copies at @path would be one file: it has the extension of a picture
 * or a video and is no folder. */
gboolean tool_draw_is_file (const char *path);
/* @path is such a file, or a folder, which is created if necessary. Checks that the
 * required elements exist. @privacy: what is covered before boxes are drawn; borrowed. */
ToolDraw *tool_draw_new (const char *path, Y10Model *model,
    const ToolPrivacy *privacy, GError **error);
gboolean tool_draw_picture (ToolDraw *draw, const ToolFrame *frame,
    const Y10Detection *rows, guint n, GError **error);
void tool_draw_free (ToolDraw *draw);
