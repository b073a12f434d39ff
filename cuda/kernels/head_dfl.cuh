/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Decodes boxes from distributions over bins (DFL). The arithmetic matches
 * engine/core/dfl.c operation by operation and avoids fused multiply-add, so
 * only the rounding of expf() can make boxes differ from the host's. */

#include "head.h"

/* Returns an anchor's level, and its index within the level. */
static __device__ __forceinline__ int
y10_head_level (const Y10KHead &p, unsigned int anchor, unsigned int *pixel)
{
  int level = p.n_levels - 1;

  while (anchor < p.level[level].first_anchor)
    level--;
  *pixel = anchor - p.level[level].first_anchor;
  return level;
}

/* Returns the expectation of the softmax over n logits. */
static __device__ __forceinline__ float
y10_head_expectation (const float *l, int n)
{
  float largest = l[0], sum = 0, expectation = 0;

#pragma unroll
  for (int i = 1; i < n; i++)
    largest = largest > l[i] ? largest : l[i];
#pragma unroll
  for (int i = 0; i < n; i++) {
    float e = expf (l[i] - largest);

    sum += e;
    expectation += __fmul_rn (e, (float) i);
  }
  return expectation / sum;
}

/* Returns an edge of an anchor's box (0: left, 1: top, 2: right, 3: bottom) in
 * pixels of the network's input. The edge's distance from the anchor, in strides,
 * is the expectation of the softmax over the bins. Those of YOLOv10, 16, come into
 * registers by four reads that do not wait for each other. */
static __device__ __forceinline__ float
y10_head_edge (const Y10KHead &p, int image, unsigned int anchor, int edge)
{
  unsigned int pixel;
  const Y10KLevel &level = p.level[y10_head_level (p, anchor, &pixel)];
  const float *l = level.box + image * level.box_image
      + (long long) pixel * level.box_pixel + edge * p.n_bins;
  float distance, at;

  if (p.n_bins == 16 && ((size_t) l & 15) == 0) {
    float bins[16];

#pragma unroll
    for (int i = 0; i < 16; i += 4) {
      const float4 four = *(const float4 *) (l + i);

      bins[i] = four.x;
      bins[i + 1] = four.y;
      bins[i + 2] = four.z;
      bins[i + 3] = four.w;
    }
    distance = y10_head_expectation (bins, 16);
  } else
    distance = y10_head_expectation (l, p.n_bins);
  at = (float) (edge & 1 ? pixel / level.width : pixel % level.width) + 0.5f;
  return __fmul_rn (edge < 2 ? at - distance : at + distance,
      (float) level.stride);
}
