/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Attention without the matrix of scores: a block takes the keys and values
 * of a few positions at a time, and keeps for each of its queries the largest
 * score so far, the sum of the exponentials and the weighted sum of values;
 * when a larger score turns up, what was summed is scaled down ("online
 * softmax"). All of it in floats.
 *
 * Two ways to divide the work alternate. For scores, 16 threads have two
 * queries and each of them two keys; for sums of values, a thread has four
 * channels of two queries. Between them the weights go through shared memory.
 * The order of all sums depends on the number of positions alone, not on the
 * batch. */

#include "attention.h"
#include "types.cuh"

enum
{
  QUERIES = Y10_ATTENTION_QUERIES,
  KEYS = Y10_ATTENTION_KEYS,
  P_ROW = KEYS / 4 + 1,
};

static_assert (QUERIES / 2 * (KEYS / 2) == Y10_ATTENTION_SCORE_THREADS,
    "a thread has 2 × 2 scores");
static_assert (QUERIES / 2 * (Y10_ATTENTION_HEAD_DIMS / 4)
    <= Y10_ATTENTION_MAX_THREADS, "a thread has 2 × 4 sums");

__device__ __forceinline__ float
y10_attention_lowest ()
{
  return __uint_as_float (0xff800000u);
}

/* Channels [0, channels) of @rows positions from @first on into rows of floats,
 * zero where there is no position. */
template <typename T>
__device__ __forceinline__ void
y10_attention_fetch (float4 *to, int to_row, const T *from, int pixel,
    int first, int rows, int n, int channels, float scale)
{
  int groups = channels / 8;

  for (int i = (int) threadIdx.x; i < rows * groups; i += (int) blockDim.x) {
    int row = i / groups, group = i % groups;
    float v[8] = { };

    if (first + row < n)
      y10_load (from + (long long) (first + row) * pixel + group * 8, v);
    to[row * to_row + 2 * group] = make_float4 (v[0] * scale, v[1] * scale,
        v[2] * scale, v[3] * scale);
    to[row * to_row + 2 * group + 1] = make_float4 (v[4] * scale,
        v[5] * scale, v[6] * scale, v[7] * scale);
  }
}

__device__ __forceinline__ float
y10_attention_dot (const float4 &a, const float4 &b, float sum)
{
  return sum + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

__device__ __forceinline__ void
y10_attention_add (float (&sum)[4], float weight, const float4 &v)
{
  sum[0] += weight * v.x;
  sum[1] += weight * v.y;
  sum[2] += weight * v.z;
  sum[3] += weight * v.w;
}

/* The largest of, and the sum over, the 16 threads that share queries. */
__device__ __forceinline__ float
y10_attention_max16 (float x)
{
#pragma unroll
  for (int i = 8; i > 0; i /= 2)
    x = fmaxf (x, __shfl_xor_sync (0xffffffffu, x, i));
  return x;
}

__device__ __forceinline__ float
y10_attention_sum16 (float x)
{
#pragma unroll
  for (int i = 8; i > 0; i /= 2)
    x += __shfl_xor_sync (0xffffffffu, x, i);
  return x;
}

/* From scores to weights: @s becomes exp (s - largest). Returns what earlier
 * sums have to be multiplied with. */
template <typename T>
__device__ __forceinline__ float
y10_attention_weights (float (&s)[2], float &largest, float &sum)
{
  float now = fmaxf (largest, y10_attention_max16 (fmaxf (s[0], s[1])));
  /* All scores so far -inf: their weights are 0, not NaN, as later ones may be
   * finite. */
  float base = now == y10_attention_lowest () ? 0.0f : now;
  float factor = y10_exp<T> (largest - base);

  s[0] = y10_exp<T> (s[0] - base);
  s[1] = y10_exp<T> (s[1] - base);
  sum = sum * factor + (s[0] + s[1]);
  largest = now;
  return factor;
}

/* Adds the depthwise 3×3 of v and its bias, and stores 4 channels each of two
 * neighbouring positions. @padding: how many of the 4 are. */
template <typename T>
__device__ __forceinline__ void
y10_attention_finish (const Y10KAttention &p, const T *v, int image,
    int position, int channel, int valid, float (&sum)[2][4])
{
  const T *weight = (const T *) p.weight + channel;
  int n = p.in.height * p.in.width, width = p.in.width;
  float bias[4];

  y10_load (p.bias + channel, bias);
#pragma unroll
  for (int q = 0; q < 2; q++) {
#pragma unroll
    for (int c = 0; c < 4; c++)
      sum[q][c] += bias[c];
  }
#pragma unroll
  for (int tap = 0; tap < 9; tap++) {
    int dy = tap / 3 - 1, dx = tap % 3 - 1;
    float w[4];

    y10_load (weight + tap * p.out.channels, w);
#pragma unroll
    for (int q = 0; q < 2; q++) {
      int y = (position + q) / width + dy, x = (position + q) % width + dx;
      float in[4];

      if (position + q >= n || y < 0 || y >= p.in.height || x < 0
          || x >= width)
        continue;
      y10_load (v + (long long) (y * width + x) * p.in.pixel, in);
#pragma unroll
      for (int c = 0; c < 4; c++)
        sum[q][c] += w[c] * in[c];
    }
  }
#pragma unroll
  for (int q = 0; q < 2; q++) {
    if (position + q >= n)
      continue;
#pragma unroll
    for (int c = 0; c < 4; c++)
      sum[q][c] = c < valid ? sum[q][c] : 0.0f;
    y10_store (y10_at<T> (p.out, image, 0, position + q) + channel, sum[q]);
  }
}

template <typename T>
__device__ __forceinline__ void
y10_attention (const Y10KAttention &p)
{
  extern __shared__ float4 shared[];
  Y10KAttentionShape s = y10_attention_shape (&p);
  int n = p.in.height * p.in.width, image = (int) blockIdx.z;
  int first = (int) blockIdx.x * QUERIES, thread = (int) threadIdx.x;
  int head = (int) blockIdx.y % p.heads;
  int chunk = (int) blockIdx.y / p.heads * s.head_chunk;
  int head_chunk = min (s.head_chunk, s.head_dims - chunk);
  const T *in_q = y10_at<const T> (p.in, image, 0, 0)
      + head * (2 * s.key_dims + s.head_dims);
  const T *in_k = in_q + s.key_dims, *in_v = in_k + s.key_dims + chunk;
  float4 *q = shared, *k = shared + s.k, *v = shared + s.v;
  float4 *weights = shared + s.p;
  float *factor = (float *) (shared + s.factor);
  float scale = 1.0f / sqrtf ((float) p.key_dim);
  /* Scores: of queries 2 pair and 2 pair + 1 with keys key and key + 16. */
  int pair = thread / 16, key = thread % 16;
  bool scores = thread < Y10_ATTENTION_SCORE_THREADS;
  float largest[2] = { y10_attention_lowest (), y10_attention_lowest () };
  float total[2] = { };
  /* Values: channels 4 column to 4 column + 3 of queries 2 row, 2 row + 1. */
  int columns = head_chunk / 4, row = thread / columns;
  int column = thread % columns;
  bool values = row < QUERIES / 2;
  float sum[2][4] = { };

  for (int at = 0; at < n; at += KEYS) {
    float score[2][2] = { };

    for (int d = 0; d < s.key_dims; d += s.key_chunk) {
      int dims = min (s.key_chunk, s.key_dims - d);

      __syncthreads ();         /* nobody reads the last ones any more */
      if (at == 0 || s.key_chunk < s.key_dims)
        y10_attention_fetch (q, s.key_row, in_q + d, p.in.pixel, first,
            QUERIES, n, dims, scale);
      y10_attention_fetch (k, s.key_row, in_k + d, p.in.pixel, at, KEYS, n,
          dims, 1.0f);
      if (d == 0)
        y10_attention_fetch (v, columns, in_v, p.in.pixel, at, KEYS, n,
            head_chunk, 1.0f);
      __syncthreads ();
      if (scores)
        for (int i = 0; i < dims / 4; i++) {
          float4 q0 = q[2 * pair * s.key_row + i];
          float4 q1 = q[(2 * pair + 1) * s.key_row + i];
          float4 k0 = k[key * s.key_row + i];
          float4 k1 = k[(key + 16) * s.key_row + i];

          score[0][0] = y10_attention_dot (q0, k0, score[0][0]);
          score[0][1] = y10_attention_dot (q0, k1, score[0][1]);
          score[1][0] = y10_attention_dot (q1, k0, score[1][0]);
          score[1][1] = y10_attention_dot (q1, k1, score[1][1]);
        }
    }
    if (scores) {
#pragma unroll
      for (int i = 0; i < 2; i++) {
        float *to = (float *) (weights + (2 * pair + i) * P_ROW);
        float f;

        if (at + key >= n)
          score[i][0] = y10_attention_lowest ();
        if (at + key + 16 >= n)
          score[i][1] = y10_attention_lowest ();
        f = y10_attention_weights<T> (score[i], largest[i], total[i]);
        to[key] = score[i][0];
        to[key + 16] = score[i][1];
        if (key == 0)
          factor[2 * pair + i] = f;
      }
    }
    __syncthreads ();
    if (values) {
#pragma unroll
      for (int i = 0; i < 2; i++) {
        float f = factor[2 * row + i];

#pragma unroll
        for (int c = 0; c < 4; c++)
          sum[i][c] *= f;
      }
#pragma unroll
      for (int j = 0; j < KEYS / 4; j++) {
        const float4 *rows = v + 4 * j * columns + column;
        float4 v0 = rows[0], v1 = rows[columns];
        float4 v2 = rows[2 * columns], v3 = rows[3 * columns];

#pragma unroll
        for (int i = 0; i < 2; i++) {
          float4 w = weights[(2 * row + i) * P_ROW + j];

          y10_attention_add (sum[i], w.x, v0);
          y10_attention_add (sum[i], w.y, v1);
          y10_attention_add (sum[i], w.z, v2);
          y10_attention_add (sum[i], w.w, v3);
        }
      }
    }
  }

  __syncthreads ();
  if (scores) {
#pragma unroll
    for (int i = 0; i < 2; i++) {
      float all = y10_attention_sum16 (total[i]);

      if (key == 0)
        factor[2 * pair + i] = 1.0f / all;
    }
  }
  __syncthreads ();
  if (!values || first + 2 * row >= n)
    return;
#pragma unroll
  for (int i = 0; i < 2; i++) {
#pragma unroll
    for (int c = 0; c < 4; c++)
      sum[i][c] *= factor[2 * row + i];
  }
  y10_attention_finish<T> (p, in_v + 4 * column, image, first + 2 * row,
      head * s.head_dims + chunk + 4 * column,
      p.head_dim - chunk - 4 * column, sum);
}

Y10_TYPED_KERNEL (attention, Attention, Y10_ATTENTION_MAX_THREADS)
