/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* What detect.c, which reads the command line, asks of detect-run.c, which
 * goes through the inputs. */

#include "tool.h"

G_BEGIN_DECLS

typedef struct
{
  Y10Model *model;
  ToolRunner *runner;
  ToolDraw *draw;               /* NULL: nothing is drawn */
  ToolCrops *crops;             /* NULL: none are saved */
  ToolProgress *progress;
  guint64 *n_objects;           /* by class */
  guint interval;               /* of a video's frames each Nth is inferred */
  gboolean table;
  gboolean failed;

  guint n_done;                 /* inputs */
  gboolean moving;              /* a video or an animation is being read */
  ToolVideo *video;             /* the video that is being read */
  gboolean input_failed;
} ToolDetect;

/* A ToolResultFunc. */
void tool_detect_result (const ToolFrame *frame, const Y10Detection *rows,
    guint n, const GError *failure, gpointer detect);
/* @source is borrowed until the runner is flushed. */
void tool_detect_input (ToolDetect *detect, const char *source);

G_END_DECLS
