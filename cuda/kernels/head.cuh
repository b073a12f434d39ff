/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Shared by the head kernels: access to logits, and writing rows. Selection is in
 * head_topk.cuh, decoding in head_ltrb.cuh. */

#include "head_ltrb.cuh"
#include "head_topk.cuh"

#define Y10_NO_CLASS 0xffffffffu

static __device__ __forceinline__ const float *
y10_head_class_logits (const Y10KHead &p, int image, unsigned int anchor)
{
  unsigned int pixel;
  const Y10KLevel &l = p.level[y10_head_level (p, anchor, &pixel)];

  return l.cls + image * l.cls_image + (long long) pixel * l.cls_pixel;
}

/* Maps back through the letterbox and clips to the picture. */
static __device__ __forceinline__ float
y10_head_to_source (const Y10KHeadParams &params, float v, int edge)
{
  float limit = (float) (edge & 1 ? params.src_height : params.src_width);

  v = (v - (float) (edge & 1 ? params.top : params.left))
      / (float) params.scale;
  return v > limit ? limit : v < 0.0f ? 0.0f : v;
}

/* Writes one edge of a row; with edge 0, also score and class. */
static __device__ __forceinline__ void
y10_head_write (Y10KRow *row, int edge, float value, float score,
    unsigned int anchor, unsigned int class_id)
{
  ((float *) row)[edge] = value;
  if (edge == 0) {
    row->score = score;
    row->class_id = (int) class_id;
    row->anchor = anchor;
  }
}
