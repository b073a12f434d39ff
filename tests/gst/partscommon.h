/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Shared by the tests of frames that are inferred in parts. */

#include "gstcommon.h"

G_BEGIN_DECLS

#define WIDTH 162
#define HEIGHT 122

/* A picture, @seed seconds into the stream. */
GstBuffer *parts_picture (const GstCaps *caps, guint seed);
/* What the element should find: the engine's rows for each part, merged. */
GArray *parts_expect (GstBuffer *buffer, const GstCaps *caps,
    const Y10Image *image, Y10Part *parts, guint n, const Y10Region *region,
    Y10RegionAnchor anchor, const Y10HeadParams *params);

G_END_DECLS
