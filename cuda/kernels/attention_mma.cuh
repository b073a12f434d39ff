/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Attention on tensor cores, for 16-bit types from sm_80 on; attention.cu includes this
 * file there only. A block has the same queries as in attention.cu, and each warp all of
 * them: the warps share the keys, 32 at a time, and combine their sums at the end. The
 * weights are rounded to the activations' type, everything else is in floats.
 *
 * No data pass through shared memory before the end. The order of what is summed up
 * is free, and so is that of the values' channels, as long as both factors have the
 * same: so a thread can read 8 channels at a time, and they are where the instruction
 * mma expects them. In the names of ISA: a thread is g = lane / 4, t = lane % 4 and has
 * rows g and g + 8 of the queries. Keys: channels 8 t to 8 t + 7 of key g. Values:
 * channels 8 g to 8 g + 7 of positions 2 t, 2 t + 1, 2 t + 8, 2 t + 9; the result has
 * channels 16 t to 16 t + 15. */

#include "mma.cuh"

/* 8 channels from @first on of a position; zero beyond @channels and n. */
template <typename T>
__device__ __forceinline__ Y10Raw<T, 8>
y10_mma_read (const T *from, int position, int n, int pixel, int first,
    int channels)
{
  Y10Raw<T, 8> raw = {};

  if (position < n && first < channels)
    raw = y10_load_raw<T, 8> (from + position * pixel + first);
  return raw;
}

/* Those of four positions, as mma pairs them. */
template <typename T>
__device__ __forceinline__ void
y10_mma_positions (Y10Raw<T, 8> (&to)[4], const T *from, int pixel,
    int position, int n, int first, int channels)
{
#pragma unroll
  for (int i = 0; i < 4; i++)
    to[i] = y10_mma_read<T> (from, position + i % 2 + i / 2 * 8, n, pixel,
        first, channels);
}

/* The largest of a row's values, which four threads have. */
__device__ __forceinline__ float
y10_mma_max (float x)
{
  x = fmaxf (x, __shfl_xor_sync (0xffffffffu, x, 1));
  return fmaxf (x, __shfl_xor_sync (0xffffffffu, x, 2));
}

__device__ __forceinline__ float
y10_mma_sum (float x)
{
  x += __shfl_xor_sync (0xffffffffu, x, 1);
  return x + __shfl_xor_sync (0xffffffffu, x, 2);
}

/* Scores of the block's queries with 32 keys from @at on: of row g the values 0 and 1 of
 * each of four groups of 8 keys, of row g + 8 the values 2 and 3. -inf from key n on.
 * @q: PARTS of 32 channels. */
template <typename T, int PARTS>
__device__ __forceinline__ void
y10_mma_scores (float (&score)[4][4], const Y10Raw<T, 8> (&q)[PARTS][2],
    const T *k, int pixel, int at, int n, int key_dims, float scale)
{
  const int g = (int) threadIdx.x % 32 / 4, t = (int) threadIdx.x % 4;
  Y10Raw<T, 8> key[4][PARTS];

#pragma unroll
  for (int j = 0; j < 4; j++)
#pragma unroll
    for (int part = 0; part < PARTS; part++)
      key[j][part] = y10_mma_read<T> (k, at + 8 * j + g, n, pixel,
          32 * part + 8 * t, key_dims);
#pragma unroll
  for (int j = 0; j < 4; j++) {
#pragma unroll
    for (int c = 0; c < 4; c++)
      score[j][c] = 0;
#pragma unroll
    for (int part = 0; part < PARTS; part++)
#pragma unroll
      for (int half = 0; half < 4; half += 2) {
        const unsigned int a[4] = { q[part][0].word[half],
          q[part][1].word[half], q[part][0].word[half + 1],
          q[part][1].word[half + 1] };

        y10_mma (score[j], a, key[j][part].word[half],
            key[j][part].word[half + 1], T ());
      }
#pragma unroll
    for (int c = 0; c < 4; c++)
      score[j][c] = at + 8 * j + 2 * t + (c & 1) < n ? score[j][c] * scale
                                                     : y10_attention_lowest ();
  }
}

/* Turns the scores of row g (@row 0) or g + 8 (1) into weights of type T, two to a word,
 * as y10_attention_weights () does. Returns the factor for the earlier sums. */
template <typename T>
__device__ __forceinline__ float
y10_mma_weights (unsigned int (&weight)[4], const float (&score)[4][4], int row,
    float &largest, float &total)
{
  float now = y10_attention_lowest (), base, factor;

#pragma unroll
  for (int j = 0; j < 4; j++)
    now = fmaxf (now, fmaxf (score[j][2 * row], score[j][2 * row + 1]));
  now = fmaxf (largest, y10_mma_max (now));
  base = now == y10_attention_lowest () ? 0.0f : now;
  factor = y10_exp<T> (largest - base);
  total *= factor;
#pragma unroll
  for (int j = 0; j < 4; j += 2) {
    const float w[4] = { y10_exp<T> (score[j][2 * row] - base),
      y10_exp<T> (score[j][2 * row + 1] - base),
      y10_exp<T> (score[j + 1][2 * row] - base),
      y10_exp<T> (score[j + 1][2 * row + 1] - base) };
    const Y10Raw<T, 4> raw = y10_pack (w, T ());
    float rounded[4];

    y10_unpack (raw, rounded);
    weight[j] = raw.word[0];
    weight[j + 1] = raw.word[1];
    total += (rounded[0] + rounded[1]) + (rounded[2] + rounded[3]);
  }
  largest = now;
  return factor;
}

/* Adds 32 values, weighted. @value: for each 16 of them the four positions that this
 * thread has. */
template <typename T>
__device__ __forceinline__ void
y10_mma_values (float (&sum)[8][4], const unsigned int (&weight)[2][4],
    const Y10Raw<T, 8> (&value)[2][4])
{
#pragma unroll
  for (int i = 0; i < 2; i++) {
    const unsigned int a[4] = { weight[0][2 * i], weight[1][2 * i],
      weight[0][2 * i + 1], weight[1][2 * i + 1] };

#pragma unroll
    for (int j = 0; j < 8; j++) {
      const unsigned int select = j % 2 ? 0x7632 : 0x5410;

      y10_mma (sum[j], a,
          __byte_perm (value[i][0].word[j / 2], value[i][1].word[j / 2],
              select),
          __byte_perm (value[i][2].word[j / 2], value[i][3].word[j / 2],
              select),
          T ());
    }
  }
}

/* What the positional convolution reads for 4 channels of a position. */
template <typename T> struct Y10MmaTaps
{
  Y10Raw<T, 4> weight[9], value[9];
  float bias[4];

  __device__ __forceinline__ void
  read (const Y10KAttention &p, const T *v, int position, int channel)
  {
    const int width = p.in.width;
    const int y = position / width, x = position - y * width;

    y10_load (p.bias + channel, bias);
#pragma unroll
    for (int tap = 0; tap < 9; tap++) {
      const int in_y = y + tap / 3 - 1, in_x = x + tap % 3 - 1;

      weight[tap] = y10_load_raw<T, 4> (
          (const T *) p.weight + channel + tap * p.out.channels);
      value[tap] = {};
      if (in_y >= 0 && in_y < p.in.height && in_x >= 0 && in_x < width)
        value[tap] = y10_load_raw<T, 4> (
            v + (long long) (in_y * width + in_x) * p.in.pixel);
    }
  }

  __device__ __forceinline__ void
  add (float (&sum)[4]) const
  {
#pragma unroll
    for (int c = 0; c < 4; c++)
      sum[c] += bias[c];
#pragma unroll
    for (int tap = 0; tap < 9; tap++) {
      float w[4], in[4];

      y10_unpack (weight[tap], w);
      y10_unpack (value[tap], in);
#pragma unroll
      for (int c = 0; c < 4; c++)
        sum[c] += w[c] * in[c];
    }
  }
};

/* Combines the warps' sums of 4 channels of a query. @sums: a row of the first warp;
 * @stats: its largest score, and Y10_ATTENTION_QUERIES floats later its total. */
template <typename T>
__device__ __forceinline__ void
y10_mma_combine (float (&sum)[4], const float *sums, const float *stats,
    int n_warps)
{
  float all = y10_attention_lowest (), base, total = 0;

  for (int w = 0; w < n_warps; w++)
    all = fmaxf (all, stats[w * 2 * QUERIES]);
  base = all == y10_attention_lowest () ? 0.0f : all;
#pragma unroll 2
  for (int w = 0; w < n_warps; w++) {
    const float factor = y10_exp<T> (stats[w * 2 * QUERIES] - base);
    const float4 v = *(const float4 *) (sums + w * Y10_ATTENTION_MMA_SUMS);

    total += factor * stats[w * 2 * QUERIES + QUERIES];
    y10_attention_add (sum, factor, v);
  }
#pragma unroll
  for (int c = 0; c < 4; c++)
    sum[c] = sum[c] / total;
}

/* @q, @k, @v: of the block's head at the first position; 64 channels of v at most.
 * @channel: of the output, the first. @valid: channels without padding. */
template <typename T, int PARTS>
__device__ __forceinline__ void
y10_attention_mma_part (const Y10KAttention &p, const Y10KAttentionShape &s,
    float *shared, int first, const Y10Raw<T, 8> (&q)[PARTS][2], const T *k,
    const T *v, int dims, int channel, int valid)
{
  const int n = p.in.height * p.in.width, pixel = p.in.pixel;
  const int lane = (int) threadIdx.x % 32, g = lane / 4, t = lane % 4;
  const int warp = (int) threadIdx.x / 32;
  const int n_warps = min ((int) blockDim.x / 32, Y10_ATTENTION_MMA_WARPS);
  const float scale = rsqrtf ((float) p.key_dim);
  float *stats = shared + n_warps * Y10_ATTENTION_MMA_SUMS;
  float largest[2] = { y10_attention_lowest (), y10_attention_lowest () };
  float total[2] = {}, sum[8][4] = {};

#pragma unroll 1
  for (int at = warp * 32; warp < n_warps && at < n; at += n_warps * 32) {
    Y10Raw<T, 8> value[2][4];
    float score[4][4], factor[2];
    unsigned int weight[2][4];

    /* The second half waits until the keys have left their registers. */
    y10_mma_positions<T> (value[0], v, pixel, at + 2 * t, n, 8 * g, dims);
    y10_mma_scores<T, PARTS> (score, q, k, pixel, at, n, s.key_dims, scale);
    y10_mma_positions<T> (value[1], v, pixel, at + 16 + 2 * t, n, 8 * g, dims);
#pragma unroll
    for (int row = 0; row < 2; row++)
      factor[row] = y10_mma_weights<T> (weight[row], score, row, largest[row],
          total[row]);
#pragma unroll
    for (int j = 0; j < 8; j++)
#pragma unroll
      for (int c = 0; c < 4; c++)
        sum[j][c] *= factor[c / 2];
    y10_mma_values<T> (sum, weight, value);
  }
#pragma unroll
  for (int row = 0; row < 2; row++) {
    const float all = y10_mma_sum (total[row]);
    float *to = shared + warp * Y10_ATTENTION_MMA_SUMS
        + (g + 8 * row) * Y10_ATTENTION_MMA_ROW + 16 * t;

    if (warp >= n_warps)
      continue;
#pragma unroll
    for (int i = 0; i < 4; i++)
      ((float4 *) to)[i] = make_float4 (sum[i % 2 * 4][2 * row + i / 2],
          sum[i % 2 * 4 + 1][2 * row + i / 2],
          sum[i % 2 * 4 + 2][2 * row + i / 2],
          sum[i % 2 * 4 + 3][2 * row + i / 2]);
    if (t == 0) {
      stats[warp * 2 * QUERIES + g + 8 * row] = largest[row];
      stats[warp * 2 * QUERIES + QUERIES + g + 8 * row] = all;
    }
  }

  __syncthreads ();
#pragma unroll 1
  for (int i = (int) threadIdx.x; i < QUERIES * 16; i += (int) blockDim.x) {
    const int row = i / 16, column = i % 16 * 4;
    Y10MmaTaps<T> taps;
    float out[4] = {};

    if (first + row >= n || column >= dims)
      continue;
    taps.read (p, v + column, first + row, channel + column);
    y10_mma_combine<T> (out, shared + row * Y10_ATTENTION_MMA_ROW + column,
        stats + row, n_warps);
    taps.add (out);
#pragma unroll
    for (int c = 0; c < 4; c++)
      out[c] = c < valid - column ? out[c] : 0.0f;
    y10_store (y10_at<T> (p.out, (int) blockIdx.z, 0, first + row) + channel
            + column,
        out);
  }
}

template <typename T, int PARTS>
__device__ __forceinline__ void
y10_attention_mma (const Y10KAttention &p, const Y10KAttentionShape &s,
    float *shared)
{
  const int n = p.in.height * p.in.width, first = (int) blockIdx.x * QUERIES;
  const int g = (int) threadIdx.x % 32 / 4, t = (int) threadIdx.x % 4;
  const int head = (int) blockIdx.y % p.heads;
  const int chunk = (int) blockIdx.y / p.heads * s.head_chunk;
  const int end = min (chunk + s.head_chunk, s.head_dims);
  const T *in = y10_at<const T> (p.in, (int) blockIdx.z, 0, 0)
      + head * (2 * s.key_dims + s.head_dims);
  Y10Raw<T, 8> q[PARTS][2];

#pragma unroll
  for (int part = 0; part < PARTS; part++)
#pragma unroll
    for (int row = 0; row < 2; row++)
      q[part][row] = y10_mma_read<T> (in, first + g + 8 * row, n, p.in.pixel,
          32 * part + 8 * t, s.key_dims);
#pragma unroll 1
  for (int at = chunk; at < end; at += 64) {
    if (at > chunk)
      __syncthreads ();
    y10_attention_mma_part<T, PARTS> (p, s, shared, first, q, in + s.key_dims,
        in + 2 * s.key_dims + at, min (64, end - at), head * s.head_dims + at,
        p.head_dim - at);
  }
}
