/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Instance structure of yolov10track, private to gst/track, and which thread or lock
 * owns each field. */

#include "common/settings.h"
#include "meta/observation.h"
#include "meta/read.h"
#include "track/classgroups.h"
#include "track/track.h"
#include "track/tracker.h"

G_BEGIN_DECLS

typedef struct
{
  GstY10Settings parent;
  gdouble track_thresh, weak_thresh, new_thresh, match_thresh;
  guint64 track_buffer; /* nanoseconds */
  gchar *class_groups;
} GstY10TrackSettings;

/* A detection of the last observation, which later frames may show again. */
typedef struct
{
  gdouble x0, y0, x1, y1;
  guint class_number;
  guint64 id; /* 0: none */
} GstY10KnownBox;

struct _GstYolov10Tracker
{
  GstY10Filter parent;

  /* Streaming thread. */
  GstY10TrackSettings *now;      /* settings of the current frame */
  gchar *name;                   /* of the element, while it runs */
  guint width, height;           /* of frames, in pixels */
  GstY10Reading reading;         /* of the current frame */
  guint64 ids[GST_Y10_READ_MAX]; /* of its detections; 0: none */
  GstY10TrackList tracks;        /* for the current frame */
  GstY10ClassGroups *groups;
  GstY10Tracker *tracker;
  GstY10Observations observations;
  GstY10Observed *observed; /* the latest observation */
  guint64 *observed_ids;
  GstY10KnownBox *known; /* detections of it */
  guint n_known;
  GstClockTime pts;      /* of the last frame */
  GstClockTime interval; /* between the last two observations; NONE: unknown */
  guint n_seen, n_begun; /* confident detections, and those that began tracks */
  guint n_jumps;         /* frames in a row that came after a gap */
  gchar *sender;         /* of weak requests */
  guint n_asked;         /* frames since the last one, from 0 */
  gfloat asked;          /* the confidence of it */
  gboolean unchecked;    /* labels of the groups, by what detectors know */
  gboolean told_no_time, told_moved, told_far; /* warnings */
};

/* observe.c */
void gst_y10_track_reset (GstYolov10Tracker *self);
void gst_y10_track_observe (GstYolov10Tracker *self);

/* annotate.c */
void gst_y10_track_annotate (GstYolov10Tracker *self, GstBuffer *buffer);

/* weak.c */
void gst_y10_track_ask_for_weak (GstYolov10Tracker *self);

/* props.c */
extern GstY10Properties gst_y10_track_properties;
void gst_y10_track_props_install (GObjectClass *class);

G_END_DECLS
