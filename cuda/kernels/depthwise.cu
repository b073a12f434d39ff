/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Depthwise convolutions. A thread computes 8 channels of
 * y10_depthwise_tile () adjacent outputs in a row: it reads each input from the
 * cache once for all of its outputs, and the weights once per kernel row.
 * Neighbouring threads have neighbouring channels, so a warp reads whole cache
 * lines. */

#include "depthwise.h"
#include "types.cuh"

/* Outputs x to x + TILE - 1 of row y; SIZE and STRIDE of the kernel. */
template <typename T, int SIZE, int STRIDE, int TILE>
__device__ __forceinline__ void
y10_depthwise_row (const Y10KDepthwise &p, int image, int y, int x,
    int channel)
{
  const T *weight = (const T *) p.weight + channel;
  int channels = p.out.channels, x0 = x * STRIDE - p.pad;
  float sum[TILE][8];

#pragma unroll
  for (int t = 0; t < TILE; t++)
    y10_load (p.bias + channel, sum[t]);

  for (int ky = 0; ky < SIZE; ky++) {
    int in_y = y * STRIDE - p.pad + ky;
    Y10Raw<T, 8> w[SIZE];
    const T *row;

    if (in_y < 0 || in_y >= p.in.height)
      continue;
    row = y10_at<const T> (p.in, image, in_y, 0) + channel;
#pragma unroll
    for (int kx = 0; kx < SIZE; kx++)
      w[kx] = y10_load_raw<T, 8> (weight + (ky * SIZE + kx) * channels);

#pragma unroll
    for (int i = 0; i < (TILE - 1) * STRIDE + SIZE; i++) {
      float v[8];

      if (x0 + i < 0 || x0 + i >= p.in.width)
        continue;
      y10_load (row + (long long) (x0 + i) * p.in.pixel, v);
#pragma unroll
      for (int t = 0; t < TILE; t++) {
        if (i >= t * STRIDE && i < t * STRIDE + SIZE) {
          float k[8];

          y10_unpack (w[i - t * STRIDE], k);
#pragma unroll
          for (int c = 0; c < 8; c++)
            sum[t][c] += v[c] * k[c];
        }
      }
    }
  }
#pragma unroll
  for (int t = 0; t < TILE; t++)
    if (x + t < p.out.width)
      y10_epilogue8<T> (sum[t], p.silu, p.add, p.out, p.out_float, image, y,
          x + t, channel);
}

/* Any kernel and stride. */
template <typename T>
__device__ __forceinline__ void
y10_depthwise_any (const Y10KDepthwise &p, int image, int y, int x,
    int channel)
{
  float sum[8];

  y10_load (p.bias + channel, sum);
  for (int ky = 0; ky < p.kernel; ky++)
    for (int kx = 0; kx < p.kernel; kx++) {
      int in_y = y * p.stride - p.pad + ky, in_x = x * p.stride - p.pad + kx;
      float v[8], k[8];

      if (in_y < 0 || in_y >= p.in.height || in_x < 0 || in_x >= p.in.width)
        continue;
      y10_load (y10_at<const T> (p.in, image, in_y, in_x) + channel, v);
      y10_load ((const T *) p.weight + (ky * p.kernel + kx) * p.out.channels
          + channel, k);
#pragma unroll
      for (int c = 0; c < 8; c++)
        sum[c] += v[c] * k[c];
    }
  y10_epilogue8<T> (sum, p.silu, p.add, p.out, p.out_float, image, y, x,
      channel);
}

template <typename T, int SIZE, int STRIDE, int TILE>
__device__ __forceinline__ void
y10_depthwise_tiled (const Y10KDepthwise &p, int tile, int image, int y,
    int x, int channel)
{
  if (tile == 1)
    y10_depthwise_row<T, SIZE, STRIDE, 1> (p, image, y, x, channel);
  else
    y10_depthwise_row<T, SIZE, STRIDE, TILE> (p, image, y, x, channel);
}

template <typename T>
__device__ __forceinline__ void
y10_depthwise (const Y10KDepthwise &p)
{
  int tile = y10_depthwise_tile (&p), groups = p.out.channels / 8;
  int tiles = (p.out.width + tile - 1) / tile;
  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  int channel = (int) (i % groups) * 8, at = (int) (i / groups);
  int y = at / tiles, x = at % tiles * tile, image = (int) blockIdx.y;

  if (y >= p.out.height)
    return;
  if (p.kernel == 3 && p.stride == 1)
    y10_depthwise_tiled<T, 3, 1, Y10_DEPTHWISE_TILE_3> (p, tile, image, y, x,
        channel);
  else if (p.kernel == 3 && p.stride == 2)
    y10_depthwise_tiled<T, 3, 2, Y10_DEPTHWISE_TILE_3> (p, tile, image, y, x,
        channel);
  else if (p.kernel == 7 && p.stride == 1)
    y10_depthwise_tiled<T, 7, 1, Y10_DEPTHWISE_TILE_7> (p, tile, image, y, x,
        channel);
  else
    y10_depthwise_any<T> (p, image, y, x, channel);
}

Y10_TYPED_KERNEL (depthwise, Depthwise, 128, 3)
