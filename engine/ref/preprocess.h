/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <y10/image.h>

G_BEGIN_DECLS

/* Reads @image through @letterbox into @planes: R, G and B, each dst_height ×
 * dst_width, in [0, 1]. Copies a %Y10_PIXEL_TENSOR of that size. */
void y10_ref_preprocess (const Y10Image *image, const Y10Letterbox *letterbox,
    gfloat *planes);

G_END_DECLS
