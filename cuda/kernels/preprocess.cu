/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Converts a picture to the network's input, with one thread per pixel of the
 * input. Threads read all formats sample by sample, at any alignment:
 * neighbouring reads hit the same cache lines, and most of the traffic is the
 * writes. */

#include "preprocess.cuh"

template <typename T>
static __device__ __forceinline__ void
y10_preprocess (const Y10KPreprocess &p)
{
  const Y10KPicture &picture = p.pictures[blockIdx.z];
  const int x = (int) (blockIdx.x * blockDim.x + threadIdx.x);
  const int y = (int) (blockIdx.y * blockDim.y + threadIdx.y);
  float rgb[3], v[8] = { 0, 0, 0, 0, 0, 0, 0, 0 };
  T *out;

  if (x >= p.out.width || y >= p.out.height)
    return;
  y10_input_pixel (picture, x, y, rgb);
#pragma unroll
  for (int i = 0; i < 3; i++)
    v[i] = rgb[i];
  out = y10_at<T> (p.out, (int) blockIdx.z, y, x);
  y10_store (out, v);
  v[0] = v[1] = v[2] = 0;
  for (int c = 8; c < p.out.channels; c += 8)
    y10_store (out + c, v);
}

Y10_TYPED_KERNEL (preprocess, Preprocess, 256)
