/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* What is compiled once for each instruction set (cpu/kernels/template.h): inner
 * loops over channel blocks. They know neither GLib nor the engine, see one
 * block, one tile or one row at a time, and never an edge of a picture: the
 * callers hand them padded copies. Activations are blocks of `block` channels
 * that lie side by side, `block * elem` bytes a pixel; everything is computed
 * in fp32 (bf16 products in pairs, summed in fp32). */

#include <stddef.h>
#include <stdint.h>

#define Y10_TILE_MAX 14         /* pixels of a tile, and the most there are */
#define Y10_TILE_BLOCKS 2       /* blocks of output channels of a tile */

/* A tile of a dense convolution: up to `tile` pixels of a row times one or two
 * blocks of output channels, all input channels. Distances are in bytes. */
typedef struct
{
  const void *src;              /* upper left tap of the first pixel */
  ptrdiff_t src_block, src_row;
  const void *weight;           /* [in block][ky][kx][in channel][out channel],
                                 * bf16: [in channel / 2][out channel][2] */
  ptrdiff_t weight_block;       /* to the next block of output channels */
  const float *bias;            /* or NULL: start at zero */
  void *dst;
  ptrdiff_t dst_block;
  const void *add;              /* or NULL; laid out like dst */
  ptrdiff_t add_block;
  int n_blocks, kh, kw;
  int silu;
  int dst_f32;                  /* dst has floats even where elem is 2 */
} Y10Tile;

typedef void (*Y10TileFunc) (const Y10Tile * tile);

/* A row of one channel block of a depthwise convolution. */
typedef struct
{
  const void *src;
  ptrdiff_t src_row;
  const float *weight;          /* [ky][kx][channel] */
  const float *bias;
  void *dst;
  const void *add;              /* or NULL */
  int width, kernel, stride, silu;
} Y10DwRow;

typedef struct
{
  const char *name;             /* "avx512" */
  unsigned block, elem;         /* channels of a block, bytes of a channel */
  unsigned tile;                /* most pixels of a tile */
  /* [stride - 1][blocks - 1][pixels - 1] */
  Y10TileFunc dense[2][Y10_TILE_BLOCKS][Y10_TILE_MAX];

  void (*depthwise) (const Y10DwRow * row);
  /* 3 padded planes of floats to one row; weight [3][k][k][out channel] for
   * each of n_blocks. */
  void (*stem) (const float *src, ptrdiff_t plane, ptrdiff_t row,
      const float *weight, const float *bias, void *dst, ptrdiff_t dst_block,
      int n_blocks, int width, int kernel, int stride, int silu);

  /* Winograd F(2x2, 3x3), NULL where elem is 2. Tile t of a row of tiles
   * starts at pixel 2 t; v and m are [16][..][tile][block]: `point` bytes
   * from one of the 16 to the next. */
  void (*winograd_in) (const void *src, ptrdiff_t src_row, float *v,
      ptrdiff_t point, int n_tiles);
  void (*winograd_out) (const float *m, ptrdiff_t point, const float *bias,
      void *dst, ptrdiff_t dst_row, const void *add, int n_tiles, int width,
      int rows, int silu);

  /* dst[x] = max of the five at x - 2 … x + 2, edges cut; then down. */
  void (*max5_row) (const void *src, void *dst, int width);
  void (*max5_column) (const void *const src[5], void *dst, int width);
  /* Each pixel twice. */
  void (*double_row) (const void *src, void *dst, int width);

  /* weight[n / block][key channel] … of `n` keys, zero to the block's end. */
  void (*pack_keys) (const void *src, ptrdiff_t src_block, int n_blocks,
      int n, void *weight);
  /* n pixels of one block, as weights of a matrix product over pixels. */
  void (*pack_values) (const void *src, int n, void *weight);
  /* s: [n / block][rows][block] floats, overwritten; p: the same of elem, may
   * be s where elem is 4. Soft max of scale * s over n for each row; the rest
   * of the last block becomes zero. */
  void (*softmax) (float *s, ptrdiff_t s_block, void *p, ptrdiff_t p_block,
      int rows, int n, float scale);

  /* The first pixel from `from` on, below n, that has a channel of the
   * block that is at least floor; n when there is none. */
  int (*find_from) (const float *src, int from, int n, float floor);
} Y10Kernels;

extern const Y10Kernels y10_kernels_c;
extern const Y10Kernels y10_kernels_sse41;
extern const Y10Kernels y10_kernels_avx2;
extern const Y10Kernels y10_kernels_avx512;
extern const Y10Kernels y10_kernels_avx512_bf16;
