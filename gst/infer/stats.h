/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <gst/gst.h>
#include <y10/y10.h>

#include "meta/result.h"

G_BEGIN_DECLS

/* Number of frames that median, p95 and max cover. */
#define GST_Y10_STATS_WINDOW 512

typedef enum
{
  GST_Y10_STAGE_WAIT, /* until the engine's turn */
  GST_Y10_STAGE_PREPROCESS,
  GST_Y10_STAGE_INFERENCE,
  GST_Y10_STAGE_POSTPROCESS,
  GST_Y10_STAGE_AGE,   /* age of the frame's boxes */
  GST_Y10_STAGE_DELAY, /* from arrival to push */
  GST_Y10_N_STAGES,
} GstY10Stage;

typedef struct
{
  guint64 n;
  guint64 ns[GST_Y10_STATS_WINDOW];
} GstY10Series;

typedef struct
{
  guint64 inferred, held, skipped; /* frames pushed while active */
  guint64 sent;                    /* pushed frames, active or not */
  guint64 inferences;    /* number of results, also of detached frames */
  guint64 longest_delay; /* in nanoseconds, of all frames */
  guint64 recoveries;    /* number of recoveries from a lost device */
  guint waiting;         /* queued frames, set when read */
  guint most_turns;      /* most turns of other frames while one waited */
  GstY10Series series[GST_Y10_N_STAGES];
  guint64 sent_at[GST_Y10_STATS_WINDOW];
} GstY10Stats;

void gst_y10_stats_record (GstY10Stats *stats, GstY10Stage stage, gint64 ns);
void gst_y10_stats_inferred (GstY10Stats *stats,
    const Y10EngineRequest *request);
void gst_y10_stats_attached (GstY10Stats *stats, const GstY10Result *result,
    guint64 delay);
void gst_y10_stats_sent (GstY10Stats *stats, gint64 now);
GstStructure *gst_y10_stats_to_structure (GstY10Stats *stats);
GstStructure *
gst_y10_engine_stats_to_structure (const Y10EngineStreamStats *stats,
    Y10BackendKind backend);

G_END_DECLS
