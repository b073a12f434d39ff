/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "overlay/canvas.h"

G_BEGIN_DECLS

/* Rows of a frame in its unpacked format (one plane, AYUV or ARGB of 8 or 16
 * bits), for the formats that cannot be drawn on as they are. */
typedef struct
{
  GstVideoInfo info;            /* unpacked, with the frame's colorimetry */
  guint8 *data;                 /* the whole frame; NULL: not needed */
} GstY10Unpacked;

gboolean  gst_y10_unpacked_init   (GstY10Unpacked * unpacked,
                                   const GstVideoInfo * info);

void      gst_y10_unpacked_clear  (GstY10Unpacked * unpacked);

void      gst_y10_unpacked_load   (GstY10Unpacked * unpacked,
                                   const GstVideoFrame * frame,
                                   gint y0, gint y1, GstY10Canvas * canvas);

void      gst_y10_unpacked_store  (const GstY10Unpacked * unpacked,
                                   GstVideoFrame * frame, gint y0, gint y1);

G_END_DECLS
