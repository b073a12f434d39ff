/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* One vector of Y10_VLEN floats: the channels of a block. The compilers'
 * vector extensions express most operations on any instruction set; table
 * look-up, conversions and reciprocals have versions for some here. None uses
 * the CPU's approximations of 1 / x in fp32: they differ between makers.
 * Include it only in files that are built with flags for their instruction
 * set. */

#include <stdint.h>
#include <string.h>

#if defined(__AVX512F__) || defined(__AVX2__)
#include <immintrin.h>
#endif
#ifdef Y10_NEON /* portable C is built for AArch64, too */
#include <arm_neon.h>
#endif
#if defined(__AVX2__) && !defined(__AVX512F__)
#define Y10_AVX2 1
#endif

#define Y10_INLINE static inline __attribute__ ((always_inline))
#ifdef __clang__
#define Y10_UNROLL _Pragma ("clang loop unroll(full)")
#else
#define Y10_UNROLL _Pragma ("GCC unroll 64")
#endif

typedef float vf __attribute__ ((vector_size (Y10_VLEN * 4)));
typedef int32_t vi __attribute__ ((vector_size (Y10_VLEN * 4)));
typedef float vf_mem
    __attribute__ ((vector_size (Y10_VLEN * 4), aligned (4), may_alias));

Y10_INLINE vf
vf_load (const void *p)
{
  return *(const vf_mem *) p;
}

Y10_INLINE void
vf_store (void *p, vf v)
{
  *(vf_mem *) p = v;
}

Y10_INLINE vf
vf_set1 (float x)
{
#ifdef __AVX512F__
  return (vf) _mm512_set1_ps (x);
#else
  return x - (vf){ 0 };
#endif
}

Y10_INLINE vf
vf_max (vf a, vf b)
{
#ifdef __AVX512F__
  return (vf) _mm512_max_ps ((__m512) a, (__m512) b);
#elif defined Y10_AVX2
  return (vf) _mm256_max_ps ((__m256) a, (__m256) b);
#elif defined Y10_NEON
  return (vf) vmaxq_f32 ((float32x4_t) a, (float32x4_t) b);
#else
  vi m = a > b;
  return (vf) (((vi) a & m) | ((vi) b & ~m));
#endif
}

Y10_INLINE vf
vf_min (vf a, vf b)
{
#ifdef __AVX512F__
  return (vf) _mm512_min_ps ((__m512) a, (__m512) b);
#elif defined Y10_AVX2
  return (vf) _mm256_min_ps ((__m256) a, (__m256) b);
#elif defined Y10_NEON
  return (vf) vminq_f32 ((float32x4_t) a, (float32x4_t) b);
#else
  vi m = a < b;
  return (vf) (((vi) a & m) | ((vi) b & ~m));
#endif
}

Y10_INLINE float
vf_hmax (vf v)
{
  float m = v[0];
  for (int i = 1; i < Y10_VLEN; i++)
    m = v[i] > m ? v[i] : m;
  return m;
}

Y10_INLINE float
vf_hsum (vf v)
{
  float s[Y10_VLEN];
  vf_store (s, v);
  for (int n = Y10_VLEN / 2; n; n /= 2)
    for (int i = 0; i < n; i++)
      s[i] += s[i + n];
  return s[0];
}

/* 2^(c x) = exp (c x / log2 (e)), for exponents from -126 to 127, as the
 * product of the result and @polynomial: 2^(i/n) is looked up, and a polynomial
 * makes the rest. With the magic number added, the low bits of t hold the
 * exponent times n. Shifted, they add the exponent to a table entry, from which
 * those bits that are the index have been subtracted. Relative errors are 2e-7,
 * and 2e-8 |x| far from 0, where log2 (e) is rounded. */
#ifdef __AVX512F__

Y10_INLINE vf
exp2_parts (vf x, float c, vf *polynomial)
{
  static const uint32_t table[32]
      __attribute__ ((aligned (64))) = { 0x3f800000, 0x3f7ecd87, 0x3f7daac3,
        0x3f7c980f, 0x3f7b95c2, 0x3f7aa43a, 0x3f79c3d3, 0x3f78f4f0, 0x3f7837f0,
        0x3f778d3a, 0x3f76f532, 0x3f767043, 0x3f75fed7, 0x3f75a15b, 0x3f75583f,
        0x3f7523f6, 0x3f7504f3, 0x3f74fbaf, 0x3f7508a4, 0x3f752c4d, 0x3f75672a,
        0x3f75b9be, 0x3f76248c, 0x3f76a81e, 0x3f7744fd, 0x3f77fbb8, 0x3f78ccdf,
        0x3f79b907, 0x3f7ac0c7, 0x3f7be4ba, 0x3f7d257d, 0x3f7e83b3 };
  const __m512 magic = _mm512_set1_ps (0x1.8p+18f); /* ulp 1 / 32 */
  const __m512 factor = _mm512_set1_ps (c);
  __m512 t = _mm512_fmadd_ps ((__m512) x, factor, magic);
  __m512 r = _mm512_fmsub_ps ((__m512) x, factor, _mm512_sub_ps (t, magic));
  __m512i i = _mm512_castps_si512 (t);
  __m512i s = _mm512_permutex2var_epi32 (_mm512_load_si512 (table), i,
      _mm512_load_si512 (table + 16));
  __m512 p = _mm512_fmadd_ps (r, _mm512_set1_ps (0.24022651f),
      _mm512_set1_ps (0.69314718f));

  *polynomial = (vf) _mm512_fmadd_ps (p, r, _mm512_set1_ps (1.0f));
  return (vf) _mm512_add_epi32 (s, _mm512_slli_epi32 (i, 18));
}

#elif defined Y10_AVX2

Y10_INLINE vf
exp2_parts (vf x, float c, vf *polynomial)
{
  const __m256i table = _mm256_setr_epi32 (0x3f800000, 0x3f7b95c2, 0x3f7837f0,
      0x3f75fed7, 0x3f7504f3, 0x3f75672a, 0x3f7744fd, 0x3f7ac0c7);
  const __m256 magic = _mm256_set1_ps (0x1.8p+20f); /* ulp 1 / 8 */
  const __m256 factor = _mm256_set1_ps (c);
  __m256 t = _mm256_fmadd_ps ((__m256) x, factor, magic);
  __m256 r = _mm256_fmsub_ps ((__m256) x, factor, _mm256_sub_ps (t, magic));
  __m256i i = _mm256_castps_si256 (t);
  __m256i s = _mm256_permutevar8x32_epi32 (table, i);
  __m256 p = _mm256_fmadd_ps (r, _mm256_set1_ps (0.05550411f),
      _mm256_set1_ps (0.24022651f));

  p = _mm256_fmadd_ps (p, r, _mm256_set1_ps (0.69314718f));
  *polynomial = (vf) _mm256_fmadd_ps (p, r, _mm256_set1_ps (1.0f));
  return (vf) _mm256_add_epi32 (s, _mm256_slli_epi32 (i, 20));
}

#endif

#if defined(__AVX512F__) || defined(Y10_AVX2)

/* exp (x) for -87 <= x <= 88. */
Y10_INLINE vf
vf_exp (vf x)
{
  vf p, s = exp2_parts (x, 1.44269504f, &p);

  return s * p;
}

/* x limited to what exponents can express: -87 to 87. In AVX2, as integers, which
 * takes half as long: signed ones have the order of positive floats, and unsigned
 * ones, of which negative floats are the largest, that of their magnitudes. */
Y10_INLINE vf
limit (vf x)
{
#ifdef __AVX512F__
  return (vf) _mm512_range_ps ((__m512) x, _mm512_set1_ps (87.0f), 2);
#else
  __m256i i = _mm256_min_epi32 ((__m256i) x, _mm256_set1_epi32 (0x42ae0000));
  return (vf) _mm256_min_epu32 (i, _mm256_set1_epi32 ((int) 0xc2ae0000));
#endif
}

/* 1 + exp (-x). */
Y10_INLINE vf
one_plus_exp (vf x)
{
  vf p, s = exp2_parts (limit (x), -1.44269504f, &p);

  return s * p + 1.0f;
}

#endif

#ifdef __AVX512F__

#if Y10_ELEM < 4

/* x * sigmoid (x) to 1e-4, well below the resolution of bfloat16: a cubic
 * for 2^f, 0 <= f < 1, and a 14-bit reciprocal. */
Y10_INLINE vf
vf_silu (vf x)
{
  __m512 v = (__m512) x;
  __m512 t = _mm512_mul_ps (v, _mm512_set1_ps (-1.44269504f));
  __m512 f = _mm512_reduce_ps (t, _MM_FROUND_TO_NEG_INF);
  __m512 p = _mm512_fmadd_ps (f, _mm512_set1_ps (0.07802419f),
      _mm512_set1_ps (0.22606721f));
  p = _mm512_fmadd_ps (p, f, _mm512_set1_ps (0.69583374f));
  p = _mm512_fmadd_ps (p, f, _mm512_set1_ps (0.99992517f));
  p = _mm512_add_ps (_mm512_scalef_ps (p, t), _mm512_set1_ps (1.0f));
  return (vf) _mm512_mul_ps (v, _mm512_rcp14_ps (p));
}

#else

/* x * sigmoid (x). A difference of bit patterns is y = 1 / d within 5 %; the cubic
 * polynomial of d y that is nearest to 1 there leaves 3e-5, and Newton's method 1e-9.
 * A division takes twice as long. */
Y10_INLINE vf
vf_silu (vf x)
{
  __m512 v = (__m512) x, d = (__m512) one_plus_exp (x);
  __m512 y = _mm512_castsi512_ps (
      _mm512_sub_epi32 (_mm512_set1_epi32 (0x7ef33400),
          _mm512_castps_si512 (d)));
  __m512 e = _mm512_fnmadd_ps (d, y, _mm512_set1_ps (1.5009612f)), q;
  y = _mm512_mul_ps (y, _mm512_fmadd_ps (e, e, _mm512_set1_ps (0.7490391f)));
  e = _mm512_fnmadd_ps (d, y, _mm512_set1_ps (1.0f));
  q = _mm512_mul_ps (v, y);
  return (vf) _mm512_fmadd_ps (q, e, q);
}

#endif

#elif defined Y10_AVX2

Y10_INLINE vf
vf_silu (vf x)
{
  return x / one_plus_exp (x);
}

#else

/* exp (x) for -87 <= x <= 88, to 2e-7 (Cephes' polynomial). */
Y10_INLINE vf
vf_exp (vf x)
{
  const vf magic = vf_set1 (0x1.8p+23f);
  vf t = x * 1.44269504f + magic;
  vf n = t - magic;
  vf r = x - n * 0.693359375f;
  r = r - n * -2.12194440e-4f;
  vf p = r * 1.9875691500e-4f + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * (r * r) + r + 1.0f;
  return (vf) ((vi) p + (((vi) t - (vi) magic) << 23));
}

Y10_INLINE vf
vf_silu (vf x)
{
  vf v = vf_min (vf_max (x, vf_set1 (-87.0f)), vf_set1 (87.0f));
  return x / (1.0f + vf_exp (-v));
}

#endif

/* Loads and stores of activations: floats or bfloat16. */
#if Y10_ELEM == 4

typedef float elem_t;

Y10_INLINE vf
ve_load (const void *p)
{
  return vf_load (p);
}

Y10_INLINE void
ve_store (void *p, vf v)
{
  vf_store (p, v);
}

#elif Y10_ELEM == 1

typedef uint8_t elem_t;
typedef uint8_t vb __attribute__ ((vector_size (Y10_VLEN)));

/* The number that 8 bits are, not what it stands for. */
Y10_INLINE vf
ve_load (const void *p)
{
#ifdef __AVX512F__
  return (vf) _mm512_cvtepi32_ps (_mm512_cvtepu8_epi32 (_mm_loadu_si128 (p)));
#elif defined Y10_AVX2
  return (vf) _mm256_cvtepi32_ps (_mm256_cvtepu8_epi32 (_mm_loadl_epi64 (p)));
#elif defined Y10_NEON
  uint32_t b;
  memcpy (&b, p, sizeof b);
  return (vf) vcvtq_f32_u32 (
      vmovl_u16 (vget_low_u16 (vmovl_u8 (vcreate_u8 (b)))));
#else
  vb b;
  memcpy (&b, p, sizeof b);
  return __builtin_convertvector(b, vf);
#endif
}

/* Rounds to the nearest even and limits; NaN gives 0. */
Y10_INLINE void
ve_store (void *p, vf v)
{
#ifdef __AVX512F__
  __m512i i = _mm512_cvtps_epi32 (
      _mm512_max_ps ((__m512) v, _mm512_setzero_ps ()));
  _mm_storeu_si128 (p, _mm512_cvtusepi32_epi8 (i));
#elif defined Y10_NEON
  uint16x4_t i = vqmovn_u32 (vcvtnq_u32_f32 ((float32x4_t) v));
  uint32_t b = vget_lane_u32 ((uint32x2_t) vqmovn_u16 (vcombine_u16 (i, i)), 0);
  memcpy (p, &b, sizeof b);
#else
  const vf magic = vf_set1 (0x1.8p+23f);
  vi i;
  vb b;

  v = vf_min (vf_max (v, vf_set1 (0)), vf_set1 (255));
  i = (vi) (v + magic) & 255;
  b = __builtin_convertvector(i, vb);
  memcpy (p, &b, sizeof b);
#endif
}

#else

typedef uint16_t elem_t;

#ifdef Y10_NEON

Y10_INLINE vf
ve_load (const void *p)
{
  return (vf) vshll_n_u16 (vld1_u16 (p), 16);
}

Y10_INLINE void
ve_store (void *p, vf v)
{
  vst1_bf16 (p, vcvt_bf16_f32 ((float32x4_t) v));
}

#else

Y10_INLINE vf
ve_load (const void *p)
{
  __m256i h = _mm256_loadu_si256 ((const __m256i *) p);
  return (vf) _mm512_slli_epi32 (_mm512_cvtepu16_epi32 (h), 16);
}

Y10_INLINE void
ve_store (void *p, vf v)
{
  _mm256_storeu_si256 ((__m256i *) p,
      (__m256i) _mm512_cvtneps_pbh ((__m512) v));
}

#endif
#endif
