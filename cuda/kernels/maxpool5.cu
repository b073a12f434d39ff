/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* 5×5 maximum, stride 1; outside the picture there is nothing. A thread has 8
 * channels of a pixel; its 25 neighbours come from the caches, where the
 * smallest map of the network lies whole. */

#include "maxpool5.h"
#include "types.cuh"

template <typename T>
__device__ __forceinline__ void
y10_maxpool5 (const Y10KMaxPool5 &p)
{
  int groups = p.out.channels / 8, pixels = p.out.height * p.out.width;
  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  int pixel = (int) (i / groups), channel = (int) (i % groups) * 8;
  int image = (int) blockIdx.y;
  int y = pixel / p.out.width, x = pixel % p.out.width;
  int x0 = max (x - 2, 0), x1 = min (x + 2, p.in.width - 1);
  int y0 = max (y - 2, 0), y1 = min (y + 2, p.in.height - 1);
  float best[8];

  if (pixel >= pixels)
    return;
  y10_load (y10_at<const T> (p.in, image, y, x) + channel, best);
  for (int j = y0; j <= y1; j++) {
    const T *row = y10_at<const T> (p.in, image, j, 0) + channel;

#pragma unroll
    for (int k = -2; k <= 2; k++) {
      float v[8];

      /* Clamped, not skipped: the same pixel twice does no harm. */
      y10_load (row + (long long) min (max (x + k, x0), x1) * p.in.pixel, v);
#pragma unroll
      for (int c = 0; c < 8; c++)
        best[c] = v[c] > best[c] || v[c] != v[c] ? v[c] : best[c];
    }
  }
  y10_store (y10_at<T> (p.out, image, y, x) + channel, best);
}

Y10_TYPED_KERNEL (maxpool5, MaxPool5, 128)
