/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "core/graph.h"

G_BEGIN_DECLS

/* Decodes the 4 × n_bins box logits of one anchor: softmax over the bins,
 * expectation, dist2bbox. @box is x0 y0 x1 y1 in input pixels. */
void y10_dfl_decode (const Y10Graph *graph, guint32 anchor,
    const gfloat *box_logits, gfloat box[4]);

G_END_DECLS
