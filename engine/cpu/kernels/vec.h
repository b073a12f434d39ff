/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* One vector of Y10_VLEN floats: the channels of a block. The compilers'
 * vector extensions express most operations on any instruction set; table
 * look-up, conversions and reciprocals have AVX-512 versions here. Include
 * it only in files that are built with flags for their instruction set. */

#include <stdint.h>
#include <string.h>

#ifdef __AVX512F__
#include <immintrin.h>
#endif

#define Y10_INLINE static inline __attribute__ ((always_inline))
#ifdef __clang__
#define Y10_UNROLL _Pragma ("clang loop unroll(full)")
#else
#define Y10_UNROLL _Pragma ("GCC unroll 64")
#endif

typedef float vf __attribute__ ((vector_size (Y10_VLEN * 4)));
typedef int32_t vi __attribute__ ((vector_size (Y10_VLEN * 4)));
typedef float vf_mem __attribute__ ((vector_size (Y10_VLEN * 4), aligned (4),
        may_alias));

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
  return x - (vf) { 0 };
#endif
}

Y10_INLINE vf
vf_max (vf a, vf b)
{
#ifdef __AVX512F__
  return (vf) _mm512_max_ps ((__m512) a, (__m512) b);
#else
  vi m = a > b;
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

#ifdef __AVX512F__

/* exp (x) for x <= 88, to 2e-7: 2^(i/32) from a table, a quadratic for the
 * rest; scalef applies the integer exponent. */
Y10_INLINE vf
vf_exp (vf x)
{
  static const float table[32] __attribute__ ((aligned (64))) = {
    0x1p+0f, 0x1.059b0ep+0f, 0x1.0b5586p+0f, 0x1.11301ep+0f,
    0x1.172b84p+0f, 0x1.1d4874p+0f, 0x1.2387a6p+0f, 0x1.29e9ep+0f,
    0x1.306fep+0f, 0x1.371a74p+0f, 0x1.3dea64p+0f, 0x1.44e086p+0f,
    0x1.4bfdaep+0f, 0x1.5342b6p+0f, 0x1.5ab07ep+0f, 0x1.6247ecp+0f,
    0x1.6a09e6p+0f, 0x1.71f75ep+0f, 0x1.7a1148p+0f, 0x1.82589ap+0f,
    0x1.8ace54p+0f, 0x1.93737cp+0f, 0x1.9c4918p+0f, 0x1.a5503cp+0f,
    0x1.ae89fap+0f, 0x1.b7f77p+0f, 0x1.c199bep+0f, 0x1.cb720ep+0f,
    0x1.d5818ep+0f, 0x1.dfc974p+0f, 0x1.ea4afap+0f, 0x1.f50766p+0f,
  };
  const __m512 magic = _mm512_set1_ps (0x1.8p+18f);     /* ulp 1 / 32 */
  const __m512 log2e = _mm512_set1_ps (1.44269504f);
  __m512 t = _mm512_fmadd_ps ((__m512) x, log2e, magic);
  __m512 n = _mm512_sub_ps (t, magic);
  __m512 r = _mm512_fmsub_ps ((__m512) x, log2e, n);
  __m512 s = _mm512_permutex2var_ps (_mm512_load_ps (table),
      _mm512_castps_si512 (t), _mm512_load_ps (table + 16));
  __m512 p = _mm512_fmadd_ps (r, _mm512_set1_ps (0.24022651f),
      _mm512_set1_ps (0.69314718f));
  p = _mm512_fmadd_ps (p, r, _mm512_set1_ps (1.0f));
  return (vf) _mm512_scalef_ps (_mm512_mul_ps (s, p), n);
}

#if Y10_ELEM == 2

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

/* x * sigmoid (x); one Newton step refines the 14-bit reciprocal. */
Y10_INLINE vf
vf_silu (vf x)
{
  __m512 v = (__m512) x, low = _mm512_set1_ps (-87.0f);
  __m512 d = _mm512_add_ps (_mm512_set1_ps (1.0f),
      (__m512) vf_exp (-(vf) _mm512_max_ps (v, low)));
  __m512 y = _mm512_rcp14_ps (d);
  __m512 q = _mm512_mul_ps (v, y);
  __m512 e = _mm512_fnmadd_ps (d, y, _mm512_set1_ps (1.0f));
  return (vf) _mm512_fmadd_ps (q, e, q);
}

#endif

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
  vf low = vf_set1 (-87.0f);
  vf v = vf_max (x, low);
  v = -vf_max (-v, low);        /* keeps exp (-x) finite */
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

#else

typedef uint16_t elem_t;

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
