/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* What the tests of yolov10overlay share: pictures in any format, boxes put
 * on them by hand, and the pixels that come out, as RGB or as they are
 * stored. None of it comes from the plugin. */

#include <gst/check/check.h>
#include <gst/check/gstharness.h>
#include <gst/video/video.h>

G_BEGIN_DECLS

/* confidence < 0: the box has no params at all. */
typedef struct
{
  gint id;
  const gchar *label;
  gdouble confidence;
  gint x, y, w, h;
} OverlayBox;

/* @range_and_matrix: NULL, or a colorimetry such as "bt601". */
GstCaps *overlay_caps (const gchar * format, gint width, gint height,
    const gchar * colorimetry);

/* A soft gradient, or noise, converted to the format of @caps. */
GstBuffer *overlay_picture (GstCaps * caps, gboolean noise);

void overlay_add_roi (GstBuffer * buffer, const OverlayBox * box);
/* A GstYolov10FrameMeta as yolov10detect writes it, for a frame of
 * width x height. */
void overlay_add_frame_meta (GstBuffer * buffer, const gchar * producer,
    gint width, gint height, const OverlayBox * boxes, guint n_boxes);

/* "yolov10overlay name=o " and @properties; @compose: downstream takes
 * compositions. */
GstHarness *overlay_harness (const gchar * properties, GstCaps * caps,
    gboolean compose);
/* Pushes @buffer, (transfer full), and returns what comes out. */
GstBuffer *overlay_run (const gchar * properties, GstCaps * caps,
    GstBuffer * buffer);

/* The same picture in another format, as a converter makes it. */
GstBuffer *overlay_convert (GstBuffer * buffer, GstCaps * from, GstCaps * to);
/* 3 bytes a pixel, chroma not interpolated. */
guint8 *overlay_rgb (GstBuffer * buffer, GstCaps * caps);
/* The stored values, 4 of 16 bits a pixel, whatever the format. */
guint16 *overlay_values (GstBuffer * buffer, GstCaps * caps);

/* Fails if a stored value outside of the rectangle changed. */
void overlay_assert_same_outside (GstBuffer * before, GstBuffer * after,
    GstCaps * caps, gint x0, gint y0, gint x1, gint y1);
/* Whether all stored values are the same. */
gboolean overlay_is_same (GstBuffer * a, GstBuffer * b, GstCaps * caps);
/* Pixels whose stored values differ, within the rectangle. */
guint overlay_n_changed (GstBuffer * a, GstBuffer * b, GstCaps * caps,
    gint x0, gint y0, gint x1, gint y1);
/* The smallest rectangle with every pixel that differs. */
void overlay_changed_area (GstBuffer * a, GstBuffer * b, GstCaps * caps,
    GstVideoRectangle * area);

G_END_DECLS
