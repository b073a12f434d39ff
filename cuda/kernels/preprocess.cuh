/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* A pixel of the network's input, from the picture that is letterboxed into it. */

#include "preprocess.h"
#include "types.cuh"

/* Returns v / 255 for v from 0 to 255, correctly rounded, without a division. */
static __device__ __forceinline__ float
y10_unit (int v)
{
  const float inverse = 1.0f / 255.0f, q = (float) v * inverse;

  return __fmaf_rn (__fmaf_rn (-255.0f, q, (float) v), inverse, q);
}

static __device__ __forceinline__ int
y10_sample (const Y10KPicture &p, int component, int x, int y)
{
  const Y10KComponent &c = p.component[component];
  const unsigned char *at = p.plane[c.plane]
      + (y >> c.yshift) * p.stride[c.plane]
      + (long long) (x >> c.xshift) * c.step + c.offset;

  /* P010: little endian, the value in the upper 10 bits. */
  return p.sample_size == 2 ? (at[0] | at[1] << 8) >> 6 : at[0];
}

static __device__ __forceinline__ int
y10_clip (int v)
{
  return min (max (v >> 20, 0), 255);
}

/* Returns pixel x, y of the region as 8-bit R'G'B'. */
static __device__ __forceinline__ void
y10_pixel (const Y10KPicture &p, int x, int y, int (&rgb)[3])
{
  const int a = y10_sample (p, 0, p.x + x, p.y + y);
  const int b = y10_sample (p, 1, p.x + x, p.y + y);
  const int c = y10_sample (p, 2, p.x + x, p.y + y);

  if (p.yuv) {
    const int luma = p.color[0] * a;

    rgb[0] = y10_clip (luma + p.color[1] * c + p.color[5]);
    rgb[1] = y10_clip (luma + p.color[2] * b + p.color[3] * c + p.color[6]);
    rgb[2] = y10_clip (luma + p.color[4] * b + p.color[7]);
  } else {
    rgb[0] = a;
    rgb[1] = b;
    rgb[2] = c;
  }
}

/* Blends in OpenCV's fixed point: weights have 11 bits per direction, of which
 * columns keep 7 and rows 2. Pixels with weight 0 are not read. */
static __device__ __forceinline__ void
y10_blend (const Y10KPicture &p, const Y10KTap &column, const Y10KTap &row,
    int (&rgb)[3])
{
  int sum[3] = { 2, 2, 2 };

#pragma unroll
  for (int j = 0; j < 2; j++) {
    int h[3] = { 0, 0, 0 };

    if (row.weight[j] == 0)
      continue;
#pragma unroll
    for (int i = 0; i < 2; i++) {
      int pixel[3];

      if (column.weight[i] == 0)
        continue;
      y10_pixel (p, (int) column.pos[i], (int) row.pos[j], pixel);
      for (int k = 0; k < 3; k++)
        h[k] += pixel[k] * column.weight[i];
    }
    for (int k = 0; k < 3; k++)
      sum[k] += (row.weight[j] * (h[k] >> 4)) >> 16;
  }
  for (int k = 0; k < 3; k++)
    rgb[k] = sum[k] >> 2 & 255;
}

/* Reads a float at any alignment. */
static __device__ __forceinline__ float
y10_float_at (const unsigned char *at)
{
  if (((unsigned long long) at & 3) == 0)
    return *(const float *) at;
  return __uint_as_float (
      at[0] | at[1] << 8 | at[2] << 16 | (unsigned int) at[3] << 24);
}

/* Returns pixel x, y of the input as floats. */
static __device__ __forceinline__ void
y10_input_pixel (const Y10KPicture &p, int x, int y, float (&v)[3])
{
  const int left = x - p.left, top = y - p.top;
  int rgb[3] = { 114, 114, 114 };

  if (p.sample_size == 4) {
#pragma unroll
    for (int i = 0; i < 3; i++)
      v[i] = y10_float_at (
          p.plane[i] + (p.y + y) * p.stride[i] + (p.x + x) * 4LL);
    return;
  }
  if (left >= 0 && left < p.width && top >= 0 && top < p.height)
    y10_blend (p, p.column[left], p.row[top], rgb);
#pragma unroll
  for (int i = 0; i < 3; i++)
    v[i] = y10_unit (rgb[i]);
}
