/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "meta/inspection.h"
#include "infer/job.h"

G_BEGIN_DECLS

/* What a frame's meta says. */
typedef enum
{
  GST_Y10_FRESH,                /* the frame itself was inferred */
  GST_Y10_HELD,                 /* the boxes are those of an earlier frame */
  GST_Y10_SKIPPED,              /* not looked at, and there are no boxes */
} GstY10Inference;

/* Arrivals that the observed frame interval is taken over. */
#define GST_Y10_POLICY_WINDOW 16

/* Which frames are inferred. The thread that brings them. */
typedef struct
{
  guint since;                  /* frames since one was queued, and that one */
  gboolean begun;
  guint64 n_came;
  gint64 came_at[GST_Y10_POLICY_WINDOW];
  /* Of the frame that was the least behind, and how far behind was last said. */
  gint64 least_offset, said_behind;
} GstY10SkipPolicy;

/* What is asked of it for a frame. @late_until: running time before which
 * downstream has no use for a result, or NONE. */
typedef struct
{
  gboolean skip;                /* rather than have frames wait */
  guint interval;
  GstClockTime running_time, late_until;
} GstY10PolicyQuery;

void gst_y10_policy_reset (GstY10SkipPolicy * policy);
GstClockTime gst_y10_policy_arrived (GstY10SkipPolicy * policy, gint64 now,
    GstClockTime duration);
GstClockTime gst_y10_policy_max_wait (GstClockTime interval,
    GstClockTime duration);
GstY10InferMode gst_y10_policy_choose (GstY10SkipPolicy * policy,
    const GstY10PolicyQuery * query);
void gst_y10_policy_queued (GstY10SkipPolicy * policy);
GstClockTime gst_y10_policy_behind (GstY10SkipPolicy * policy, gint64 now,
    GstClockTime running_time);
guint gst_y10_policy_auto_frames (gboolean skip, guint n_running,
    GstClockTime inference, GstClockTime interval);

/* The latest result, for frames that have none of their own. The thread that
 * sends frames on. */
typedef struct
{
  GstY10Session *session;       /* whose labels they are; NULL: nothing held */
  GstClockTime pts;
  guint width, height;
  GstVideoRectangle region;     /* that was inferred */
  guint n;
  Y10Detection *detections;
} GstY10Hold;

void gst_y10_hold_init (GstY10Hold * hold);
void gst_y10_hold_clear (GstY10Hold * hold);
void gst_y10_hold_forget (GstY10Hold * hold);
void gst_y10_hold_keep (GstY10Hold * hold, const GstY10Job * job);
GstY10Knowledge gst_y10_hold_find (const GstY10Hold * hold, GstClockTime pts,
    GstClockTime max_age, guint width, guint height, GstClockTime * age);

G_END_DECLS
