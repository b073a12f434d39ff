/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* 5×5 maximum, stride 1, up to three times in a row, as in SPPF: of what is
 * read once, each maximum goes to a view of its own. NaN stays NaN, as in
 * PyTorch. */

#include "view.h"

/* Pixels of a block's square of the result, and pools in a row. With what they
 * reach the square has 22 pixels a side, of which two copies of 8 floats are
 * within the 48 KiB of shared memory that every block may have. */
#define Y10_MAXPOOL5_TILE 10
#define Y10_MAXPOOL5_MAX 3

typedef struct
{
  Y10KView in, out[Y10_MAXPOOL5_MAX];
  int n;                        /* of out */
  int images;
} Y10KMaxPool5;

static inline Y10KLaunch
y10_maxpool5_launch (const Y10KMaxPool5 *p)
{
  Y10KLaunch l = { {
        y10_k_div_up (p->in.width, Y10_MAXPOOL5_TILE)
        * y10_k_div_up (p->in.height, Y10_MAXPOOL5_TILE),
      (unsigned int) (p->in.channels / 8), (unsigned int) p->images},
    {256, 1, 1}, 0
  };

  return l;
}
