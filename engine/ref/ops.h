/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The ops in plain C, the reference for all other backends. Tensors are planar
 * floats, [channels][height][width]. */

#include "core/graph.h"

G_BEGIN_DECLS

/* @weight: out × in / groups × k × k. @add: (nullable): as large as @out,
 * may be @out. @row: scratch memory of one output row, floats. */
void y10_ref_conv (const Y10Op *op, const gfloat *in, guint in_channels,
    guint in_height, guint in_width, const gfloat *weight, const gfloat *bias,
    const gfloat *add, gfloat *out, guint out_channels, guint out_height,
    guint out_width, gfloat *row);
/* The same with integers: @in: u8 with the zero points @zero; @weight: s8; sums are
 * multiplied by @scale of the output. @sums: a row. Adds nothing. */
void y10_ref_conv_int8 (const Y10Op *op, const guint8 *in, guint in_channels,
    guint in_height, guint in_width, const guint8 *zero, const gint8 *weight,
    const gfloat *scale, const gfloat *bias, gfloat *out, guint out_channels,
    guint out_height, guint out_width, gint32 *sums);
void y10_ref_maxpool5 (const gfloat *in, gfloat *out, guint channels,
    guint height, guint width);
void y10_ref_upsample2x (const gfloat *in, gfloat *out, guint channels,
    guint height, guint width);
/* @in: q, k, v of each head. @pe_weight, @pe_bias: the depthwise 3x3 of v.
 * @scores: scratch memory of height × width floats. */
void y10_ref_attention (const Y10Op *op, const gfloat *in, gfloat *out,
    guint height, guint width, const gfloat *pe_weight, const gfloat *pe_bias,
    gfloat *scores);

G_END_DECLS
