/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Boxes from the distances of their edges, as engine/core/ltrb.c computes them:
 * without fused multiply-add, so that they have the same bits. In heads without
 * DFL the distances are the logits. */

#include "head_dfl.cuh"

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

/* Returns an edge of an anchor's box (0: left, 1: top, 2: right, 3: bottom) in
 * pixels of the network's input. */
static __device__ __forceinline__ float
y10_head_edge (const Y10KHead &p, int image, unsigned int anchor, int edge)
{
  unsigned int pixel;
  const Y10KLevel &level = p.level[y10_head_level (p, anchor, &pixel)];
  const float *l = level.box + image * level.box_image
      + (long long) pixel * level.box_pixel + edge * p.n_bins;
  const float distance = p.kind == Y10_K_HEAD_LTRB ? l[0]
                                                   : y10_head_dfl (l, p.n_bins);
  const float at = (float) (edge & 1 ? pixel / level.width
                                     : pixel % level.width)
      + 0.5f;

  return __fmul_rn (edge < 2 ? at - distance : at + distance,
      (float) level.stride);
}
