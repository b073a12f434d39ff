/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <gst/video/video.h>

#include "common/rect.h"

G_BEGIN_DECLS

/* More boxes than this on one frame are not drawn; they set @overflow. */
#define GST_Y10_MAX_BOXES 1024

/* Something to draw: in the frame's pixels, clipped to it, not empty. */
typedef struct
{
  GstY10Rect rect;
  gint id;
  gfloat confidence;            /* 0 to 1, or -1: not known */
  const gchar *label;           /* not terminated; lives as long as the buffer */
  gsize label_length;
  gboolean claimed;             /* a frame meta knows it */
  gboolean tracked;             /* a tracker has given it @track_id */
  guint64 track_id;
} GstY10Box;

typedef struct
{
  GArray *array;                /* GstY10Box */
  gint width, height;
  /* Frame size of a GstYolov10FrameMeta left out because its shape is not
   * this frame's; 0: none. */
  guint foreign_width, foreign_height;
  guint n_frame_metas;
  gboolean any;                 /* there were some, which may lie outside */
  gboolean overflow;
} GstY10Boxes;

void      gst_y10_boxes_init     (GstY10Boxes * boxes);

void      gst_y10_boxes_clear    (GstY10Boxes * boxes);

guint     gst_y10_boxes_collect  (GstY10Boxes * boxes, GstBuffer * buffer,
                                  gint width, gint height);

static inline const GstY10Box *
gst_y10_boxes_get (const GstY10Boxes * boxes, guint index)
{
  return &g_array_index (boxes->array, GstY10Box, index);
}

G_END_DECLS
