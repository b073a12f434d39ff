/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* From logits to rows, with the results and the order of engine/head.c: score,
 * anchor, class, for any number of anchors and classes. head_scan finds each
 * anchor's best wanted class; then one block an image selects, sorts and
 * decodes: head_select the best pairs of anchor and class (one2one), head_nms
 * the best class of each anchor with greedy suppression (one2many). */

#include <stddef.h>

#include "view.h"

/* As Y10Detection. */
typedef struct
{
  float x0, y0, x1, y1, score;
  int class_id;
  unsigned int anchor;
} Y10KRow;

/* What is wanted of one image; in device memory, copied there with each step. */
typedef struct
{
  float floor;                  /* y10_head_logit_floor () */
  float confidence, iou;
  int class_agnostic, max_rows;
  int all_classes;              /* else the image's bytes of classes */
  double scale;                 /* the letterbox */
  int left, top, src_width, src_height;
} Y10KHeadParams;

typedef struct
{
  const float *cls, *box;       /* first channel, first image */
  int cls_pixel, box_pixel;     /* floats from pixel to pixel */
  long long cls_image, box_image;
  int height, width, stride;
  unsigned int first_anchor;
} Y10KLevel;

typedef struct
{
  Y10KLevel level[3];
  int n_anchors, n_classes, n_bins, images;
  int capacity;                 /* rows an image has room for */
  const Y10KHeadParams *params; /* one an image */
  const unsigned char *classes; /* [images][n_classes], non-zero: wanted */
  void *scratch;                /* y10_head_scratch_bytes (), 256-aligned */
  Y10KRow *rows;                /* [images][capacity] */
  unsigned int *counts;         /* one an image */
} Y10KHead;
