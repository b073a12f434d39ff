/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Common parts of the kernels. Kernels are templates over the activations' type;
 * for any type they compute in floats and round once, when they store. They read
 * and write memory 8 channels at a time, with 16-byte accesses.
 *
 * Plain C++17 without standard library headers, so that NVRTC and g++
 * (tests/cuda-sim) compile it too. Registers are reinterpreted with
 * __builtin_memcpy, memory with may_alias: nvcc compiles a memcpy from memory to
 * single-byte accesses, whatever its alignment. */

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "view.h"

/* Instantiates y10_NAME_SUFFIX from the template y10_NAME. The arguments after the
 * type of activation are those of __launch_bounds__: threads per block and, for
 * kernels in which ptxas would otherwise spill registers, or take too many, blocks per
 * multiprocessor. */
#define Y10_KERNEL_OF_TYPE(name, Type, suffix, type, ...) \
  extern "C" __global__ void __launch_bounds__ (__VA_ARGS__) \
      y10_##name##_##suffix (Y10K##Type p) \
  { \
    y10_##name<type> (p); \
  }

/* The same for all types: y10_NAME_f32, _f16 and _bf16. */
#define Y10_TYPED_KERNEL(name, Type, ...) \
  Y10_KERNEL_OF_TYPE (name, Type, f32, float, __VA_ARGS__) \
  Y10_KERNEL_OF_TYPE (name, Type, f16, __half, __VA_ARGS__) \
  Y10_KERNEL_OF_TYPE (name, Type, bf16, __nv_bfloat16, __VA_ARGS__)

/* N channels (4 or 8) in memory format. */
template <typename T, int N>
struct __attribute__ ((may_alias,
    aligned (N * sizeof (T) < 16 ? N * sizeof (T) : 16))) Y10Raw
{
  unsigned int word[N * sizeof (T) / 4];
};

template <typename T, int N>
__device__ __forceinline__ Y10Raw<T, N>
y10_load_raw (const T *from)
{
  return *(const Y10Raw<T, N> *) from;
}

template <typename T, int N>
__device__ __forceinline__ void
y10_store_raw (T *to, const Y10Raw<T, N> &raw)
{
  *(Y10Raw<T, N> *) to = raw;
}

template <int N>
__device__ __forceinline__ void
y10_unpack (const Y10Raw<float, N> &raw, float (&x)[N])
{
  __builtin_memcpy (x, &raw, sizeof x);
}

template <int N>
__device__ __forceinline__ void
y10_unpack (const Y10Raw<__half, N> &raw, float (&x)[N])
{
#pragma unroll
  for (int i = 0; i < N / 2; i++) {
    __half2 pair;
    float2 both;

    __builtin_memcpy (&pair, &raw.word[i], sizeof pair);
    both = __half22float2 (pair);
    x[2 * i] = both.x;
    x[2 * i + 1] = both.y;
  }
}

template <int N>
__device__ __forceinline__ void
y10_unpack (const Y10Raw<__nv_bfloat16, N> &raw, float (&x)[N])
{
#pragma unroll
  for (int i = 0; i < N / 2; i++) {
    x[2 * i] = __uint_as_float (raw.word[i] << 16);
    x[2 * i + 1] = __uint_as_float (raw.word[i] & 0xffff0000u);
  }
}

template <int N>
__device__ __forceinline__ Y10Raw<float, N>
y10_pack (const float (&x)[N], float)
{
  Y10Raw<float, N> raw;

  __builtin_memcpy (&raw, x, sizeof raw);
  return raw;
}

template <int N>
__device__ __forceinline__ Y10Raw<__half, N>
y10_pack (const float (&x)[N], __half)
{
  Y10Raw<__half, N> raw;

#pragma unroll
  for (int i = 0; i < N / 2; i++) {
    __half2 pair = __floats2half2_rn (x[2 * i], x[2 * i + 1]);

    __builtin_memcpy (&raw.word[i], &pair, sizeof pair);
  }
  return raw;
}

template <int N>
__device__ __forceinline__ Y10Raw<__nv_bfloat16, N>
y10_pack (const float (&x)[N], __nv_bfloat16)
{
  Y10Raw<__nv_bfloat16, N> raw;

#pragma unroll
  for (int i = 0; i < N / 2; i++) {
    __nv_bfloat162 pair = __floats2bfloat162_rn (x[2 * i], x[2 * i + 1]);

    __builtin_memcpy (&raw.word[i], &pair, sizeof pair);
  }
  return raw;
}

/* Loads N channels (4 or 8), aligned to their size or 16 bytes, as floats. */
template <typename T, int N>
__device__ __forceinline__ void
y10_load (const T *from, float (&x)[N])
{
  y10_unpack (y10_load_raw<T, N> (from), x);
}

template <typename T, int N>
__device__ __forceinline__ void
y10_store (T *to, const float (&x)[N])
{
  y10_store_raw<T, N> (to, y10_pack (x, T ()));
}

/* Returns the first channel of a pixel in a view with elements of type T. */
template <typename T>
__device__ __forceinline__ T *
y10_at (const Y10KView &view, int image, int y, int x)
{
  return (T *) view.data + image * view.image
      + (long long) (y * view.width + x) * view.pixel;
}

/* e^x: full precision for floats; for 16-bit types two instructions, whose error
 * is far below that of rounding the result. */
template <typename T>
__device__ __forceinline__ float
y10_exp (float x)
{
  return sizeof (T) == 4 ? expf (x) : __expf (x);
}

template <typename T>
__device__ __forceinline__ float
y10_silu (float x)
{
  return sizeof (T) == 4 ? x / (1.0f + expf (-x))
                         : __fdividef (x, 1.0f + __expf (-x));
}

/* SiLU and an addition that has been read, if they are wanted, into a view of T or of
 * floats. */
template <typename T>
__device__ __forceinline__ void
y10_finish8 (float (&v)[8], int silu, bool with_add, const Y10Raw<T, 8> &add,
    const Y10KView &out, int out_float, int image, int y, int x, int channel)
{
  if (silu) {
#pragma unroll
    for (int i = 0; i < 8; i++)
      v[i] = y10_silu<T> (v[i]);
  }
  if (with_add) {
    float a[8];

    y10_unpack (add, a);
#pragma unroll
    for (int i = 0; i < 8; i++)
      v[i] += a[i];
  }
  if (out_float)
    y10_store (y10_at<float> (out, image, y, x) + channel, v);
  else
    y10_store (y10_at<T> (out, image, y, x) + channel, v);
}

/* The epilogue of every convolution: optional SiLU and addition, into a view of T
 * or of floats. add may be equal to out: it is read before out is written. */
template <typename T>
__device__ __forceinline__ void
y10_epilogue8 (float (&v)[8], int silu, const Y10KView &add,
    const Y10KView &out, int out_float, int image, int y, int x, int channel)
{
  Y10Raw<T, 8> a = {};

  if (add.data)
    a = y10_load_raw<T, 8> (y10_at<const T> (add, image, y, x) + channel);
  y10_finish8<T> (v, silu, add.data != NULL, a, out, out_float, image, y, x,
      channel);
}
