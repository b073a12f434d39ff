/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The stem, a 3x3 convolution with stride 2 and padding 1 on the network's
 * input, computed from the pictures themselves, so that the input is never
 * written: it has three channels, but takes the memory of eight. */

#include "preprocess.h"

#define Y10_STEM_MAX_CHANNELS 96
#define Y10_STEM_WIDTH 32 /* output pixels a block */
#define Y10_STEM_HEIGHT 16
#define Y10_STEM_WARPS 8

typedef struct
{
  const Y10KPicture *pictures; /* one an image */
  int height, width;           /* of the input */
  Y10KView out;                /* at most Y10_STEM_MAX_CHANNELS */
  const void *weight;          /* [out.channels][3][3][8] of the activations'
                                 * type; zero in padding */
  const float *bias;           /* out.channels; zero in padding */
  int images, silu;
} Y10KStem;

static inline Y10KLaunch
y10_stem_launch (const Y10KStem *p)
{
  Y10KLaunch l = { { y10_k_div_up (p->out.width, Y10_STEM_WIDTH),
                       y10_k_div_up (p->out.height, Y10_STEM_HEIGHT),
                       (unsigned int) p->images },
    { 32, Y10_STEM_WARPS, 1 }, 0 };

  return l;
}
