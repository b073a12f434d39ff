/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Greedy non-maximum suppression: a box is dropped if it overlaps a better kept box by more
 * than the threshold. Candidates are processed in order of score, as many at a time as fit
 * in shared memory, until none is left or enough are kept. The block synchronises once per
 * kept box, not once per candidate. */

#include "head.cuh"

#define Y10_HEAD_NMS_WORDS (Y10_HEAD_NMS_LIST / 32)

struct Y10HeadNms
{
  float4 boxes[Y10_HEAD_NMS_LIST];
  Y10Key list[Y10_HEAD_NMS_LIST];
  unsigned int classes[Y10_HEAD_NMS_LIST];
  /* Bit sets of the boxes not yet suppressed: the current and the next one. */
  unsigned int alive[2][Y10_HEAD_NMS_WORDS];
  unsigned short order[Y10_HEAD_NMS_LIST];
};

static __device__ __forceinline__ float
y10_head_iou (const float4 &a, const float4 &b)
{
  const float w = (a.z < b.z ? a.z : b.z) - (a.x > b.x ? a.x : b.x);
  const float h = (a.w < b.w ? a.w : b.w) - (a.y > b.y ? a.y : b.y);
  const float inter = __fmul_rn (w > 0 ? w : 0, h > 0 ? h : 0);

  return inter
      / (__fmul_rn (a.z - a.x, a.w - a.y) + __fmul_rn (b.z - b.x, b.w - b.y)
          - inter);
}

/* Returns the first set bit from @from on, or n. */
static __device__ __forceinline__ unsigned int
y10_head_next (const unsigned int *words, unsigned int from, unsigned int n)
{
  if (from >= n)
    return n;

  unsigned int w = from / 32;
  unsigned int bits = words[w] & (Y10_ALL_LANES << (from & 31));

  while (bits == 0) {
    if (++w * 32 >= n)
      return n;
    bits = words[w];
  }
  return w * 32 + (unsigned int) __ffs ((int) bits) - 1;
}

/* Writes the rows of this block's image. A source gives the keys of scores that are below
 * its before, and tells which anchor and class an index stands for. The caller has a barrier
 * after y10_head_begin (). */
template <typename Source>
static __device__ __forceinline__ void
y10_head_suppress (const Y10KHead &p, const Y10KHeadParams &params,
    Source &source, Y10HeadNms *m, Y10HeadShared *s, unsigned int turn)
{
  Y10Key *const list = m->list;
  float4 *const boxes = m->boxes;
  unsigned int *const classes = m->classes;
  const unsigned int lane = threadIdx.x & 31, warp = threadIdx.x / 32;
  const int image = (int) blockIdx.x;
  const unsigned int capacity = (unsigned int) p.capacity;
  const unsigned int limit = params.max_rows < p.capacity
      ? (unsigned int) max (params.max_rows, 0)
      : capacity;
  const Y10KHeadScratch at = y10_head_scratch (&p);
  char *scratch = (char *) p.scratch + image * at.bytes;
  float4 *kept_boxes = (float4 *) (scratch + at.kept_boxes);
  unsigned int *kept_classes = (unsigned int *) (scratch + at.kept_classes);
  unsigned int kept = 0;
  Y10Key threshold = 0;

  while (kept < limit && threshold != 1) {
    const unsigned int n = y10_head_largest (source, Y10_HEAD_NMS_LIST / 2,
        Y10_HEAD_NMS_LIST, s, &turn, &threshold,
        [&] (unsigned int at, Y10Key key) { list[at] = key; });
    unsigned int fresh = 0, now = 0, i;

    if (n == 0)
      break;
    y10_head_sort (list, n);
    source.before = list[n - 1];
    for (unsigned int t = threadIdx.x; t < 4 * n; t += Y10_HEAD_THREADS) {
      const unsigned int index = y10_head_index (list[t / 4]);

      ((float *) &boxes[t / 4])[t & 3] = y10_head_edge (p, image,
          source.anchor (index), (int) (t & 3));
      if ((t & 3) == 0)
        classes[t / 4] = source.class_id (index);
    }
    __syncthreads ();

    /* Boxes kept in earlier rounds suppress first. */
    for (unsigned int w = warp; w * 32 < n; w += Y10_HEAD_WARPS) {
      const unsigned int j = w * 32 + lane;
      bool stays = j < n;

      for (unsigned int k = 0; stays && k < kept; k++)
        stays = !((params.class_agnostic || classes[j] == kept_classes[k])
            && y10_head_iou (boxes[j], kept_boxes[k]) > params.iou);

      const unsigned int bits = __ballot_sync (Y10_ALL_LANES, stays);

      if (lane == 0)
        m->alive[0][w] = bits;
    }
    __syncthreads ();

    for (i = y10_head_next (m->alive[now], 0, n); i < n;
         i = y10_head_next (m->alive[now], i + 1, n)) {
      const float4 box = boxes[i];
      const unsigned int class_id = classes[i];

      if (threadIdx.x == 0)
        m->order[fresh] = (unsigned short) i;
      if (kept + ++fresh == limit)
        break;
      for (unsigned int w = i / 32 + warp; w * 32 < n; w += Y10_HEAD_WARPS) {
        const unsigned int j = w * 32 + lane;
        bool stays = m->alive[now][w] >> lane & 1;

        if (stays && j > i && (params.class_agnostic || classes[j] == class_id))
          stays = !(y10_head_iou (boxes[j], box) > params.iou);

        const unsigned int bits = __ballot_sync (Y10_ALL_LANES, stays);

        if (lane == 0)
          m->alive[now ^ 1][w] = bits;
      }
      __syncthreads ();
      now ^= 1;
    }
    __syncthreads ();

    for (unsigned int t = threadIdx.x; t < 4 * fresh; t += Y10_HEAD_THREADS) {
      const unsigned int from = m->order[t / 4], to = kept + t / 4;
      const int edge = (int) (t & 3);
      const float v = ((const float *) &boxes[from])[edge];

      ((float *) &kept_boxes[to])[edge] = v;
      if (edge == 0)
        kept_classes[to] = classes[from];
      y10_head_write (p.rows + (size_t) image * capacity + to, edge,
          y10_head_to_source (params, v, edge), y10_head_score (list[from]),
          source.anchor (y10_head_index (list[from])), classes[from]);
    }
    kept += fresh;
    __syncthreads ();
  }
  if (threadIdx.x == 0)
    p.counts[image] = kept;
}
