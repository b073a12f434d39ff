/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Part of template.h: the first convolution, 3×3, in AMX's tile registers, as
 * products of bfloat16. Pixels are put together from the planes as three channels
 * and a zero, times 255, so that pictures of 8 bits are exact. A product takes four
 * pixels of a row, the last of which has zero weights. The tile registers are those
 * of amx.h: 0 and 2 hold sums, 4 and 5 pixels, 6 weights. */

#define STEM_KERNEL 3
#define STEM_PIXELS 32
#define STEM_PART (5 * STEM_PIXELS) /* outputs that are put together */
#define STEM_COLUMNS (STEM_PART * 2 + 2 + 14) /* a multiple of 16 */

/* What a row of the kernel reads; 8 bytes a pixel. */
typedef uint64_t StemRows[STEM_KERNEL][STEM_COLUMNS]
    __attribute__ ((aligned (64)));

/* The upper halves of floats, rounded, as the lower or upper halves of integers. */
Y10_INLINE __m512i
round_up_half (const float *src, __mmask16 mask)
{
  const __m512 v = _mm512_maskz_loadu_ps (mask, src);

  return _mm512_add_epi32 (_mm512_castps_si512 (
                               _mm512_mul_ps (v, _mm512_set1_ps (255))),
      _mm512_set1_epi32 (0x8000));
}

static void
stem_gather (const float *src, ptrdiff_t plane, ptrdiff_t row, int columns,
    int end, StemRows rows)
{
  const __m512i low = _mm512_setr_epi32 (0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5,
      21, 6, 22, 7, 23);
  const __m512i high = _mm512_add_epi32 (low, _mm512_set1_epi32 (8));

  for (int y = 0; y < STEM_KERNEL; y++)
    for (int x = 0; x < end; x += 16) {
      const int n = columns - x;
      const __mmask16 mask = n >= 16 ? 0xffff : n <= 0 ? 0 : (1 << n) - 1;
      const float *s = src + y * row + x;
      __m512i r = round_up_half (s, mask);
      __m512i g = round_up_half (s + plane, mask);
      __m512i b = round_up_half (s + 2 * plane, mask);

      r = _mm512_mask_blend_epi16 (0xaaaaaaaa, _mm512_srli_epi32 (r, 16), g);
      b = _mm512_srli_epi32 (b, 16);
      _mm512_store_si512 (&rows[y][x], _mm512_permutex2var_epi32 (r, low, b));
      _mm512_store_si512 (&rows[y][x + 8],
          _mm512_permutex2var_epi32 (r, high, b));
    }
}

/* Up to STEM_PIXELS pixels of a block of output channels. */
Y10_INLINE void
stem_sums (const StemRows rows, int first, int stride, const char *weight,
    float *sums)
{
  const ptrdiff_t pixel = 8 * stride;

  _tile_zero (0);
  _tile_zero (2);
  for (int y = 0; y < STEM_KERNEL; y++) {
    _tile_loadd (6, weight + y * 512, 64);
    _tile_loadd (4, &rows[y][first * stride], pixel);
    _tile_loadd (5, &rows[y][(first + 16) * stride], pixel);
    _tile_dpbf16ps (0, 4, 6);
    _tile_dpbf16ps (2, 5, 6);
  }
  _tile_stored (0, sums, 64);
  _tile_stored (2, sums + 16 * Y10_VLEN, 64);
}

Y10_INLINE vf
stem_value (const float *sum, vf bias, int silu)
{
  vf v = vf_load (sum) * vf_set1 (1.f / 255) + bias;

#if Y10_ELEM == 1
  return silu ? vf_silu_8 (v) : v;
#else
  return silu ? vf_silu (v) : v;
#endif
}

#if Y10_ELEM == 1

Y10_INLINE void
stem_finish (const float *sums, vf bias, char *dst, int dst_size,
    const Y10Affine *affine, int n, int silu)
{
  const vf inverse = vf_load (affine->inverse), zero = vf_load (affine->zero);

  for (int p = 0; p < n; p += 4, sums += 4 * Y10_VLEN) {
    vf v[4];

    Y10_UNROLL
    for (int i = 0; i < 4; i++)
      v[i] = stem_value (sums + i * Y10_VLEN, bias, silu) * inverse + zero;
    store_four (dst + p * PIXEL, v, n - p < 4 ? n - p : 4);
  }
}

#else

Y10_INLINE void
stem_finish (const float *sums, vf bias, char *dst, int dst_size,
    const Y10Affine *affine, int n, int silu)
{
  for (int p = 0; p < n; p++)
    stem_store (dst, dst_size, p, stem_value (sums + p * Y10_VLEN, bias, silu));
}

#endif

/* A tile whose sums are not converted yet. */
typedef struct
{
  const float *sums, *bias;
  Y10Affine affine;
  char *dst;
  int n; /* pixels */
} StemTile;

Y10_INLINE void
stem_finish_tile (const StemTile *t, int dst_size, int silu)
{
  if (t->n)
    stem_finish (t->sums, vf_load (t->bias), t->dst, dst_size, &t->affine, t->n,
        silu);
}

/* A tile is converted while the next one's products run. */
static void
stem_amx (const float *src, ptrdiff_t plane, ptrdiff_t row, const float *weight,
    const float *bias, void *dst, ptrdiff_t dst_block, int dst_size,
    const Y10Affine *affine, int n_blocks, int width, int stride, int silu)
{
  StemRows rows;
  float sums[2][STEM_PIXELS * Y10_VLEN] __attribute__ ((aligned (64)));
  StemTile pending = { .n = 0 };
  int which = 0;

  for (int part = 0; part < width; part += STEM_PART) {
    const int n = width - part < STEM_PART ? width - part : STEM_PART;
    const int padded = (n + STEM_PIXELS - 1) / STEM_PIXELS * STEM_PIXELS;

    stem_gather (src + part * stride, plane, row,
        (n - 1) * stride + STEM_KERNEL, (padded - 1) * stride + 4, rows);
    /* gcc 12 does not know that loads of tiles read memory. */
    __asm__ volatile("" ::"r"(rows) : "memory");
    for (int x = 0; x < n; x += STEM_PIXELS)
      for (int b = 0; b < n_blocks; b++, which ^= 1) {
        stem_sums (rows, x, stride,
            (const char *) weight + b * STEM_KERNEL * 512, sums[which]);
        stem_finish_tile (&pending, dst_size, silu);
        pending = (StemTile){ .sums = sums[which],
          .bias = bias + b * Y10_VLEN,
          .dst = (char *) dst + b * dst_block
              + (part + x) * Y10_VLEN * dst_size,
          .n = n - x < STEM_PIXELS ? n - x : STEM_PIXELS };
        if (dst_size == 1)
          pending.affine = (Y10Affine){ .inverse = affine->inverse
                + b * Y10_VLEN,
            .zero = affine->zero + b * Y10_VLEN };
      }
  }
  stem_finish_tile (&pending, dst_size, silu);
}
