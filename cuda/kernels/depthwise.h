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

static inline Y10KLaunch
y10_depthwise_launch (const Y10KDepthwise *p)
{
  long long n = (long long) p->out.height * p->out.width
      * (p->out.channels / 8);
  Y10KLaunch l = { {y10_k_div_up (n, 128), (unsigned int) p->images, 1},
    {128, 1, 1}, 0
  };

  return l;
}
