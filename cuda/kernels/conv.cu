/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A dense convolution for any shape, made to be right rather than fast: what
 * cuDNN's plans are compared with, and what runs where cuDNN has none. No
 * shared memory and no barrier, so that a simulator runs it as a loop.
 *
 * A thread has 8 output channels of one pixel, neighbouring threads have
 * neighbouring pixels: weights are the same for the whole warp and inputs stay
 * in the first cache over several steps of 8 channels. Every fourth product goes
 * to the same sum, and four sums are added in the end: vector lanes where there
 * are any, and 32 independent sums where there are none. */

#include "conv.h"
#include "types.cuh"

template <typename T>
__device__ __forceinline__ void
y10_conv (const Y10KConv &p)
{
  int pixels = p.out.height * p.out.width;
  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  int group = (int) (i / pixels), pixel = (int) (i % pixels);
  int image = (int) blockIdx.y, channel = group * 8;
  int y = pixel / p.out.width, x = pixel % p.out.width;
  int y0 = y * p.stride - p.pad, x0 = x * p.stride - p.pad;
  long long row = (long long) p.kernel * p.kernel * p.in.channels;
  const T *weight = (const T *) p.weight + channel * row;
  float sum[8][4] = { }, v[8];

  if (channel >= p.out.channels)
    return;
  for (int ky = 0; ky < p.kernel; ky++)
    for (int kx = 0; kx < p.kernel; kx++) {
      const T *w = weight + (long long) (ky * p.kernel + kx) * p.in.channels;
      const T *in;

      if (y0 + ky < 0 || y0 + ky >= p.in.height
          || x0 + kx < 0 || x0 + kx >= p.in.width)
        continue;
      in = y10_at<const T> (p.in, image, y0 + ky, x0 + kx);
      for (int c = 0; c < p.in.channels; c += 8) {
        float a[8];

        y10_load (in + c, a);
#pragma unroll
        for (int o = 0; o < 8; o++) {
          float b[8];

          y10_load (w + o * row + c, b);
#pragma unroll
          for (int k = 0; k < 4; k++)
            sum[o][k] += a[k] * b[k];
#pragma unroll
          for (int k = 0; k < 4; k++)
            sum[o][k] += a[k + 4] * b[k + 4];
        }
      }
    }
  y10_load (p.bias + channel, v);
#pragma unroll
  for (int o = 0; o < 8; o++)
    v[o] += (sum[o][0] + sum[o][1]) + (sum[o][2] + sum[o][3]);
  y10_finish8<T> (v, p.silu, p.add, p.out, p.out_float, image, y, x, channel);
}

Y10_TYPED_KERNEL (conv, Conv, 128)
