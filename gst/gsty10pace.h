/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "gsty10flight.h"
#include "gsty10session.h"

G_BEGIN_DECLS

/* What a frame's meta says. */
typedef enum
{
  GST_Y10_FRESH,                /* the frame itself was inferred */
  GST_Y10_HELD,                 /* the boxes are those of an earlier frame */
  GST_Y10_SKIPPED,              /* not looked at, and there are no boxes */
} GstY10Inference;

/* Which frames are inferred. The thread that brings them. */
typedef struct
{
  guint since;                  /* frames since one was chosen, and that one */
  gboolean begun;
} GstY10Pace;

/* What is asked of it for a frame. @late_until: running time before which
 * downstream has no use for a result, or NONE. */
typedef struct
{
  gboolean skip;                /* rather than have frames wait */
  guint interval;
  GstClockTime running_time, late_until;
} GstY10PaceQuery;

void gst_y10_pace_reset (GstY10Pace * pace);
GstY10Wish gst_y10_pace_choose (GstY10Pace * pace,
    const GstY10PaceQuery * query);
guint gst_y10_pace_auto_frames (gboolean skip, guint n_running,
    GstClockTime inference, GstClockTime duration);
GstClockTime gst_y10_pace_patience (GstClockTime duration);

/* The latest result, for frames that have none of their own. The thread that
 * sends frames on. */
typedef struct
{
  GstY10Session *session;       /* whose labels they are; NULL: nothing held */
  GstClockTime pts;
  guint width, height;
  guint n;
  Y10Detection *detections;
} GstY10Hold;

void gst_y10_hold_init (GstY10Hold * hold);
void gst_y10_hold_clear (GstY10Hold * hold);
void gst_y10_hold_forget (GstY10Hold * hold);
void gst_y10_hold_keep (GstY10Hold * hold, GstY10Session * session,
    GstClockTime pts, guint width, guint height,
    const Y10Detection * detections, guint n);
gboolean gst_y10_hold_find (const GstY10Hold * hold, GstClockTime pts,
    GstClockTime max_age, guint width, guint height, GstClockTime * age);

G_END_DECLS
