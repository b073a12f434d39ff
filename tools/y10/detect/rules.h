/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Which boxes count, and what of a frame is inferred. */

#include <y10/y10.h>

#include "detect/runner.h"

/* As given, or NULL. */
typedef struct
{
  char *class_confidence, *min_size, *max_size;
  char *tiles, *region, *region_anchor;
  double tile_overlap;
} ToolRules;

/* Sets the limits in @params, which then borrows the array at @confidence. Prints an error
 * and returns FALSE if one is wrong. */
gboolean tool_rules_read_limits (const ToolRules *rules, const Y10Model *model,
    gfloat **confidence, Y10HeadParams *params);
/* Sets what of each frame is inferred; @tiles is the memory for tiles. */
gboolean tool_rules_read_parts (const ToolRules *rules, Y10Tiles *tiles,
    ToolParts *parts);
