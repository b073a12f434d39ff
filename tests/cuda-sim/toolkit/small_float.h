/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Half and bfloat16 as bits: conversions that round to nearest, ties to even,
 * with integer arithmetic and normal floats only, so that neither the host's
 * instruction set nor flush-to-zero changes a result. NaN becomes 0x7fff, as in
 * the toolkit's conversions. */

#include <math.h>
#include <stdint.h>
#include <string.h>

namespace y10_sim
{
static inline uint32_t
float_bits (float x)
{
  uint32_t u;

  memcpy (&u, &x, sizeof u);
  return u;
}

static inline float
bits_float (uint32_t u)
{
  float x;

  memcpy (&x, &u, sizeof x);
  return x;
}

static inline float
compute_half (uint16_t h)
{
  uint32_t sign = (uint32_t) (h & 0x8000) << 16;
  uint32_t u = (uint32_t) (h & 0x7fff) << 13;

  if ((h & 0x7c00) == 0x7c00)
    return bits_float (sign | 0x7f800000 | u);
  if ((h & 0x7c00) == 0)
    return bits_float (sign | float_bits (bits_float (u + (113u << 23))
            - bits_float (113u << 23)));
  return bits_float (sign | (u + (112u << 23)));
}

/* Every half as a float: convolutions spend most of their time converting, and a
 * load is three times as fast as the computation. */
struct HalfTable
{
  float value[1 << 16];

  HalfTable ()
  {
    for (unsigned h = 0; h < 1 << 16; h++)
      value[h] = compute_half ((uint16_t) h);
  }
};

inline const HalfTable half_table;

static inline float
half_to_float (uint16_t h)
{
  return half_table.value[h];
}

static inline uint16_t
float_to_half (float x)
{
  uint32_t u = float_bits (x), a = u & 0x7fffffff;
  uint16_t sign = (uint16_t) (u >> 16 & 0x8000);

  if (a > 0x7f800000)
    return 0x7fff;
  if (a >= 0x477ff000)          /* 65520: halfway to what would be 65536 */
    return (uint16_t) (sign | 0x7c00);
  /* Below 2^-14 the sum's last bit is worth 2^-24, and the FPU rounds. */
  if (a < 113u << 23)
    return (uint16_t) (sign | (float_bits (bits_float (a) + 0.5f) - float_bits (0.5f)));
  return (uint16_t) (sign | ((a - (112u << 23) + 0xfff + (a >> 13 & 1)) >> 13));
}

static inline float
bf16_to_float (uint16_t b)
{
  return bits_float ((uint32_t) b << 16);
}

static inline uint16_t
float_to_bf16 (float x)
{
  uint32_t u = float_bits (x);

  if ((u & 0x7fffffff) > 0x7f800000)
    return 0x7fff;
  return (uint16_t) ((u + 0x7fff + (u >> 16 & 1)) >> 16);
}

/* Rounds to odd, so that rounding again to a shorter type is exact. */
static inline float
double_to_odd_float (double x)
{
  float f = (float) x;
  uint32_t u = float_bits (f);

  if (!(x - x == 0) || (double) f == x || !(f - f == 0))
    return f;
  if ((f > 0 ? (double) f > x : (double) f < x))
    u--;
  return bits_float (u | 1);
}

/* Returns x y + z of short floats, rounded to odd. */
static inline float
odd_fma (float x, float y, float z)
{
  double p = (double) x * y, s = p + z, t = s - p, error;
  uint64_t u;

  if (!(s - s == 0))
    return (float) s;
  error = (p - (s - t)) + (z - t);
  if (error != 0) {
    memcpy (&u, &s, sizeof u);
    if ((u & 1) == 0)
      u += (error > 0) == (s > 0) ? 1 : -1;
    memcpy (&s, &u, sizeof s);
  }
  return double_to_odd_float (s);
}
}

/* Defines the functions of both types: @T is __half or __nv_bfloat16, @T2 the
 * pair, @to and @from the conversions above. A float has enough bits for the
 * sum or product of two values that rounding twice equals rounding once. */
#define Y10_SMALL_FLOAT(T, T2, to, from) \
  struct alignas (2) T \
  { \
    unsigned short bits; \
    T () = default; \
    T (float x) : bits (from (x)) {} \
    T (double x) : bits (from (y10_sim::double_to_odd_float (x))) {} \
    T (int x) : bits (from (y10_sim::double_to_odd_float (x))) {} \
    T (unsigned x) : bits (from (y10_sim::double_to_odd_float (x))) {} \
    operator float () const { return to (bits); } \
    T &operator= (float x) { bits = from (x); return *this; } \
  }; \
  struct alignas (4) T2 \
  { \
    T x, y; \
    T2 () = default; \
    T2 (T a, T b) : x (a), y (b) {} \
  }; \
  static inline T y10_sim_make_##T (unsigned short bits) \
  { T h; h.bits = bits; return h; } \
  static inline T operator+ (T a, T b) { return T ((float) a + (float) b); } \
  static inline T operator- (T a, T b) { return T ((float) a - (float) b); } \
  static inline T operator* (T a, T b) { return T ((float) a * (float) b); } \
  static inline T operator/ (T a, T b) { return T ((float) a / (float) b); } \
  static inline T operator- (T a) \
  { return y10_sim_make_##T ((unsigned short) (a.bits ^ 0x8000)); } \
  static inline T &operator+= (T &a, T b) { return a = a + b; } \
  static inline T &operator-= (T &a, T b) { return a = a - b; } \
  static inline T &operator*= (T &a, T b) { return a = a * b; } \
  static inline bool operator== (T a, T b) { return (float) a == (float) b; } \
  static inline bool operator!= (T a, T b) { return (float) a != (float) b; } \
  static inline bool operator< (T a, T b) { return (float) a < (float) b; } \
  static inline bool operator> (T a, T b) { return (float) a > (float) b; } \
  static inline bool operator<= (T a, T b) { return (float) a <= (float) b; } \
  static inline bool operator>= (T a, T b) { return (float) a >= (float) b; } \
  static inline T __hadd (T a, T b) { return a + b; } \
  static inline T __hsub (T a, T b) { return a - b; } \
  static inline T __hmul (T a, T b) { return a * b; } \
  static inline T __hdiv (T a, T b) { return a / b; } \
  static inline T __hneg (T a) { return -a; } \
  static inline T __habs (T a) \
  { return y10_sim_make_##T ((unsigned short) (a.bits & 0x7fff)); } \
  static inline T __hfma (T a, T b, T c) { return T (y10_sim::odd_fma (a, b, c)); } \
  static inline bool __hisnan (T a) { return (float) a != (float) a; } \
  static inline bool __heq (T a, T b) { return a == b; } \
  static inline bool __hne (T a, T b) { return a != b; } \
  static inline bool __hlt (T a, T b) { return a < b; } \
  static inline bool __hle (T a, T b) { return a <= b; } \
  static inline bool __hgt (T a, T b) { return a > b; } \
  static inline bool __hge (T a, T b) { return a >= b; } \
  static inline T __hmax (T a, T b) \
  { return __hisnan (a) ? b : __hisnan (b) ? a : a > b ? a : b; } \
  static inline T __hmin (T a, T b) \
  { return __hisnan (a) ? b : __hisnan (b) ? a : a < b ? a : b; } \
  static inline T __hmax_nan (T a, T b) \
  { return __hisnan (a) || __hisnan (b) ? y10_sim_make_##T (0x7fff) : __hmax (a, b); } \
  static inline T __hmin_nan (T a, T b) \
  { return __hisnan (a) || __hisnan (b) ? y10_sim_make_##T (0x7fff) : __hmin (a, b); } \
  static inline T2 __hadd2 (T2 a, T2 b) { return T2 (a.x + b.x, a.y + b.y); } \
  static inline T2 __hsub2 (T2 a, T2 b) { return T2 (a.x - b.x, a.y - b.y); } \
  static inline T2 __hmul2 (T2 a, T2 b) { return T2 (a.x * b.x, a.y * b.y); } \
  static inline T2 __hneg2 (T2 a) { return T2 (-a.x, -a.y); } \
  static inline T2 __hmax2 (T2 a, T2 b) \
  { return T2 (__hmax (a.x, b.x), __hmax (a.y, b.y)); } \
  static inline T2 __hmin2 (T2 a, T2 b) \
  { return T2 (__hmin (a.x, b.x), __hmin (a.y, b.y)); } \
  static inline T2 __hmax2_nan (T2 a, T2 b) \
  { return T2 (__hmax_nan (a.x, b.x), __hmax_nan (a.y, b.y)); } \
  static inline T2 __hfma2 (T2 a, T2 b, T2 c) \
  { return T2 (__hfma (a.x, b.x, c.x), __hfma (a.y, b.y, c.y)); } \
  static inline T hexp (T a) { return T (exp ((double) (float) a)); } \
  static inline T hsqrt (T a) { return T (sqrt ((double) (float) a)); } \
  static inline T hrcp (T a) { return T (1.0 / (double) (float) a); }
