/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <y10/detection.h>
#include <y10/image.h>

G_BEGIN_DECLS

/* The limits of Y10HeadParams that backends do not implement: confidence per
 * class, minimum and maximum size. */

gboolean y10_limits_any (const Y10HeadParams *params);
/* The lowest confidence of all wanted classes. */
gfloat y10_limits_least_confidence (const Y10HeadParams *params,
    guint n_classes);
/* Returns whether a box has a wanted size. @width and @height: size of the
 * image in pixels. */
gboolean y10_limits_fits (const Y10HeadParams *params, const Y10Detection *row,
    guint width, guint height);
/* Copies the rows within the limits, at most @params->max_detections, to
 * @out. A backend's @rows are in pixels of the picture as displayed; those of
 * @out are in the image's own. Returns the number of rows. */
guint y10_limits_apply (const Y10HeadParams *params, const Y10Detection *rows,
    guint n, const Y10Image *image, Y10Detection *out, guint max);

G_END_DECLS
