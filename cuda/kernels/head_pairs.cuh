/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The best pairs of anchor and class. The best k pairs belong to the k anchors with the
 * best logits, so only the classes of these anchors are read again. */

#include "head.cuh"

/* Anchors that a thread keeps in registers: all of a 640 × 640 picture's. */
#define Y10_HEAD_KEPT 9

/* Logits that a thread reads at a time, four classes each. */
#define Y10_HEAD_AHEAD 3

/* Keys of the anchors' best logits; the index is the anchor. */
struct Y10HeadAnchors
{
  const unsigned int *keys;
  unsigned int n, floor;
  unsigned int kept[Y10_HEAD_KEPT];

  __device__ __forceinline__
  Y10HeadAnchors (const unsigned int *keys, unsigned int n)
      : keys (keys), n (n), floor (0)
  {
    read (kept, 0);
  }

  __device__ __forceinline__ void
  read (unsigned int (&to)[Y10_HEAD_KEPT], unsigned int first) const
  {
#pragma unroll
    for (unsigned int i = 0; i < Y10_HEAD_KEPT; i++) {
      const unsigned int a = first + i * Y10_HEAD_THREADS + threadIdx.x;

      to[i] = a < n ? keys[a] : 0;
    }
  }

  template <typename F>
  __device__ __forceinline__ void
  each (const F &f) const
  {
    unsigned int key[Y10_HEAD_KEPT];

#pragma unroll
    for (unsigned int i = 0; i < Y10_HEAD_KEPT; i++)
      key[i] = kept[i];
#pragma unroll 1
    for (unsigned int first = 0;;) {
      Y10Key packed[Y10_HEAD_KEPT];

#pragma unroll
      for (unsigned int i = 0; i < Y10_HEAD_KEPT; i++)
        packed[i] = key[i] >= floor
            ? y10_head_pack (key[i], first + i * Y10_HEAD_THREADS + threadIdx.x)
            : 0;
      f (packed);
      first += Y10_HEAD_KEPT * Y10_HEAD_THREADS;
      if (first >= n)
        return;
      read (key, first);
    }
  }
};

/* Keys of the requested classes of some anchors; the index is that of the pair. The
 * threads read four classes each, all of an anchor before those of the next. */
struct Y10HeadPairs
{
  const Y10KHead &p;
  const unsigned char *wanted; /* NULL: all */
  const unsigned int *anchors;
  unsigned int n, floor;
  int image;

  /* A thread's next anchor, and which four of its classes. */
  struct Place
  {
    unsigned int i, four;
  };

  __device__ __forceinline__ void
  next (Place &at, unsigned int fours) const
  {
    at.i += Y10_HEAD_THREADS / fours;
    at.four += Y10_HEAD_THREADS % fours;
    if (at.four >= fours) {
      at.four -= fours;
      at.i++;
    }
  }

  __device__ __forceinline__ void
  read (float4 (&to)[Y10_HEAD_AHEAD], Place at, unsigned int fours) const
  {
#pragma unroll
    for (unsigned int k = 0; k < Y10_HEAD_AHEAD; k++) {
      to[k] = make_float4 (0, 0, 0, 0);
      if (at.i < n)
        to[k] = *(
            const float4 *) (y10_head_class_logits (p, image, anchors[at.i])
            + 4 * at.four);
      next (at, fours);
    }
  }

  template <typename F>
  __device__ __forceinline__ void
  each (const F &f) const
  {
    const unsigned int n_classes = (unsigned int) p.n_classes;
    const unsigned int fours = (n_classes + 3) / 4;
    Place at = { threadIdx.x / fours, threadIdx.x % fours };

#pragma unroll 1
    for (unsigned int first = 0; first < n * fours;
         first += Y10_HEAD_AHEAD * Y10_HEAD_THREADS) {
      float4 logits[Y10_HEAD_AHEAD];
      Y10Key packed[4 * Y10_HEAD_AHEAD];

      read (logits, at, fours);
#pragma unroll
      for (unsigned int k = 0; k < Y10_HEAD_AHEAD; k++) {
        const float l[4] = { logits[k].x, logits[k].y, logits[k].z,
          logits[k].w };
        const unsigned int anchor = at.i < n ? anchors[at.i] : 0;

#pragma unroll
        for (unsigned int j = 0; j < 4; j++) {
          const unsigned int c = 4 * at.four + j;
          const unsigned int key = y10_head_key (l[j]);

          packed[4 * k + j] = at.i < n && c < n_classes && key >= floor
                  && (!wanted || wanted[c])
              ? y10_head_pack (key, anchor * n_classes + c)
              : 0;
        }
        next (at, fours);
      }
      f (packed);
    }
  }
};

/* Anchors that can be among the best pairs, not sorted: those with the best logits, as
 * many as there are rows, and at most a quarter more. Returns their number; *floor
 * becomes a logit's key that enough pairs reach. */
static __device__ __forceinline__ unsigned int
y10_head_select_anchors (const Y10HeadAnchors &all, unsigned int capacity,
    unsigned int *anchors, unsigned int *floor, Y10HeadShared *s,
    unsigned int *turn)
{
  Y10Key threshold;
  const unsigned int n = y10_head_largest (all, capacity,
      y10_head_anchor_room (capacity), s, turn, &threshold,
      [&] (unsigned int at, Y10Key key) {
        anchors[at] = y10_head_index (key);
      });

  *floor = max (*floor, (unsigned int) (threshold >> 32));
  return n;
}
