/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The epilogue as a separate kernel, after a convolution that adds only its bias.
 * Each thread handles 8 channels of a pixel. The kernel reads and writes each value
 * once, so it is memory-bound; the accesses of a warp are contiguous. */

#include "epilogue.h"
#include "types.cuh"

template <typename T>
__device__ __forceinline__ void
y10_epilogue (const Y10KEpilogue &p)
{
  int groups = p.out.channels / 8, pixels = p.out.height * p.out.width;
  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  int pixel = (int) (i / groups), channel = (int) (i % groups) * 8;
  int image = (int) blockIdx.y;
  float v[8];

  if (pixel >= pixels)
    return;
  y10_load (y10_at<const T> (p.in, image, 0, pixel) + channel, v);
  y10_epilogue8<T> (v, p.silu, p.add, p.out, p.out_float, image, 0, pixel,
      channel);
}

Y10_TYPED_KERNEL (epilogue, Epilogue, 256)
