/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Convolutions on tensor cores. A network of one image has about one block for each
 * multiprocessor, so what counts is how long one block takes: all of its stages are on
 * their way before anything else happens, the bias waits in the sums, and a step has
 * neither division nor bounds beyond a bit for each tap of the kernel.
 *
 * A row of a step is 64 numbers, 8 chunks of 16 bytes, whose places are exchanged by
 * the row's number so that no bank is met twice. A thread always loads the same chunk
 * of its rows, so that it follows one place in the depth. */

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
    const float other = __shfl_xor_sync (~0u, high ? four[0][c] : four[1][c], 2);

    to[c] = high ? other : keep;
    to[4 + c] = high ? keep : other;
  }
}

/* BM by BN of the result, WM by WN of it a warp. */
template <typename T, int BM, int BN, int WM, int WN, int STAGES, int SIZE>
__device__ __forceinline__ void
y10_igemm (const Y10KIgemm &p)
{
  constexpr int CHUNKS = Y10_IGEMM_STEP / 8, THREADS = BM / WM * (BN / WN) * 32;
  constexpr int PASS = THREADS / CHUNKS;        /* rows */
  constexpr int PA = BM / PASS, PB = BN / PASS, MT = WM / 16, NT = WN / 8;
  constexpr int ROW = Y10_IGEMM_ROW_BYTES, STAGE = (BM + BN) * ROW;

  static_assert (BM % PASS == 0 && BN % PASS == 0 && PASS % 8 == 0, "");
  static_assert (WM % 16 == 0 && WN % 16 == 0 && (NT == 2 || NT % 4 == 0), "");
  extern __shared__ uint4 y10_igemm_shared[];
  const unsigned int shared = y10_shared_address (y10_igemm_shared);
  const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
  const int m0 = blockIdx.x * BM, n0 = blockIdx.y * BN;
  const int wm = warp / (BN / WN) * WM, wn = warp % (BN / WN) * WN;
  const int chunk = tid % CHUNKS, row = tid / CHUNKS, channels = p.in.channels;
  const T *const in = (const T *) p.in.data;

  /* What this thread loads: rows of pixels, a bit for each tap that is inside of the
   * picture, and rows of weights. */
  const T *a_from[PA], *b_from[PB];
  unsigned int a_taps[PA], b_have = 0;

#pragma unroll
  for (int i = 0; i < PB; i++) {
    const int n = n0 + row + i * PASS;

    b_from[i] = (const T *) p.weight + (long long) n * p.depth + chunk * 8;
    b_have |= (n < p.out.channels) << i;
  }
#pragma unroll
  for (int i = 0; i < PA; i++) {
    const int m = m0 + row + i * PASS;
    const int image = (int) y10_divide ((unsigned int) m, p.pixels);
    const int pixel = m - image * (int) p.pixels.by;
    const int out_y = (int) y10_divide ((unsigned int) pixel, p.width);
    const int y = out_y * p.stride - p.pad;
    const int x = (pixel - out_y * (int) p.width.by) * p.stride - p.pad;

    a_from[i] = in + image * p.in.image + (long long) (y * p.in.width + x) * p.in.pixel;
    a_taps[i] = 0;
    if (m < p.n_pixels) {
#pragma unroll
      for (int ky = 0; ky < SIZE; ky++)
#pragma unroll
        for (int kx = 0; kx < SIZE; kx++)
          a_taps[i] |= (unsigned int) ((unsigned int) (y + ky) < (unsigned int) p.in.height
              && (unsigned int) (x + kx) < (unsigned int) p.in.width) << (ky * SIZE + kx);
    }
  }

  int tap = 0, channel = chunk * 8;     /* of the step that is fetched next */

  while (channel >= channels) {
    channel -= channels;
    tap++;
  }
  auto offset = [&] {
    const int ky = SIZE == 1 ? 0 : tap * 11 >> 5, kx = SIZE == 1 ? 0 : tap - 3 * ky;

    return (SIZE == 1 ? 0 : (ky * p.in.width + kx) * p.in.pixel) + channel;
  };
  auto advance = [&] {
    tap += p.step_taps;
    channel += p.step_channels;
    if (channel >= channels) {
      channel -= channels;
      tap++;
    }
#pragma unroll
    for (int i = 0; i < PB; i++)
      b_from[i] += Y10_IGEMM_STEP;
  };
  const unsigned int place = (unsigned int) (row * ROW + (chunk ^ (row & 7)) * 16);

  float sum[MT][NT][4];
  auto begin_sums = [&] {
#pragma unroll
    for (int j = 0; j < NT; j++) {
      const int n = n0 + wn + j * 8 + (lane & 3) * 2;
      const float2 bias = n < p.out.channels ? *(const float2 *) (p.bias + n)
          : make_float2 (0, 0);

#pragma unroll
      for (int i = 0; i < MT; i++) {
        sum[i][j][0] = sum[i][j][2] = bias.x;
        sum[i][j][1] = sum[i][j][3] = bias.y;
      }
    }
  };
  const unsigned int a_row = (unsigned int) ((wm + (lane & 15)) * ROW);
  const unsigned int b_row = (unsigned int) ((BM + wn + (lane & 7) + (lane >> 4) * 8) * ROW);
  auto multiply = [&] (unsigned int at) {
#pragma unroll
    for (int k = 0; k < CHUNKS / 2; k++) {
      const unsigned int a_chunk = (unsigned int) ((k * 2 + (lane >> 4)) ^ (lane & 7)) * 16;
      const unsigned int b_chunk = (unsigned int) ((k * 2 + (lane >> 3 & 1)) ^ (lane & 7)) * 16;
      unsigned int a[MT][4], b[NT / 2][4];

#pragma unroll
      for (int i = 0; i < MT; i++)
        y10_load_matrix4 (a[i], at + a_row + i * 16 * ROW + a_chunk);
#pragma unroll
      for (int j = 0; j < NT / 2; j++)
        y10_load_matrix4 (b[j], at + b_row + j * 16 * ROW + b_chunk);
#pragma unroll
      for (int i = 0; i < MT; i++)
#pragma unroll
        for (int j = 0; j < NT; j++)
          y10_mma (sum[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1], T ());
    }
  };

#if __CUDA_ARCH__ >= 800
  auto fetch = [&] (unsigned int at) {
    const bool have = tap < SIZE * SIZE;
    const int from = offset ();

#pragma unroll
    for (int i = 0; i < PB; i++)
      y10_copy16 (at + BM * ROW + i * PASS * ROW + place, have && b_have >> i & 1 ? b_from[i] : in,
          have && b_have >> i & 1);
#pragma unroll
    for (int i = 0; i < PA; i++)
      y10_copy16 (at + i * PASS * ROW + place, a_taps[i] >> tap & 1 ? a_from[i] + from : in,
          a_taps[i] >> tap & 1);
    advance ();
  };
  unsigned int from = shared, to = shared + (STAGES - 1) * STAGE;

#pragma unroll
  for (int s = 0; s < STAGES - 1; s++) {
    if (s < p.steps)
      fetch (shared + s * STAGE);
    y10_copies_commit ();
  }
  begin_sums ();
  for (int k = 0; k < p.steps; k++) {
    y10_copies_wait<STAGES - 2> ();
    __syncthreads ();
    if (k + STAGES - 1 < p.steps)
      fetch (to);
    y10_copies_commit ();
    multiply (from);
    to = from;
    from = from == shared + (STAGES - 1) * STAGE ? shared : from + STAGE;
  }
  y10_copies_wait<0> ();
#else
  /* Registers hold the next step while this one is computed. */
  uint4 a_next[PA], b_next[PB];
  auto fetch = [&] {
    const bool have = tap < SIZE * SIZE;
    const int from = offset ();

#pragma unroll
    for (int i = 0; i < PB; i++)
      b_next[i] = have && b_have >> i & 1 ? *(const uint4 *) b_from[i] : make_uint4 (0, 0, 0, 0);
#pragma unroll
    for (int i = 0; i < PA; i++)
      a_next[i] = a_taps[i] >> tap & 1 ? *(const uint4 *) (a_from[i] + from)
          : make_uint4 (0, 0, 0, 0);
    advance ();
  };

  fetch ();
  begin_sums ();
  for (int k = 0; k < p.steps; k++) {
    char *to = (char *) y10_igemm_shared + (k & 1) * STAGE + place;

#pragma unroll
    for (int i = 0; i < PA; i++)
      *(uint4 *) (to + i * PASS * ROW) = a_next[i];
#pragma unroll
    for (int i = 0; i < PB; i++)
      *(uint4 *) (to + (BM + i * PASS) * ROW) = b_next[i];
    __syncthreads ();
    if (k + 1 < p.steps)
      fetch ();
    multiply (shared + (k & 1) * STAGE);
  }
#endif

  /* A lane takes 8 channels of a pixel at a time: of one of four columns of 8, or of
   * two, and of two rows. */
#pragma unroll
  for (int i = 0; i < MT; i++)
#pragma unroll
    for (int g = 0; g < NT / 2; g++) {
      float four[4][2], v[8];

#pragma unroll
      for (int k = 0; k < 4; k++) {
        const int h = NT == 2 ? k / 2 : g & 1, j = NT == 2 ? k % 2 : g / 2 * 4 + k;

        four[k][0] = sum[i][j][2 * h];
        four[k][1] = sum[i][j][2 * h + 1];
      }
      y10_exchange (four, v, lane);

      const int h = NT == 2 ? lane >> 1 & 1 : g & 1;
      const int j = NT == 2 ? lane & 1 : g / 2 * 4 + (lane & 3);
      const int m = m0 + wm + i * 16 + h * 8 + (lane >> 2), n = n0 + wn + j * 8;
      const int image = (int) y10_divide ((unsigned int) m, p.pixels);

      if (m < p.n_pixels && n < p.out.channels)
        y10_epilogue8<T> (v, p.silu, p.add, p.out, p.out_float, image, 0,
            m - image * (int) p.pixels.by, n);
    }
}

/* y10_igemm_f16_64x32_k3 and so on. */
#define Y10_IGEMM_KERNEL(BM, BN, WM, WN, STAGES, type, T, SIZE) \
  extern "C" __global__ void __launch_bounds__ (BM / WM * (BN / WN) * 32) \
  y10_igemm_##type##_##BM##x##BN##_k##SIZE (Y10KIgemm p) \
  { \
    y10_igemm<T, BM, BN, WM, WN, STAGES, SIZE> (p); \
  }
#define Y10_IGEMM_F16(...) \
  Y10_IGEMM_KERNEL (__VA_ARGS__, f16, __half, 1) \
  Y10_IGEMM_KERNEL (__VA_ARGS__, f16, __half, 3)
Y10_IGEMM_TILES (Y10_IGEMM_F16)
