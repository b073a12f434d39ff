/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* 16-bit floats: IEEE half precision (1, 5 and 10 bits) and bfloat16 (1, 8
 * and 7 bits). Conversions to them round to nearest, ties to even, as
 * hardware does; NaN stays NaN. */

#include <glib.h>

G_BEGIN_DECLS

gfloat y10_half_to_float (guint16 h);
guint16 y10_half_from_float (gfloat f);
gfloat y10_bfloat_to_float (guint16 b);
guint16 y10_bfloat_from_float (gfloat f);

G_END_DECLS
