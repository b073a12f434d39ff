/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <gst/video/video.h>

#include "meta/result.h"
#include "meta/tracks.h"

G_BEGIN_DECLS

/* Maximum number of detections per frame. The reader ignores further ones and
 * sets @overflow. */
#define GST_Y10_READ_MAX 1024

/* What the metadata of one buffer says, of all detectors together. */
typedef struct
{
  /* Its state is %GST_Y10_STATE_NO_DETECTOR without an inspection, and known only
   * if all of these are; its age is that of the oldest result, its region the
   * intersection of all. */
  GstY10Result result;
  /* Boxes that are no detections, of all detectors; only a tracker reads them. */
  GstY10DetectionList weak;
  GstY10TrackList tracks; /* what a tracker follows, in places predicted for
                                 * this frame; never in place of @result */
  guint picture_width, picture_height; /* as the buffer says */
  /* Frame size in a GstYolov10FrameMeta that was ignored because its aspect
   * ratio differs from this frame's; 0: none. */
  guint foreign_width, foreign_height;
  guint n_frame_metas;
  guint n_inspected; /* of these, written beside an inspection */
  guint n_inspections;
  guint n_attached;     /* detections, as the inspections say */
  gboolean for_privacy; /* all inspections are by detectors that hold */
  gboolean any;         /* found detections, even outside the frame */
  gboolean moved;       /* the picture was changed since, so the places are
                                 * wrong */
  gboolean missing;     /* a box that a detector attached is not there */
  gboolean overflow;
  guint8 claimed[GST_Y10_READ_MAX]; /* scratch: matched by a frame meta */
} GstY10Reading;

void gst_y10_reading_init (GstY10Reading *reading);
void gst_y10_reading_clear (GstY10Reading *reading);
void gst_y10_reading_collect (GstY10Reading *reading, GstBuffer *buffer,
    guint width, guint height);
void gst_y10_reading_inspect (GstY10Reading *reading, GstBuffer *buffer);
GstY10State gst_y10_reading_judge (const GstY10Reading *reading,
    gboolean trust);

G_END_DECLS
