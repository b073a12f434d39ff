/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "core/graph.h"

G_BEGIN_DECLS

/* Decodes the 4 box logits of one anchor, which are the distances. @box is
 * x0 y0 x1 y1 in input pixels. */
void y10_ltrb_decode (const Y10Graph *graph, guint32 anchor,
    const gfloat *box_logits, gfloat box[4]);
/* The box whose edges are @distance strides from the centre of @anchor's cell. */
void y10_ltrb_to_box (const Y10Graph *graph, guint32 anchor,
    const gfloat distance[4], gfloat box[4]);

G_END_DECLS
