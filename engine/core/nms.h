/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <y10/detection.h>

#include "core/topk.h"

G_BEGIN_DECLS

/* Of the first @n candidates, best first, marks those to keep in @keep, at most
 * @limit; @boxes has four floats for each. Returns how many. */
guint y10_nms_suppress (const Y10TopK * topk, const gfloat * boxes,
    const Y10HeadParams * params, guint n, guint limit, guint8 * keep);

G_END_DECLS
