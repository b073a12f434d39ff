/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Selects the best pairs of anchor and class (one2one). The best k pairs belong
 * to the k anchors with the best logits, so only the classes of these anchors are
 * read again. Like the host, it selects the best k by logit, where k is the
 * capacity, and then sorts by score: different logits can have equal scores, in
 * which case the anchor decides. */

#include "head.cuh"

/* Keys of the anchors' best logits; the index is the anchor. */
struct Y10HeadAnchors
{
  const unsigned int *keys;
  unsigned int n, floor;

  template <typename F>
  __device__ void
  each (const F &f) const
  {
    for (unsigned int base = 0; base < n; base += 4 * Y10_HEAD_THREADS) {
      unsigned int key[4];

#pragma unroll
      for (unsigned int i = 0; i < 4; i++) {
        const unsigned int a = base + i * Y10_HEAD_THREADS + threadIdx.x;

        key[i] = a < n ? keys[a] : 0;
      }
#pragma unroll
      for (unsigned int i = 0; i < 4; i++) {
        const unsigned int a = base + i * Y10_HEAD_THREADS + threadIdx.x;

        f (key[i] >= floor ? y10_head_pack (key[i], a) : 0);
      }
    }
  }
};

/* Keys of the requested classes of some anchors; the index is that of the pair. A
 * warp processes 128 classes of an anchor while it loads the next. */
struct Y10HeadPairs
{
  const Y10KHead &p;
  const unsigned char *wanted;  /* NULL: all */
  const unsigned int *anchors;
  unsigned int n, floor;
  int image;

  __device__ __forceinline__ float4
  load (unsigned int anchor, int c) const
  {
    if (c < p.n_classes)
      return *(const float4 *) (y10_head_class_logits (p, image, anchor) + c);
    return make_float4 (0, 0, 0, 0);
  }

  template <typename F>
  __device__ void
  each (const F &f) const
  {
    const unsigned int n_classes = (unsigned int) p.n_classes;
    const unsigned int parts = (n_classes + 127) / 128;
    const unsigned int lane = threadIdx.x & 31;
    unsigned int u = threadIdx.x / 32;
    float4 next = make_float4 (0, 0, 0, 0);

    if (u < n * parts)
      next = load (anchors[u / parts], (int) (u % parts * 128 + 4 * lane));
    while (u < n * parts) {
      const unsigned int anchor = anchors[u / parts];
      const unsigned int first = u % parts * 128 + 4 * lane;
      const float l[4] = { next.x, next.y, next.z, next.w };

      u += Y10_HEAD_WARPS;
      if (u < n * parts)
        next = load (anchors[u / parts], (int) (u % parts * 128 + 4 * lane));
#pragma unroll
      for (unsigned int i = 0; i < 4; i++) {
        const unsigned int c = first + i;
        const unsigned int key = c < n_classes && (!wanted || wanted[c])
            ? y10_head_key (l[i]) : 0;

        f (key >= floor ? y10_head_pack (key, anchor * n_classes + c) : 0);
      }
    }
  }
};

/* Converts logits to sorted scores; returns how many reach the confidence. */
static __device__ unsigned int
y10_head_to_scores (Y10Key *list, unsigned int n, float confidence,
    Y10HeadShared *s)
{
  int out_of_order = 0;

  for (unsigned int i = threadIdx.x; i < n; i += Y10_HEAD_THREADS) {
    const Y10Key key = list[i];
    const float score =
        y10_head_sigmoid (y10_head_logit ((unsigned int) (key >> 32)));

    list[i] = score >= confidence
        ? y10_head_pack (y10_head_score_key (score), y10_head_index (key)) : 0;
  }
  if (threadIdx.x == 0)
    s->count = 0;
  /* Without this barrier a neighbour could still be a logit, which is larger than
   * any score: the result would be right, but the list sorted needlessly. */
  __syncthreads (); // spares a sort
  for (unsigned int i = threadIdx.x + 1; i < n; i += Y10_HEAD_THREADS)
    out_of_order |= list[i - 1] < list[i];
  if (__syncthreads_or (out_of_order))
    y10_head_sort (list, n);
  for (unsigned int i = threadIdx.x; i < n; i += Y10_HEAD_THREADS)
    if (list[i] != 0 && (i + 1 == n || list[i + 1] == 0))
      s->count = i + 1;
  __syncthreads ();
  return s->count;
}

extern "C" __global__ void __launch_bounds__ (Y10_HEAD_THREADS, 1)
y10_head_select (Y10KHead p)
{
  __shared__ Y10HeadShared s;
  __shared__ Y10Key shared_list[Y10_HEAD_LIST];
  __shared__ unsigned int shared_anchors[Y10_HEAD_LIST / 2];
  const int image = (int) blockIdx.x;
  const unsigned int capacity = (unsigned int) p.capacity;
  const Y10KHeadParams params = p.params[image];
  const Y10KHeadScratch at = y10_head_scratch (&p);
  char *scratch = (char *) p.scratch + image * at.bytes;
  const bool small = at.list_size == Y10_HEAD_LIST;
  Y10Key *list = small ? shared_list : (Y10Key *) (scratch + at.list);
  unsigned int *anchors = small ? shared_anchors
      : (unsigned int *) (scratch + at.anchors);
  const Y10HeadAnchors all_anchors = {
    (const unsigned int *) (scratch + at.keys), (unsigned int) p.n_anchors,
    y10_head_key (params.floor)
  };
  unsigned int n, floor = all_anchors.floor;
  bool all;

  n = y10_head_largest (all_anchors, capacity, list, at.list_size, &s, &all);
  if (n >= capacity) {
    y10_head_sort (list, n);
    n = capacity;
    /* Enough pairs are at least as good as this one. */
    floor = (unsigned int) (list[n - 1] >> 32);
  }
  for (unsigned int i = threadIdx.x; i < n; i += Y10_HEAD_THREADS)
    anchors[i] = y10_head_index (list[i]);

  const Y10HeadPairs pairs = {
    p, params.all_classes ? NULL : p.classes + (long long) image * p.n_classes,
    anchors, n, floor, image
  };

  n = y10_head_largest (pairs, capacity, list, at.list_size, &s, &all);
  y10_head_sort (list, n);
  n = n < capacity ? n : capacity;
  n = y10_head_to_scores (list, n, params.confidence, &s);
  n = params.max_rows < (int) n ? (unsigned int) max (params.max_rows, 0) : n;
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
