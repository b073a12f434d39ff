/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <gst/video/video.h>
#include <y10/image.h>
#include <y10/parts.h>

G_BEGIN_DECLS

gboolean gst_y10_seen_find (const Y10Region *region, Y10RegionAnchor anchor,
    const Y10Image *image, GstVideoRectangle *seen);

G_END_DECLS
