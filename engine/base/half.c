/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Conversions that need no 16-bit float types of the compiler or the CPU. */

#include "config.h"

#include <string.h>

#include "base/half.h"

static guint32
bits_of (gfloat f)
{
  guint32 u;

  memcpy (&u, &f, sizeof u);
  return u;
}

static gfloat
float_of (guint32 u)
{
  gfloat f;

  memcpy (&f, &u, sizeof f);
  return f;
}

gfloat
y10_half_to_float (guint16 h)
{
  guint32 sign = (guint32) (h & 0x8000) << 16, mantissa = h & 0x3ff;
  guint32 exponent = h >> 10 & 31;

  if (exponent == 31)
    return float_of (sign | 0x7f800000 | mantissa << 13);
  if (exponent)
    return float_of (sign | (exponent + 112) << 23 | mantissa << 13);
  /* Subnormal: the mantissa is in units of 2^-24. */
  return float_of (sign | bits_of (mantissa * 0x1p-24f));
}

guint16
y10_half_from_float (gfloat f)
{
  guint32 u = bits_of (f), sign = u >> 16 & 0x8000;

  u &= 0x7fffffff;
  if (u > 0x7f800000)
    return sign | 0x7e00;
  if (u >= 0x477ff000) /* rounds to 65536 or more */
    return sign | 0x7c00;
  if (u < 0x38800000) /* below 2^-14: adding 0.5 leaves units of
                                 * 2^-24 in the low bits, rounded */
    return sign | (bits_of (float_of (u) + 0.5f) - bits_of (0.5f));
  return sign | ((u - 0x38000000 + 0xfff + (u >> 13 & 1)) >> 13);
}

gfloat
y10_bfloat_to_float (guint16 b)
{
  return float_of ((guint32) b << 16);
}

guint16
y10_bfloat_from_float (gfloat f)
{
  guint32 u = bits_of (f);

  if ((u & 0x7fffffff) > 0x7f800000)
    return u >> 16 | 0x40;
  return (u + 0x7fff + (u >> 16 & 1)) >> 16;
}
