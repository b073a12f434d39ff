/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <gst/video/video.h>

#include "meta/detectionlist.h"

G_BEGIN_DECLS

/* The reader ignores further detections of a frame, and sets @overflow. */
#define GST_Y10_READ_MAX 1024

/* The detections that the metadata of one buffer describes. */
typedef struct
{
  GstY10DetectionList list;
  /* Frame size of a GstYolov10FrameMeta that was ignored because its aspect
   * ratio differs from this frame's; 0: none. */
  guint foreign_width, foreign_height;
  guint n_frame_metas;
  gboolean any;                 /* there were detections, even outside */
  gboolean overflow;
  guint8 claimed[GST_Y10_READ_MAX];     /* while reading: is in a frame meta */
} GstY10Reading;

void gst_y10_reading_init (GstY10Reading * reading);
void gst_y10_reading_clear (GstY10Reading * reading);
void gst_y10_reading_collect (GstY10Reading * reading, GstBuffer * buffer,
    guint width, guint height);

G_END_DECLS
