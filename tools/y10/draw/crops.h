/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The contents of boxes as JPEG files. */

#include "draw/privacy.h"
#include "media/frame.h"

typedef struct _ToolCrops ToolCrops;

/* Crops show what @privacy leaves of the picture; borrowed. */
ToolCrops *tool_crops_new (const char *dir, Y10Model *model,
    const ToolPrivacy *privacy, GError **error);
gboolean tool_crops_save (ToolCrops *crops, const ToolFrame *frame,
    const Y10Detection *rows, guint n, GError **error);
void tool_crops_free (ToolCrops *crops);
