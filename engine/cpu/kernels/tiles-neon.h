/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The tiles of template.h for AArch64. NEON multiplies by one element of a
 * register, which is a group of 4 bytes of a pixel: a float, or two bfloat16. So
 * one load of a pixel serves several products, where x86 broadcasts each group.
 * SiLU has a loop of its own, which keeps its 11 constants in registers: an
 * unrolled tile would load them for each vector. */

/* DOT (sum, weight, pixel, element): numbers of asm's operands. Other types of
 * 4-byte groups differ only in this. */
#if Y10_ELEM == 4
#define DOT(s, w, p, e) "fmla %" #s ".4s, %" #w ".4s, %" #p ".s[" #e "]\n\t"
#else
#define DOT(s, w, p, e) "bfdot %" #s ".4s, %" #w ".8h, %" #p ".2h[" #e "]\n\t"
#endif

/* Two groups. */
typedef float vgroups __attribute__ ((vector_size (8)));
typedef float vgroups_mem
    __attribute__ ((vector_size (8), aligned (4), may_alias));

/* Adds the products of two groups of a pixel and of their weights
 * [group][block]. */
Y10_INLINE void
dot_one (vf acc[2], vf weight[2][2], const char *s, const int blocks)
{
  vgroups pixel = *(const vgroups_mem *) s;

  Y10_UNROLL
  for (int n = 0; n < blocks; n++)
    __asm__(DOT (0, 1, 2, 0) : "+w"(acc[n]) : "w"(weight[0][n]), "w"(pixel));
  Y10_UNROLL
  for (int n = 0; n < blocks; n++)
    __asm__(DOT (0, 1, 2, 1) : "+w"(acc[n]) : "w"(weight[1][n]), "w"(pixel));
}

/* The same of four pixels, @from bytes after @s and @step bytes apart, and of two
 * blocks. Compilers would copy and spill: 24 accumulators, 4 weights and 4 pixels
 * are all the registers. A product waits for the one before it with the same
 * accumulator, hence the order. */
Y10_INLINE void
dot_four (vf acc[4][2], vf weight[2][2], const char *s, const int from,
    const int step)
{
  vgroups pixel[4];

  __asm__("ldr %d8, [%16, %c17]\n\t"
          "ldr %d9, [%16, %c17 + %c18]\n\t"
          "ldr %d10, [%16, %c17 + 2 * %c18]\n\t"
          "ldr %d11, [%16, %c17 + 3 * %c18]\n\t"
          /* clang-format off */
      DOT (0, 12, 8, 0) DOT (1, 13, 8, 0) DOT (2, 12, 9, 0) DOT (3, 13, 9, 0)
      DOT (4, 12, 10, 0) DOT (5, 13, 10, 0) DOT (6, 12, 11, 0) DOT (7, 13, 11, 0)
      DOT (0, 14, 8, 1) DOT (1, 15, 8, 1) DOT (2, 14, 9, 1) DOT (3, 15, 9, 1)
      DOT (4, 14, 10, 1) DOT (5, 15, 10, 1) DOT (6, 14, 11, 1) DOT (7, 15, 11, 1)
          /* clang-format on */
          : "+w"(acc[0][0]), "+w"(acc[0][1]), "+w"(acc[1][0]), "+w"(acc[1][1]),
          "+w"(acc[2][0]), "+w"(acc[2][1]), "+w"(acc[3][0]), "+w"(acc[3][1]),
          "=&w"(pixel[0]), "=&w"(pixel[1]), "=&w"(pixel[2]), "=&w"(pixel[3])
          : "w"(weight[0][0]), "w"(weight[0][1]), "w"(weight[1][0]),
          "w"(weight[1][1]), "r"(s), "i"(from), "i"(step),
          "m"(*(const char (*)[512]) s));
}

static __attribute__ ((noinline)) void
silu_loop (vf *v, int n)
{
  for (int i = 0; i < n; i++)
    v[i] = vf_silu (v[i]);
}

/* @v: [block][pixel]. */
static __attribute__ ((noinline)) void
tile_store (const Y10Tile *t, vf *v, int tile, int blocks)
{
  if (t->silu)
    silu_loop (v, tile * blocks);
  for (int n = 0; n < blocks; n++) {
    char *dst = (char *) t->dst + n * t->dst_block;
    const char *add = (const char *) t->add + n * t->add_block;

    if (t->add)
      for (int p = 0; p < tile; p++)
        v[n * tile + p] += ve_load (add + p * PIXEL);
    for (int p = 0; p < tile; p++)
      if (t->dst_size == 4)
        vf_store (dst + p * Y10_VLEN * 4, v[n * tile + p]);
      else
        ve_store (dst + p * PIXEL, v[n * tile + p]);
  }
}

Y10_INLINE void
dense (const Y10Tile *t, const int tile, const int blocks, const int stride)
{
  const int fours = blocks == 2 ? tile / 4 * 4 : 0;
  vf acc[Y10_TILE][Y10_TILE_BLOCKS], out[Y10_TILE_BLOCKS * Y10_TILE];
  const char *w = t->weight;

  Y10_UNROLL
  for (int p = 0; p < tile; p++)
    Y10_UNROLL
  for (int n = 0; n < blocks; n++)
    acc[p][n] = t->resume ? vf_load ((const char *) t->resume + t->resume_at[p]
                    + n * t->resume_block)
        : t->bias         ? vf_load (t->bias + n * Y10_VLEN)
                          : (vf){ 0 };

  for (int b = 0; b < t->n_blocks; b++)
    for (int y = 0; y < t->kh; y++) {
      const char *s = (const char *) t->src + b * t->src_block + y * t->src_row;
      for (int x = 0; x < t->kw; x++, s += PIXEL, w += STEPS * Y10_VLEN * 4)
        Y10_UNROLL
      for (int u = 0; u < STEPS; u += 2) {
        vf weight[2][Y10_TILE_BLOCKS];
        Y10_UNROLL
        for (int h = 0; h < 2; h++)
          Y10_UNROLL
        for (int n = 0; n < blocks; n++)
          weight[h][n] = vf_load (
              w + n * t->weight_block + (u + h) * Y10_VLEN * 4);
        Y10_UNROLL
        for (int p = 0; p < fours; p += 4)
          dot_four (acc + p, weight, s, p * stride * PIXEL + u * 4,
              stride * PIXEL);
        Y10_UNROLL
        for (int p = fours; p < tile; p++)
          dot_one (acc[p], weight, s + p * stride * PIXEL + u * 4, blocks);
      }
    }

  Y10_UNROLL
  for (int p = 0; p < tile; p++)
    Y10_UNROLL
  for (int n = 0; n < blocks; n++)
    out[n * tile + p] = acc[p][n];
  tile_store (t, out, tile, blocks);
}

/* Adds the products of a row of P pixels and its K taps. */
Y10_INLINE void
stem_row (vf *acc, const float *s, const float *w, const int P, const int K,
    const int S)
{
  const int n = (P - 1) * S + K, full = n / 4 * 4;
  vf in[Y10_STEM_TILE], weight[4];

  Y10_UNROLL
  for (int i = 0; i < full; i += 4)
    in[i / 4] = vf_load (s + i);
  Y10_UNROLL
  for (int x = 0; x < K; x++)
    weight[x] = vf_load (w + x * Y10_VLEN);
  Y10_UNROLL
  for (int x = 0; x < K; x++)
    Y10_UNROLL
  for (int p = 0; p < P; p++) {
    const int i = p * S + x;
    acc[p] += weight[x] * (i < full ? in[i / 4][i % 4] : s[i]);
  }
}

Y10_INLINE void
stem_part (const float *src, ptrdiff_t plane, ptrdiff_t row, const float *w,
    const float *bias, char *dst, int dst_size, const int P, const int K,
    const int S, int silu)
{
  vf acc[Y10_STEM_TILE], b = vf_load (bias);

  Y10_UNROLL
  for (int p = 0; p < P; p++)
    acc[p] = b;
  for (int c = 0; c < 3; c++)
    for (int y = 0; y < K; y++, w += K * Y10_VLEN) {
      const float *s = src + c * plane + y * row;
      if (P > 1)
        stem_row (acc, s, w, P, K, S);
      else
        for (int x = 0; x < K; x++)
          acc[0] += vf_load (w + x * Y10_VLEN) * s[x];
    }
  if (silu)
    silu_loop (acc, P);
  Y10_UNROLL
  for (int p = 0; p < P; p++)
    stem_store (dst, dst_size, p, acc[p]);
}

#undef DOT
