/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A block reads the pixels under its tile of the output once, and rounds them as
 * if they had been stored. Columns of even and odd number lie apart, so that a
 * warp, whose outputs are two columns apart, reads neighbouring words. A thread
 * computes four outputs, one below the other, of eight channels at a time: nine
 * pixels of a column serve twelve products each. Two warps share a row of outputs
 * and take turns at its channels. */

#include "preprocess.cuh"
#include "stem.h"

enum
{
  STEM_ROWS = 4,                             /* outputs of a thread */
  STEM_GROUPS = Y10_STEM_HEIGHT / STEM_ROWS, /* of rows */
  STEM_WARPS = Y10_STEM_WARPS,
  STEM_HEIGHT = 2 * Y10_STEM_HEIGHT + 1, /* pixels under a tile */
  STEM_WIDTH = 2 * Y10_STEM_WIDTH + 1,
  STEM_ODD = Y10_STEM_WIDTH + 1, /* where odd columns begin */
};

/* The input's pixel as the convolution reads it: zero outside. */
template <typename T>
static __device__ __forceinline__ void
y10_stem_pixel (const Y10KStem &p, const Y10KPicture &picture, int x, int y,
    float (&rgb)[3])
{
  float v[4] = { 0, 0, 0, 0 };

  rgb[0] = rgb[1] = rgb[2] = 0;
  if (x < 0 || x >= p.width || y < 0 || y >= p.height)
    return;
  y10_input_pixel (picture, x, y, rgb);
#pragma unroll
  for (int i = 0; i < 3; i++)
    v[i] = rgb[i];
  y10_unpack (y10_pack (v, T ()), v);
#pragma unroll
  for (int i = 0; i < 3; i++)
    rgb[i] = v[i];
}

template <typename T>
__device__ __forceinline__ void
y10_stem (const Y10KStem &p)
{
  __shared__ float pixels[3][STEM_HEIGHT][STEM_WIDTH];
  __shared__ __align__ (16) float weights[27][Y10_STEM_MAX_CHANNELS];
  const Y10KPicture &picture = p.pictures[blockIdx.z];
  const int lane = (int) threadIdx.x, warp = (int) threadIdx.y;
  const int thread = warp * 32 + lane, group = warp % STEM_GROUPS;
  const int x0 = (int) blockIdx.x * Y10_STEM_WIDTH;
  const int y0 = (int) blockIdx.y * Y10_STEM_HEIGHT;
  const int channels = p.out.channels, image = (int) blockIdx.z;

  for (int i = thread; i < 9 * channels; i += 32 * STEM_WARPS) {
    const int channel = i / 9, tap = i % 9;
    float w[8];

    y10_load ((const T *) p.weight + i * 8, w);
#pragma unroll
    for (int c = 0; c < 3; c++)
      weights[tap * 3 + c][channel] = w[c];
  }
  for (int row = warp; row < STEM_HEIGHT; row += STEM_WARPS) {
#pragma unroll
    for (int odd = 0; odd < 2; odd++) {
      float rgb[3];

      y10_stem_pixel<T> (p, picture, 2 * (x0 + lane) - 1 + odd,
          2 * y0 - 1 + row, rgb);
#pragma unroll
      for (int c = 0; c < 3; c++)
        pixels[c][row][odd * STEM_ODD + lane] = rgb[c];
    }
  }
  for (int row = thread; row < STEM_HEIGHT; row += 32 * STEM_WARPS) {
    float rgb[3];

    y10_stem_pixel<T> (p, picture, 2 * (x0 + Y10_STEM_WIDTH) - 1,
        2 * y0 - 1 + row, rgb);
#pragma unroll
    for (int c = 0; c < 3; c++)
      pixels[c][row][Y10_STEM_WIDTH] = rgb[c];
  }
  __syncthreads ();

  for (int channel = warp / STEM_GROUPS * 8; channel < channels;
       channel += STEM_WARPS / STEM_GROUPS * 8) {
    float sum[STEM_ROWS][8];

    y10_load (p.bias + channel, sum[0]);
#pragma unroll
    for (int j = 1; j < STEM_ROWS; j++) {
#pragma unroll
      for (int o = 0; o < 8; o++)
        sum[j][o] = sum[0][o];
    }
#pragma unroll 1
    for (int c = 0; c < 3; c++) {
#pragma unroll
      for (int kx = 0; kx < 3; kx++) {
        const float *from = &pixels[c][2 * STEM_ROWS * group]
                                   [kx % 2 * STEM_ODD + lane + kx / 2];
        float v[2 * STEM_ROWS + 1];

#pragma unroll
        for (int r = 0; r < 2 * STEM_ROWS + 1; r++)
          v[r] = from[r * STEM_WIDTH];
#pragma unroll
        for (int ky = 0; ky < 3; ky++) {
          float w[8];

          y10_load (&weights[(ky * 3 + kx) * 3 + c][channel], w);
#pragma unroll
          for (int j = 0; j < STEM_ROWS; j++) {
#pragma unroll
            for (int o = 0; o < 8; o++)
              sum[j][o] += v[2 * j + ky] * w[o];
          }
        }
      }
    }
#pragma unroll
    for (int j = 0; j < STEM_ROWS; j++) {
      const int x = x0 + lane, y = y0 + group * STEM_ROWS + j;

      if (x >= p.out.width || y >= p.out.height)
        continue;
      if (p.silu) {
#pragma unroll
        for (int o = 0; o < 8; o++)
          sum[j][o] = y10_silu<T> (sum[j][o]);
      }
      y10_store (y10_at<T> (p.out, image, y, x) + channel, sum[j]);
    }
  }
}

Y10_TYPED_KERNEL (stem, Stem, 256, 3)
