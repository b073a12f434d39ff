/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <y10/detection.h>

G_BEGIN_DECLS

/* The limits of Y10HeadParams that no backend knows: of classes and of sizes. */

gboolean y10_limits_any (const Y10HeadParams * params);
/* The least confidence that any class wants. */
gfloat y10_limits_least_confidence (const Y10HeadParams * params,
    guint n_classes);
/* Copies the rows within the limits, @params->max_detections at most, of an
 * image of @width x @height pixels. Returns how many. */
guint y10_limits_apply (const Y10HeadParams * params,
    const Y10Detection * rows, guint n, guint width, guint height,
    Y10Detection * out, guint max);

G_END_DECLS
