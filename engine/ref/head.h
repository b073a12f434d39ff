/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "core/head.h"
#include "core/plan.h"

G_BEGIN_DECLS

/* Pushes the candidates of one image: without NMS all (anchor, class) pairs,
 * with NMS the best class of each anchor, if it is wanted. */
void y10_ref_head_scan (const Y10Plan *plan, const guint8 *arena,
    const Y10HeadParams *params, Y10TopK *topk);

G_END_DECLS
