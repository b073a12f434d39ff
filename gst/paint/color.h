/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <gst/video/video.h>

G_BEGIN_DECLS

typedef struct
{
  guint8 r, g, b;
} GstY10Color;

/* A colour in one video format: component values in GstVideoFormatInfo order (Y
 * U V A or R G B A), already shifted into place. */
typedef struct
{
  guint16 value[GST_VIDEO_MAX_COMPONENTS];
} GstY10Paint;

GstY10Color gst_y10_color_for_label (const gchar *label, gsize length);

GstY10Color gst_y10_color_for_text (GstY10Color background);

void gst_y10_paint_init (GstY10Paint *paint, const GstVideoInfo *info,
    GstY10Color color);

guint32 gst_y10_label_hash (const gchar *label, gsize length);

G_END_DECLS
