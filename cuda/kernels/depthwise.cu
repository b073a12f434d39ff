/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Depthwise convolutions. A thread computes 8 channels of
 * y10_depthwise_tile () adjacent outputs in a row: it reads each input from the
 * cache once for all of its outputs, and the weights once per kernel row.
 * Neighbouring threads have neighbouring channels, so a warp reads whole cache
 * lines. With one image there are fewer warps than the GPU could run: then the time
 * is that of the reads that wait for each other, so a thread asks for everything that
 * its registers can hold before it computes. */

#include "depthwise.cuh"
#include "depthwise.h"

/* Outputs x to x + TILE - 1 of row y; SIZE and STRIDE of the kernel, of which ROWS
 * rows are read at a time. Outside the map, zeros are added. */
template <typename T, int SIZE, int STRIDE, int TILE, int ROWS>
__device__ __forceinline__ void
y10_depthwise_row (const Y10KDepthwise &p, int image, int y, int x, int channel)
{
  const T *weight = (const T *) p.weight + channel;
  const T *in = y10_at<const T> (p.in, image, 0, 0) + channel;
  Y10Raw<T, 8> add[TILE];
  float sum[TILE][8];

#pragma unroll
  for (int t = 0; t < TILE; t++) {
    y10_load (p.bias + channel, sum[t]);
    add[t] = {};
    if (TILE == 1 && p.add.data)
      add[t] = y10_load_raw<T, 8> (
          y10_at<const T> (p.add, image, y, x + t) + channel);
  }

  y10_depthwise_sum<T, SIZE, STRIDE, TILE, ROWS> (
      p.in,
      [&] (int pixel) {
        return y10_load_raw<T, 8> (in + (long long) pixel * p.in.pixel);
      },
      weight, p.out.channels, y * STRIDE - p.pad, x * STRIDE - p.pad, sum);
#pragma unroll
  for (int t = 0; t < TILE; t++)
    if (x + t < p.out.width) {
      if (TILE == 1)
        y10_finish8<T> (sum[t], p.silu, p.add.data != NULL, add[t], p.out,
            p.out_float, image, y, x + t, channel);
      else
        y10_epilogue8<T> (sum[t], p.silu, p.add, p.out, p.out_float, image, y,
            x + t, channel);
    }
}

/* Any kernel and stride. */
template <typename T>
__device__ __forceinline__ void
y10_depthwise_any (const Y10KDepthwise &p, int image, int y, int x, int channel)
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
              + channel,
          k);
#pragma unroll
      for (int c = 0; c < 8; c++)
        sum[c] += v[c] * k[c];
    }
  y10_epilogue8<T> (sum, p.silu, p.add, p.out, p.out_float, image, y, x,
      channel);
}

template <typename T, int SIZE, int STRIDE, int TILE>
__device__ __forceinline__ void
y10_depthwise_tiled (const Y10KDepthwise &p, int tile, int image, int y, int x,
    int channel)
{
  /* A 16-bit 3×3 fits into registers whole. */
  if (tile == 1)
    y10_depthwise_row<T, SIZE, STRIDE, 1,
        SIZE == 3 && sizeof (T) == 2 ? 3 : 1> (p, image, y, x, channel);
  else
    y10_depthwise_row<T, SIZE, STRIDE, TILE, 1> (p, image, y, x, channel);
}

template <typename T>
__device__ __forceinline__ void
y10_depthwise (const Y10KDepthwise &p)
{
  const unsigned int tile = (unsigned int) y10_depthwise_tile (&p);
  const unsigned int groups = (unsigned int) p.out.channels / 8;
  const unsigned int tiles = ((unsigned int) p.out.width + tile - 1) / tile;
  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned int at = i / groups;
  const int channel = (int) (i - at * groups) * 8, image = (int) blockIdx.y;
  const int y = (int) (at / tiles), x = (int) (at % tiles * tile);

  if (y >= p.out.height)
    return;
  if (p.kernel == 3 && p.stride == 1)
    y10_depthwise_tiled<T, 3, 1, Y10_DEPTHWISE_TILE_3> (p, (int) tile, image, y,
        x, channel);
  else if (p.kernel == 3 && p.stride == 2)
    y10_depthwise_tiled<T, 3, 2, Y10_DEPTHWISE_TILE_3> (p, (int) tile, image, y,
        x, channel);
  else if (p.kernel == 7 && p.stride == 1)
    y10_depthwise_tiled<T, 7, 1, Y10_DEPTHWISE_TILE_7> (p, (int) tile, image, y,
        x, channel);
  else
    y10_depthwise_any<T> (p, image, y, x, channel);
}

/* clang-format off */
Y10_KERNEL_OF_TYPE (depthwise, Depthwise, f32, float, Y10_DEPTHWISE_THREADS, 3)
Y10_KERNEL_OF_TYPE (depthwise, Depthwise, f16, __half, Y10_DEPTHWISE_THREADS, 4)
/* clang-format on */
Y10_KERNEL_OF_TYPE (depthwise, Depthwise, bf16, __nv_bfloat16,
    Y10_DEPTHWISE_THREADS, 4)
