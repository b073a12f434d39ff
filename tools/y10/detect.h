/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Interface between detect.c, which parses the command line, and detect-run.c,
 * which processes the inputs. */

#include "tool.h"

G_BEGIN_DECLS

typedef struct
{
  Y10Model *model;
  ToolRunner *runner;
  ToolParts parts;
  ToolDraw *draw;               /* NULL: no copies */
  ToolCrops *crops;             /* NULL: no crops */
  ToolProgress *progress;
  guint64 *n_objects;           /* by class */
  guint interval;               /* infers every Nth frame of a video */
  gboolean table;
  gboolean failed;

  guint n_done;                 /* inputs */
  gboolean moving;              /* reading a video or an animation */
  ToolVideo *video;             /* the current video, or NULL */
  gboolean input_failed;
} ToolDetect;

/* A ToolResultFunc. */
void tool_detect_result (const ToolFrame *frame, const Y10Detection *rows,
    guint n, const GError *failure, gpointer detect);
/* Processes one input. @source must stay valid until the runner is flushed. */
void tool_detect_input (ToolDetect *detect, const char *source);

G_END_DECLS
