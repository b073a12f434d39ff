/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "track/kalman.h"

#include <gst/gst.h>

G_BEGIN_DECLS

/* Detections of one observation, and tracks that exist at once. */
#define GST_Y10_MAX_OBSERVED 1024
#define GST_Y10_MAX_TRACKS 1024

/* Classes between which the label of a track may change. */
#define GST_Y10_TRACK_CLASSES 4

/* Properties, by ByteTrack's names. */
typedef struct
{
  gfloat track_thresh;       /* from this confidence, matched first */
  gfloat new_thresh;         /* from this confidence, may begin a track */
  gfloat weak_thresh;        /* from this confidence, matched second */
  gfloat match_thresh;       /* of 1 - IoU in the first pass, 0 to 1 */
  GstClockTime track_buffer; /* how long a lost track may come back */
} GstY10TrackParams;

/* A detection. Only detections and tracks of one group are matched. */
typedef struct
{
  GstY10TrackBox box;
  gfloat confidence;
  guint class_id, group;
  gboolean is_weak; /* no detection: begins no track, however confident */
} GstY10Observed;

typedef enum
{
  GST_Y10_TRACK_NEW,     /* seen once; has no identity yet */
  GST_Y10_TRACK_TRACKED, /* seen in the last observation */
  GST_Y10_TRACK_LOST,    /* no longer seen */
} GstY10TrackState;

typedef struct
{
  GstY10TrackState state;
  guint64 id; /* from 1; 0: new */
  guint group;
  GstY10Kalman kalman;      /* at the time of the last observation */
  GstClockTime began, seen; /* first and last observed */
  gfloat confidence;        /* when last seen */
  /* Classes with their sums of confidences, the greatest first. */
  struct
  {
    guint class_id;
    gfloat sum;
  } classes[GST_Y10_TRACK_CLASSES];
  guint n_classes;
} GstY10Track;

typedef struct _GstY10Tracker GstY10Tracker;

GstY10Tracker *gst_y10_tracker_new (void);
void gst_y10_tracker_free (GstY10Tracker *tracker);
void gst_y10_tracker_reset (GstY10Tracker *tracker);
void gst_y10_tracker_observe (GstY10Tracker *tracker,
    const GstY10TrackParams *params, GstClockTime time,
    const GstY10Observed *observed, guint n_observed, guint64 *ids);
const GstY10Track *gst_y10_tracker_get_tracks (const GstY10Tracker *tracker,
    guint *n_tracks);
const GstY10Track *gst_y10_tracker_find (const GstY10Tracker *tracker,
    guint64 id);
void gst_y10_tracker_predict (const GstY10Tracker *tracker,
    const GstY10Track *track, GstClockTime time, GstY10TrackBox *box);

G_END_DECLS
