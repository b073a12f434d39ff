/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Distances from distributions over bins (DFL). The arithmetic matches
 * engine/core/dfl.c operation by operation and avoids fused multiply-add, so
 * only the rounding of expf() can make boxes differ from the host's. */

#include "head.h"

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

/* Returns the distance of an edge from the anchor, in strides. The usual 16 bins
 * come into registers by four reads that do not wait for each other. */
static __device__ __forceinline__ float
y10_head_dfl (const float *l, int n_bins)
{
  if (n_bins == 16 && ((size_t) l & 15) == 0) {
    float bins[16];

#pragma unroll
    for (int i = 0; i < 16; i += 4) {
      const float4 four = *(const float4 *) (l + i);

      bins[i] = four.x;
      bins[i + 1] = four.y;
      bins[i + 2] = four.z;
      bins[i + 3] = four.w;
    }
    return y10_head_expectation (bins, 16);
  }
  return y10_head_expectation (l, n_bins);
}
