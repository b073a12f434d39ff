/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "infer/job.h"
#include "meta/result.h"

G_BEGIN_DECLS

/* The latest result, for frames without one. It applies to frames of the same epoch
 * only: each new stream and each changed segment begins one, since the picture may then
 * come from another camera. A job that outlasts its frame may bring the result of an
 * earlier epoch. Output task only. */
typedef struct
{
  GstY10Session *session; /* owner of the labels; NULL: nothing held */
  GstY10ClassRules *class_rules;
  Y10HeadParams params; /* of its inference */
  guint epoch;
  GstClockTime pts;
  guint width, height;
  gboolean partial;         /* @region is not set: parts were inferred */
  GstVideoRectangle region; /* that was inferred */
  GstY10Areas areas;        /* likewise */
  gboolean has_weak;        /* weak boxes were asked for */
  guint n, n_weak;          /* of @detections; of weak boxes behind these */
  Y10Detection *detections;
} GstY10Hold;

void gst_y10_hold_init (GstY10Hold *hold);
void gst_y10_hold_clear (GstY10Hold *hold);
void gst_y10_hold_forget (GstY10Hold *hold);
void gst_y10_hold_keep (GstY10Hold *hold, const GstY10Job *job);
GstY10State gst_y10_hold_find (const GstY10Hold *hold, guint epoch,
    GstClockTime pts, GstClockTime max_age, guint width, guint height,
    GstClockTime *age);

G_END_DECLS
