/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Frames as JPEG. */

#include <gst/video/video.h>

G_BEGIN_DECLS

typedef struct _GstY10PictureMaker GstY10PictureMaker;

GstY10PictureMaker *gst_y10_picture_maker_new (GError **error);
void gst_y10_picture_maker_free (GstY10PictureMaker *maker);

gboolean gst_y10_picture_maker_take (GstY10PictureMaker *maker,
    GstBuffer *frame, const GstVideoInfo *info, GError **error);
gboolean gst_y10_picture_place (GstBuffer *frame, const GstVideoInfo *info,
    gfloat box[4]);
GBytes *gst_y10_picture_maker_encode (GstY10PictureMaker *maker,
    const gfloat *box, GError **error);

G_END_DECLS
