/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Nearest neighbour: repeats each pixel in 2×2 outputs. */

#include "config.h"

#include "ref/ops.h"

void
y10_ref_upsample2x (const gfloat *in, gfloat *out, guint channels, guint height,
    guint width)
{
  for (guint row = 0; row < channels * height; row++, in += width)
    for (guint twice = 0; twice < 2; twice++)
      for (guint x = 0; x < width; x++) {
        *out++ = in[x];
        *out++ = in[x];
      }
}
