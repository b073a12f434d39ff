/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Selects the best pairs of anchor and class (one2one). The best k pairs belong
 * to the k anchors with the best logits, so only the classes of these anchors are
 * read again. Like the host, it selects the best k by logit, where k is the
 * capacity, and then sorts by score: different logits can have equal scores, in
 * which case the anchor decides. */

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
        packed[i] = key[i] >= floor ? y10_head_pack (key[i],
            first + i * Y10_HEAD_THREADS + threadIdx.x) : 0;
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
  const unsigned char *wanted;  /* NULL: all */
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
        to[k] = *(const float4 *) (y10_head_class_logits (p, image,
                anchors[at.i]) + 4 * at.four);
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
        const float l[4] = { logits[k].x, logits[k].y, logits[k].z, logits[k].w };
        const unsigned int anchor = at.i < n ? anchors[at.i] : 0;

#pragma unroll
        for (unsigned int j = 0; j < 4; j++) {
          const unsigned int c = 4 * at.four + j;
          const unsigned int key = y10_head_key (l[j]);

          packed[4 * k + j] = at.i < n && c < n_classes && key >= floor
              && (!wanted || wanted[c])
              ? y10_head_pack (key, anchor * n_classes + c) : 0;
        }
        next (at, fours);
      }
      f (packed);
    }
  }
};

/* Sorts n logits, of which there are more than capacity, or all, and converts the first
 * to sorted scores; returns how many reach the confidence. */
static __device__ __forceinline__ unsigned int
y10_head_to_scores (Y10Key *list, unsigned int n, unsigned int capacity,
    float confidence)
{
  unsigned int count = 0;

  /* The second round sorts scores, if it takes place: two calls would be two copies. */
#pragma unroll 1
  for (bool scores = false;; scores = true) {
    int out_of_order = 0;

    y10_head_sort (list, n);
    if (scores)
      return count;
    n = min (n, capacity);
#pragma unroll 1
    for (unsigned int first = 0; first < n; first += Y10_HEAD_THREADS) {
      const unsigned int i = first + threadIdx.x;
      Y10Key key = 0;

      if (i < n) {
        const float score = y10_head_sigmoid (y10_head_logit (
                (unsigned int) (list[i] >> 32)));

        if (score >= confidence)
          key = y10_head_pack (y10_head_score_key (score),
              y10_head_index (list[i]));
        list[i] = key;
      }
      count += (unsigned int) __syncthreads_count (key != 0);
    }
    for (unsigned int i = threadIdx.x + 1; i < n; i += Y10_HEAD_THREADS)
      out_of_order |= list[i - 1] < list[i];
    if (!__syncthreads_or (out_of_order))
      return count;
  }
}

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
      [&] (unsigned int at, Y10Key key) { anchors[at] = y10_head_index (key); });

  *floor = max (*floor, (unsigned int) (threshold >> 32));
  return n;
}

/* Both lists in shared or both in scratch memory: the compiler then knows which. */
static __device__ __forceinline__ void
y10_head_select_rows (const Y10KHead &p, const Y10KHeadParams &params,
    const Y10HeadAnchors &all_anchors, Y10Key *list, unsigned int list_size,
    unsigned int *anchors, Y10HeadShared *s, unsigned int turn)
{
  const int image = (int) blockIdx.x;
  const unsigned int capacity = (unsigned int) p.capacity;
  unsigned int n, floor = all_anchors.floor;
  Y10Key threshold;

  n = y10_head_select_anchors (all_anchors, capacity, anchors, &floor, s, &turn);

  const Y10HeadPairs pairs = {
    p, params.all_classes ? NULL : p.classes + (long long) image * p.n_classes,
    anchors, n, floor, image
  };

  n = y10_head_largest (pairs, capacity, list_size, s, &turn, &threshold,
      [&] (unsigned int at, Y10Key key) { list[at] = key; });
  n = y10_head_to_scores (list, n, capacity, params.confidence);
  n = params.max_rows < (int) n ? (unsigned int) max (params.max_rows, 0) : n;
#pragma unroll 1
  for (unsigned int i = threadIdx.x; i < 4 * n; i += Y10_HEAD_THREADS) {
    const Y10Key key = list[i / 4];
    const unsigned int pair = y10_head_index (key);
    const unsigned int anchor = pair / (unsigned int) p.n_classes;
    const int edge = (int) (i & 3);

    y10_head_write (p.rows + (size_t) image * capacity + i / 4, edge,
        y10_head_to_source (params, y10_head_edge (p, image, anchor, edge),
            edge), y10_head_score (key), anchor,
        pair % (unsigned int) p.n_classes);
  }
  if (threadIdx.x == 0)
    p.counts[image] = n;
}

extern "C" __global__ void __launch_bounds__ (Y10_HEAD_THREADS, 1)
y10_head_select (Y10KHead p)
{
  __shared__ Y10HeadShared s;
  __shared__ Y10Key list[Y10_HEAD_LIST];
  __shared__ unsigned int anchors[Y10_HEAD_ANCHORS];
  __shared__ Y10KHeadParams params;     /* rather than in each thread's registers */
  const Y10KHeadScratch at = y10_head_scratch (&p);
  char *scratch = (char *) p.scratch + blockIdx.x * at.bytes;
  Y10HeadAnchors all ((const unsigned int *) (scratch + at.keys),
      (unsigned int) p.n_anchors);
  const unsigned int turn = y10_head_begin (&s);

  if (threadIdx.x == 0)
    params = p.params[blockIdx.x];
  __syncthreads ();
  all.floor = max (y10_head_key (params.floor), 1u);
  if (at.list_size == Y10_HEAD_LIST)
    y10_head_select_rows (p, params, all, list, Y10_HEAD_LIST, anchors, &s,
        turn);
  else
    y10_head_select_rows (p, params, all, (Y10Key *) (scratch + at.list),
        at.list_size, (unsigned int *) (scratch + at.anchors), &s, turn);
}
