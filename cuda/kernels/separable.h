/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* A depthwise convolution and the 1×1 one that reads it, as one kernel: what is between
 * them, rounded as if it were stored, is in shared memory only. Both have bias and
 * optional SiLU, and no addition. The result has the bits of the two kernels of
 * depthwise.h and igemm.h, with a tile that sums in one go. Types of 16 bits.
 *
 * A kernel can also compute the logits that a last 1×1 makes of that, and of nothing else
 * anybody needs: what the pair would store is in shared memory then, too. */

#include "igemm.h"

/* T (ROWS, COLUMNS, ROWS OF A WARP, COLUMNS OF A WARP, STAGES): what a block computes at
 * a time, and how many steps of the 1×1's depth are on their way. */
#define Y10_SEPARABLE_TILES(T) \
  T (64, 64, 32, 32, 3) \
  T (128, 32, 32, 32, 4) \
  T (64, 32, 16, 32, 4) \
  T (32, 64, 16, 32, 3) \
  T (16, 128, 16, 32, 3)

/* Changes with the kernels: pairs of other versions are measured again. */
#define Y10_SEPARABLE_VERSION 2

enum
{
#define Y10_SEPARABLE_TILE(rows, columns, ...) Y10_SEPARABLE_##rows##x##columns,
  Y10_SEPARABLE_TILES (Y10_SEPARABLE_TILE)
#undef Y10_SEPARABLE_TILE
      Y10_N_SEPARABLE_TILES,
  /* Adjacent outputs that a thread computes at a time of an input that is staged. */
  Y10_SEPARABLE_RUN = 4,
  /* Of shared memory: what sm_86 has, and sm_75. */
  Y10_SEPARABLE_MAX_SHARED = 101376,
  Y10_SEPARABLE_MAX_SHARED_75 = 65536,
};

typedef struct
{
  Y10KView in, out;
  const void *depthwise;       /* [kernel][kernel][in.channels] */
  const float *depthwise_bias; /* in.channels */
  const void *weight;          /* [out.channels][in.channels], as those of
                                 * the activations' type; zero in padding */
  const float *bias;           /* out.channels; zero in padding */
  /* Of the logits, which are floats and what is written. The 1×1 between has @middle
   * channels instead of those of @out. Without them, @middle is 0. */
  const void *last_weight;
  const float *last_bias;
  int middle, last_steps;    /* steps of the depth @middle */
  Y10KDivisor pixels, width; /* of the output's map */
  Y10KDivisor groups;        /* of 8 channels of the input */
  int n_pixels;              /* of all images */
  int steps;                 /* of the depth */
  int columns; /* of a block, which computes them one tile after the other */
  int staged;  /* bytes of shared memory that hold what a block reads; 0: its
                                 * threads read it themselves */
  int kernel, stride, pad, depthwise_silu, silu;
} Y10KSeparable;

static inline Y10KIgemmTile
y10_separable_tile (int tile)
{
  static const Y10KIgemmTile tiles[Y10_N_SEPARABLE_TILES] = {
/* clang-format off */
#define Y10_SEPARABLE_TILE(rows, columns, r, c, stages) \
    { rows, columns, rows / r * (columns / c) * 32, stages },
    /* clang-format on */
    Y10_SEPARABLE_TILES (Y10_SEPARABLE_TILE)
#undef Y10_SEPARABLE_TILE
  };

  return tiles[tile];
}

/* The kernels and strides there are. */
static inline int
y10_separable_has (int kernel, int stride)
{
  return (kernel == 3 && (stride == 1 || stride == 2))
      || (kernel == 7 && stride == 1);
}

static inline int
y10_separable_steps (int channels)
{
  return (channels * 2 + Y10_IGEMM_ROW_BYTES - 1) / Y10_IGEMM_ROW_BYTES;
}

/* Bytes of what every block has: its depthwise outputs and the weights. */
static inline int
y10_separable_shared (int channels, int tile, int stages)
{
  const Y10KIgemmTile t = y10_separable_tile (tile);

  return (y10_separable_steps (channels) * t.rows
             + (stages < t.stages ? stages : t.stages) * t.columns)
      * Y10_IGEMM_ROW_BYTES;
}

/* What the logits are made of. It takes the place of what was staged. */
static inline int
y10_separable_middle (int middle, int tile)
{
  return y10_separable_steps (middle) * y10_separable_tile (tile).rows
      * Y10_IGEMM_ROW_BYTES;
}

/* Sets what follows from the views and @middle. @parts: so many blocks share the columns, and one
 * has all where there are logits. @stages: at most so many, 2 on sm_75; @max_shared: bytes that a block may have. A 3×3 of stride
 * 1 reads adjacent pixels: those of the block, and a row and a pixel on both sides. */
static inline void
y10_separable_prepare (Y10KSeparable *p, int images, int tile, int parts,
    int stages, int max_shared)
{
  const int staged = (y10_separable_tile (tile).rows + 2 * (p->in.width + 1))
      * p->in.channels * 2;
  const int columns = y10_separable_tile (tile).columns;
  const int channels = p->middle ? p->middle : p->out.channels;
  const int tiles = (channels + columns - 1) / columns;

  p->pixels = y10_igemm_divisor ((unsigned int) (p->out.height * p->out.width));
  p->width = y10_igemm_divisor ((unsigned int) p->out.width);
  p->groups = y10_igemm_divisor ((unsigned int) p->in.channels / 8);
  p->n_pixels = images * p->out.height * p->out.width;
  p->steps = y10_separable_steps (p->in.channels);
  p->last_steps = y10_separable_steps (p->middle);
  p->columns = (tiles + parts - 1) / parts * columns;
  p->staged = p->kernel == 3 && p->stride == 1
          && p->out.width % Y10_SEPARABLE_RUN == 0
          && y10_separable_shared (p->in.channels, tile, stages) + staged
              <= max_shared
      ? staged
      : 0;
}

/* @stages: at most so many; 2 on sm_75. */
static inline Y10KLaunch
y10_separable_launch (const Y10KSeparable *p, int tile, int stages)
{
  const Y10KIgemmTile t = y10_separable_tile (tile);
  const int channels = p->middle ? p->middle : p->out.channels;
  const int middle = y10_separable_middle (p->middle, tile);
  Y10KLaunch l = { { y10_k_div_up (p->n_pixels, t.rows),
                       y10_k_div_up (channels, p->columns), 1 },
    { (unsigned int) t.threads, 1, 1 },
    (unsigned int) (y10_separable_shared (p->in.channels, tile, stages)
        + (p->staged > middle ? p->staged : middle)) };

  return l;
}
