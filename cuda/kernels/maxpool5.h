/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* 5×5 max pooling with stride 1, up to three times in a row, as in SPPF. Reads
 * the input once and writes each result to a separate view. NaN stays NaN, as in
 * PyTorch. */

#include "view.h"

/* Side of a block's output tile in pixels, and maximum number of pools. With the
 * surrounding pixels the tile has a side of 22; two copies with 8 floats per
 * pixel fit in the 48 KiB of shared memory that any block may use. */
#define Y10_MAXPOOL5_TILE 10
#define Y10_MAXPOOL5_MAX 3

typedef struct
{
  Y10KView in, out[Y10_MAXPOOL5_MAX];
  int n; /* number of views in out */
  int images;
} Y10KMaxPool5;

static inline Y10KLaunch
y10_maxpool5_launch (const Y10KMaxPool5 *p)
{
  Y10KLaunch l = { { y10_k_div_up (p->in.width, Y10_MAXPOOL5_TILE)
                           * y10_k_div_up (p->in.height, Y10_MAXPOOL5_TILE),
                       (unsigned int) (p->in.channels / 8),
                       (unsigned int) p->images },
    { 256, 1, 1 }, 0 };

  return l;
}
