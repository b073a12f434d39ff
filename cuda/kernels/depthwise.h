/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Depthwise 3×3 (stride 1 or 2) and 7×7 (stride 1), with bias, SiLU or none,
 * and an addition or none. */

#include "view.h"

typedef struct
{
  Y10KView in, out, add;
  int out_float;                /* never in a YOLOv10; here for odd graphs */
  const void *weight;           /* [kernel][kernel][channels], of the
                                 * activations' type */
  const float *bias;            /* channels */
  int images, kernel, stride, pad, silu;
} Y10KDepthwise;

/* Outputs of a row that a thread has: several need fewer reads, but a small map
 * has too few threads then to fill a GPU; and those of the 7×7 take registers
 * from the 3×3, as they are one kernel. */
#define Y10_DEPTHWISE_TILE_3 4
#define Y10_DEPTHWISE_TILE_7 2

Y10_K_INLINE int
y10_depthwise_tile (const Y10KDepthwise *p)
{
  long long n = (long long) p->images * p->out.height * p->out.width
      * (p->out.channels / 8);

  if (n < 200000)
    return 1;
  if (p->kernel == 3 && (p->stride == 1 || p->stride == 2))
    return Y10_DEPTHWISE_TILE_3;
  return p->kernel == 7 && p->stride == 1 ? Y10_DEPTHWISE_TILE_7 : 1;
}

static inline Y10KLaunch
y10_depthwise_launch (const Y10KDepthwise *p)
{
  int tile = y10_depthwise_tile (p);
  long long n = (long long) p->out.height * ((p->out.width + tile - 1) / tile)
      * (p->out.channels / 8);
  Y10KLaunch l = { {y10_k_div_up (n, 128), (unsigned int) p->images, 1},
    {128, 1, 1}, 0
  };

  return l;
}
