/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A dense convolution of any shape, simple rather than fast: the reference for
 * cuDNN's plans, and the fallback where cuDNN has none. It uses neither shared
 * memory nor barriers, so that a simulator can run it as a loop.
 *
 * A thread computes 8 output channels of a few adjacent pixels in a row, so that
 * it loads and converts each input and weight once for several products.
 * Neighbouring threads have neighbouring pixels, so a warp reads the same
 * weights. */

#include "conv.h"
#include "types.cuh"

enum
{
  PIXELS = Y10_CONV_PIXELS,
/* Partial sums per output. A GPU has enough independent sums with 32 outputs;
   * a host compiler vectorises four. */
#ifdef __CUDACC__
  SUMS = 1,
#else
  SUMS = 4,
#endif
};

/* Adds the products of 8 input channels. */
template <typename T>
__device__ __forceinline__ void
y10_conv_step (float (&sum)[PIXELS][8][SUMS], const T *const (&in)[PIXELS],
    const T *weight, long long row)
{
  float a[PIXELS][8] = {};

#pragma unroll
  for (int t = 0; t < PIXELS; t++)
    if (in[t])
      y10_load (in[t], a[t]);
#pragma unroll
  for (int o = 0; o < 8; o++) {
    float b[8];

    y10_load (weight + o * row, b);
#pragma unroll
    for (int t = 0; t < PIXELS; t++) {
#pragma unroll
      for (int c = 0; c < 8; c += SUMS) {
#pragma unroll
        for (int k = 0; k < SUMS; k++)
          sum[t][o][k] += a[t][c + k] * b[c + k];
      }
    }
  }
}

template <typename T>
__device__ __forceinline__ void
y10_conv (const Y10KConv &p)
{
  int pixels = p.out.height * p.out.width;
  int tiles = (pixels + PIXELS - 1) / PIXELS;
  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  int channel = (int) (i / tiles) * 8, first = (int) (i % tiles) * PIXELS;
  int image = (int) blockIdx.y, channels = p.in.channels;
  long long row = (long long) p.kernel * p.kernel * channels;
  const T *weight = (const T *) p.weight + channel * row;
  float sum[PIXELS][8][SUMS] = {}, bias[8];

  if (channel >= p.out.channels)
    return;
  for (int ky = 0; ky < p.kernel; ky++)
    for (int kx = 0; kx < p.kernel; kx++, weight += channels) {
      const T *in[PIXELS]; /* NULL: outside the picture */

#pragma unroll
      for (int t = 0; t < PIXELS; t++) {
        int y = (first + t) / p.out.width * p.stride - p.pad + ky;
        int x = (first + t) % p.out.width * p.stride - p.pad + kx;

        in[t] = y < 0 || y >= p.in.height || x < 0 || x >= p.in.width
            ? nullptr
            : y10_at<const T> (p.in, image, y, x);
      }
      for (int c = 0; c < channels; c += 8) {
        y10_conv_step (sum, in, weight + c, row);
#pragma unroll
        for (int t = 0; t < PIXELS; t++)
          in[t] = in[t] ? in[t] + 8 : in[t];
      }
    }

  y10_load (p.bias + channel, bias);
#pragma unroll
  for (int t = 0; t < PIXELS; t++) {
    float v[8];

    if (first + t >= pixels)
      break;
#pragma unroll
    for (int o = 0; o < 8; o++) {
      v[o] = bias[o];
#pragma unroll
      for (int k = 0; k < SUMS; k++)
        v[o] += sum[t][o][k];
    }
    y10_epilogue8<T> (v, p.silu, p.add, p.out, p.out_float, image, 0, first + t,
        channel);
  }
}

Y10_TYPED_KERNEL (conv, Conv, 128, 2)
