/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The epilogue of a convolution that only adds its bias: optional SiLU, optional
 * addition, into a view of the same type or of floats (logits). */

#include "view.h"

typedef struct
{
  Y10KView in, out,
      add; /* in may be equal to out; add.data NULL: no addition */
  int out_float, silu, images;
} Y10KEpilogue;

static inline Y10KLaunch
y10_epilogue_launch (const Y10KEpilogue *p)
{
  long long n = (long long) p->out.height * p->out.width
      * (p->out.channels / 8);
  Y10KLaunch l = { { y10_k_div_up (n, 256), (unsigned int) p->images, 1 },
    { 256, 1, 1 }, 0 };

  return l;
}
