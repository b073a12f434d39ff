/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* 5×5 maximum, stride 1; positions outside the picture are ignored. */

#include "config.h"

#include "ref/ops.h"

void
y10_ref_maxpool5 (const gfloat *in, gfloat *out, guint channels, guint height,
    guint width)
{
  for (guint c = 0; c < channels; c++, in += (gsize) height * width)
    for (gint y = 0; y < (gint) height; y++)
      for (gint x = 0; x < (gint) width; x++) {
        gfloat best = in[(gsize) y * width + x];

        for (gint j = MAX (y - 2, 0); j <= MIN (y + 2, (gint) height - 1); j++)
          for (gint i = MAX (x - 2, 0); i <= MIN (x + 2, (gint) width - 1); i++)
            best = MAX (best, in[(gsize) j * width + i]);
        *out++ = best;
      }
}
