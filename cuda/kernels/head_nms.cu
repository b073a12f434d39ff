/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Non-maximum suppression (one2many) of the best class of each anchor. */

#include "head_nms.cuh"

/* Keys of the anchors' scores that are below @before; the index is the anchor. */
struct Y10HeadScores
{
  const unsigned int *keys, *best;
  unsigned int n, floor;
  float confidence;
  Y10Key before;

  template <typename F>
  __device__ void
  each (const F &f) const
  {
    for (unsigned int base = 0; base < n; base += 4 * Y10_HEAD_THREADS) {
      unsigned int key[4];
      Y10Key packed[4];

#pragma unroll
      for (unsigned int i = 0; i < 4; i++) {
        const unsigned int a = base + i * Y10_HEAD_THREADS + threadIdx.x;

        key[i] = a < n && best[a] != Y10_NO_CLASS ? keys[a] : 0;
      }
#pragma unroll
      for (unsigned int i = 0; i < 4; i++) {
        const unsigned int a = base + i * Y10_HEAD_THREADS + threadIdx.x;

        packed[i] = 0;
        if (key[i] >= floor) {
          const float score = y10_head_sigmoid (y10_head_logit (key[i]));

          if (score >= confidence)
            packed[i] = y10_head_pack (y10_head_score_key (score), a);
        }
        packed[i] = packed[i] < before ? packed[i] : 0;
      }
      f (packed);
    }
  }

  __device__ __forceinline__ unsigned int
  anchor (unsigned int index) const
  {
    return index;
  }

  __device__ __forceinline__ unsigned int
  class_id (unsigned int index) const
  {
    return best[index];
  }
};

extern "C" __global__ void
__launch_bounds__ (Y10_HEAD_THREADS, 1) y10_head_nms (Y10KHead p)
{
  __shared__ Y10HeadShared s;
  __shared__ Y10HeadNms nms;
  const Y10KHeadParams params = p.params[blockIdx.x];
  const Y10KHeadScratch at = y10_head_scratch (&p);
  char *scratch = (char *) p.scratch + blockIdx.x * at.bytes;
  Y10HeadScores source = { (const unsigned int *) (scratch + at.keys),
    (const unsigned int *) (scratch + at.best), (unsigned int) p.n_anchors,
    y10_head_key (params.floor), params.confidence, ~(Y10Key) 0 };
  const unsigned int turn = y10_head_begin (&s);

  __syncthreads ();
  y10_head_suppress (p, params, source, &nms, &s, turn);
}
