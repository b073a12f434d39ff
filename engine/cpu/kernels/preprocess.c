/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The loops of cpu/kernels/preprocess.h: plain C that the compiler
 * vectorizes for its target, with intrinsics where it does not. Y10_KERNELS
 * names the table. No loop reads beyond the samples of its range, because
 * the last row of a frame may end at the end of a page. */

#include "preprocess.h"

#include <string.h>

#ifdef __AVX2__
#include <immintrin.h>
#elif defined Y10_NEON
#include <arm_neon.h>
#endif

#define ALWAYS_INLINE inline __attribute__ ((always_inline))

static ALWAYS_INLINE uint32_t
sample (const uint8_t *p, int bits)
{
  return bits == 10 ? (uint32_t) (p[0] | p[1] << 8) >> 6 : p[0];
}

static ALWAYS_INLINE uint32_t
load_pixel (const Y10LoadRow *row, size_t x, int step0, int step, int xshift,
    int bits, int field)
{
  return sample (row->component[0] + x * step0, bits)
      | sample (row->component[1] + (x >> xshift) * step, bits) << field
      | sample (row->component[2] + (x >> xshift) * step, bits) << 2 * field;
}

static ALWAYS_INLINE void
load_at (const Y10LoadRow *row, const uint32_t *restrict pos, size_t n,
    uint32_t *restrict pixels, int step0, int step, int xshift, int bits,
    int field)
{
  for (size_t i = 0; i < n; i++)
    pixels[i] = load_pixel (row, pos[i], step0, step, xshift, bits, field);
}

static ALWAYS_INLINE void
load_range (const Y10LoadRow *row, size_t x, size_t n,
    uint32_t *restrict pixels, int step0, int step, int xshift, int bits,
    int field)
{
  const uint8_t *a, *b, *c;
  size_t pairs;

  if (xshift == 0) {
    a = row->component[0] + x * step0;
    b = row->component[1] + x * step;
    c = row->component[2] + x * step;
    for (size_t i = 0; i < n; i++)
      pixels[i] = sample (a + i * step0, bits)
          | sample (b + i * step, bits) << field
          | sample (c + i * step, bits) << 2 * field;
    return;
  }

  if (x & 1 && n > 0) {
    *pixels++ = load_pixel (row, x++, step0, step, 1, bits, field);
    n--;
  }
  pairs = n / 2;
  a = row->component[0] + x * step0;
  b = row->component[1] + x / 2 * step;
  c = row->component[2] + x / 2 * step;
  for (size_t i = 0; i < pairs; i++) {
    uint32_t chroma = sample (b + i * step, bits) << field
        | sample (c + i * step, bits) << 2 * field;

    pixels[2 * i] = sample (a + 2 * i * step0, bits) | chroma;
    pixels[2 * i + 1] = sample (a + (2 * i + 1) * step0, bits) | chroma;
  }
  if (n & 1)
    pixels[n - 1] = load_pixel (row, x + n - 1, step0, step, 1, bits, field);
}

/* step0, step: bytes between samples of the first and of the other components;
 * xshift: subsampling of the latter; bits: of a sample; field: bits of a
 * component in an intermediate pixel. */
#define LOADERS(name, step0, step, xshift, bits, field) \
  static void load_range_##name (const Y10LoadRow *row, uint32_t x, size_t n, \
      uint32_t *pixels) \
  { \
    load_range (row, x, n, pixels, step0, step, xshift, bits, field); \
  } \
\
  static void load_at_##name (const Y10LoadRow *row, const uint32_t *pos, \
      size_t n, uint32_t *pixels) \
  { \
    load_at (row, pos, n, pixels, step0, step, xshift, bits, field); \
  }

/* clang-format off */
LOADERS (planar, 1, 1, 0, 8, 8)
LOADERS (yuv_planar, 1, 1, 0, 8, 10)
LOADERS (yuv_half, 1, 1, 1, 8, 10)
LOADERS (yuv_semi, 1, 2, 1, 8, 10)
LOADERS (yuv_macropixel, 2, 4, 1, 8, 10)
LOADERS (yuv_semi10, 2, 4, 1, 10, 10)
/* clang-format on */

/* Packed pixels keep their byte order; store() gets the shift of each
 * component. The remaining bits are ignored. */
static ALWAYS_INLINE uint32_t
load_packed3 (const uint8_t *p)
{
  uint16_t v;

  memcpy (&v, p, 2);
  return v | (uint32_t) p[2] << 16;
}

static void
load_range_packed3 (const Y10LoadRow *row, uint32_t x, size_t n,
    uint32_t *restrict pixels)
{
  const uint8_t *p = row->component[0] + 3 * (size_t) x;
  size_t i = 0;

#ifdef __AVX2__
  const __m256i spread = _mm256_broadcastsi128_si256 (
      _mm_setr_epi8 (0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1));

  /* Reads 28 bytes for 8 pixels. */
  for (; i + 10 <= n; i += 8) {
    __m256i v = _mm256_inserti128_si256 (_mm256_castsi128_si256 (
                                             _mm_loadu_si128 ((
                                                 const __m128i *) (p + 3 * i))),
        _mm_loadu_si128 ((const __m128i *) (p + 3 * i + 12)), 1);

    _mm256_storeu_si256 ((__m256i *) (pixels + i),
        _mm256_shuffle_epi8 (v, spread));
  }
#elif defined Y10_NEON
  for (; i + 16 <= n; i += 16) {
    uint8x16x3_t v = vld3q_u8 (p + 3 * i);
    uint8x16x4_t spread = { { v.val[0], v.val[1], v.val[2], vdupq_n_u8 (0) } };

    vst4q_u8 ((uint8_t *) (pixels + i), spread);
  }
#endif
  for (; i < n; i++)
    pixels[i] = load_packed3 (p + 3 * i);
}

static void
load_at_packed3 (const Y10LoadRow *row, const uint32_t *restrict pos, size_t n,
    uint32_t *restrict pixels)
{
  for (size_t i = 0; i < n; i++)
    pixels[i] = load_packed3 (row->component[0] + 3 * (size_t) pos[i]);
}

static void
load_range_packed4 (const Y10LoadRow *row, uint32_t x, size_t n,
    uint32_t *restrict pixels)
{
  memcpy (pixels, row->component[0] + 4 * (size_t) x, 4 * n);
}

static void
load_at_packed4 (const Y10LoadRow *row, const uint32_t *restrict pos, size_t n,
    uint32_t *restrict pixels)
{
  for (size_t i = 0; i < n; i++)
    memcpy (pixels + i, row->component[0] + 4 * (size_t) pos[i], 4);
}

#define COLOR_BITS 20

static ALWAYS_INLINE uint32_t
clip (int32_t v)
{
  v >>= COLOR_BITS;
  v = v < 0 ? 0 : v;
  return v > 255 ? 255 : v;
}

static void
color (const Y10ColorArgs *args, size_t n, uint32_t *pixels)
{
  const Y10ColorArgs t = *args;

  for (size_t i = 0; i < n; i++) {
    int32_t y = (pixels[i] & 1023) * t.y_gain;
    int32_t u = pixels[i] >> 10 & 1023;
    int32_t v = pixels[i] >> 20;

    pixels[i] = clip (y + t.v_to_r * v + t.r_bias)
        | clip (y + t.u_to_g * u + t.v_to_g * v + t.g_bias) << 8
        | clip (y + t.u_to_b * u + t.b_bias) << 16;
  }
}

static ALWAYS_INLINE void
blend_column (const uint32_t *p, uint32_t weight, int16_t *out)
{
  int32_t w0 = weight & 0xffff, w1 = weight >> 16;

  for (int c = 0; c < 4; c++) {
    int32_t v0 = p[0] >> 8 * c & 255, v1 = p[1] >> 8 * c & 255;

    out[c] = (int16_t) ((v0 * w0 + v1 * w1) >> 4);
  }
}

#ifdef __AVX2__
/* Interleaves and widens the 8 bytes of two neighbours for vpmaddwd; vpackssdw
 * restores the order after vpunpck. */
#define INTERLEAVE \
  _mm_setr_epi8 (0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15)

static ALWAYS_INLINE void
blend4 (__m256i v, const uint32_t *weights, int16_t *out)
{
  const __m256i even = _mm256_setr_epi32 (0, 0, 0, 0, 2, 2, 2, 2);
  const __m256i odd = _mm256_setr_epi32 (1, 1, 1, 1, 3, 3, 3, 3);
  const __m256i zero = _mm256_setzero_si256 ();
  __m256i w = _mm256_castsi128_si256 (
      _mm_loadu_si128 ((const __m128i *) weights));
  __m256i lo, hi;

  v = _mm256_shuffle_epi8 (v, _mm256_broadcastsi128_si256 (INTERLEAVE));
  lo = _mm256_madd_epi16 (_mm256_unpacklo_epi8 (v, zero),
      _mm256_permutevar8x32_epi32 (w, even));
  hi = _mm256_madd_epi16 (_mm256_unpackhi_epi8 (v, zero),
      _mm256_permutevar8x32_epi32 (w, odd));
  v = _mm256_packs_epi32 (_mm256_srai_epi32 (lo, 4), _mm256_srai_epi32 (hi, 4));
  _mm256_storeu_si256 ((__m256i *) out, v);
}

static ALWAYS_INLINE __m128i
load_pairs (const uint32_t *a, const uint32_t *b)
{
  return _mm_castps_si128 (
      _mm_loadh_pi (_mm_castsi128_ps (_mm_loadl_epi64 ((const __m128i *) a)),
          (const __m64 *) b));
}
#endif

#ifdef __AVX512BW__
static ALWAYS_INLINE void
blend8 (__m512i v, const uint32_t *weights, int16_t *out)
{
  const __m512i even = _mm512_setr_epi32 (0, 0, 0, 0, 2, 2, 2, 2, 4, 4, 4, 4, 6,
      6, 6, 6);
  const __m512i odd = _mm512_add_epi32 (even, _mm512_set1_epi32 (1));
  const __m512i zero = _mm512_setzero_si512 ();
  __m512i w = _mm512_castsi256_si512 (
      _mm256_loadu_si256 ((const __m256i *) weights));
  __m512i lo, hi;

  v = _mm512_shuffle_epi8 (v, _mm512_broadcast_i32x4 (INTERLEAVE));
  lo = _mm512_madd_epi16 (_mm512_unpacklo_epi8 (v, zero),
      _mm512_permutexvar_epi32 (even, w));
  hi = _mm512_madd_epi16 (_mm512_unpackhi_epi8 (v, zero),
      _mm512_permutexvar_epi32 (odd, w));
  v = _mm512_packs_epi32 (_mm512_srai_epi32 (lo, 4), _mm512_srai_epi32 (hi, 4));
  _mm512_storeu_si512 (out, v);
}
#endif

#ifdef Y10_NEON
/* Two pixels, each from the 8 bytes of two neighbours. */
static ALWAYS_INLINE void
blend2 (const uint32_t *a, const uint32_t *b, const uint32_t *weights,
    int16_t *out)
{
  uint16x4_t w = vreinterpret_u16_u32 (vld1_u32 (weights));
  uint16x8_t va = vmovl_u8 (vreinterpret_u8_u32 (vld1_u32 (a)));
  uint16x8_t vb = vmovl_u8 (vreinterpret_u8_u32 (vld1_u32 (b)));
  uint32x4_t sa = vmull_lane_u16 (vget_low_u16 (va), w, 0);
  uint32x4_t sb = vmull_lane_u16 (vget_low_u16 (vb), w, 2);

  sa = vmlal_high_lane_u16 (sa, va, w, 1);
  sb = vmlal_high_lane_u16 (sb, vb, w, 3);
  vst1q_s16 (out,
      vreinterpretq_s16_u16 (
          vcombine_u16 (vshrn_n_u32 (sa, 4), vshrn_n_u32 (sb, 4))));
}
#endif

static void
blend_columns (const uint32_t *restrict pixels, const uint32_t *restrict pos,
    const uint32_t *restrict weights, size_t n, int16_t *restrict row)
{
  size_t i = 0;

  if (pos == NULL) {
#ifdef __AVX512BW__
    for (; i + 8 <= n; i += 8)
      blend8 (_mm512_loadu_si512 (pixels + 2 * i), weights + i, row + 4 * i);
#elif defined(__AVX2__)
    for (; i + 4 <= n; i += 4)
      blend4 (_mm256_loadu_si256 ((const __m256i *) (pixels + 2 * i)),
          weights + i, row + 4 * i);
#elif defined Y10_NEON
    for (; i + 2 <= n; i += 2)
      blend2 (pixels + 2 * i, pixels + 2 * i + 2, weights + i, row + 4 * i);
#endif
    for (; i < n; i++)
      blend_column (pixels + 2 * i, weights[i], row + 4 * i);
    return;
  }

#ifdef __AVX2__
  for (; i + 4 <= n; i += 4)
    blend4 (_mm256_inserti128_si256 (_mm256_castsi128_si256 (
                                         load_pairs (pixels + pos[i],
                                             pixels + pos[i + 1])),
                load_pairs (pixels + pos[i + 2], pixels + pos[i + 3]), 1),
        weights + i, row + 4 * i);
#elif defined Y10_NEON
  for (; i + 2 <= n; i += 2)
    blend2 (pixels + pos[i], pixels + pos[i + 1], weights + i, row + 4 * i);
#endif
  for (; i < n; i++)
    blend_column (pixels + pos[i], weights[i], row + 4 * i);
}

static void
blend_rows (const int16_t *restrict row0, const int16_t *restrict row1,
    int weight0, int weight1, size_t n, uint32_t *restrict pixels)
{
  const int16_t w0 = (int16_t) weight0, w1 = (int16_t) weight1;
  uint8_t *restrict out = (uint8_t *) pixels;

  for (size_t i = 0; i < 4 * n; i++) {
    int16_t a = (int16_t) ((int32_t) row0[i] * w0 >> 16);
    int16_t b = (int16_t) ((int32_t) row1[i] * w1 >> 16);

    out[i] = (uint8_t) ((int16_t) (a + b + 2) >> 2);
  }
}

/* v / 255, correctly rounded, for v from 0 to 255. The product with the
 * rounded reciprocal is off by one in the last bit for many v; adding the
 * product with the reciprocal's rounding error by FMA, which rounds once, is
 * correct for all. */
static ALWAYS_INLINE float
unit (uint32_t v)
{
#if defined(__FMA__) || defined(Y10_NEON)
  const float hi = 1.0f / 255, lo = (float) (1.0 / 255 - (double) hi);
  float f = (float) (int32_t) v;

  return __builtin_fmaf (f, hi, f * lo);
#else
  return (float) (int32_t) v / 255.0f;
#endif
}

static void
store (const uint32_t *restrict pixels, size_t n, const int shift[3],
    float *restrict r, float *restrict g, float *restrict b)
{
  const int rs = shift[0], gs = shift[1], bs = shift[2];

  for (size_t i = 0; i < n; i++) {
    r[i] = unit (pixels[i] >> rs & 255);
    g[i] = unit (pixels[i] >> gs & 255);
    b[i] = unit (pixels[i] >> bs & 255);
  }
}

static void
fill (float value, size_t n, float *restrict out)
{
  for (size_t i = 0; i < n; i++)
    out[i] = value;
}

#define BOTH(array, prefix) \
  .array = { \
    [Y10_LOAD_PLANAR] = prefix##_planar, \
    [Y10_LOAD_PACKED3] = prefix##_packed3, \
    [Y10_LOAD_PACKED4] = prefix##_packed4, \
    [Y10_LOAD_YUV_PLANAR] = prefix##_yuv_planar, \
    [Y10_LOAD_YUV_HALF] = prefix##_yuv_half, \
    [Y10_LOAD_YUV_SEMI] = prefix##_yuv_semi, \
    [Y10_LOAD_YUV_MACROPIXEL] = prefix##_yuv_macropixel, \
    [Y10_LOAD_YUV_SEMI10] = prefix##_yuv_semi10, \
  }

const Y10PreprocessKernels Y10_KERNELS = {
  BOTH (load_range, load_range),
  BOTH (load_at, load_at),
  .color = color,
  .blend_columns = blend_columns,
  .blend_rows = blend_rows,
  .store = store,
  .fill = fill,
};
