/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The sums of a depthwise convolution, for the kernel that stores them and for the one
 * that multiplies them on (separable.cu): the same operations in the same order, so
 * that both have the same bits. */

#include "types.cuh"

/* Adds the products to @sum: 8 channels of TILE adjacent outputs, the first of which
 * reads from @x0 and @y0 of @view on. @load (pixel): these channels of a pixel of the
 * image; @weight: of the kernel's first tap, which are @channels apart. SIZE and STRIDE
 * of the kernel, of which ROWS rows are read at a time. Outside the map, zeros are
 * added. */
template <typename T, int SIZE, int STRIDE, int TILE, int ROWS, typename Load>
__device__ __forceinline__ void
y10_depthwise_sum (const Y10KView &view, Load load, const T *weight,
    int channels, int y0, int x0, float (&sum)[TILE][8])
{
  enum
  {
    WIDTH = (TILE - 1) * STRIDE + SIZE
  };

#pragma unroll TILE == 1 && sizeof(T) == 2 ? 2 : 1
  for (int ky = 0; ky < SIZE; ky += ROWS) {
    Y10Raw<T, 8> w[ROWS][SIZE], v[ROWS][WIDTH];

#pragma unroll
    for (int r = 0; r < ROWS; r++) {
      const int in_y = y0 + ky + r;
      const bool inside = in_y >= 0 && in_y < view.height;
      const int row = in_y * view.width;

#pragma unroll
      for (int i = 0; i < WIDTH; i++) {
        v[r][i] = {};
        if (inside && x0 + i >= 0 && x0 + i < view.width)
          v[r][i] = load (row + x0 + i);
      }
#pragma unroll
      for (int kx = 0; kx < SIZE; kx++)
        w[r][kx] = y10_load_raw<T, 8> (
            weight + ((ky + r) * SIZE + kx) * channels);
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
#pragma unroll
      for (int i = 0; i < WIDTH; i++) {
        float values[8];

        y10_unpack (v[r][i], values);
#pragma unroll
        for (int t = 0; t < TILE; t++) {
          if (i >= t * STRIDE && i < t * STRIDE + SIZE) {
            float k[8];

            y10_unpack (w[r][i - t * STRIDE], k);
#pragma unroll
            for (int c = 0; c < 8; c++)
              sum[t][c] += values[c] * k[c];
          }
        }
      }
    }
  }
}
