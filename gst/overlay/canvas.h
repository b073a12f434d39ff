/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <gst/video/video.h>
#include <y10/painter.h>

#include "common/rect.h"
#include "overlay/color.h"

G_BEGIN_DECLS

/* Coverage of a line of text, 0 to 255, width and height even. `half` is the
 * same for subsampled components: one value for each chroma sample, NULL in
 * formats without. */
typedef Y10PaintText GstY10Text;

typedef struct
{
  guint8 *data;                 /* the sample at the window's upper left */
  gint stride, pixel_stride;    /* bytes */
  guint8 x_shift, y_shift;      /* subsampling, 0 or 1 */
} GstY10Component;

/* A window on a frame, drawn on at once or, with `record`, later by somebody
 * else: then what there is to draw is added there. Callers use frame coordinates everywhere; what lies
 * outside of the window is clipped. Where components are subsampled the window
 * starts at even coordinates. */
typedef struct
{
  GstY10Rect window;
  gboolean wide;                /* samples of 16 bits, else 8 */
  guint n_components;
  GstY10Component component[GST_VIDEO_MAX_COMPONENTS];
  GArray *record;               /* of Y10PaintItem; NULL: draw */
} GstY10Canvas;

gboolean  gst_y10_canvas_supports   (const GstVideoFormatInfo * finfo);

void      gst_y10_canvas_init_frame (GstY10Canvas * canvas,
                                         const GstVideoFrame * frame);

void      gst_y10_canvas_init_data  (GstY10Canvas * canvas,
                                         const GstVideoFormatInfo * finfo,
                                         guint8 * data, gint stride,
                                         GstY10Rect window);

void      gst_y10_canvas_fill       (const GstY10Canvas * canvas,
                                         GstY10Rect rect,
                                         const GstY10Paint * paint);

void      gst_y10_canvas_shade      (const GstY10Canvas * canvas,
                                         GstY10Rect rect,
                                         const GstY10Paint * paint,
                                         guint alpha);

void      gst_y10_canvas_text       (const GstY10Canvas * canvas,
                                         gint x, gint y,
                                         const GstY10Text * text,
                                         const GstY10Paint * background,
                                         const GstY10Paint * ink);

void      gst_y10_canvas_blur       (const GstY10Canvas * canvas,
                                         GstY10Rect rect);

G_END_DECLS
