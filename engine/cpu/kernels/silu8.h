/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Part of int8.h: SiLU of what is rounded to 8 bits. In AVX-512 it takes two thirds of the
 * instructions of vf_silu(), and its error is absolute: 5e-5, and 7e-4 around -9.5 and 9.5.
 * It is x, or 0 if that is less, and a function of |x| that is at most 0.28 and vanishes. */

#include "vec.h"

#ifdef __AVX512F__

#define SILU_STEP 0.3125f /* of the intervals */

/* The nearest polynomials c0 + c1 u + c2 u² to -u sigmoid (-u) in intervals whose middles
 * are 0 to 30 steps; 0 from there on. */
static const float silu_table[3][32] __attribute__ ((aligned (64))) = {
  { -7.8460022e-07f, -0.00048629142f, -0.0080264295f, -0.035610691f,
      -0.092423186f, -0.17678352f, -0.27694687f, -0.37700039f, -0.46290246f,
      -0.52579874f, -0.56247079f, -0.57419139f, -0.56448293f, -0.53859293f,
      -0.5014267f, -0.45744076f, -0.41027579f, -0.36270681f, -0.31671387f,
      -0.27360615f, -0.23415965f, -0.19874708f, -0.16745001f, -0.14015029f,
      -0.11660168f, -0.09648376f, -0.079441182f, -0.065111205f, -0.053142074f,
      -0.04320458f, -0.034998532f, 0.f },
  { -0.4999257f, -0.49517143f, -0.46410373f, -0.39408264f, -0.29030192f,
      -0.17008908f, -0.053143095f, 0.045782689f, 0.11943875f, 0.16706279f,
      0.19195154f, 0.1992083f, 0.1938688f, 0.18064561f, 0.16303746f, 0.143622f,
      0.12413985f, 0.10567835f, 0.08884681f, 0.073923051f, 0.060966745f,
      0.049902651f, 0.040579159f, 0.03280798f, 0.026389904f, 0.021130709f,
      0.016850239f, 0.013386942f, 0.01059945f, 0.0083663445f, 0.0065848571f,
      0.f },
  { 0.24908131f, 0.23754051f, 0.20528544f, 0.16070627f, 0.11323187f,
      0.07036262f, 0.03620436f, 0.011739981f, -0.0040545138f, -0.013071919f,
      -0.017295593f, -0.018418813f, -0.017684644f, -0.015996017f, -0.01391024f,
      -0.011767524f, -0.009755509f, -0.0079641463f, -0.0064241276f,
      -0.0051324097f, -0.0040684696f, -0.0032042263f, -0.0025098212f,
      -0.0019567597f, -0.0015194387f, -0.0011757143f, -0.00090693153f,
      -0.00069767126f, -0.00053537206f, -0.00040991572f, -0.0003132257f, 0.f },
};

Y10_INLINE __m512
silu_coefficient (int i, __m512i index)
{
  return _mm512_permutex2var_ps (_mm512_load_ps (silu_table[i]), index,
      _mm512_load_ps (silu_table[i] + 16));
}

/* The number of a middle is in the low bits of a sum with the magic number. NaN stays. */
Y10_INLINE vf
vf_silu_8 (vf x)
{
  const __m512 v = (__m512) x, zero = _mm512_setzero_ps ();
  const __m512 u = _mm512_range_ps (v, _mm512_set1_ps (31 * SILU_STEP), 10);
  const __m512i i = _mm512_castps_si512 (_mm512_fmadd_ps (u,
      _mm512_set1_ps (1 / SILU_STEP), _mm512_set1_ps (0x1.8p+23f)));
  const __m512 slope = _mm512_fmadd_ps (silu_coefficient (2, i), u,
      silu_coefficient (1, i));

  return (vf) _mm512_add_ps (_mm512_max_ps (zero, v),
      _mm512_fmadd_ps (slope, u, silu_coefficient (0, i)));
}

#else

Y10_INLINE vf
vf_silu_8 (vf x)
{
  return vf_silu (x);
}

#endif
