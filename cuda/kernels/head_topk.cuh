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
#define Y10_HEAD_DIGIT 11       /* bits per pass of the radix selection */
#define Y10_HEAD_DIGITS (1 << Y10_HEAD_DIGIT)
#define Y10_ALL_LANES 0xffffffffu

typedef unsigned long long Y10Key;

/* The shared memory of a selection. */
struct Y10HeadShared
{
  unsigned int histogram[Y10_HEAD_DIGITS];
  unsigned int warp[Y10_HEAD_WARPS];
  unsigned int count;
  unsigned int digit, above, inside;    /* see y10_head_find_digit () */
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

/* Stores the keys >= threshold in list, in any order, while they fit. Returns the
 * number of such keys, which may exceed list_size. */
template <typename Source>
static __device__ unsigned int
y10_head_collect (const Source &source, Y10Key threshold, Y10Key *list,
    unsigned int list_size, Y10HeadShared *s)
{
  const unsigned int lane = threadIdx.x & 31;

  __syncthreads ();
  if (threadIdx.x == 0)
    s->count = 0;
  __syncthreads ();
  /* Each warp reserves room for all of its keys with one atomic operation. */
  source.each ([&] (Y10Key key) {
    unsigned int mask = __ballot_sync (Y10_ALL_LANES, key >= threshold);
    unsigned int at = 0;

    if (mask == 0)
      return;
    if (lane == 0)
      at = atomicAdd (&s->count, (unsigned int) __popc (mask));
    at = __shfl_sync (Y10_ALL_LANES, at, 0)
        + __popc (mask & ((1u << lane) - 1));
    if (key >= threshold && at < list_size)
      list[at] = key;
  });
  __syncthreads ();
  return s->count;
}

/* Finds the digit of the want-th largest key in the histogram. Stores it, and the
 * numbers of keys with a larger digit (above) and with the same digit (inside). */
static __device__ void
y10_head_find_digit (Y10HeadShared *s, unsigned int want)
{
  const unsigned int each = Y10_HEAD_DIGITS / Y10_HEAD_THREADS;
  const unsigned int lane = threadIdx.x & 31, warp = threadIdx.x / 32;
  const unsigned int first = Y10_HEAD_DIGITS - 1 - threadIdx.x * each;
  unsigned int sum = 0, above;

  for (unsigned int i = 0; i < each; i++)
    sum += s->histogram[first - i];
  above = sum;
  for (unsigned int d = 1; d < 32; d *= 2) {
    unsigned int other = __shfl_up_sync (Y10_ALL_LANES, above, d);

    above += lane >= d ? other : 0;
  }
  if (lane == 31)
    s->warp[warp] = above;
  __syncthreads ();
  for (unsigned int i = 0; i < warp; i++)
    above += s->warp[i];
  above -= sum;
  if (above < want && want <= above + sum) {
    unsigned int d = first;

    for (; above + s->histogram[d] < want; d--)
      above += s->histogram[d];
    s->digit = d;
    s->above = above;
    s->inside = s->histogram[d];
  }
  __syncthreads ();
}

/* Returns a threshold that at least want and at most list_size keys reach; source
 * has more than list_size keys. Refines the threshold digit by digit; after the last
 * digit, exactly want keys reach it. */
template <typename Source>
static __device__ Y10Key
y10_head_threshold (const Source &source, unsigned int want,
    unsigned int list_size, Y10HeadShared *s)
{
  Y10Key prefix = 0;
  unsigned int taken = 0;       /* keys above those that begin with prefix */

  for (int top = 64;;) {
    const int shift = top > Y10_HEAD_DIGIT ? top - Y10_HEAD_DIGIT : 0;
    const unsigned int mask = (1u << (top - shift)) - 1;

    for (unsigned int i = threadIdx.x; i < Y10_HEAD_DIGITS;
        i += Y10_HEAD_THREADS)
      s->histogram[i] = 0;
    __syncthreads ();
    source.each ([&] (Y10Key key) {
      if (key != 0 && (top == 64 || key >> top == prefix))
        atomicAdd (&s->histogram[(unsigned int) (key >> shift) & mask], 1u);
    });
    __syncthreads ();
    y10_head_find_digit (s, want - taken);
    prefix = prefix << (top - shift) | s->digit;
    taken += s->above;
    if (taken + s->inside <= list_size || shift == 0)
      return prefix << shift;
    top = shift;
  }
}

/* Stores the largest keys of source in list, in any order: all if they fit, else at
 * least want. Returns the number stored; *all tells whether none was left out. */
template <typename Source>
static __device__ unsigned int
y10_head_largest (const Source &source, unsigned int want, Y10Key *list,
    unsigned int list_size, Y10HeadShared *s, bool *all)
{
  unsigned int n = y10_head_collect (source, (Y10Key) 1, list, list_size, s);

  *all = n <= list_size;
  if (!*all) {
    Y10Key threshold = y10_head_threshold (source, want, list_size, s);

    n = y10_head_collect (source, threshold, list, list_size, s);
  }
  return n;
}

/* Bitonic sort, descending. Pads list with 0 to a power of two, so list
 * must have room for that. */
static __device__ void
y10_head_sort (Y10Key *list, unsigned int count)
{
  unsigned int n = 1;

  while (n < count)
    n *= 2;
  for (unsigned int i = count + threadIdx.x; i < n; i += Y10_HEAD_THREADS)
    list[i] = 0;
  __syncthreads ();
  for (unsigned int run = 2; run <= n; run *= 2)
    for (unsigned int d = run / 2; d > 0; d /= 2) {
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
}
