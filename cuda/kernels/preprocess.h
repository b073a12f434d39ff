/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* From pictures to the network's input, with the bits of
 * engine/ref/preprocess.c: four source pixels as 8-bit R'G'B', blended in
 * OpenCV's fixed point, divided by 255, border 114 / 255. One launch reads all
 * images of a step; what is known of each lies in device memory. */

#include "view.h"

/* Same layout as Y10Component. */
typedef struct
{
  int plane, step, offset, xshift, yshift;
} Y10KComponent;

/* Same layout as Y10Tap: two source columns or rows and their weights in
 * 1/2048. */
typedef struct
{
  unsigned int pos[2];
  short weight[2];
} Y10KTap;

typedef struct
{
  const unsigned char *plane[4]; /* device addresses, any alignment */
  long long stride[4];
  int x, y;             /* corner of the region */
  int yuv, sample_size; /* 4: planes of floats of the input's size */
  Y10KComponent component[3];
  int color[8];                 /* Y10ColorTransform, member by member */
  const Y10KTap *column, *row;  /* width and height of them */
  int left, top, width, height; /* where the picture lies in the input */
} Y10KPicture;

typedef struct
{
  const Y10KPicture *pictures; /* one an image */
  Y10KView out;                /* R, G, B, five zeros */
  int images;
} Y10KPreprocess;

static inline Y10KLaunch
y10_preprocess_launch (const Y10KPreprocess *p)
{
  Y10KLaunch l = { { y10_k_div_up (p->out.width, 32),
                       y10_k_div_up (p->out.height, 8),
                       (unsigned int) p->images },
    { 32, 8, 1 }, 0 };

  return l;
}
