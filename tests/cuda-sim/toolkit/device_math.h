/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Functions of device code that the C library lacks. Functions that a GPU
 * approximates are as exact here as the C library's: only tests on a GPU show
 * its error. Included by cuda_sim.h alone. */

/* Macros, because the C library declares these names, too. */
#define __expf(x) expf (x)
#define __exp10f(x) exp10f (x)
#define __logf(x) logf (x)
#define __log2f(x) log2f (x)
#define __log10f(x) log10f (x)
#define __powf(x, y) powf (x, y)
#define __sinf(x) sinf (x)
#define __cosf(x) cosf (x)
#define __tanf(x) tanf (x)

#define Y10_MIN_MAX(type, a, b) \
  static inline type min (a x, b y) \
  { return (type) x < (type) y ? (type) x : (type) y; } \
  static inline type max (a x, b y) \
  { return (type) x > (type) y ? (type) x : (type) y; }
#define Y10_MIN_MAX_INTEGERS(type) \
  Y10_MIN_MAX (type, type, type) \
  Y10_MIN_MAX (unsigned type, unsigned type, unsigned type) \
  Y10_MIN_MAX (unsigned type, type, unsigned type) \
  Y10_MIN_MAX (unsigned type, unsigned type, type)

Y10_MIN_MAX_INTEGERS (int)
Y10_MIN_MAX_INTEGERS (long)
Y10_MIN_MAX_INTEGERS (long long)
#undef Y10_MIN_MAX_INTEGERS
#undef Y10_MIN_MAX

/* The number wins over NaN, as in device code. */
static inline float
min (float x, float y)
{
  return fminf (x, y);
}

static inline float
max (float x, float y)
{
  return fmaxf (x, y);
}

static inline double
min (double x, double y)
{
  return fmin (x, y);
}

static inline double
max (double x, double y)
{
  return fmax (x, y);
}

namespace y10_sim
{
template <typename To, typename From>
static inline To
bits_as (From from)
{
  To to;

  static_assert (sizeof to == sizeof from, "a change of type, not of size");
  memcpy (&to, &from, sizeof to);
  return to;
}
}

#define Y10_FUNCTION(type, name, params, expression) \
  static inline type name params { return expression; }

Y10_FUNCTION (int, __float_as_int, (float x), y10_sim::bits_as<int> (x))
Y10_FUNCTION (unsigned, __float_as_uint, (float x), y10_sim::bits_as<unsigned> (x))
Y10_FUNCTION (float, __int_as_float, (int x), y10_sim::bits_as<float> (x))
Y10_FUNCTION (float, __uint_as_float, (unsigned x), y10_sim::bits_as<float> (x))
Y10_FUNCTION (long long, __double_as_longlong, (double x), y10_sim::bits_as<long long> (x))
Y10_FUNCTION (double, __longlong_as_double, (long long x), y10_sim::bits_as<double> (x))

Y10_FUNCTION (int, __clz, (int x), x ? __builtin_clz ((unsigned) x) : 32)
Y10_FUNCTION (int, __clzll, (long long x), x ? __builtin_clzll ((unsigned long long) x) : 64)
Y10_FUNCTION (int, __popc, (unsigned x), __builtin_popcount (x))
Y10_FUNCTION (int, __popcll, (unsigned long long x), __builtin_popcountll (x))
Y10_FUNCTION (int, __ffs, (int x), __builtin_ffs (x))
Y10_FUNCTION (int, __ffsll, (long long x), __builtin_ffsll (x))
Y10_FUNCTION (int, __mulhi, (int x, int y), (int) (((long long) x * y) >> 32))
Y10_FUNCTION (unsigned, __umulhi, (unsigned x, unsigned y),
    (unsigned) (((unsigned long long) x * y) >> 32))
Y10_FUNCTION (int, __mul24, (int x, int y),
    (int) ((unsigned) ((x << 8) >> 8) * (unsigned) ((y << 8) >> 8)))
Y10_FUNCTION (unsigned, __funnelshift_l, (unsigned lo, unsigned hi, unsigned n),
    (unsigned) ((((unsigned long long) hi << 32 | lo) << (n & 31)) >> 32))
Y10_FUNCTION (unsigned, __funnelshift_r, (unsigned lo, unsigned hi, unsigned n),
    (unsigned) (((unsigned long long) hi << 32 | lo) >> (n & 31)))

static inline unsigned
__brev (unsigned x)
{
  unsigned y = 0;

  for (int i = 0; i < 32; i++)
    y |= (x >> i & 1) << (31 - i);
  return y;
}

static inline unsigned
__byte_perm (unsigned x, unsigned y, unsigned selector)
{
  unsigned long long all = (unsigned long long) y << 32 | x;
  unsigned result = 0;

  for (int i = 0; i < 4; i++) {
    unsigned s = selector >> (4 * i) & 15;
    unsigned byte = (unsigned) (all >> (8 * (s & 7))) & 255;

    result |= (s & 8 ? (byte & 128 ? 255u : 0u) : byte) << (8 * i);
  }
  return result;
}

Y10_FUNCTION (float, rsqrtf, (float x), 1.0f / sqrtf (x))
Y10_FUNCTION (double, rsqrt, (double x), 1.0 / sqrt (x))
Y10_FUNCTION (float, __frsqrt_rn, (float x), (float) (1.0 / sqrt ((double) x)))
Y10_FUNCTION (float, __frcp_rn, (float x), 1.0f / x)
Y10_FUNCTION (float, __fsqrt_rn, (float x), sqrtf (x))
Y10_FUNCTION (float, __fdividef, (float x, float y), x / y)
Y10_FUNCTION (float, __fadd_rn, (float x, float y), x + y)
Y10_FUNCTION (float, __fsub_rn, (float x, float y), x - y)
Y10_FUNCTION (float, __fmul_rn, (float x, float y), x * y)
Y10_FUNCTION (float, __fdiv_rn, (float x, float y), x / y)
Y10_FUNCTION (float, __fmaf_rn, (float x, float y, float z), fmaf (x, y, z))
Y10_FUNCTION (double, __dadd_rn, (double x, double y), x + y)
Y10_FUNCTION (double, __dsub_rn, (double x, double y), x - y)
Y10_FUNCTION (double, __dmul_rn, (double x, double y), x * y)
Y10_FUNCTION (double, __ddiv_rn, (double x, double y), x / y)
Y10_FUNCTION (double, __fma_rn, (double x, double y, double z), fma (x, y, z))
Y10_FUNCTION (float, __saturatef, (float x), x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f)
Y10_FUNCTION (float, fdividef, (float x, float y), x / y)

/* Conversions to integers saturate on a GPU, and NaN becomes zero. */
#define Y10_TO_INTEGER(type, name, from, lowest, above, round) \
  static inline type name (from x) \
  { \
    from r = round (x); \
    if (!(r == r)) \
      return 0; \
    if (r < (from) (lowest)) \
      return (type) (lowest); \
    return r >= (from) (above) ? (type) ~(type) (lowest) : (type) r; \
  }
Y10_TO_INTEGER (int, __float2int_rn, float, -2147483647 - 1, 2147483648.0, rintf)
Y10_TO_INTEGER (int, __float2int_rz, float, -2147483647 - 1, 2147483648.0, truncf)
Y10_TO_INTEGER (int, __float2int_rd, float, -2147483647 - 1, 2147483648.0, floorf)
Y10_TO_INTEGER (int, __float2int_ru, float, -2147483647 - 1, 2147483648.0, ceilf)
Y10_TO_INTEGER (unsigned, __float2uint_rn, float, 0u, 4294967296.0, rintf)
Y10_TO_INTEGER (unsigned, __float2uint_rz, float, 0u, 4294967296.0, truncf)
Y10_TO_INTEGER (int, __double2int_rn, double, -2147483647 - 1, 2147483648.0, rint)
Y10_TO_INTEGER (int, __double2int_rz, double, -2147483647 - 1, 2147483648.0, trunc)
#undef Y10_TO_INTEGER
Y10_FUNCTION (float, __int2float_rn, (int x), (float) x)
Y10_FUNCTION (float, __uint2float_rn, (unsigned x), (float) x)
Y10_FUNCTION (float, __double2float_rn, (double x), (float) x)

/* Loads and stores with a hint to the cache. */
#define Y10_LOAD(name) \
  template <typename T> static inline T name (const T *p) { return *p; }
#define Y10_STORE(name) \
  template <typename T> static inline void name (T *p, T v) { *p = v; }
Y10_LOAD (__ldg)
Y10_LOAD (__ldca)
Y10_LOAD (__ldcg)
Y10_LOAD (__ldcs)
Y10_LOAD (__ldlu)
Y10_STORE (__stwb)
Y10_STORE (__stcg)
Y10_STORE (__stcs)
#undef Y10_LOAD
#undef Y10_STORE
#undef Y10_FUNCTION
