/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A depthwise convolution, multiplied by the 1×1 that reads it. A block computes the
 * depthwise one of its pixels, all channels of it, into shared memory, while the first
 * weights of the 1×1 are on their way; then one tile of columns after the other. Where it
 * can, it copies all that this reads to shared memory first: few threads are on a
 * multiprocessor, and their registers would not hold enough reads at a time. What
 * is between the two is neither written to memory nor read again, and one launch less
 * is on the way. The chunks of a row are exchanged as those in igemm.cu.
 *
 * The logits of classes are a 1×1 of that: a block that has all columns of its pixels
 * keeps them where it read its input from, and goes on with these weights, which are on
 * their way while it finishes the others. */

#include "depthwise.cuh"
#include "igemm.cuh"
#include "separable.h"

/* 16 bytes to shared memory, in the background where the GPU can; zeros if not @have. */
__device__ __forceinline__ void
y10_separable_copy (char *to, const void *from, bool have)
{
#if __CUDA_ARCH__ >= 800
  y10_copy16 (y10_shared_address (to), from, have);
#else
  *(uint4 *) to = have ? *(const uint4 *) from : make_uint4 (0, 0, 0, 0);
#endif
}

__device__ __forceinline__ void
y10_separable_commit ()
{
#if __CUDA_ARCH__ >= 800
  y10_copies_commit ();
#endif
}

/* Copies what the depthwise outputs of a block read to @to, pixel by pixel. */
template <typename T, int BM, int THREADS>
__device__ __forceinline__ void
y10_separable_stage (const Y10KSeparable &p, char *to)
{
  const int first = (int) blockIdx.x * BM - p.in.width - 1;
  const unsigned int n = (BM + 2 * (unsigned int) (p.in.width + 1))
      * p.groups.by;

#pragma unroll 4
  for (unsigned int i = threadIdx.x; i < n; i += THREADS) {
    const unsigned int at = y10_divide (i, p.groups);
    const int pixel = first + (int) at;
    const bool have = pixel >= 0 && pixel < p.n_pixels;
    const int image = have ? (int) y10_divide ((unsigned int) pixel, p.pixels)
                           : 0;
    const T *from = (const T *) p.in.data + (i - at * p.groups.by) * 8;

    if (have)
      from += image * p.in.image
          + (long long) (pixel - image * (int) p.pixels.by) * p.in.pixel;
    y10_separable_copy (to + i * 16, from, have);
  }
}

/* The depthwise outputs of a block's pixels, RUN adjacent ones a thread. STAGED: their
 * input is in shared memory. */
template <typename T, int BM, int THREADS, int SIZE, int STRIDE, int RUN,
    bool STAGED>
__device__ __forceinline__ void
y10_separable_fill (const Y10KSeparable &p, char *to, const char *staged)
{
  constexpr int ROW = Y10_IGEMM_ROW_BYTES;
  const unsigned int groups = p.groups.by;

#pragma unroll 1
  for (unsigned int i = threadIdx.x; i < BM / RUN * groups; i += THREADS) {
    const unsigned int part = y10_divide (i, p.groups),
                       group = i - part * groups;
    const unsigned int first = part * RUN;
    const unsigned int m = blockIdx.x * BM + first;
    const int channel = (int) group * 8;
    float sum[RUN][8];

    if (m < (unsigned int) p.n_pixels) {
      const int image = (int) y10_divide (m, p.pixels);
      const unsigned int pixel = m - (unsigned int) image * p.pixels.by;
      const int y = (int) y10_divide (pixel, p.width);
      const int x = (int) pixel - y * (int) p.width.by;
      const T *in = y10_at<const T> (p.in, image, 0, 0) + channel;
      /* A staged pixel's place, which begins before the image's first one. */
      const int before = (int) first - (int) pixel + p.in.width + 1;

#pragma unroll
      for (int t = 0; t < RUN; t++)
        y10_load (p.depthwise_bias + channel, sum[t]);
      y10_depthwise_sum<T, SIZE, STRIDE, RUN, RUN == 1 && SIZE == 3 ? 3 : 1> (
          p.in,
          [&] (int at) {
            return STAGED
                ? y10_load_raw<T, 8> ((const T *) (staged
                    + ((before + at) * (int) groups + (int) group) * 16))
                : y10_load_raw<T, 8> (in + (long long) at * p.in.pixel);
          },
          (const T *) p.depthwise + channel, p.in.channels, y * STRIDE - p.pad,
          x * STRIDE - p.pad, sum);
    }
#pragma unroll
    for (int t = 0; t < RUN; t++) {
      const unsigned int row = first + t;

      if (m >= (unsigned int) p.n_pixels) {
#pragma unroll
        for (int c = 0; c < 8; c++)
          sum[t][c] = 0;
      } else if (p.depthwise_silu) {
#pragma unroll
        for (int c = 0; c < 8; c++)
          sum[t][c] = y10_silu<T> (sum[t][c]);
      }
      y10_store_raw<T, 8> ((T *) (to + group / 8 * BM * ROW + row * ROW
                               + (group % 8 ^ (row & 7)) * 16),
          y10_pack (sum[t], T ()));
    }
  }
}

/* Zeros in what the last step has beyond the depth, of so many groups of channels. */
template <typename T, int BM, int THREADS>
__device__ __forceinline__ void
y10_separable_pad (char *to, unsigned int groups, int steps)
{
  const unsigned int n = (unsigned int) steps * 8;

#pragma unroll 1
  for (unsigned int i = threadIdx.x; i < BM * 8; i += THREADS) {
    const unsigned int row = i / 8, group = n - 8 + i % 8;

    if (group >= groups)
      y10_store_raw<T, 8> ((T *) (to + (steps - 1) * BM * Y10_IGEMM_ROW_BYTES
                               + row * Y10_IGEMM_ROW_BYTES
                               + (group % 8 ^ (row & 7)) * 16),
          Y10Raw<T, 8>{});
  }
}

/* BM by BN of the result at a time, WM by WN of it a warp. LAST: logits of it. */
template <typename T, bool LAST, int BM, int BN, int WM, int WN, int STAGES>
__device__ __forceinline__ void
y10_separable (const Y10KSeparable &p)
{
  constexpr int ROW = Y10_IGEMM_ROW_BYTES, CHUNKS = 8, STEP = 64;
  constexpr int THREADS = BM / WM * (BN / WN) * 32, PASS = THREADS / CHUNKS;
  constexpr int PB = BN / PASS, MT = WM / 16, NT = WN / 8, STAGE = BN * ROW;

  static_assert (BN % PASS == 0 && PASS % 8 == 0, "");
  static_assert (WM % 16 == 0 && NT % 4 == 0 && BM % Y10_SEPARABLE_RUN == 0,
      "");
  extern __shared__ uint4 y10_separable_memory[];
  char *const a_memory = (char *) y10_separable_memory,
              *const b_memory = a_memory + p.steps * BM * ROW;
  const unsigned int a_shared = y10_shared_address (a_memory),
                     b_shared = y10_shared_address (b_memory);
  const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
  const int m0 = blockIdx.x * BM, first = blockIdx.y * p.columns;
  const int wm = warp / (BN / WN) * WM, wn = warp % (BN / WN) * WN;
  const int chunk = tid % CHUNKS, row = tid / CHUNKS, depth = p.in.channels;
  const int channels = LAST ? p.middle : p.out.channels;
  const int end = min (first + p.columns, channels);
  const int total = (end - first + BN - 1) / BN * p.steps
      + (LAST ? (p.out.channels + BN - 1) / BN * p.last_steps : 0);

  /* The rows of weights that this thread loads, of the step that is next. */
  const T *b_from = (const T *) p.weight + (long long) (first + row) * depth
      + chunk * 8;
  int b_column = first + row, b_step = 0;
  int b_depth = depth, b_steps = p.steps, b_channels = channels;
  const unsigned int place = (unsigned int) (row * ROW
      + (chunk ^ (row & 7)) * 16);

  auto fetch = [&] (int stage) {
    const bool inside = b_step * STEP + chunk * 8 < b_depth;

#pragma unroll
    for (int i = 0; i < PB; i++) {
      const bool have = inside && b_column + i * PASS < b_channels;

      y10_separable_copy (b_memory + stage * STAGE + i * PASS * ROW + place,
          b_from + (long long) i * PASS * b_depth, have);
    }
    b_from += STEP;
    if (++b_step == b_steps) {
      b_step = 0;
      b_column += BN;
      b_from += (long long) BN * b_depth - b_steps * STEP;
      if (LAST && b_column - row >= b_channels) {
        b_column = row;
        b_depth = p.middle;
        b_steps = p.last_steps;
        b_channels = p.out.channels;
        b_from = (const T *) p.last_weight + (long long) row * b_depth
            + chunk * 8;
      }
    }
  };

  if (p.staged)
    y10_separable_stage<T, BM, THREADS> (p, b_memory + STAGES * STAGE);
  y10_separable_commit ();
#pragma unroll
  for (int s = 0; s < STAGES - 1; s++) {
    if (s < total)
      fetch (s);
    y10_separable_commit ();
  }

  if (depth % STEP)
    y10_separable_pad<T, BM, THREADS> (a_memory, p.groups.by, p.steps);
  if (p.staged) {
#if __CUDA_ARCH__ >= 800
    y10_copies_wait<STAGES - 1> ();
#endif
    __syncthreads ();
    y10_separable_fill<T, BM, THREADS, 3, 1, Y10_SEPARABLE_RUN, true> (p,
        a_memory, b_memory + STAGES * STAGE);
  } else if (!LAST && p.kernel == 7) {
    y10_separable_fill<T, BM, THREADS, 7, 1, 1, false> (p, a_memory, NULL);
  } else if (!LAST && p.stride == 2) {
    y10_separable_fill<T, BM, THREADS, 3, 2, 1, false> (p, a_memory, NULL);
  } else {
    y10_separable_fill<T, BM, THREADS, 3, 1, 1, false> (p, a_memory, NULL);
  }

  float sum[MT][NT][4];
  float2 bias[NT];
  auto load_bias = [&] (const float *from, int n0, int n_channels) {
#pragma unroll
    for (int j = 0; j < NT; j++) {
      const int n = n0 + wn + j * 8 + (lane & 3) * 2;

      bias[j] = n < n_channels ? *(const float2 *) (from + n)
                               : make_float2 (0, 0);
    }
  };
  auto begin = [&] {
#pragma unroll
    for (int i = 0; i < MT; i++)
#pragma unroll
      for (int j = 0; j < NT; j++) {
        sum[i][j][0] = sum[i][j][2] = bias[j].x;
        sum[i][j][1] = sum[i][j][3] = bias[j].y;
      }
  };
  const unsigned int a_row = (unsigned int) ((wm + (lane & 15)) * ROW);
  const unsigned int b_row = (unsigned int) ((wn + (lane & 7) + (lane >> 4) * 8)
      * ROW);
  /* As in igemm.cu: half of a step's matrices or all, then the products. */
  auto multiply = [&] (unsigned int a_at, unsigned int b_at) {
    constexpr int DEPTH = CHUNKS / 2, HELD = MT * NT <= 4 ? DEPTH : DEPTH / 2;
    unsigned int a[HELD][MT][4], b[HELD][NT / 2][4];

#pragma unroll
    for (int k = 0; k < DEPTH + HELD; k++) {
      if (k >= HELD)
        y10_products (Y10Half<T> (), sum, a[k % HELD], b[k % HELD]);
      if (k < DEPTH)
        y10_load_part (a[k % HELD], b[k % HELD], a_at + a_row, b_at + b_row, k,
            lane);
    }
  };
  char *const middle = b_memory + STAGES * STAGE;
  bool is_last = !LAST; /* what is computed is written */
  /* A lane stores 8 channels of a pixel at a time, of one of four columns of 8. */
  auto finish = [&] (int n0) {
#pragma unroll
    for (int i = 0; i < MT; i++)
#pragma unroll
      for (int g = 0; g < NT / 2; g++) {
        const int r = wm + i * 16 + (g & 1) * 8 + (lane >> 2), m = m0 + r;
        const int channel = n0 + wn + (g / 2 * 4 + (lane & 3)) * 8;
        float four[4][2], v[8];

#pragma unroll
        for (int k = 0; k < 4; k++)
#pragma unroll
          for (int c = 0; c < 2; c++)
            four[k][c] = sum[i][g / 2 * 4 + k][2 * (g & 1) + c];
        y10_exchange (four, v, lane);
        if (is_last ? m >= p.n_pixels || channel >= p.out.channels
                    : channel >= channels)
          continue;
        if ((!LAST || !is_last) && p.silu) {
#pragma unroll
          for (int c = 0; c < 8; c++)
            v[c] = y10_silu<T> (v[c]);
        }
        if (!is_last) {
          y10_store_raw<T, 8> ((T *) (middle + channel / 64 * BM * ROW + r * ROW
                                   + (channel / 8 % 8 ^ (r & 7)) * 16),
              y10_pack (v, T ()));
          continue;
        }
        const int image = (int) y10_divide ((unsigned int) m, p.pixels);
        const long long place = image * p.out.image
            + (long long) (m - image * (int) p.pixels.by) * p.out.pixel
            + channel;

        if (LAST)
          y10_store ((float *) p.out.data + place, v);
        else
          y10_store ((T *) p.out.data + place, v);
      }
  };

  unsigned int a_at = a_shared;
  int stage = 0, step = 0, steps = p.steps, n0 = first;

  load_bias (p.bias, n0, channels);
  begin ();
#pragma unroll 1
  for (int k = 0; k < total; k++) {
#if __CUDA_ARCH__ >= 800
    y10_copies_wait<STAGES - 2> ();
#endif
    __syncthreads ();
    if (k + STAGES - 1 < total)
      fetch (stage == 0 ? STAGES - 1 : stage - 1);
    y10_separable_commit ();
    if (step == 0) {
      if (!LAST || (!is_last && n0 + BN < end))
        load_bias (p.bias, n0 + BN, channels);
      else
        load_bias (p.last_bias, is_last ? n0 + BN : 0, p.out.channels);
    }
    multiply (a_at + step * BM * ROW, b_shared + stage * STAGE);
    stage = stage == STAGES - 1 ? 0 : stage + 1;
    if (++step == steps) {
      finish (n0);
      step = 0;
      n0 += BN;
      if (LAST && !is_last && n0 >= end) {
        if (p.middle % STEP)
          y10_separable_pad<T, BM, THREADS> (middle,
              (unsigned int) p.middle / 8, p.last_steps);
        is_last = true;
        a_at = y10_shared_address (middle);
        steps = p.last_steps;
        n0 = 0;
      }
      begin ();
    }
  }
#if __CUDA_ARCH__ >= 800
  y10_copies_wait<0> ();
#endif
}

/* y10_separable_f16_64x32, y10_separable_logits_f16_64x32 and so on. sm_75 has no bf16,
 * and 2 stages. */
#if __CUDA_ARCH__ >= 800
#define Y10_SEPARABLE_DO_80(...) __VA_ARGS__
#define Y10_SEPARABLE_STAGES(n) n
#else
#define Y10_SEPARABLE_DO_80(...)
#define Y10_SEPARABLE_STAGES(n) 2
#endif
#define Y10_SEPARABLE_DO(...) __VA_ARGS__
#define Y10_SEPARABLE_KERNEL(BM, BN, WM, WN, STAGES, suffix, type, LAST, DO) \
  extern "C" __global__ void __launch_bounds__ (BM / WM * (BN / WN) * 32, 4) \
      y10_separable_##suffix##_##BM##x##BN (Y10KSeparable p) \
  { \
    DO (y10_separable<type, LAST, BM, BN, WM, WN, \
        Y10_SEPARABLE_STAGES (STAGES)> (p);) \
  }
#define Y10_SEPARABLE_KERNELS(...) \
  Y10_SEPARABLE_KERNEL (__VA_ARGS__, f16, __half, false, Y10_SEPARABLE_DO) \
  Y10_SEPARABLE_KERNEL (__VA_ARGS__, bf16, __nv_bfloat16, false, \
      Y10_SEPARABLE_DO_80) \
  Y10_SEPARABLE_KERNEL (__VA_ARGS__, logits_f16, __half, true, \
      Y10_SEPARABLE_DO) \
  Y10_SEPARABLE_KERNEL (__VA_ARGS__, logits_bf16, __nv_bfloat16, true, \
      Y10_SEPARABLE_DO_80)
Y10_SEPARABLE_TILES (Y10_SEPARABLE_KERNELS)
