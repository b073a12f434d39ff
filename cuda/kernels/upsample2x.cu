/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Nearest neighbour: reads 8 channels of a pixel once and writes them four times,
 * without conversion. */

#include "upsample2x.h"
#include "types.cuh"

template <typename T>
__device__ __forceinline__ void
y10_upsample2x (const Y10KUpsample2x &p)
{
  int groups = p.in.channels / 8, pixels = p.in.height * p.in.width;
  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  int pixel = (int) (i / groups), channel = (int) (i % groups) * 8;
  int image = (int) blockIdx.y;
  int y = pixel / p.in.width, x = pixel % p.in.width;
  Y10Raw<T, 8> raw;

  if (pixel >= pixels)
    return;
  raw = y10_load_raw<T, 8> (y10_at<const T> (p.in, image, y, x) + channel);
#pragma unroll
  for (int k = 0; k < 4; k++)
    y10_store_raw<T, 8> (y10_at<T> (p.out, image, 2 * y + k / 2, 2 * x + k % 2)
            + channel,
        raw);
}

Y10_TYPED_KERNEL (upsample2x, Upsample2x, 128)
