/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <gst/video/video.h>
#include <y10/image.h>

#include "common/cuda.h"

G_BEGIN_DECLS

/* System memory only. 16384 is Y10_MAX_IMAGE_SIZE. */
#define GST_Y10_FRAME_CAPS \
  "video/x-raw, " \
  "format = (string) { NV12, I420, RGB, BGR, RGBx, BGRx, xRGB, xBGR, RGBA, " \
  "BGRA, ARGB, ABGR, GBR, RGBP, NV21, YV12, Y42B, Y444, YUY2, UYVY, GRAY8, " \
  "P010_10LE }, " \
  "width = (int) [ 1, 16384 ], height = (int) [ 1, 16384 ], " \
  "framerate = (fraction) [ 0, max ]"

/* Parsed caps. @image has everything except the per-frame fields. */
typedef struct
{
  GstVideoInfo info;
  Y10Image image;
} GstY10FrameFormat;

/* A mapped frame. @width and @height are those of the whole frame; @image may
 * cover only a part of it. */
typedef struct
{
  GstVideoFrame frame;
  Y10Image image;
  guint width, height;
} GstY10Frame;

GstCaps *gst_y10_frame_get_caps (void);
GstCaps *gst_y10_frame_system_caps (GstCaps *caps);
void gst_y10_frame_propose (GstQuery *query, gboolean cuda, guint n_frames);

gboolean gst_y10_frame_format_init (GstY10FrameFormat *format,
    const GstCaps *caps, gboolean cuda, GError **error);
gboolean gst_y10_frame_format_is_odd (const GstY10FrameFormat *format);
gboolean gst_y10_frame_map (GstY10Frame *frame, const GstY10FrameFormat *format,
    GstBuffer *buffer, GError **error);
void gst_y10_frame_unmap (GstY10Frame *frame);

G_END_DECLS
