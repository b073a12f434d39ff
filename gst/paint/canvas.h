/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <gst/video/video.h>
#include <y10/painter.h>

#include "common/rect.h"
#include "paint/color.h"

G_BEGIN_DECLS

/* Coverage mask of a line of text, 0 to 255; width and height are even. `half`
 * is the mask for subsampled components, one value per chroma sample, or NULL
 * in formats without. */
typedef Y10PaintText GstY10Text;

typedef struct
{
  guint8 *data;              /* sample at the window's upper left */
  gint stride, pixel_stride; /* in bytes */
  guint8 x_shift, y_shift;   /* subsampling, 0 or 1 */
} GstY10Component;

/* A window on a frame. Operations draw immediately, or append to `record` for a
 * painter to draw later. All coordinates are frame coordinates; drawing outside
 * the window is clipped. With subsampled components the window starts at even
 * coordinates. */
typedef struct
{
  GstY10Rect window;
  gboolean wide; /* 16-bit samples, else 8-bit */
  guint n_components;
  GstY10Component component[GST_VIDEO_MAX_COMPONENTS];
  GArray *record; /* of Y10PaintItem; NULL: draw now */
} GstY10Canvas;

gboolean gst_y10_canvas_supports (const GstVideoFormatInfo *finfo);

void gst_y10_canvas_init_frame (GstY10Canvas *canvas,
    const GstVideoFrame *frame);

void gst_y10_canvas_init_data (GstY10Canvas *canvas,
    const GstVideoFormatInfo *finfo, guint8 *data, gint stride,
    GstY10Rect window);

void gst_y10_canvas_fill (const GstY10Canvas *canvas, GstY10Rect rect,
    const GstY10Paint *paint);

void gst_y10_canvas_shade (const GstY10Canvas *canvas, GstY10Rect rect,
    const GstY10Paint *paint, guint alpha);

void gst_y10_canvas_text (const GstY10Canvas *canvas, gint x, gint y,
    const GstY10Text *text, const GstY10Paint *background,
    const GstY10Paint *ink);

void gst_y10_canvas_blur (const GstY10Canvas *canvas, GstY10Rect rect);

G_END_DECLS
