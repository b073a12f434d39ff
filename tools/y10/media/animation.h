/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Animated GIFs. */

#include "media/frame.h"

typedef struct _ToolAnimation ToolAnimation;

/* Returns NULL if @path is not an animation; @damage as for tool_picture_load(). */
ToolAnimation *tool_animation_open (const char *source, const char *path,
    char **damage);
/* Returns FALSE at the end. */
gboolean tool_animation_next (ToolAnimation *animation, ToolFrame *frame);
void tool_animation_close (ToolAnimation *animation);
