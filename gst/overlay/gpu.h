/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "paint/canvas.h"

G_BEGIN_DECLS

/* Draws on CUDA frames in whichever context they arrive. */
typedef struct _GstY10Painter GstY10Painter;

GstY10Painter *gst_y10_painter_new (GstElement *element);

void gst_y10_painter_free (GstY10Painter *painter);

gboolean gst_y10_painter_can (GError **error);

void gst_y10_painter_close (GstY10Painter *painter);

gboolean gst_y10_painter_begin (GstY10Painter *painter,
    const GstVideoInfo *info, GstBuffer *buffer, GstVideoFrame *frame,
    GstY10Canvas *canvas, GError **error);

gboolean gst_y10_painter_end (GstY10Painter *painter, GstVideoFrame *frame,
    GstY10Canvas *canvas, GError **error);

G_END_DECLS
