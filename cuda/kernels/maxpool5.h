/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* 5×5 maximum, stride 1, as SPPF has three in a row. NaN stays NaN, as in
 * PyTorch. */

#include "view.h"

typedef struct
{
  Y10KView in, out;
  int images;
} Y10KMaxPool5;

static inline Y10KLaunch
y10_maxpool5_launch (const Y10KMaxPool5 *p)
{
  long long n = (long long) p->out.height * p->out.width
      * (p->out.channels / 8);
  Y10KLaunch l = { {y10_k_div_up (n, 128), (unsigned int) p->images, 1},
    {128, 1, 1}, 0
  };

  return l;
}
