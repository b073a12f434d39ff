/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Max pooling is separable, and repeated pooling equals one pool over a larger
 * square. A block reads 8 channels of its tile and the surrounding pixels once,
 * and then pools rows and columns up to three times, on a shrinking square.
 * Pixels outside the picture are the lowest number. A maximum at such a position
 * covers no pixel that the neighbours inside do not cover, so it does no harm. */

#include "maxpool5.h"
#include "types.cuh"

enum
{
  TILE = Y10_MAXPOOL5_TILE,
  SIDE = TILE + 4 * Y10_MAXPOOL5_MAX,
};

/* Maximum of 5 vectors of 8 channels, @step apart. */
template <typename T>
__device__ __forceinline__ Y10Raw<T, 8>
y10_maximum5 (const Y10Raw<T, 8> *from, int step)
{
  float best[8];

  y10_unpack (from[0], best);
#pragma unroll
  for (int k = 1; k < 5; k++) {
    float v[8];

    y10_unpack (from[k * step], v);
#pragma unroll
    for (int c = 0; c < 8; c++)
      best[c] = v[c] > best[c] || v[c] != v[c] ? v[c] : best[c];
  }
  return y10_pack (best, T ());
}

template <typename T>
__device__ __forceinline__ void
y10_maxpool5 (const Y10KMaxPool5 &p)
{
  __shared__ Y10Raw<T, 8> pixels[SIDE * SIDE], rows[SIDE * SIDE];
  int tiles = (p.in.width + TILE - 1) / TILE;
  int x0 = (int) blockIdx.x % tiles * TILE,
      y0 = (int) blockIdx.x / tiles * TILE;
  int channel = (int) blockIdx.y * 8, image = (int) blockIdx.z;
  int side = TILE + 4 * p.n, reach = 2 * p.n;

  for (int i = (int) threadIdx.x; i < side * side; i += (int) blockDim.x) {
    int y = y0 - reach + i / side, x = x0 - reach + i % side;
    Y10Raw<T, 8> v;

    if (y >= 0 && y < p.in.height && x >= 0 && x < p.in.width) {
      v = y10_load_raw<T, 8> (y10_at<const T> (p.in, image, y, x) + channel);
    } else {
      float lowest[8];

#pragma unroll
      for (int c = 0; c < 8; c++)
        lowest[c] = __uint_as_float (0xff800000u);
      v = y10_pack (lowest, T ());
    }
    pixels[i / side * SIDE + i % side] = v;
  }
  __syncthreads ();
  for (int k = 0; k < p.n; k++) {
    int next = side - 4;

    for (int i = (int) threadIdx.x; i < side * next; i += (int) blockDim.x) {
      int at = i / next * SIDE + i % next;

      rows[at] = y10_maximum5<T> (pixels + at, 1);
    }
    __syncthreads ();
    side = next;
    reach -= 2;
    for (int i = (int) threadIdx.x; i < side * side; i += (int) blockDim.x) {
      int at = i / side * SIDE + i % side;
      int ty = i / side - reach, tx = i % side - reach;
      Y10Raw<T, 8> v = y10_maximum5<T> (rows + at, SIDE);

      pixels[at] = v;
      if (ty >= 0 && ty < TILE && y0 + ty < p.in.height && tx >= 0 && tx < TILE
          && x0 + tx < p.in.width)
        y10_store_raw (y10_at<T> (p.out[k], image, y0 + ty, x0 + tx) + channel,
            v);
    }
    __syncthreads ();
  }
}

Y10_TYPED_KERNEL (maxpool5, MaxPool5, 256)
