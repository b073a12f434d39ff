/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The detections of one frame, as the elements exchange them. The detector
 * fills a list from the engine's rows and writes it to a buffer (meta/write.h);
 * consumers read a list from a buffer (meta/read.h). */

#include <gst/gst.h>
#include <y10/detection.h>

#include "common/rect.h"

G_BEGIN_DECLS

typedef struct
{
  gdouble x0, y0, x1, y1;       /* edges in pixels, clipped to the frame */
  gint class_id;                /* index into the model's classes; -1: unknown */
  gfloat confidence;            /* 0 to 1; -1: unknown */
  const gchar *label;           /* borrowed, not NUL-terminated */
  gsize label_length;           /* bytes */
  gint id;                      /* unique on the buffer, same in all metas */
  gint parent_id;               /* of the region it was found in; -1: none */
  gboolean tracked;             /* a tracker assigned @track_id */
  guint64 track_id;
} GstY10Detection;

typedef struct
{
  guint width, height;          /* of the frame, in pixels */
  guint n, capacity;            /* of @items */
  GstY10Detection *items;       /* highest confidence first */
} GstY10DetectionList;

void gst_y10_detection_list_init (GstY10DetectionList * list, guint capacity);
void gst_y10_detection_list_clear (GstY10DetectionList * list);
void gst_y10_detection_list_begin (GstY10DetectionList * list, guint width,
    guint height);
gboolean gst_y10_detection_list_add (GstY10DetectionList * list,
    const GstY10Detection * detection);
GstY10Rect gst_y10_detection_get_rect (const GstY10Detection * detection);
Y10Detection gst_y10_detection_to_row (const GstY10Detection * detection);

G_END_DECLS
