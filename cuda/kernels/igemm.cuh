/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* What products of matrices on tensor cores have in common. */

#include "igemm.h"
#include "mma.cuh"

__device__ __forceinline__ unsigned int
y10_divide (unsigned int n, const Y10KDivisor &d)
{
  return (__umulhi (n, d.factor) + n) >> d.shift;
}

/* Four lanes have two neighbouring channels each of four groups of eight; afterwards
 * each lane has the eight channels of the group with its number. */
__device__ __forceinline__ void
y10_exchange (const float (&from)[4][2], float (&to)[8], int lane)
{
  const bool odd = lane & 1, high = lane & 2;
  float four[2][4];

#pragma unroll
  for (int s = 0; s < 2; s++)
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const float keep = odd ? from[2 * s + 1][c] : from[2 * s][c];
      const float other = __shfl_xor_sync (~0u,
          odd ? from[2 * s][c] : from[2 * s + 1][c], 1);

      four[s][c] = odd ? other : keep;
      four[s][2 + c] = odd ? keep : other;
    }
#pragma unroll
  for (int c = 0; c < 4; c++) {
    const float keep = high ? four[1][c] : four[0][c];
    const float other = __shfl_xor_sync (~0u, high ? four[0][c] : four[1][c],
        2);

    to[c] = high ? other : keep;
    to[4 + c] = high ? keep : other;
  }
}

/* The matrices of part @k of a step, two chunks of each row. @a_at, @b_at: a lane's first
 * rows of pixels and of weights; the row's number exchanges the chunks. */
template <int MT, int NB>
__device__ __forceinline__ void
y10_load_part (unsigned int (&a)[MT][4], unsigned int (&b)[NB][4],
    unsigned int a_at, unsigned int b_at, int k, int lane)
{
  constexpr int ROW = Y10_IGEMM_ROW_BYTES;
  const unsigned int a_chunk = (unsigned int) ((k * 2 + (lane >> 4))
                                   ^ (lane & 7))
      * 16;
  const unsigned int b_chunk = (unsigned int) ((k * 2 + (lane >> 3 & 1))
                                   ^ (lane & 7))
      * 16;

#pragma unroll
  for (int i = 0; i < MT; i++)
    y10_load_matrix4 (a[i], a_at + i * 16 * ROW + a_chunk);
#pragma unroll
  for (int j = 0; j < NB; j++)
    y10_load_matrix4 (b[j], b_at + j * 16 * ROW + b_chunk);
}

/* How products are computed: 16-bit numbers in their type, floats rounded to tf32, or
 * floats as they are: as the sum of what tf32 holds of a number and of the rest, the
 * product of the rests being less than what a float holds. */
struct Y10Tf32
{
  typedef float Type;
};
struct Y10Fp32
{
  typedef float Type;
};
template <typename T> struct Y10Half
{
  typedef T Type;
};

/* Products of a part of a step: of 16-bit numbers 16, of floats 8 of the depth. */
template <typename T, int MT, int NT>
__device__ __forceinline__ void
y10_products (Y10Half<T>, float (&sum)[MT][NT][4],
    const unsigned int (&a)[MT][4], const unsigned int (&b)[NT / 2][4])
{
#pragma unroll
  for (int i = 0; i < MT; i++)
#pragma unroll
    for (int j = 0; j < NT; j++)
      y10_mma (sum[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1],
          T ());
}

#if __CUDA_ARCH__ >= 800
template <int N>
__device__ __forceinline__ void
y10_round (unsigned int (&to)[N][4], unsigned int (&rest)[N][4],
    const unsigned int (&from)[N][4])
{
#pragma unroll
  for (int i = 0; i < N; i++)
#pragma unroll
    for (int k = 0; k < 4; k++) {
      to[i][k] = y10_tf32 (__uint_as_float (from[i][k]));
      rest[i][k] = y10_tf32 (
          __uint_as_float (from[i][k]) - __uint_as_float (to[i][k]));
    }
}

template <int MT, int NT>
__device__ __forceinline__ void
y10_products (Y10Tf32, float (&sum)[MT][NT][4], const unsigned int (&a)[MT][4],
    const unsigned int (&b)[NT / 2][4])
{
  unsigned int x[MT][4], y[NT / 2][4], none[MT][4], none_b[NT / 2][4];

  y10_round (x, none, a);
  y10_round (y, none_b, b);
#pragma unroll
  for (int i = 0; i < MT; i++)
#pragma unroll
    for (int j = 0; j < NT; j++)
      y10_mma_tf32 (sum[i][j], x[i], y[j / 2][j % 2 * 2],
          y[j / 2][j % 2 * 2 + 1]);
}

/* The small ones first. Tensor cores round sums toward zero, each time by up to a unit of the
 * last place, which a deep sum would not bear: these stay among the products of eight
 * numbers, whose sum is then added as floats are. */
template <int MT, int NT>
__device__ __forceinline__ void
y10_products (Y10Fp32, float (&sum)[MT][NT][4], const unsigned int (&a)[MT][4],
    const unsigned int (&b)[NT / 2][4])
{
  unsigned int x[MT][4], y[NT / 2][4], x_rest[MT][4], y_rest[NT / 2][4];

  y10_round (x, x_rest, a);
  y10_round (y, y_rest, b);
#pragma unroll
  for (int i = 0; i < MT; i++)
#pragma unroll
    for (int j = 0; j < NT; j++) {
      float eight[4] = { 0, 0, 0, 0 };

#pragma unroll
      for (int part = 0; part < 3; part++) {
        const unsigned int (&column)[4] = part == 1 ? y_rest[j / 2] : y[j / 2];

        y10_mma_tf32 (eight, part == 0 ? x_rest[i] : x[i], column[j % 2 * 2],
            column[j % 2 * 2 + 1]);
      }
#pragma unroll
      for (int k = 0; k < 4; k++)
        sum[i][j][k] += eight[k];
    }
}
#endif
