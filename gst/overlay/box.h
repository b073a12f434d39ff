/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "meta/read.h"
#include "overlay/label.h"
#include "paint/canvas.h"

G_BEGIN_DECLS

/* Drawing parameters that stay the same from frame to frame. */
typedef struct
{
  gint width, height;
  gint line;         /* of boxes, in pixels, at least 1 */
  gint outline;      /* around lines and badges, in pixels */
  GstY10Paint shade; /* outline colour */
} GstY10Style;

/* Texts of a badge, in drawing order; NULL: not shown. */
typedef struct
{
  const GstY10Text *label, *number, *percent;
} GstY10Texts;

/* One box, ready to draw. */
typedef struct
{
  GstY10Rect box;   /* outer edges of its lines */
  GstY10Rect badge; /* empty: no text */
  gint line;
  gboolean predicted;       /* dashed: a tracker expects the object there */
  const GstY10Label *label; /* only its colours are used */
  GstY10Texts texts;
} GstY10Drawing;

void gst_y10_style_init (GstY10Style *style, const GstVideoInfo *info,
    gint width, gint height, guint line);

GstY10Rect gst_y10_style_align (const GstY10Style *style, GstY10Rect rect);

void gst_y10_drawing_init (GstY10Drawing *drawing, const GstY10Style *style,
    GstY10Rect rect, const GstY10Label *label, const GstY10Texts *texts);

void gst_y10_drawings_spread_badges (GstY10Drawing *drawings, guint n_drawings,
    const GstY10Style *style);

GstY10Rect gst_y10_drawing_extent (const GstY10Drawing *drawing,
    const GstY10Style *style);

void gst_y10_drawing_box (const GstY10Drawing *drawing,
    const GstY10Style *style, const GstY10Canvas *canvas);

void gst_y10_drawing_badge (const GstY10Drawing *drawing,
    const GstY10Style *style, const GstY10Canvas *canvas);

GstVideoOverlayComposition *
gst_y10_drawings_compose (const GstY10Drawing *drawings, guint n_drawings,
    const GstY10Style *style, GstVideoOverlayComposition *composition);

G_END_DECLS
