/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Non-maximum suppression (one2many) of every pair of anchor and class. Like the host, it
 * selects the best max_pairs by logit and then takes those whose score reaches the
 * confidence, in order of score. They lie in scratch memory; only the selection reads
 * logits. */

#include "head_nms.cuh"
#include "head_pairs.cuh"

/* Keys of the selected pairs' scores that are below @before; the index is that of the
 * pair. */
struct Y10HeadPairScores
{
  const Y10Key *keys;
  unsigned int n, n_classes;
  Y10Key before;

  template <typename F>
  __device__ __forceinline__ void
  each (const F &f) const
  {
    for (unsigned int base = 0; base < n; base += 4 * Y10_HEAD_THREADS) {
      Y10Key key[4];

#pragma unroll
      for (unsigned int i = 0; i < 4; i++) {
        const unsigned int at = base + i * Y10_HEAD_THREADS + threadIdx.x;

        key[i] = at < n ? keys[at] : 0;
        key[i] = key[i] < before ? key[i] : 0;
      }
      f (key);
    }
  }

  __device__ __forceinline__ unsigned int
  anchor (unsigned int index) const
  {
    return index / n_classes;
  }

  __device__ __forceinline__ unsigned int
  class_id (unsigned int index) const
  {
    return index % n_classes;
  }
};

/* Writes the keys of the best pairs' logits, not sorted, and returns their number. */
static __device__ __forceinline__ unsigned int
y10_head_select_pairs (const Y10KHead &p, const Y10KHeadParams &params,
    Y10Key *keys, unsigned int *anchors, const unsigned int *anchor_keys,
    Y10HeadShared *s, unsigned int *turn)
{
  const int image = (int) blockIdx.x;
  const unsigned int want = (unsigned int) p.max_pairs;
  Y10HeadAnchors all (anchor_keys, (unsigned int) p.n_anchors);
  unsigned int floor = max (y10_head_key (params.floor), 1u), n;
  Y10Key threshold;

  all.floor = floor;
  n = y10_head_select_anchors (all, want, anchors, &floor, s, turn);

  const Y10HeadPairs pairs = { p,
    params.all_classes ? NULL : p.classes + (long long) image * p.n_classes,
    anchors, n, floor, image };

  return y10_head_largest (pairs, want, want, s, turn, &threshold,
      [&] (unsigned int at, Y10Key key) { keys[at] = key; });
}

extern "C" __global__ void
__launch_bounds__ (Y10_HEAD_THREADS, 1) y10_head_nms_pairs (Y10KHead p)
{
  __shared__ Y10HeadShared s;
  __shared__ Y10HeadNms nms;
  __shared__ Y10KHeadParams params; /* rather than in each thread's registers */
  const Y10KHeadScratch at = y10_head_scratch (&p);
  char *scratch = (char *) p.scratch + blockIdx.x * at.bytes;
  Y10Key *keys = (Y10Key *) (scratch + at.list);
  unsigned int turn = y10_head_begin (&s), n;

  if (threadIdx.x == 0)
    params = p.params[blockIdx.x];
  __syncthreads ();
  n = y10_head_select_pairs (p, params, keys,
      (unsigned int *) (scratch + at.anchors),
      (const unsigned int *) (scratch + at.keys), &s, &turn);
#pragma unroll 1
  for (unsigned int i = threadIdx.x; i < n; i += Y10_HEAD_THREADS) {
    const float score = y10_head_sigmoid (
        y10_head_logit ((unsigned int) (keys[i] >> 32)));

    keys[i] = score >= params.confidence
        ? y10_head_pack (y10_head_score_key (score), y10_head_index (keys[i]))
        : 0;
  }

  /* Each thread reads only keys that it wrote, so no barrier is needed. */
  Y10HeadPairScores source = { keys, n, (unsigned int) p.n_classes,
    ~(Y10Key) 0 };

  y10_head_suppress (p, params, source, &nms, &s, turn);
}
