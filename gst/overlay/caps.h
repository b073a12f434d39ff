/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <gst/video/video.h>

G_BEGIN_DECLS

/* All formats except tiled and paletted ones. */
#define GST_Y10_DRAWABLE \
  "{ " \
  "NV12, I420, YV12, NV21, RGB, BGR, RGBx, BGRx, xRGB, xBGR, RGBA, " \
  "BGRA, ARGB, ABGR, YUY2, UYVY, AYUV, Y42B, YVYU, Y444, GRAY8, " \
  "GRAY16_LE, v308, A420, ARGB64, AYUV64, I420_10LE, I422_10LE, " \
  "Y444_10LE, GBR, GBR_10LE, NV16, NV24, A420_10LE, A422_10LE, " \
  "A444_10LE, NV61, P010_10LE, IYU2, VYUY, GBRA, GBRA_10LE, GBR_12LE, " \
  "GBRA_12LE, I420_12LE, I422_12LE, Y444_12LE, VUYA, Y444_16LE, " \
  "P016_LE, P012_LE, Y212_LE, Y412_LE, RGBP, BGRP, AV12, ARGB64_LE, " \
  "RGBA64_LE, BGRA64_LE, ABGR64_LE, Y41B, v210, v216, GRAY16_BE, " \
  "RGB16, BGR16, RGB15, BGR15, UYVP, YUV9, YVU9, IYU1, r210, " \
  "I420_10BE, I422_10BE, Y444_10BE, GBR_10BE, A420_10BE, A422_10BE, " \
  "A444_10BE, P010_10BE, GBRA_10BE, GBR_12BE, GBRA_12BE, I420_12BE, " \
  "I422_12BE, Y444_12BE, GRAY10_LE32, NV12_10LE32, NV16_10LE32, " \
  "NV12_10LE40, Y210, Y410, BGR10A2_LE, RGB10A2_LE, Y444_16BE, " \
  "P016_BE, P012_BE, Y212_BE, Y412_BE, ARGB64_BE, RGBA64_BE, " \
  "BGRA64_BE, ABGR64_BE }"

/* System memory formats; CUDA memory comes before these. With a composition any
 * memory is fine, because the element does not access the pixels. */
#define GST_Y10_OVERLAY_CAPS \
  GST_VIDEO_CAPS_MAKE (GST_Y10_DRAWABLE) \
  "; " GST_VIDEO_CAPS_MAKE_WITH_FEATURES ("ANY", GST_VIDEO_FORMATS_ALL)

gboolean gst_y10_overlay_caps_compose (GstCaps *caps);

gboolean gst_y10_overlay_caps_is_cuda (GstCaps *caps);

GstCaps *gst_y10_overlay_caps_template (void);

GstCaps *gst_y10_overlay_caps_transform (GstPadDirection direction,
    gboolean cuda, GstCaps *caps, GstCaps *filter);

GstCaps *gst_y10_overlay_caps_choose (GstPad *srcpad, GstCaps *caps);

G_END_DECLS
