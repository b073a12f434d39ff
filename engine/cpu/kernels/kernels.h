/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Kernels: inner loops over channel blocks, compiled once per instruction
 * set (cpu/kernels/template.h). They depend on neither GLib nor the engine.
 * A kernel handles one block, tile or row and never the edge of a picture:
 * its callers pass zero-padded copies. An activation block holds `block`
 * channels side by side, `block * elem` bytes per pixel. Arithmetic is fp32
 * (bf16: products of pairs, summed in fp32). In a set of one byte, dense kernels
 * multiply u8 by s8 and sum in 32 bits, so that these sums are the same in every
 * set; the rest is fp32. */

#include <stddef.h>
#include <stdint.h>

/* Grows with every change that changes the bits of a result. */
#define Y10_KERNELS_VERSION 6u

#define Y10_TILE_MAX 32   /* maximum pixels of a tile in any set */
#define Y10_TILE_BLOCKS 2 /* maximum output blocks of a tile */
#define Y10_SUMS_PIXELS 32

/* How 8 bits stand for what is stored: value = q × add_scale + add_shift, q = value
 * × inverse + zero, rounded to the nearest even and limited. One float for each
 * channel. */
typedef struct
{
  const float *add_scale, *add_shift; /* of a tensor that is added */
  const float *inverse, *zero;        /* of the result */
} Y10Affine;

/* A tile of a dense convolution: up to `tile` pixels of a row times one or
 * two blocks of output channels, over all input channels. Strides are in
 * bytes. */
typedef struct
{
  const void *src; /* upper left tap of the first pixel */
  ptrdiff_t src_block, src_row;
  const void *weight;     /* [in block][ky][kx][in channel][out channel],
                                 * bf16: [in channel / 2][out channel][2],
                                 * s8: [in channel / 4][out channel][4]; pairs of
                                 * in blocks: [pair][ky][kx][out channel][block][4] */
  ptrdiff_t weight_block; /* between blocks of output channels */
  const float *bias;      /* nullable: zero */
  void *dst;
  ptrdiff_t dst_block;
  const void *add; /* nullable; same layout as dst */
  ptrdiff_t add_block;
  int n_blocks, kh, kw;
  int silu;
  int dst_size; /* bytes of a channel of dst: elem, or 4: floats; s8: also 2:
                                 * bfloat16, and those of add */
  /* s8 only: sums begin with start and are multiplied by scale; a float for each
   * channel, blocks follow each other */
  const int32_t *start;
  const float *scale; /* NULL: the sums themselves are stored */
  Y10Affine affine;
  /* nullable: the sums of other channels that those of pixel p begin with, and not with
   * bias or start: resume_at[p] bytes after it, the next block resume_block bytes
   * further */
  const void *resume;
  ptrdiff_t resume_block;
  uint32_t resume_at[Y10_TILE_MAX];
  /* sums() only: bytes between pixels, and how many of each one product takes */
  int src_pixel, step;
} Y10Tile;

typedef void (*Y10TileFunc) (const Y10Tile *tile);

/* A row of one channel block of a depthwise convolution. */
typedef struct
{
  const void *src;
  ptrdiff_t src_row;
  const float *weight; /* [ky][kx][channel] */
  const float *bias;
  void *dst;
  const void *add; /* nullable */
  int width, kernel, stride, silu;
  int dst_size;     /* as in Y10Tile */
  Y10Affine affine; /* likewise, else */
} Y10DwRow;

typedef struct
{
  const char *name;     /* such as "avx512" */
  unsigned block, elem; /* channels per block, bytes per channel */
  unsigned tile;        /* maximum pixels of a tile */
  unsigned granule;     /* divides it; fewer pixels take as long */
  unsigned in_blocks;   /* whose weights are interleaved: 1, or 2 */
  int subtracted;       /* by dense kernels from each u8 of the input */
  /* NULL, or to be called by each thread before it uses `dense` and afterwards. */
  void (*begin) (void);
  void (*end) (void);
  /* [stride - 1][blocks - 1][pixels - 1] */
  Y10TileFunc dense[2][Y10_TILE_BLOCKS][Y10_TILE_MAX];

  /* One byte with AMX only, else NULL: a dense convolution in two halves, so that
   * the tile registers are busy with the next pixels while sums are converted.
   * sums() adds n_blocks × kh products of `step` bytes, up to 64, of each of up to
   * Y10_SUMS_PIXELS pixels, to [block][Y10_SUMS_PIXELS][channel], between
   * sums_begin() and sums_end(), which each thread calls. finish() converts @n pixels
   * of a block. gather() puts four blocks side by side, of which there are
   * @n_blocks. */
  void (*sums_begin) (int step);
  void (*sums_end) (void);
  void (*sums) (const Y10Tile *tile, int pixels, int blocks, int32_t *sums);
  void (*finish) (const Y10Tile *tile, const int32_t *sums, int n);
  void (*gather) (const void *src, ptrdiff_t src_block, int n_blocks, void *dst,
      int n);

  void (*depthwise) (const Y10DwRow *row);
  /* One byte only: @n pixels of a block from 8 bits to the floats of their numbers
   * (bfloat16 in the set with AMX, which goes with one of bfloat16), and from floats to 8 bits, after adding @add (nullable). */
  void (*widen) (const void *src, void *dst, int n);
  void (*narrow) (const float *src, void *dst, const void *add, int n,
      const Y10Affine *affine);
  /* First convolution, from 3 padded planes of floats to one row of dst_size bytes a
   * channel: elem, or 4: floats; weight is [3][k][k][out channel] for each of
   * n_blocks, but [k][4][in channel / 2][out channel][2] of 4 input channels in
   * bfloat16 if k is stem_kernel. A set of one byte has it for that kernel alone, or
   * not at all. */
  unsigned stem_kernel;
  void (*stem) (const float *src, ptrdiff_t plane, ptrdiff_t row,
      const float *weight, const float *bias, void *dst, ptrdiff_t dst_block,
      int dst_size, const Y10Affine *affine, int n_blocks, int width,
      int kernel, int stride, int silu);

  /* What follows is NULL if elem is 1, but for pools and double_row. */
  /* Winograd's F(s × s, 3×3), s = 2 and 4; NULL if elem is 2. Tile t of a row
   * of tiles starts at pixel s t; v and m are [(s + 2)²][..][tile][block], with
   * `point` bytes between the parts. */
  struct
  {
    void (*in) (const void *src, ptrdiff_t src_row, float *v, ptrdiff_t point,
        int n_tiles);
    void (*out) (const float *m, ptrdiff_t point, const float *bias, void *dst,
        ptrdiff_t dst_row, const void *add, int n_tiles, int width, int rows,
        int silu);
  } winograd[2];

  /* dst[x] = max of src[x - 2] … src[x + 2] within the row; then the same over
   * five rows. */
  void (*max5_row) (const void *src, void *dst, int width);
  void (*max5_column) (const void *const src[5], void *dst, int width);
  /* Duplicates each pixel. */
  void (*double_row) (const void *src, void *dst, int width);

  /* Packs `n` keys to weight[n / block][key channel] …, zero-padded to the
   * end of the last block. */
  void (*pack_keys) (const void *src, ptrdiff_t src_block, int n_blocks, int n,
      void *weight);
  /* Packs n pixels of one block as weights of a matrix product over pixels. */
  void (*pack_values) (const void *src, int n, void *weight);
  /* Softmax of scale * s over n, for each row. s: [n / block][rows][block]
   * floats, overwritten; p: the same of elem bytes, may be s if elem is 4.
   * Sets the rest of the last block to zero. */
  void (*softmax) (float *s, ptrdiff_t s_block, void *p, ptrdiff_t p_block,
      int rows, int n, float scale);

  /* Returns the first pixel in [from, n) with a channel of the block that is
   * at least floor, or n. */
  int (*find_from) (const float *src, int from, int n, float floor);
} Y10Kernels;

extern const Y10Kernels y10_kernels_c;
extern const Y10Kernels y10_kernels_sse41;
extern const Y10Kernels y10_kernels_avx2;
extern const Y10Kernels y10_kernels_avx512;
extern const Y10Kernels y10_kernels_avx512_bf16;
extern const Y10Kernels y10_kernels_amx_bf16;
extern const Y10Kernels y10_kernels_neon;
extern const Y10Kernels y10_kernels_neon_bf16;
/* One byte. Their blocks are those of the sets of floats: c, sse41, avx2 (also for
 * avx_vnni), avx512 (also for amx_int8) and neon. */
extern const Y10Kernels y10_kernels_c_int8;
extern const Y10Kernels y10_kernels_sse41_int8;
extern const Y10Kernels y10_kernels_avx2_int8;
extern const Y10Kernels y10_kernels_avx_vnni;
extern const Y10Kernels y10_kernels_avx512_vnni;
extern const Y10Kernels y10_kernels_amx_int8;
extern const Y10Kernels y10_kernels_neon_dotprod;
extern const Y10Kernels y10_kernels_neon_i8mm;
