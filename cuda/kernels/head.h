/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Turns logits into rows, with the results and order of engine/core/head.c:
 * score, anchor, class, for any number of anchors and classes. head_scan finds
 * each anchor's best class. Then one block per image selects, sorts and
 * decodes: head_select the best pairs of anchor and class (one2one), head_nms the
 * best class of each anchor with greedy suppression (one2many), head_nms_pairs all
 * pairs with it. These read only scratch memory that head_scan has just written, so
 * no step depends on an earlier one, and equal logits give equal bits. */

#include <stddef.h>

#include "view.h"

/* Same layout as Y10Detection. */
typedef struct
{
  float x0, y0, x1, y1, score;
  int class_id;
  unsigned int anchor;
} Y10KRow;

/* The parameters of one image; each step copies them to device memory. */
typedef struct
{
  float floor; /* y10_head_logit_floor () */
  float confidence, iou;
  int class_agnostic, max_rows;
  int all_classes; /* otherwise use the image's part of classes */
  double scale;    /* the letterbox */
  int left, top, src_width, src_height;
} Y10KHeadParams;

#define Y10_HEAD_MAX_LEVELS 4

/* The values of Y10HeadKind. */
enum
{
  Y10_K_HEAD_DFL,
  Y10_K_HEAD_LTRB
};

typedef struct
{
  const float *cls, *box;   /* first channel, first image; cls is read
                                 * four floats at a time: 16-byte aligned, its
                                 * strides are multiples of 4 */
  int cls_pixel, box_pixel; /* stride of a pixel in floats */
  long long cls_image, box_image;
  int height, width, stride;
  unsigned int first_anchor;
} Y10KLevel;

typedef struct
{
  Y10KLevel level[Y10_HEAD_MAX_LEVELS]; /* in order of stride, finest first */
  int n_levels, n_anchors, n_classes, n_bins, images;
  int kind;       /* Y10_K_HEAD_DFL or _LTRB */
  int capacity;   /* rows per image */
  int best_class; /* head_nms: classes are requested after the choice
                                 * of an anchor's best one */
  int max_pairs;  /* of anchor and class, head_nms_pairs; 0: another head */
  const Y10KHeadParams *params; /* one an image */
  const unsigned char *classes; /* [images][n_classes], non-zero: requested */
  void *scratch;                /* y10_head_scratch_bytes (), 256-aligned */
  Y10KRow *rows;                /* [images][capacity] */
  unsigned int *counts;         /* one an image */
} Y10KHead;

/* Lanes per anchor, and threads per block. */
#define Y10_HEAD_SCAN_LANES 8
#define Y10_HEAD_SCAN_THREADS 256
#define Y10_HEAD_THREADS 1024

/* Keys that fit in shared memory for sorting, a power of two. If the capacity is
 * more than half of it, sorting happens in scratch memory. */
#define Y10_HEAD_LIST 2048

/* Anchors that fit in shared memory: y10_head_anchor_room () of the largest capacity
 * whose keys do. */
#define Y10_HEAD_ANCHORS (Y10_HEAD_LIST / 2 + Y10_HEAD_LIST / 8)

/* Boxes that head_nms compares per round, a power of two. */
#define Y10_HEAD_NMS_LIST 1024

/* The host needs the size, the kernels the offsets. */
#ifdef __CUDACC__
#define Y10_K_BOTH static __host__ __device__ inline
#else
#define Y10_K_BOTH static inline
#endif

/* Offsets into an image's part of the scratch memory, and its size. */
typedef struct
{
  size_t keys;         /* n_anchors: the best logit's key */
  size_t best;         /* n_anchors: its class */
  size_t kept_boxes;   /* capacity × 4 floats, head_nms */
  size_t kept_classes; /* capacity, head_nms */
  size_t list;         /* list_size keys of 64 bits, head_select and
                                 * head_nms_pairs */
  size_t anchors;      /* y10_head_anchor_room (), likewise */
  size_t bytes;
  unsigned int list_size; /* at least twice the capacity, or max_pairs */
} Y10KHeadScratch;

Y10_K_BOTH size_t
y10_head_aligned (size_t size)
{
  return (size + 255) & ~(size_t) 255;
}

/* Anchors whose logits are read again: a quarter more than needed, because it is not
 * worth a further pass to leave them out. */
Y10_K_BOTH unsigned int
y10_head_anchor_room (unsigned int capacity)
{
  return capacity + capacity / 4;
}

Y10_K_BOTH Y10KHeadScratch
y10_head_scratch (const Y10KHead *p)
{
  size_t anchors = y10_head_aligned ((size_t) p->n_anchors * 4);
  size_t rows = y10_head_aligned ((size_t) p->capacity * 4);
  Y10KHeadScratch s;

  for (s.list_size = Y10_HEAD_LIST;
       s.list_size / 2 < (unsigned int) p->capacity;)
    s.list_size *= 2;
  if (p->max_pairs)
    s.list_size = (unsigned int) p->max_pairs;
  s.keys = 0;
  s.best = s.keys + anchors;
  s.kept_boxes = s.best + anchors;
  s.kept_classes = s.kept_boxes + 4 * rows;
  s.list = s.kept_classes + rows;
  s.bytes = s.anchors = s.list;
  if (p->max_pairs || s.list_size > Y10_HEAD_LIST) {
    unsigned int room = y10_head_anchor_room (
        (unsigned int) (p->max_pairs ? p->max_pairs : p->capacity));

    if (room > (unsigned int) p->n_anchors)
      room = (unsigned int) p->n_anchors;
    s.anchors += y10_head_aligned ((size_t) s.list_size * 8);
    s.bytes = s.anchors + y10_head_aligned ((size_t) room * 4);
  }
  return s;
}

/* Depends on n_anchors, images, capacity and max_pairs. */
static inline size_t
y10_head_scratch_bytes (const Y10KHead *p)
{
  return y10_head_scratch (p).bytes * (size_t) p->images;
}

static inline Y10KLaunch
y10_head_scan_launch (const Y10KHead *p)
{
  Y10KLaunch l = { { y10_k_div_up ((long long) p->n_anchors
                             * Y10_HEAD_SCAN_LANES,
                         Y10_HEAD_SCAN_THREADS),
                       (unsigned int) p->images, 1 },
    { Y10_HEAD_SCAN_THREADS, 1, 1 }, 0 };

  return l;
}

static inline Y10KLaunch
y10_head_select_launch (const Y10KHead *p)
{
  Y10KLaunch l = { { (unsigned int) p->images, 1, 1 },
    { Y10_HEAD_THREADS, 1, 1 }, 0 };

  return l;
}

static inline Y10KLaunch
y10_head_nms_launch (const Y10KHead *p)
{
  return y10_head_select_launch (p);
}

static inline Y10KLaunch
y10_head_nms_pairs_launch (const Y10KHead *p)
{
  return y10_head_select_launch (p);
}
