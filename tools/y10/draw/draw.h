/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Annotated copies, drawn by the yolov10overlay element. */

#include "media/frame.h"

G_BEGIN_DECLS

typedef struct _ToolDraw ToolDraw;

/* Creates @dir if necessary and checks that the required elements exist. */
ToolDraw *tool_draw_new (const char *dir, Y10Model *model, GError **error);
gboolean tool_draw_picture (ToolDraw *draw, const ToolFrame *frame,
    const Y10Detection *rows, guint n, GError **error);
void tool_draw_free (ToolDraw *draw);

G_END_DECLS
