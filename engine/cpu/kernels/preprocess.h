/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Inner loops of preprocess, compiled once per instruction set. They depend
 * on neither GLib nor the engine. An intermediate pixel is 32 bits: 10 bits
 * each of Y, U and V, starting from the lowest, or 8 bits each of R, G and B
 * in some order. All instruction sets give the same bits. */

#include <stddef.h>
#include <stdint.h>

/* Layout of the samples in a row: bytes between samples of the first
 * component and of the other two, and whether a pair of pixels shares the
 * latter. */
typedef enum
{
  Y10_LOAD_PLANAR,         /* 1, 1: planar R G B and grey */
  Y10_LOAD_PACKED3,        /* 3, 3 */
  Y10_LOAD_PACKED4,        /* 4, 4 */
  Y10_LOAD_YUV_PLANAR,     /* 1, 1 */
  Y10_LOAD_YUV_HALF,       /* 1, 1, a pair of pixels */
  Y10_LOAD_YUV_SEMI,       /* 1, 2, a pair of pixels */
  Y10_LOAD_YUV_MACROPIXEL, /* 2, 4, a pair of pixels */
  Y10_LOAD_YUV_SEMI10,     /* 2, 4, a pair; upper 10 of 16 bits */
} Y10LoadKind;

#define Y10_N_LOAD_KINDS (Y10_LOAD_YUV_SEMI10 + 1)

/* Addresses for pixel 0 of a frame's row: of each component, or if packed,
 * of the first byte. */
typedef struct
{
  const uint8_t *component[3];
} Y10LoadRow;

/* See Y10ColorTransform. */
typedef struct
{
  int32_t y_gain, v_to_r, u_to_g, v_to_g, u_to_b, r_bias, g_bias, b_bias;
} Y10ColorArgs;

/* Load n pixels of a row, starting at x or at the positions pos. */
typedef void (*Y10LoadRange) (const Y10LoadRow *row, uint32_t x, size_t n,
    uint32_t *pixels);
typedef void (*Y10LoadAt) (const Y10LoadRow *row, const uint32_t *pos, size_t n,
    uint32_t *pixels);

/* Loops may read, but not write, this many bytes beyond the end of scratch
 * memory. */
#define Y10_PREPROCESS_SLACK 64

typedef struct
{
  Y10LoadRange load_range[Y10_N_LOAD_KINDS];
  Y10LoadAt load_at[Y10_N_LOAD_KINDS];
  /* Converts YUV to R | G << 8 | B << 16 in place. */
  void (*color) (const Y10ColorArgs *args, size_t n, uint32_t *pixels);
  /* row[4 i + c] = (w0 * pixels[pos[i]].c + w1 * pixels[pos[i] + 1].c) >> 4
   * for the four bytes c of a pixel; w0 is the lower half of weights[i], w1 the
   * upper half. pos NULL: 2 i. */
  void (*blend_columns) (const uint32_t *pixels, const uint32_t *pos,
      const uint32_t *weights, size_t n, int16_t *row);
  void (*blend_rows) (const int16_t *row0, const int16_t *row1, int weight0,
      int weight1, size_t n, uint32_t *pixels);
  /* Divides R, G and B by 255; shift: position of each in a pixel, bits. */
  void (*store) (const uint32_t *pixels, size_t n, const int shift[3], float *r,
      float *g, float *b);
  void (*fill) (float value, size_t n, float *out);
} Y10PreprocessKernels;

extern const Y10PreprocessKernels y10_preprocess_kernels_c;
extern const Y10PreprocessKernels y10_preprocess_kernels_avx2;
extern const Y10PreprocessKernels y10_preprocess_kernels_avx512;
extern const Y10PreprocessKernels y10_preprocess_kernels_neon;
