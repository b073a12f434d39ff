/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Frames that median, p95 and max are taken over. */
#define GST_Y10_STATS_WINDOW 512

typedef enum
{
  GST_Y10_STAGE_PREPROCESS,
  GST_Y10_STAGE_INFERENCE,
  GST_Y10_STAGE_POSTPROCESS,
  GST_Y10_N_STAGES,
} GstY10Stage;

typedef struct
{
  guint64 frames;               /* that were looked at */
  guint64 skipped;              /* that passed while the device was lost */
  guint64 recoveries;           /* how often it came back */
  guint64 ns[GST_Y10_N_STAGES][GST_Y10_STATS_WINDOW];
} GstY10Stats;

void gst_y10_stats_record (GstY10Stats * stats,
    const gint64 ns[GST_Y10_N_STAGES]);
GstStructure *gst_y10_stats_to_structure (GstY10Stats * stats);

G_END_DECLS
