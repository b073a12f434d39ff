/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Attention without a score matrix ("online softmax"). A team of threads
 * processes the keys and values of a few positions per round. For each query it
 * keeps the largest score so far, the sum of the exponentials and the weighted
 * sum of values, and scales both sums down when it finds a larger score. All
 * arithmetic is in floats.
 *
 * The division of work alternates. For scores, 16 threads share two queries and
 * each thread has two keys; for sums of values, a thread has four channels of two
 * queries. The weights pass from one to the other through shared memory. Threads
 * load the data of the next round into registers while they compute the current
 * one: a 20 × 20 map yields too few blocks to hide this latency otherwise. */

#include "attention.h"
#include "types.cuh"

enum
{
  QUERIES = Y10_ATTENTION_QUERIES,
  KEYS = Y10_ATTENTION_KEYS,
  P_ROW = KEYS / 4 + 1,
  SLOTS = Y10_ATTENTION_SLOTS,
};

static_assert (QUERIES / 2 * (KEYS / 2) == Y10_ATTENTION_SCORE_THREADS,
    "a thread has 2 × 2 scores");
static_assert (2 * (QUERIES / 2 * (Y10_ATTENTION_HEAD_DIMS / 4))
        <= Y10_ATTENTION_MAX_THREADS,
    "a thread has 2 × 4 sums, of two teams");

__device__ __forceinline__ float
y10_attention_lowest ()
{
  return __uint_as_float (0xff800000u);
}

template <typename T>
__device__ __forceinline__ void
y10_attention_put (float4 *to, const Y10Raw<T, 8> &raw, float scale)
{
  float v[8];

  y10_unpack (raw, v);
  to[0] = make_float4 (v[0] * scale, v[1] * scale, v[2] * scale, v[3] * scale);
  to[1] = make_float4 (v[4] * scale, v[5] * scale, v[6] * scale, v[7] * scale);
}

/* Loads the block's queries, scaled; zero beyond the last position. */
template <typename T>
__device__ __forceinline__ void
y10_attention_queries (float4 *to, int to_row, const T *from, int pixel,
    int first, int n, int groups, float scale)
{
  for (int i = (int) threadIdx.x; i < QUERIES * groups; i += (int) blockDim.x) {
    int row = i / groups, group = i % groups;
    Y10Raw<T, 8> raw = {};

    if (first + row < n)
      raw = y10_load_raw<T, 8> (
          from + (long long) (first + row) * pixel + group * 8);
    y10_attention_put<T> (to + row * to_row + 2 * group, raw, scale);
  }
}

/* A thread's share of the rows of k and v in a round, as vectors of 8 channels:
 * their offsets from the first row of k, and in the team's shared memory. */
template <typename T> struct Y10AttentionShare
{
  Y10Raw<T, 8> raw[SLOTS];
  int from[SLOTS], to[SLOTS]; /* to < 0: unused */
};

/* @v: offset from k to v of the same position. */
template <typename T>
__device__ __forceinline__ void
y10_attention_share (Y10AttentionShare<T> &share, const Y10KAttentionShape &s,
    int thread, int columns, int pixel, int v)
{
  int k_groups = s.key_dims / 8, groups = k_groups + columns / 2;

#pragma unroll
  for (int i = 0; i < SLOTS; i++) {
    int row = (thread + i * s.team_threads) / groups;
    int group = (thread + i * s.team_threads) % groups;

    if (group < k_groups) {
      share.from[i] = row * pixel + group * 8;
      share.to[i] = row * s.key_row + 2 * group;
    } else {
      share.from[i] = row * pixel + v + (group - k_groups) * 8;
      share.to[i] = s.v + row * columns + 2 * (group - k_groups);
    }
    if (row >= KEYS)
      share.to[i] = -1;
  }
}

/* Loads @left positions from @k into registers, and zeros beyond them. */
template <typename T>
__device__ __forceinline__ void
y10_attention_read (Y10AttentionShare<T> &share, const T *k, int left,
    int pixel)
{
#pragma unroll
  for (int i = 0; i < SLOTS; i++) {
    share.raw[i] = {};
    if (share.to[i] >= 0 && share.from[i] < left * pixel)
      share.raw[i] = y10_load_raw<T, 8> (k + share.from[i]);
  }
}

/* Stores the registers to shared memory. */
template <typename T>
__device__ __forceinline__ void
y10_attention_place (const Y10AttentionShare<T> &share, float4 *memory)
{
#pragma unroll
  for (int i = 0; i < SLOTS; i++)
    if (share.to[i] >= 0)
      y10_attention_put<T> (memory + share.to[i], share.raw[i], 1.0f);
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

/* Maximum and sum over the 16 threads that share queries. */
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

/* Turns scores into weights: @s becomes exp (s - largest). Returns the factor for
 * the earlier sums. */
template <typename T>
__device__ __forceinline__ float
y10_attention_weights (float (&s)[2], float &largest, float &sum)
{
  float now = fmaxf (largest, y10_attention_max16 (fmaxf (s[0], s[1])));
  /* If all scores so far are -inf, their weights must be 0, not NaN: later
   * scores may be finite. */
  float base = now == y10_attention_lowest () ? 0.0f : now;
  float factor = y10_exp<T> (largest - base);

  s[0] = y10_exp<T> (s[0] - base);
  s[1] = y10_exp<T> (s[1] - base);
  sum = sum * factor + (s[0] + s[1]);
  largest = now;
  return factor;
}

/* Adds the depthwise 3×3 of v and its bias, then stores 4 channels of the
 * positions first to end - 1, at most two. @valid: channels without padding. */
template <typename T>
__device__ __forceinline__ void
y10_attention_finish (const Y10KAttention &p, const T *v, int image,
    int position, int begin, int end, int channel, int valid,
    float (&sum)[2][4])
{
  const T *weight = (const T *) p.weight + channel;
  int n = p.in.height * p.in.width, width = p.in.width;
  float bias[4];

  y10_load (p.bias + channel, bias);
#pragma unroll
  for (int q = 0; q < 2; q++) {
    int y = (position + q) / width, x = (position + q) % width;

    if (q < begin || q >= end || position + q >= n)
      continue;
#pragma unroll
    for (int c = 0; c < 4; c++)
      sum[q][c] += bias[c];
#pragma unroll 3
    for (int tap = 0; tap < 9; tap++) {
      int in_y = y + tap / 3 - 1, in_x = x + tap % 3 - 1;
      float w[4], in[4];

      if (in_y < 0 || in_y >= p.in.height || in_x < 0 || in_x >= width)
        continue;
      y10_load (weight + tap * p.out.channels, w);
      y10_load (v + (long long) (in_y * width + in_x) * p.in.pixel, in);
#pragma unroll
      for (int c = 0; c < 4; c++)
        sum[q][c] += w[c] * in[c];
    }
#pragma unroll
    for (int c = 0; c < 4; c++)
      sum[q][c] = c < valid ? sum[q][c] : 0.0f;
    y10_store (y10_at<T> (p.out, image, 0, position + q) + channel, sum[q]);
  }
}

/* Scores of two queries with two keys. @fours: number of float4 per row. */
__device__ __forceinline__ void
y10_attention_scores (float (&score)[2][2], const float4 *q, const float4 *k,
    int row, int fours)
{
#pragma unroll 2
  for (int i = 0; i < fours; i++) {
    float4 q0 = q[i], q1 = q[row + i], k0 = k[i], k1 = k[16 * row + i];

    score[0][0] = y10_attention_dot (q0, k0, score[0][0]);
    score[0][1] = y10_attention_dot (q0, k1, score[0][1]);
    score[1][0] = y10_attention_dot (q1, k0, score[1][0]);
    score[1][1] = y10_attention_dot (q1, k1, score[1][1]);
  }
}

/* Scales the sums and adds KEYS values, weighted. */
__device__ __forceinline__ void
y10_attention_values (float (&sum)[2][4], const float *factor,
    const float4 *weights, const float4 *v, int columns)
{
#pragma unroll
  for (int i = 0; i < 2; i++) {
#pragma unroll
    for (int c = 0; c < 4; c++)
      sum[i][c] *= factor[i];
  }
#pragma unroll 2
  for (int j = 0; j < KEYS / 4; j++) {
    float4 v0 = v[4 * j * columns], v1 = v[(4 * j + 1) * columns];
    float4 v2 = v[(4 * j + 2) * columns], v3 = v[(4 * j + 3) * columns];

#pragma unroll
    for (int i = 0; i < 2; i++) {
      float4 w = weights[i * P_ROW + j];

      y10_attention_add (sum[i], w.x, v0);
      y10_attention_add (sum[i], w.y, v1);
      y10_attention_add (sum[i], w.z, v2);
      y10_attention_add (sum[i], w.w, v3);
    }
  }
}

/* Combines the teams' largest scores and totals of a query; returns the factor
 * for this team's sums. @other: offset to the other team's, 0: no other team. */
template <typename T>
__device__ __forceinline__ float
y10_attention_share_of (const float *stats, long long other)
{
  float own = stats[0], total = stats[QUERIES];
  float all = own, base, factor;

  if (other != 0)
    all = fmaxf (all, stats[other]);
  base = all == y10_attention_lowest () ? 0.0f : all;
  factor = y10_exp<T> (own - base);
  total *= factor;
  if (other != 0)
    total += stats[QUERIES + other] * y10_exp<T> (stats[other] - base);
  return factor / total;
}

#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 800
#include "attention_mma.cuh"

/* Returns whether it has done everything. */
template <typename T>
__device__ __forceinline__ bool
y10_attention_by_mma (const Y10KAttention &p, const Y10KAttentionShape &s,
    float4 *shared)
{
  if (s.key_dims <= 32)
    y10_attention_mma<T, 1> (p, s, (float *) shared);
  else if (s.key_dims <= 64)
    y10_attention_mma<T, 2> (p, s, (float *) shared);
  return s.key_dims <= 64;
}

template <>
__device__ __forceinline__ bool
y10_attention_by_mma<float> (const Y10KAttention &, const Y10KAttentionShape &,
    float4 *)
{
  return false;
}
#else
template <typename T>
__device__ __forceinline__ bool
y10_attention_by_mma (const Y10KAttention &, const Y10KAttentionShape &,
    float4 *)
{
  return false;
}
#endif

template <typename T>
__device__ __forceinline__ void
y10_attention (const Y10KAttention &p)
{
  extern __shared__ float4 shared[];
  Y10KAttentionShape s = y10_attention_shape (&p);

  if (y10_attention_by_mma<T> (p, s, shared))
    return;

  int n = p.in.height * p.in.width, image = (int) blockIdx.z;
  int first = (int) blockIdx.x * QUERIES;
  int team = (int) threadIdx.x / s.team_threads;
  int thread = (int) threadIdx.x % s.team_threads;
  int head = (int) blockIdx.y % p.heads;
  int chunk = (int) blockIdx.y / p.heads * s.head_chunk;
  int head_chunk = min (s.head_chunk, s.head_dims - chunk);
  const T *in_q = y10_at<const T> (p.in, image, 0, 0)
      + head * (2 * s.key_dims + s.head_dims);
  int at = team * KEYS; /* the team's next positions */
  const T *in_k = in_q + s.key_dims + (long long) at * p.in.pixel;
  long long step = (long long) s.teams * KEYS * p.in.pixel;
  float4 *k = shared + s.team + team * s.team_size;
  float4 *v = k + s.v, *weights = k + s.p;
  float *factor = (float *) (k + s.factor);
  /* For scores: queries 2 pair and 2 pair + 1 with keys key and key + 16. */
  int pair = thread / 16, key = thread % 16;
  bool scores = thread < Y10_ATTENTION_SCORE_THREADS;
  float largest[2] = { y10_attention_lowest (), y10_attention_lowest () };
  float total[2] = {};
  /* For values: channels 4 column to 4 column + 3 of queries 2 row, 2 row + 1. */
  int columns = head_chunk / 4, row = thread / columns;
  int column = thread % columns;
  bool values = row < QUERIES / 2;
  float sum[2][4] = {};
  /* Prefetching floats would need too many registers. */
  const bool ahead = sizeof (T) == 2;
  Y10AttentionShare<T> share;

  y10_attention_share (share, s, thread, columns, p.in.pixel,
      s.key_dims + chunk);
  if (ahead)
    y10_attention_read (share, in_k, n - at, p.in.pixel);
  y10_attention_queries (shared, s.key_row, in_q, p.in.pixel, first, n,
      s.key_dims / 8, 1.0f / sqrtf ((float) p.key_dim));
  /* All teams run the same number of rounds, because barriers span the block. A
   * team without positions gets scores of -inf, with weight 0. */
  for (int round = 0; round < n; round += s.teams * KEYS) {
    float score[2][2] = {};

    if (!ahead)
      y10_attention_read (share, in_k, n - at, p.in.pixel);
    y10_attention_place (share, k);
    __syncthreads ();
    in_k += step;
    if (ahead)
      y10_attention_read (share, in_k, n - at - s.teams * KEYS, p.in.pixel);
    if (scores) {
      y10_attention_scores (score, shared + 2 * pair * s.key_row,
          k + key * s.key_row, s.key_row, s.key_dims / 4);
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
    if (values)
      y10_attention_values (sum, factor + 2 * row, weights + 2 * row * P_ROW,
          v + column, columns);
    __syncthreads ();
    at += s.teams * KEYS;
  }

  /* Exchange maxima and totals between the teams in the memory of the weights. */
  if (scores) {
#pragma unroll
    for (int i = 0; i < 2; i++) {
      float all = y10_attention_sum16 (total[i]);

      if (key == 0) {
        ((float *) weights)[2 * pair + i] = largest[i];
        ((float *) weights)[QUERIES + 2 * pair + i] = all;
      }
    }
  }
  __syncthreads ();
  if (values) {
    long long other = s.teams == 1
        ? 0
        : (team == 0 ? 4 : -4) * (long long) s.team_size;

#pragma unroll
    for (int i = 0; i < 2; i++) {
      float f = y10_attention_share_of<T> ((const float *) weights + 2 * row
              + i,
          other);

#pragma unroll
      for (int c = 0; c < 4; c++)
        sum[i][c] *= f;
    }
    /* With two teams, each finishes one of the two queries and passes its part of
     * the other query to the other team. */
    if (s.teams == 2)
      v[row * columns + column] = team == 0
          ? make_float4 (sum[1][0], sum[1][1], sum[1][2], sum[1][3])
          : make_float4 (sum[0][0], sum[0][1], sum[0][2], sum[0][3]);
  }
  __syncthreads ();
  if (!values)
    return;
  if (s.teams == 2) {
    float4 theirs =
        v[row * columns + column + (team == 0 ? s.team_size : -s.team_size)];

    if (team == 0)
      y10_attention_add (sum[0], 1.0f, theirs);
    else
      y10_attention_add (sum[1], 1.0f, theirs);
  }
  y10_attention_finish<T> (p, in_q + 2 * s.key_dims + chunk + 4 * column, image,
      first + 2 * row, team, s.teams == 2 ? team + 1 : 2,
      head * s.head_dims + chunk + 4 * column, p.head_dim - chunk - 4 * column,
      sum);
}

Y10_TYPED_KERNEL (attention, Attention, Y10_ATTENTION_MAX_THREADS)
