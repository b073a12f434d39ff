/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "common/enums.h"
#include "infer/job.h"

G_BEGIN_DECLS

/* Number of arrivals used to observe the frame interval. */
#define GST_Y10_POLICY_WINDOW 16

/* Decides which frames are inferred. Input thread only. */
typedef struct
{
  guint since; /* frames since one was submitted, inclusive */
  gboolean begun;
  guint64 n_arrived;
  gint64 arrived_at[GST_Y10_POLICY_WINDOW];
  /* Offset of the least late frame, and the lag last reported. */
  gint64 least_offset, said_behind;
} GstY10SkipPolicy;

/* Input for one decision. Downstream cannot use results of frames before
 * running time @late_until, which may be NONE. */
typedef struct
{
  gboolean skip;   /* skip rather than delay frames */
  guint every_nth; /* frame is due */
  GstClockTime running_time, late_until;
} GstY10PolicyInput;

gboolean gst_y10_policy_skips (GstYolov10LatePolicy policy, gboolean live);
void gst_y10_policy_reset (GstY10SkipPolicy *policy);
GstClockTime gst_y10_policy_arrived (GstY10SkipPolicy *policy, gint64 now,
    GstClockTime duration);
GstClockTime gst_y10_policy_max_wait (GstClockTime interval,
    GstClockTime duration);
GstY10InferMode gst_y10_policy_choose (GstY10SkipPolicy *policy,
    const GstY10PolicyInput *input);
void gst_y10_policy_submitted (GstY10SkipPolicy *policy);
GstClockTime gst_y10_policy_behind (GstY10SkipPolicy *policy, gint64 now,
    GstClockTime running_time);
guint gst_y10_policy_max_running (guint in_flight, gboolean skip);
guint gst_y10_policy_auto_frames (gboolean skip, guint n_running,
    GstClockTime inference, GstClockTime interval);

G_END_DECLS
