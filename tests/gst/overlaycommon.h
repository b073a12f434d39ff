/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Shared by the tests of yolov10overlay: pictures in any format, boxes attached
 * by hand, and the resulting pixels, as RGB or as stored. None of this uses the
 * plugin's code. */

#include "gstmain.h"

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

/* A frame of NV12 with two boxes: a fixture of test cases. */
#define OVERLAY_WIDTH 320
#define OVERLAY_HEIGHT 240
extern const OverlayBox overlay_person, overlay_car;
extern GstCaps *overlay_nv12;
void overlay_setup (void);
void overlay_teardown (void);

/* @colorimetry: NULL, or a colorimetry such as "bt601". */
GstCaps *overlay_caps (const gchar *format, gint width, gint height,
    const gchar *colorimetry);

/* Returns a soft gradient, or noise, converted to the format of @caps. */
GstBuffer *overlay_picture (GstCaps *caps, gboolean noise);

void overlay_add_roi (GstBuffer *buffer, const OverlayBox *box);
/* Attaches a GstYolov10FrameMeta like yolov10detect's, for a frame of width x
 * height. */
void overlay_add_frame_meta (GstBuffer *buffer, const gchar *producer,
    gint width, gint height, const OverlayBox *boxes, guint n_boxes);

/* "yolov10overlay name=o " and @properties; @compose: downstream takes
 * compositions. */
GstHarness *overlay_harness (const gchar *properties, GstCaps *caps,
    gboolean compose);
/* Pushes @buffer (transfer full) and returns the output buffer. */
GstBuffer *overlay_run (const gchar *properties, GstCaps *caps,
    GstBuffer *buffer);

/* Converts a picture to another format. */
GstBuffer *overlay_convert (GstBuffer *buffer, GstCaps *from, GstCaps *to);
/* 3 bytes a pixel, chroma not interpolated. */
guint8 *overlay_rgb (GstBuffer *buffer, GstCaps *caps);
/* The stored values, 4 of 16 bits a pixel, in any format. */
guint16 *overlay_values (GstBuffer *buffer, GstCaps *caps);

/* Fails if a stored value outside of the rectangle changed. */
void overlay_assert_same_outside (GstBuffer *before, GstBuffer *after,
    GstCaps *caps, gint x0, gint y0, gint x1, gint y1);
/* Whether all stored values are equal. */
gboolean overlay_is_same (GstBuffer *a, GstBuffer *b, GstCaps *caps);
/* Returns the number of pixels in the rectangle whose stored values differ. */
guint overlay_n_changed (GstBuffer *a, GstBuffer *b, GstCaps *caps, gint x0,
    gint y0, gint x1, gint y1);
/* Returns the bounding box of the pixels that differ. */
void overlay_changed_area (GstBuffer *a, GstBuffer *b, GstCaps *caps,
    GstVideoRectangle *area);

G_END_DECLS
