/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The part of the head that all backends with logits in host memory share. Each
 * backend finds the candidates itself, as fast as it can; this code decides
 * which of them to keep, decodes their boxes and applies NMS. */

#include <y10/detection.h>
#include <y10/image.h>

#include "core/plan.h"
#include "core/topk.h"

G_BEGIN_DECLS

/* Maximum number of candidates of one image: max_rows or, with NMS, all anchors, or as
 * many pairs of anchor and class as Ultralytics takes. */
guint y10_head_capacity (const Y10Graph *graph, guint max_rows);
gsize y10_head_n_floats (const Y10Graph *graph, guint capacity);
/* Removes rows that contain NaN or infinity, which overflowing activations
 * produce and which callers cannot sort, draw or print. They have counted
 * towards the limit. Returns the number of remaining rows, in order. */
guint y10_head_drop_not_finite (Y10Detection *rows, guint n);
/* Sorts @topk, decodes the box logits in @arena, applies NMS, maps the boxes back
 * through @letterbox, clips them and removes non-finite rows. @plan: planar, or
 * with blocks of channels. Returns the number of rows written, at most
 * params->max_detections. Allocates nothing: @keep needs one byte for each
 * candidate of topk->capacity, @boxes y10_head_n_floats() floats. */
guint y10_head_finish (const Y10Plan *plan, const guint8 *arena, Y10TopK *topk,
    const Y10HeadParams *params, const Y10Letterbox *letterbox, gfloat *boxes,
    guint8 *keep, Y10Detection *rows);

G_END_DECLS
