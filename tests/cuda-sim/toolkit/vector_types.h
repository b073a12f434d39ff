/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* CUDA's short vectors with the sizes and alignments that the programming guide
 * gives them: a cast of a badly aligned address is as wrong here (UBSan, or
 * an aligned SSE access) as on a GPU. */

#define Y10_VECTOR(type, name, a2, a4) \
  struct name##1 { type x; }; \
  struct alignas (a2) name##2 { type x, y; }; \
  struct name##3 { type x, y, z; }; \
  struct alignas (a4) name##4 { type x, y, z, w; }; \
  static inline name##1 make_##name##1 (type x) { return {x}; } \
  static inline name##2 make_##name##2 (type x, type y) { return {x, y}; } \
  static inline name##3 make_##name##3 (type x, type y, type z) \
  { return {x, y, z}; } \
  static inline name##4 make_##name##4 (type x, type y, type z, type w) \
  { return {x, y, z, w}; }

Y10_VECTOR (signed char, char, 2, 4)
Y10_VECTOR (unsigned char, uchar, 2, 4)
Y10_VECTOR (short, short, 4, 8)
Y10_VECTOR (unsigned short, ushort, 4, 8)
Y10_VECTOR (int, int, 8, 16)
Y10_VECTOR (unsigned int, uint, 8, 16)
Y10_VECTOR (long, long, 16, 16)
Y10_VECTOR (unsigned long, ulong, 16, 16)
Y10_VECTOR (long long, longlong, 16, 16)
Y10_VECTOR (unsigned long long, ulonglong, 16, 16)
Y10_VECTOR (float, float, 8, 16)
Y10_VECTOR (double, double, 16, 16)
#undef Y10_VECTOR

struct dim3
{
  unsigned int x, y, z;

  constexpr dim3 (unsigned int x_ = 1, unsigned int y_ = 1, unsigned int z_ = 1)
  : x (x_), y (y_), z (z_)
  {
  }
};
