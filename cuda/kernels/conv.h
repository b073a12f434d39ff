/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* A dense convolution with bias, optional SiLU and optional addition: the
 * reference for cuDNN's plans, and the fallback where cuDNN has none. */

#include "view.h"

typedef struct
{
  Y10KView in, out, add; /* add is added after SiLU; may be equal to out */
  int out_float;         /* out holds floats (logits) */
  const void *weight;    /* [out.channels][kernel][kernel][in.channels],
                                 * of the activations' type; zero in padding */
  const float *bias;     /* out.channels; zero in padding */
  int images, kernel, stride, pad, silu;
} Y10KConv;

#define Y10_CONV_PIXELS 4 /* per thread, 8 channels each */

static inline Y10KLaunch
y10_conv_launch (const Y10KConv *p)
{
  long long pixels = (long long) p->out.height * p->out.width;
  long long n = y10_k_div_up (pixels, Y10_CONV_PIXELS)
      * (long long) (p->out.channels / 8);
  Y10KLaunch l = { { y10_k_div_up (n, 128), (unsigned int) p->images, 1 },
    { 128, 1, 1 }, 0 };

  return l;
}
