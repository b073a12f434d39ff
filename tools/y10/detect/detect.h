/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Interface between work.c, which opens all that an input needs, and run.c, which
 * processes the inputs. */

#include <stdio.h>

#include "base/progress.h"
#include "base/supervisor.h"
#include "detect/output.h"
#include "detect/runner.h"
#include "detect/sequence.h"
#include "detect/tracks.h"
#include "draw/crops.h"
#include "draw/draw.h"
#include "draw/privacy.h"
#include "draw/recorder.h"
#include "media/frame.h"
#include "media/video.h"

typedef struct
{
  Y10Model *model;
  ToolRunner *runner;
  ToolParts parts;
  ToolPrivacy privacy;
  ToolDraw *draw;     /* NULL: no copies */
  ToolCrops *crops;   /* NULL: no crops */
  ToolTracks *tracks; /* NULL: objects are not followed */
  ToolSequence sequence;
  double fps; /* of sequences; 0: as they say */
  ToolProgress *progress;
  ToolClassCount *classes; /* borrowed */
  guint interval;          /* infers every Nth frame of a video */
  ToolRemoteOptions remote;
  gboolean ignore_par; /* takes its pixels for square */
  ToolFormat format;
  FILE *out;          /* takes lines, tables and the summary */
  ToolOutput *output; /* takes other formats; borrowed */
  const char *name;   /* "source" in the results; NULL: the input's */
  gboolean for_store; /* refuses live inputs; store.c ends inputs */
  gboolean failed;
  char *failure; /* the first one, since the caller cleared it */

  guint n_inputs;
  guint n_done;           /* inputs, and the index of the one at hand */
  gboolean is_pending;    /* it was pushed and its result will come */
  gboolean moving;        /* reading a video or an animation */
  guint64 n_inferred;     /* frames */
  ToolVideo *video;       /* the current video, or NULL */
  ToolRecorder *recorder; /* of the current video or animation, or NULL */
  gint input_failed;      /* atomic */
} ToolDetect;

/* A ToolResultFunc. */
void tool_detect_result (const ToolFrame *frame, const Y10Detection *rows,
    guint n, const GError *failure, gpointer detect);
/* Processes one input. @source must stay valid until the runner is flushed. */
void tool_detect_input (ToolDetect *detect, const char *source);
/* Call after the last one: ends what its pictures have begun. */
void tool_detect_end (ToolDetect *detect);
/* The frames of @range in the video @path, which is called @source. */
void tool_detect_range (ToolDetect *detect, const char *source,
    const char *path, const ToolRange *range);

/* live.c */

/* Plays the live detect->video to its end, from @first on, whose pixels it takes, and
 * infers the newest frame each time. Returns what tool_video_next() does. */
int tool_detect_follow (ToolDetect *detect, ToolFrame *first, GError **error);

/* store.c */

typedef struct
{
  const char *store, *manifest, *segments, *content_id;
  const char *texts[4]; /* see ToolKeySettings */
  char **inputs;        /* where @manifest is NULL */
  GPtrArray *tasks;
} ToolStoreOptions;

/* Plans the tasks; FALSE after a message and with the exit status. */
gboolean tool_store_options_parse (ToolStoreOptions *options, int *status);
void tool_store_options_clear (ToolStoreOptions *options);
/* Processes the tasks; the exit status. @engine and @params are what @detect
 * runs with. */
int tool_detect_store (ToolDetect *detect, const ToolStoreOptions *options,
    const Y10Engine *engine, const Y10HeadParams *params);
/* Prints the receipt of task @index, which ended the process. */
void tool_store_report (const ToolStoreOptions *options, guint index,
    const char *why);
