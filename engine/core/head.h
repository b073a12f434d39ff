/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* From logits to detections on the host: what backends whose logits are in
 * host memory share. A backend finds candidates its own fast way and hands
 * them in; which are kept, how boxes are decoded and suppressed is here. */

#include <y10/detection.h>
#include <y10/image.h>

#include "core/graph.h"
#include "core/topk.h"

G_BEGIN_DECLS

/* The 4 × n_bins box logits of one anchor, gathered from where they lie. */
typedef void (*Y10GatherBox) (gpointer user, guint32 anchor, gfloat * logits);

/* How many candidates one image may need: max_rows, or with NMS its anchors. */
guint y10_head_capacity (const Y10Graph * graph, guint max_rows);
gsize y10_head_n_floats (const Y10Graph * graph, guint capacity);
/* Takes rows out of which a number is none, as overflowing activations make
 * them: each is as good as any to those who sort, draw and print. They have
 * counted towards the limit. Returns how many are left, in order. */
guint y10_head_drop_not_finite (Y10Detection * rows, guint n);
/* Sorts @topk, decodes, suppresses (NMS), maps back through @letterbox,
 * clips and drops what is not finite. Returns how many rows were written, at most
 * params->max_detections. Allocates nothing: @keep holds one byte for each of
 * the topk's capacity, @boxes y10_head_n_floats() floats. */
guint y10_head_finish (const Y10Graph * graph, Y10TopK * topk,
    const Y10HeadParams * params, const Y10Letterbox * letterbox,
    Y10GatherBox gather, gpointer user, gfloat * boxes, guint8 * keep,
    Y10Detection * rows);

G_END_DECLS
