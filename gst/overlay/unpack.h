/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "paint/canvas.h"

G_BEGIN_DECLS

/* A frame's rows in its unpack format (one plane, AYUV or ARGB with 8 or 16
 * bits), for formats that cannot be drawn on directly. */
typedef struct
{
  GstVideoInfo info; /* of the unpacked frame */
  guint8 *data;      /* the whole frame; NULL: not needed */
} GstY10Unpacked;

gboolean gst_y10_unpacked_init (GstY10Unpacked *unpacked,
    const GstVideoInfo *info);

void gst_y10_unpacked_clear (GstY10Unpacked *unpacked);

void gst_y10_unpacked_load (GstY10Unpacked *unpacked,
    const GstVideoFrame *frame, gint y0, gint y1, GstY10Canvas *canvas);

void gst_y10_unpacked_store (const GstY10Unpacked *unpacked,
    GstVideoFrame *frame, gint y0, gint y1);

G_END_DECLS
