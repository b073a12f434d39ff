/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <y10/detection.h>

#include "core/topk.h"

G_BEGIN_DECLS

/* Sets @keep for each of the first @n candidates, best first, and keeps at
 * most @limit of them. @boxes has four floats per candidate. Returns the
 * number kept. */
guint y10_nms_suppress (const Y10TopK *topk, const gfloat *boxes,
    const Y10HeadParams *params, guint n, guint limit, guint8 *keep);

G_END_DECLS
