/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* A dense convolution on tensor cores, as an implicit product of matrices: rows are
 * the output pixels of all images, columns the output channels, and the depth is
 * (kernel row, kernel column, input channel) without a gap, as the weights have it.
 * Bias, SiLU, addition and logits in floats are part of it, and behind a 1×1 the
 * upsampling of what it computes. Floats are multiplied as tf32, or in fp32 as the sum of
 * three such products. */

#include "view.h"

/* T (ROWS, COLUMNS, ROWS OF A WARP, COLUMNS OF A WARP, STAGES): what a block
 * computes, and how many steps of the depth are on their way at a time. */
#define Y10_IGEMM_TILES(T) \
  T (128, 64, 32, 32, 4) \
  T (128, 32, 32, 32, 4) \
  T (128, 16, 32, 16, 4) \
  T (64, 64, 32, 32, 4) \
  T (64, 32, 32, 16, 4) \
  T (64, 16, 16, 16, 4) \
  T (32, 64, 16, 32, 4) \
  T (32, 32, 16, 16, 6)

/* Those that there are for floats, in tf32 and fp32. */
#define Y10_IGEMM_FLOAT_TILES(T) \
  T (64, 64, 32, 32, 4) \
  T (64, 32, 32, 16, 4) \
  T (32, 32, 16, 16, 6)

/* Changes with the kernels: plans of other versions are measured again. */
#define Y10_IGEMM_VERSION 5

enum
{
#define Y10_IGEMM_TILE(rows, columns, ...) Y10_IGEMM_##rows##x##columns,
  Y10_IGEMM_TILES (Y10_IGEMM_TILE)
#undef Y10_IGEMM_TILE
      Y10_N_IGEMM_TILES,
  /* Of each row and column in a step of the depth: 64 16-bit numbers or 32 floats. */
  Y10_IGEMM_ROW_BYTES = 128,
};

static inline int
y10_igemm_has_floats (int tile)
{
#define Y10_IGEMM_TILE(rows, columns, ...) \
  || tile == Y10_IGEMM_##rows##x##columns
  return 0 Y10_IGEMM_FLOAT_TILES (Y10_IGEMM_TILE);
#undef Y10_IGEMM_TILE
}

/* A division by a number that the kernel does not know: (high half of n × factor
 * + n) >> shift, for n < 2^31. */
typedef struct
{
  unsigned int by, factor, shift;
} Y10KDivisor;

typedef struct
{
  Y10KView in, out, add; /* add is added after SiLU; may be equal to out */
  Y10KView up;           /* of a 1×1: out, twice as large; or without data */
  const void *weight;    /* [out.channels][kernel][kernel][in.channels],
                                 * of the activations' type; zero in padding */
  const float *bias;     /* out.channels; zero in padding */
  Y10KDivisor pixels, width; /* of a map */
  int n_pixels;              /* of all images */
  int depth, steps;
  int step_taps, step_channels; /* a step is so many taps and channels */
  int stride, pad, silu, out_float;
} Y10KIgemm;

typedef struct
{
  int rows, columns, threads, stages;
} Y10KIgemmTile;

static inline Y10KIgemmTile
y10_igemm_tile (int tile)
{
  static const Y10KIgemmTile tiles[Y10_N_IGEMM_TILES] = {
/* clang-format off */
#define Y10_IGEMM_TILE(rows, columns, r, c, stages) \
    { rows, columns, rows / r * (columns / c) * 32, stages },
    /* clang-format on */
    Y10_IGEMM_TILES (Y10_IGEMM_TILE)
#undef Y10_IGEMM_TILE
  };

  return tiles[tile];
}

static inline Y10KDivisor
y10_igemm_divisor (unsigned int by)
{
  Y10KDivisor d = { by, 0, 0 };

  while (d.shift < 31 && (1u << d.shift) < by)
    d.shift++;
  d.factor = (unsigned int) ((((1ull << d.shift) - by) << 32) / by + 1);
  return d;
}

/* Sets what follows from the views, for a convolution with a square kernel. @size: of an
 * element. */
static inline void
y10_igemm_prepare (Y10KIgemm *p, int images, int kernel, int size)
{
  const int step = Y10_IGEMM_ROW_BYTES / size;

  p->pixels = y10_igemm_divisor ((unsigned int) (p->out.height * p->out.width));
  p->width = y10_igemm_divisor ((unsigned int) p->out.width);
  p->n_pixels = images * p->out.height * p->out.width;
  p->depth = kernel * kernel * p->in.channels;
  p->steps = (p->depth + step - 1) / step;
  p->step_taps = step / p->in.channels;
  p->step_channels = step % p->in.channels;
}

/* @stages: at most so many; 2 where the GPU cannot copy to shared memory by itself
 * (sm_75). A short depth takes less shared memory. */
static inline Y10KLaunch
y10_igemm_launch (const Y10KIgemm *p, int tile, int stages)
{
  const Y10KIgemmTile t = y10_igemm_tile (tile);
  const int n = stages < t.stages ? stages : t.stages;
  Y10KLaunch l = { { y10_k_div_up (p->n_pixels, t.rows),
                       y10_k_div_up (p->out.channels, t.columns), 1 },
    { (unsigned int) t.threads, 1, 1 },
    (unsigned int) ((p->steps < n ? p->steps : n) * (t.rows + t.columns)
        * Y10_IGEMM_ROW_BYTES) };

  return l;
}
