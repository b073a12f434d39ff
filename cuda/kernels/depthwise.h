/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Depthwise 3×3 (stride 1 or 2) and 7×7 (stride 1), with bias, optional SiLU and
 * optional addition. */

#include "view.h"

typedef struct
{
  Y10KView in, out, add;
  int out_float;      /* out holds floats; unused by YOLOv10 */
  const void *weight; /* [kernel][kernel][channels], of the
                                 * activations' type */
  const float *bias;  /* channels */
  int images, kernel, stride, pad, silu;
} Y10KDepthwise;

/* Outputs per thread in a row. More outputs need fewer reads but leave too few
 * threads for a small map, and because both sizes are in one kernel, those of
 * the 7×7 increase the registers of the 3×3. */
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

/* Threads per block; half of them if a thread has one output: a small map then
 * occupies more multiprocessors. */
#define Y10_DEPTHWISE_THREADS 128

static inline Y10KLaunch
y10_depthwise_launch (const Y10KDepthwise *p)
{
  int tile = y10_depthwise_tile (p);
  unsigned int threads = tile == 1 ? Y10_DEPTHWISE_THREADS / 2
                                   : Y10_DEPTHWISE_THREADS;
  long long n = (long long) p->out.height * ((p->out.width + tile - 1) / tile)
      * (p->out.channels / 8);
  Y10KLaunch l = { { y10_k_div_up (n, threads), (unsigned int) p->images, 1 },
    { threads, 1, 1 }, 0 };

  return l;
}
