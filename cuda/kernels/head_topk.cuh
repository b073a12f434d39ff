/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Selects and sorts the largest keys of a set of any size in one thread block.
 *
 * A key has 64 bits: 32 that sort like the logit or score, then the complement of an
 * index, which breaks ties: the lower index comes first. No two keys are equal, so
 * selection and order do not depend on thread timing. 0 means no key. */

#include "head.h"

#define Y10_HEAD_WARPS (Y10_HEAD_THREADS / 32)
#define Y10_HEAD_DIGIT 11 /* bits per pass of the radix selection */
#define Y10_HEAD_DIGITS (1 << Y10_HEAD_DIGIT)
#define Y10_ALL_LANES 0xffffffffu

typedef unsigned long long Y10Key;

/* The shared memory of a selection. Collecting takes turns among three counters: the
 * one that comes next is set to zero while nobody can still read it, which spares
 * barriers. The histogram is zero whenever no digit is being looked for. */
struct Y10HeadShared
{
  unsigned int histogram[Y10_HEAD_DIGITS];
  unsigned int warp[Y10_HEAD_WARPS];
  unsigned int count[3];
  unsigned int digit, above, inside; /* see y10_head_find_digit () */
};

/* Returns an integer that sorts like the logit; 0 for NaN. -0 and 0 are equal. */
static __device__ __forceinline__ unsigned int
y10_head_key (float logit)
{
  unsigned int bits = __float_as_uint (logit + 0.0f);

  if (logit != logit)
    return 0;
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

static __device__ __forceinline__ float
y10_head_logit (unsigned int key)
{
  return __uint_as_float (key & 0x80000000u ? key & 0x7fffffffu : ~key);
}

static __device__ __forceinline__ float
y10_head_sigmoid (float logit)
{
  return 1.0f / (1.0f + expf (-logit));
}

/* Scores are never negative, so their bits sort like them. Key 0 means no key. */
static __device__ __forceinline__ unsigned int
y10_head_score_key (float score)
{
  return __float_as_uint (score) + 1;
}

static __device__ __forceinline__ float
y10_head_score (Y10Key key)
{
  return __uint_as_float ((unsigned int) (key >> 32) - 1);
}

static __device__ __forceinline__ Y10Key
y10_head_pack (unsigned int key, unsigned int index)
{
  return (Y10Key) key << 32 | ~index;
}

static __device__ __forceinline__ unsigned int
y10_head_index (Y10Key key)
{
  return ~(unsigned int) key;
}

/* Prepares s; the caller has a barrier before it selects. Returns the first turn. */
static __device__ __forceinline__ unsigned int
y10_head_begin (Y10HeadShared *s)
{
  for (unsigned int i = threadIdx.x; i < Y10_HEAD_DIGITS; i += Y10_HEAD_THREADS)
    s->histogram[i] = 0;
  if (threadIdx.x == 0)
    s->count[0] = 0;
  return 0;
}

/* Calls store (index, key) for the keys >= threshold, in any order, while index is
 * below room. Returns the number of such keys, which may exceed room. A source calls
 * its argument with a few keys of each thread of a warp at a time, 0: no key. */
template <typename Source, typename Store>
static __device__ __forceinline__ unsigned int
y10_head_collect (const Source &source, Y10Key threshold, unsigned int room,
    Y10HeadShared *s, unsigned int *turn, const Store &store)
{
  const unsigned int lane = threadIdx.x & 31;
  unsigned int *count = &s->count[*turn];

  *turn = *turn == 2 ? 0 : *turn + 1;
  if (threadIdx.x == 0)
    s->count[*turn] = 0;
  /* Each warp reserves room for all of its keys with one atomic operation. */
  source.each ([&] (const auto &keys) {
    const unsigned int n = sizeof keys / sizeof keys[0];
    unsigned int mine = 0, base = 0, at;

#pragma unroll
    for (unsigned int i = 0; i < n; i++)
      mine += keys[i] >= threshold;
    if (!__any_sync (Y10_ALL_LANES, mine != 0))
      return;
    at = mine;
#pragma unroll
    for (unsigned int d = 1; d < 32; d *= 2) {
      const unsigned int other = __shfl_up_sync (Y10_ALL_LANES, at, d);

      at += lane >= d ? other : 0;
    }
    if (lane == 31)
      base = atomicAdd (count, at);
    at += __shfl_sync (Y10_ALL_LANES, base, 31) - mine;
#pragma unroll
    for (unsigned int i = 0; i < n; i++)
      if (keys[i] >= threshold) {
        if (at < room)
          store (at, keys[i]);
        at++;
      }
  });
  __syncthreads ();
  return *count;
}

/* Finds the digit of the want-th largest key in the histogram, and clears that. Stores
 * the digit, and the numbers of keys with a larger digit (above) and with the same
 * digit (inside). */
static __device__ void
y10_head_find_digit (Y10HeadShared *s, unsigned int want)
{
  const unsigned int each = Y10_HEAD_DIGITS / Y10_HEAD_THREADS;
  const unsigned int lane = threadIdx.x & 31, warp = threadIdx.x / 32;
  const unsigned int first = Y10_HEAD_DIGITS - 1 - threadIdx.x * each;
  unsigned int in[each], sum = 0, above, before;

#pragma unroll
  for (unsigned int i = 0; i < each; i++) {
    in[i] = s->histogram[first - i];
    s->histogram[first - i] = 0;
    sum += in[i];
  }
  above = sum;
#pragma unroll
  for (unsigned int d = 1; d < 32; d *= 2) {
    const unsigned int other = __shfl_up_sync (Y10_ALL_LANES, above, d);

    above += lane >= d ? other : 0;
  }
  if (lane == 31)
    s->warp[warp] = above;
  __syncthreads ();
  before = lane < warp ? s->warp[lane] : 0;
#pragma unroll
  for (unsigned int d = 16; d > 0; d /= 2)
    before += __shfl_xor_sync (Y10_ALL_LANES, before, d);
  above += before - sum;
#pragma unroll
  for (unsigned int i = 0; i < each; i++) {
    if (above < want && want <= above + in[i]) {
      s->digit = first - i;
      s->above = above;
      s->inside = in[i];
    }
    above += in[i];
  }
  __syncthreads ();
}

/* Returns a threshold that at least want and at most room keys reach; source has more
 * than room keys. Refines the threshold digit by digit; after the last digit, exactly
 * want keys reach it. */
template <typename Source>
static __device__ __forceinline__ Y10Key
y10_head_threshold (const Source &source, unsigned int want, unsigned int room,
    Y10HeadShared *s)
{
  Y10Key prefix = 0;
  unsigned int taken = 0; /* keys above those that begin with prefix */

#pragma unroll 1
  for (int top = 64;;) {
    const int shift = top > Y10_HEAD_DIGIT ? top - Y10_HEAD_DIGIT : 0;
    const unsigned int mask = (1u << (top - shift)) - 1;

    source.each ([&] (const auto &keys) {
#pragma unroll
      for (unsigned int i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (keys[i] != 0 && (top == 64 || keys[i] >> top == prefix))
          atomicAdd (&s->histogram[(unsigned int) (keys[i] >> shift) & mask],
              1u);
    });
    __syncthreads ();
    y10_head_find_digit (s, want - taken);
    prefix = prefix << (top - shift) | s->digit;
    taken += s->above;
    if (taken + s->inside <= room || shift == 0)
      return prefix << shift;
    top = shift;
  }
}

/* Calls store (index, key) for the largest keys of source, in any order: for all if there
 * is room, else for at least want; it may do so for others before, with the same
 * indices. Returns their number, and sets *threshold, which all of them reach: 1 if none
 * was left out. The caller has a barrier between its last access to what store writes
 * and this. */
template <typename Source, typename Store>
static __device__ __forceinline__ unsigned int
y10_head_largest (const Source &source, unsigned int want, unsigned int room,
    Y10HeadShared *s, unsigned int *turn, Y10Key *threshold, const Store &store)
{
  unsigned int n;

  *threshold = 1;
#pragma unroll 1
  while (
      (n = y10_head_collect (source, *threshold, room, s, turn, store)) > room)
    *threshold = y10_head_threshold (source, want, room, s);
  return n;
}

/* One step of the sort for the key at index i of a warp's keys in registers: it meets
 * the one at i ^ d. */
static __device__ __forceinline__ Y10Key
y10_head_exchange (Y10Key key, unsigned int i, unsigned int d, unsigned int run)
{
  const Y10Key other = __shfl_xor_sync (Y10_ALL_LANES, key, d);
  const bool largest = ((i & d) == 0) == ((i & run) == 0);

  return (key < other) == largest ? other : key;
}

/* Bitonic sort, descending. Pads list with 0 to a power of two and at least 64, so
 * list must have room for that. Keys that are less than 64 apart meet in the registers
 * of one warp; only steps over larger distances need barriers. The loops are not
 * unrolled: a kernel that runs once in a step would wait longer for its code. */
static __device__ __forceinline__ void
y10_head_sort (Y10Key *list, unsigned int count)
{
  const unsigned int lane = threadIdx.x & 31;
  unsigned int n = 64;

  while (n < count)
    n *= 2;
#pragma unroll 1
  for (unsigned int run = 64; run <= n; run *= 2) {
#pragma unroll 1
    for (unsigned int d = run / 2; d >= 64; d /= 2) {
#pragma unroll 1
      for (unsigned int t = threadIdx.x; t < n / 2; t += Y10_HEAD_THREADS) {
        const unsigned int i = 2 * t - (t & (d - 1));
        const Y10Key a = list[i], b = list[i + d];

        if ((a < b) == ((i & run) == 0)) {
          list[i] = b;
          list[i + d] = a;
        }
      }
      __syncthreads ();
    }
#pragma unroll 1
    for (unsigned int i = threadIdx.x / 32 * 64 + lane; i < n;
         i += 2 * Y10_HEAD_THREADS) {
      const unsigned int j = i + 32;
      Y10Key a = run > 64 || i < count ? list[i] : 0;
      Y10Key b = run > 64 || j < count ? list[j] : 0;

#pragma unroll 1
      for (unsigned int r = run > 64 ? run : 2; r <= run; r *= 2) {
        if (r >= 64 && (a < b) == ((i & r) == 0)) {
          const Y10Key c = a;

          a = b;
          b = c;
        }
#pragma unroll 1
        for (unsigned int d = min (r / 2, 16u); d > 0; d /= 2) {
          a = y10_head_exchange (a, i, d, r);
          b = y10_head_exchange (b, j, d, r);
        }
      }
      list[i] = a;
      list[j] = b;
    }
    __syncthreads ();
  }
}
