/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Nearest-neighbour upsampling to twice the size, written directly into the view
 * of the following concat. */

#include "view.h"

typedef struct
{
  Y10KView in, out;
  int images;
} Y10KUpsample2x;

static inline Y10KLaunch
y10_upsample2x_launch (const Y10KUpsample2x *p)
{
  long long n = (long long) p->in.height * p->in.width * (p->in.channels / 8);
  Y10KLaunch l = { { y10_k_div_up (n, 128), (unsigned int) p->images, 1 },
    { 128, 1, 1 }, 0 };

  return l;
}
