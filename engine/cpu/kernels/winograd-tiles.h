/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Winograd's F(2x2, 3x3) and F(4x4, 3x3) on blocks of channels, for template.h: a row
 * of tiles into the points that are multiplied, and back. */

#define WINOGRAD_VALUE vf
#include "winograd4.h"

/* B'd for one column of a tile, the first half of B'dB in Winograd's
 * F(2×2, 3×3). Adjacent tiles share two columns, so winograd_in() transforms
 * each column once. */
Y10_INLINE void
winograd_column (const char *s, ptrdiff_t row, vf c[4])
{
  vf d0 = vf_load (s), d1 = vf_load (s + row);
  vf d2 = vf_load (s + 2 * row), d3 = vf_load (s + 3 * row);

  c[0] = d0 - d2;
  c[1] = d1 + d2;
  c[2] = d2 - d1;
  c[3] = d1 - d3;
}

static void
winograd_in (const void *src, ptrdiff_t src_row, float *v, ptrdiff_t point,
    int n_tiles)
{
  const char *s = src;
  vf c[4][4];

  winograd_column (s, src_row, c[0]);
  winograd_column (s + PIXEL, src_row, c[1]);
  for (int t = 0; t < n_tiles; t++) {
    char *d = (char *) v + (ptrdiff_t) t * PIXEL;

    s += 2 * PIXEL;
    winograd_column (s, src_row, c[2]);
    winograd_column (s + PIXEL, src_row, c[3]);
    Y10_UNROLL
    for (int i = 0; i < 4; i++) {
      vf_store (d + (4 * i + 0) * point, c[0][i] - c[2][i]);
      vf_store (d + (4 * i + 1) * point, c[1][i] + c[2][i]);
      vf_store (d + (4 * i + 2) * point, c[2][i] - c[1][i]);
      vf_store (d + (4 * i + 3) * point, c[1][i] - c[3][i]);
      c[0][i] = c[2][i];
      c[1][i] = c[3][i];
    }
  }
}

/* A'mA, bias, SiLU, residual. Discards outputs beyond @rows or @width, which
 * exist where the size is odd. */
static void
winograd_out (const float *m, ptrdiff_t point, const float *bias, void *dst,
    ptrdiff_t dst_row, const void *add, int n_tiles, int width, int rows,
    int silu)
{
  vf b = vf_load (bias);

  for (int t = 0; t < n_tiles; t++) {
    const char *s = (const char *) m + (ptrdiff_t) t * PIXEL;
    vf r[4][2];

    Y10_UNROLL
    for (int j = 0; j < 4; j++) {
      vf m0 = vf_load (s + j * point), m1 = vf_load (s + (4 + j) * point);
      vf m2 = vf_load (s + (8 + j) * point);
      vf m3 = vf_load (s + (12 + j) * point);
      r[j][0] = m0 + m1 + m2;
      r[j][1] = m1 - m2 - m3;
    }
    Y10_UNROLL
    for (int y = 0; y < 2; y++) {
      vf o[2] = { r[0][y] + r[1][y] + r[2][y] + b,
        r[1][y] - r[2][y] - r[3][y] + b };
      if (y >= rows)
        break;
      Y10_UNROLL
      for (int x = 0; x < 2; x++) {
        ptrdiff_t at = y * dst_row + (ptrdiff_t) (2 * t + x) * PIXEL;
        vf u = silu ? vf_silu (o[x]) : o[x];
        if (2 * t + x >= width)
          break;
        if (add)
          u += vf_load ((const char *) add + at);
        vf_store ((char *) dst + at, u);
      }
    }
  }
}

static void
winograd4_in (const void *src, ptrdiff_t src_row, float *v, ptrdiff_t point,
    int n_tiles)
{
  const char *s = src;

  for (int t = 0; t < n_tiles; t++, s += 4 * PIXEL) {
    char *to = (char *) v + (ptrdiff_t) t * PIXEL;
    vf half[6][6];

    Y10_UNROLL
    for (int x = 0; x < 6; x++) {
      vf d[6], c[6];
      Y10_UNROLL
      for (int y = 0; y < 6; y++)
        d[y] = vf_load (s + x * PIXEL + y * src_row);
      winograd4_b (d, c);
      Y10_UNROLL
      for (int y = 0; y < 6; y++)
        half[y][x] = c[y];
    }
    Y10_UNROLL
    for (int y = 0; y < 6; y++) {
      vf c[6];
      winograd4_b (half[y], c);
      Y10_UNROLL
      for (int x = 0; x < 6; x++)
        vf_store (to + (6 * y + x) * point, c[x]);
    }
  }
}

static void
winograd4_out (const float *m, ptrdiff_t point, const float *bias, void *dst,
    ptrdiff_t dst_row, const void *add, int n_tiles, int width, int rows,
    int silu)
{
  vf b = vf_load (bias);

  for (int t = 0; t < n_tiles; t++) {
    const char *s = (const char *) m + (ptrdiff_t) t * PIXEL;
    int columns = width - 4 * t < 4 ? width - 4 * t : 4;
    vf half[4][6];

    Y10_UNROLL
    for (int x = 0; x < 6; x++) {
      vf c[6], o[4];
      Y10_UNROLL
      for (int y = 0; y < 6; y++)
        c[y] = vf_load (s + (6 * y + x) * point);
      winograd4_a (c, o);
      Y10_UNROLL
      for (int y = 0; y < 4; y++)
        half[y][x] = o[y];
    }
    for (int y = 0; y < rows; y++) {
      ptrdiff_t at = y * dst_row + (ptrdiff_t) 4 * t * PIXEL;
      vf o[4];

      winograd4_a (half[y], o);
      Y10_UNROLL
      for (int x = 0; x < 4; x++) {
        vf u = o[x] + b;
        if (x >= columns)
          break;
        if (silu)
          u = vf_silu (u);
        if (add)
          u += vf_load ((const char *) add + at + x * PIXEL);
        vf_store ((char *) dst + at + x * PIXEL, u);
      }
    }
  }
}
