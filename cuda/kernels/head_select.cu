/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Selects the best pairs of anchor and class (one2one). Like the host, it selects the
 * best k by logit, where k is the capacity, and then sorts by score: different logits
 * can have equal scores, in which case the anchor decides. */

#include "head_pairs.cuh"

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
        const float score = y10_head_sigmoid (
            y10_head_logit ((unsigned int) (list[i] >> 32)));

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

  n = y10_head_select_anchors (all_anchors, capacity, anchors, &floor, s,
      &turn);

  const Y10HeadPairs pairs = { p,
    params.all_classes ? NULL : p.classes + (long long) image * p.n_classes,
    anchors, n, floor, image };

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
            edge),
        y10_head_score (key), anchor, pair % (unsigned int) p.n_classes);
  }
  if (threadIdx.x == 0)
    p.counts[image] = n;
}

extern "C" __global__ void
__launch_bounds__ (Y10_HEAD_THREADS, 1) y10_head_select (Y10KHead p)
{
  __shared__ Y10HeadShared s;
  __shared__ Y10Key list[Y10_HEAD_LIST];
  __shared__ unsigned int anchors[Y10_HEAD_ANCHORS];
  __shared__ Y10KHeadParams params; /* rather than in each thread's registers */
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
