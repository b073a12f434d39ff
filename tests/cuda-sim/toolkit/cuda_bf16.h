/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Replaces the toolkit's header of this name. */

#include "cuda_sim.h"
#include "small_float.h"

Y10_SMALL_FLOAT (__nv_bfloat16, __nv_bfloat162, y10_sim::bf16_to_float, y10_sim::float_to_bf16)

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#define Y10_FUNCTION(type, name, params, expression) \
  static inline type name params { return expression; }

Y10_FUNCTION (float, __bfloat162float, (__nv_bfloat16 h), (float) h)
Y10_FUNCTION (__nv_bfloat16, __float2bfloat16, (float x), __nv_bfloat16 (x))
Y10_FUNCTION (__nv_bfloat16, __float2bfloat16_rn, (float x), __nv_bfloat16 (x))
Y10_FUNCTION (__nv_bfloat16, __double2bfloat16, (double x), __nv_bfloat16 (x))
Y10_FUNCTION (__nv_bfloat16, __int2bfloat16_rn, (int x), __nv_bfloat16 (x))
Y10_FUNCTION (__nv_bfloat16, __ushort_as_bfloat16, (unsigned short u),
    y10_sim_make___nv_bfloat16 (u))
Y10_FUNCTION (unsigned short, __bfloat16_as_ushort, (__nv_bfloat16 h), h.bits)
Y10_FUNCTION (__nv_bfloat162, __halves2bfloat162, (__nv_bfloat16 a, __nv_bfloat16 b),
    __nv_bfloat162 (a, b))
Y10_FUNCTION (__nv_bfloat162, make_bfloat162, (__nv_bfloat16 a, __nv_bfloat16 b),
    __nv_bfloat162 (a, b))
Y10_FUNCTION (__nv_bfloat162, __bfloat162bfloat162, (__nv_bfloat16 a), __nv_bfloat162 (a, a))
Y10_FUNCTION (__nv_bfloat162, __float2bfloat162_rn, (float x),
    __nv_bfloat162 (__nv_bfloat16 (x), __nv_bfloat16 (x)))
Y10_FUNCTION (__nv_bfloat162, __floats2bfloat162_rn, (float x, float y),
    __nv_bfloat162 (__nv_bfloat16 (x), __nv_bfloat16 (y)))
Y10_FUNCTION (__nv_bfloat162, __float22bfloat162_rn, (float2 v),
    __nv_bfloat162 (__nv_bfloat16 (v.x), __nv_bfloat16 (v.y)))
Y10_FUNCTION (float2, __bfloat1622float2, (__nv_bfloat162 h),
    make_float2 ((float) h.x, (float) h.y))
Y10_FUNCTION (__nv_bfloat16, __low2bfloat16, (__nv_bfloat162 h), h.x)
Y10_FUNCTION (__nv_bfloat16, __high2bfloat16, (__nv_bfloat162 h), h.y)
Y10_FUNCTION (float, __low2float, (__nv_bfloat162 h), (float) h.x)
Y10_FUNCTION (float, __high2float, (__nv_bfloat162 h), (float) h.y)
#undef Y10_FUNCTION
