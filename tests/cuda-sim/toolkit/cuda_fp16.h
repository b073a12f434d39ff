/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Replaces the toolkit's header of this name. */

#include "cuda_sim.h"
#include "small_float.h"

Y10_SMALL_FLOAT (__half, __half2, y10_sim::half_to_float, y10_sim::float_to_half)

typedef __half half;
typedef __half2 half2;
struct __half_raw
{
  unsigned short x;
};

#define Y10_FUNCTION(type, name, params, expression) \
  static inline type name params { return expression; }

Y10_FUNCTION (float, __half2float, (__half h), (float) h)
Y10_FUNCTION (__half, __float2half, (float x), __half (x))
Y10_FUNCTION (__half, __float2half_rn, (float x), __half (x))
Y10_FUNCTION (__half, __double2half, (double x), __half (x))
Y10_FUNCTION (__half, __int2half_rn, (int x), __half (x))
Y10_FUNCTION (__half, __ushort_as_half, (unsigned short u), y10_sim_make___half (u))
Y10_FUNCTION (__half, __short_as_half, (short u), y10_sim_make___half ((unsigned short) u))
Y10_FUNCTION (unsigned short, __half_as_ushort, (__half h), h.bits)
Y10_FUNCTION (short, __half_as_short, (__half h), (short) h.bits)
Y10_FUNCTION (__half2, __halves2half2, (__half a, __half b), __half2 (a, b))
Y10_FUNCTION (__half2, make_half2, (__half a, __half b), __half2 (a, b))
Y10_FUNCTION (__half2, __half2half2, (__half a), __half2 (a, a))
Y10_FUNCTION (__half2, __float2half2_rn, (float x), __half2 (__half (x), __half (x)))
Y10_FUNCTION (__half2, __floats2half2_rn, (float x, float y), __half2 (__half (x), __half (y)))
Y10_FUNCTION (__half2, __float22half2_rn, (float2 v), __half2 (__half (v.x), __half (v.y)))
Y10_FUNCTION (float2, __half22float2, (__half2 h), make_float2 ((float) h.x, (float) h.y))
Y10_FUNCTION (__half, __low2half, (__half2 h), h.x)
Y10_FUNCTION (__half, __high2half, (__half2 h), h.y)
Y10_FUNCTION (float, __low2float, (__half2 h), (float) h.x)
Y10_FUNCTION (float, __high2float, (__half2 h), (float) h.y)
#undef Y10_FUNCTION
