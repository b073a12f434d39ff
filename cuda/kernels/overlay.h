/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Draws rectangles and text on a frame in place, bit for bit like
 * gst/paint/canvas.c. One launch draws all fills, shades and texts up to the
 * next blur. A blur takes two launches: the means of its cells, and the
 * interpolation between them. */

#include "view.h"

#define Y10_K_MAX_CELLS 8

enum
{
  Y10_K_FILL,
  Y10_K_SHADE,
  Y10_K_TEXT,
};

/* One item: a non-empty rectangle within the frame. */
typedef struct
{
  unsigned short x0, y0, x1, y1;   /* x1 and y1 are exclusive */
  unsigned short color[4], ink[4]; /* of each component, as stored */
  unsigned short kind, alpha;      /* of 256 */
  unsigned short full_stride, half_stride;
  unsigned long long full, half; /* text: bytes into the atlas, of the
                                         * sample at x0, y0 */
} Y10KOverlayItem;

typedef struct
{
  unsigned char *data;  /* device address of the first sample */
  long long stride;     /* bytes */
  int step;             /* bytes */
  int x_shift, y_shift; /* 0 or 1 */
} Y10KOverlayComponent;

typedef struct
{
  Y10KOverlayComponent component[4];
  const Y10KOverlayItem *items;
  const unsigned char *atlas;
  int n_components, wide; /* samples of 16 bits */
  int n_items;
  int x0, y0, x1, y1; /* bounds of all items, x0 and y0 even */
} Y10KOverlay;

/* A thread draws 2x2 pixels with their chroma, so that no two threads write the
 * same sample. */
static inline Y10KLaunch
y10_overlay_launch (const Y10KOverlay *p)
{
  Y10KLaunch l = { { y10_k_div_up (p->x1 - p->x0, 64),
                       y10_k_div_up (p->y1 - p->y0, 16), 1 },
    { 32, 8, 1 }, 0 };

  return l;
}

/* The blurred samples of one component, divided into columns x rows cells. */
typedef struct
{
  int x, y, width, height;
  int columns, rows;
} Y10KBlurArea;

typedef struct
{
  Y10KOverlayComponent component[4];
  Y10KBlurArea area[4];
  unsigned int *means; /* [component][row][column] */
  int n_components, wide;
} Y10KBlur;

static inline Y10KLaunch
y10_overlay_means_launch (const Y10KBlur *p)
{
  Y10KLaunch l = { { Y10_K_MAX_CELLS, Y10_K_MAX_CELLS,
                       (unsigned int) p->n_components },
    { 256, 1, 1 }, 0 };

  return l;
}

static inline Y10KLaunch
y10_overlay_blur_launch (const Y10KBlur *p)
{
  Y10KLaunch l = { { 1, 1, (unsigned int) p->n_components }, { 32, 8, 1 }, 0 };
  int i;

  for (i = 0; i < p->n_components; i++) {
    unsigned int x = y10_k_div_up (p->area[i].width, 32);
    unsigned int y = y10_k_div_up (p->area[i].height, 8);

    l.grid[0] = x > l.grid[0] ? x : l.grid[0];
    l.grid[1] = y > l.grid[1] ? y : l.grid[1];
  }
  return l;
}
