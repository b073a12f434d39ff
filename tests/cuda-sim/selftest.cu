/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Kernels for tests of the simulator itself: correct ones that use each of its
 * features, and wrong ones that it must detect. */

#include <cuda_fp16.h>
#include <cuda_bf16.h>

#include "selftest.h"

template <typename T, bool BARRIER>
static __device__ void
block_sum (const T *in, T *out, int n)
{
  __shared__ T part[32]; /* one a warp */
  T sum = 0;

  for (int i = threadIdx.x; i < n; i += blockDim.x)
    sum += in[(size_t) blockIdx.x * n + i];
  for (int d = 16; d > 0; d >>= 1)
    sum += __shfl_down_sync (0xffffffffu, sum, d);
  if (threadIdx.x % 32 == 0)
    part[threadIdx.x / 32] = sum;
  if (BARRIER)
    __syncthreads ();
  if (threadIdx.x == 0) {
    sum = 0;
    for (unsigned i = 0; i < blockDim.x / 32; i++)
      sum += part[i];
    out[blockIdx.x] = sum;
  }
}

extern "C" __global__ void __launch_bounds__ (256) self_sum (SelfTest p)
{
  block_sum<float, true> (p.in, p.out, p.n);
}

extern "C" __global__ void
self_sum_no_barrier (SelfTest p)
{
  block_sum<float, false> (p.in, p.out, p.n);
}

/* A bitonic sort of n values in dynamic shared memory. */
extern "C" __global__ void
self_sort (SelfTest p)
{
  extern __shared__ float values[];

  for (int i = threadIdx.x; i < p.n; i += blockDim.x)
    values[i] = p.in[(size_t) blockIdx.x * p.n + i];
  __syncthreads ();
  for (int k = 2; k <= p.n; k <<= 1) {
    for (int j = k >> 1; j > 0; j >>= 1) {
      for (int i = threadIdx.x; i < p.n; i += blockDim.x) {
        int o = i ^ j;
        float a = values[i], b = values[o];

        if (o > i && (a > b) == ((i & k) == 0)) {
          values[i] = b;
          values[o] = a;
        }
      }
      __syncthreads ();
    }
  }
  for (int i = threadIdx.x; i < p.n; i += blockDim.x)
    p.out[(size_t) blockIdx.x * p.n + i] = values[i];
}

/* Warp functions with masks, each warp's lanes in two halves. */
extern "C" __global__ void
self_warp (SelfTest p)
{
  int lane = threadIdx.x % 32;
  unsigned mask = lane < 16 ? 0x0000ffffu : 0xffff0000u;
  unsigned bad = 0;

  bad |= __ballot_sync (mask, lane % 3 == 0) != (0x49249249u & mask);
  bad |= (__any_sync (mask, lane == 20) != (lane >= 16)) << 1;
  bad |= (__all_sync (mask, lane < 16) != (lane < 16)) << 2;
  bad |= (__shfl_xor_sync (mask, lane, 5) != (lane ^ 5)) << 3;
  bad |=
      (__shfl_up_sync (mask, (double) lane, 1, 8) != lane - (lane % 8 ? 1 : 0))
      << 4;
  bad |= (__shfl_sync (mask, lane, 3, 16) != (lane & 16) + 3) << 5;
  bad |= (__match_any_sync (mask, lane % 2)
             != ((lane % 2 ? 0xaaaaaaaau : 0x55555555u) & mask))
      << 6;
  __syncwarp (mask);
  bad |= (__syncthreads_count (lane == 1) != (int) blockDim.x / 32) << 7;
  bad |= (__syncthreads_or (threadIdx.x == 7) != 1) << 8;
  bad |= (__syncthreads_and (threadIdx.x != 7) != 0) << 9;
  /* Half of each warp leaves. */
  p.out[blockIdx.x * blockDim.x + threadIdx.x] = (float) bad;
  if (lane % 2)
    return;
  lane = __shfl_down_sync (0x55555555u, lane, 2);
  if (lane != (int) threadIdx.x % 32 + (threadIdx.x % 32 < 30 ? 2 : 0))
    p.out[blockIdx.x * blockDim.x + threadIdx.x] = 1024;
}

extern "C" __global__ void
self_atomics (SelfTest p)
{
  unsigned *count = (unsigned *) p.out;

  atomicAdd (&count[0], 1);
  atomicMax (&count[1], blockIdx.x * blockDim.x + threadIdx.x);
  atomicOr (&count[2], 1u << (threadIdx.x & 31));
  if (atomicCAS (&count[3], 0, 1 + threadIdx.x) == 0)
    atomicAdd (&count[4], 1);
  atomicAdd (&p.out[5], 0.5f);
}

/* Wrong: only half of the block reaches the barrier, and the rest leaves. */
extern "C" __global__ void
self_left (SelfTest p)
{
  if (threadIdx.x < 16)
    __syncthreads ();
  p.out[0] = 1;
}

/* Wrong: two different barriers. */
extern "C" __global__ void
self_divergent (SelfTest p)
{
  if (threadIdx.x < 16)
    __syncthreads ();
  else
    __syncthreads ();
  p.out[0] = 1;
}

/* Wrong: half waits for the block, half for all of the warp. */
extern "C" __global__ void
self_deadlock (SelfTest p)
{
  if (threadIdx.x < 16)
    __syncthreads ();
  else
    __syncwarp ();
  p.out[0] = 1;
}

/* Wrong: writes one element too many. */
extern "C" __global__ void
self_overrun (SelfTest p)
{
  __shared__ float a[8], b[8];

  a[threadIdx.x % 8 + 1 + p.n] = 1;
  b[threadIdx.x % 8] = 2;
  __syncthreads ();
  p.out[0] = a[1] + b[1];
}

/* Wrong: more than a block may have. */
extern "C" __global__ void
self_too_large (SelfTest p)
{
  __shared__ float a[12289];

  a[threadIdx.x] = 1;
  p.out[0] = a[0];
}

/* Shared memory is new for each block. */
extern "C" __global__ void
self_fresh (SelfTest p)
{
  __shared__ __align__ (16) unsigned a[4], b;

  if (threadIdx.x == 0) {
    p.out[blockIdx.x] = a[0] == 0xffffffffu && b == 0xffffffffu;
    a[0] = b = 1;
  }
}

/* Every small float to a float and back, by each type's own functions. */
extern "C" __global__ void
self_half (SelfTest p)
{
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  __half h = __ushort_as_half ((unsigned short) i);
  __half2 two = __float22half2_rn (make_float2 (p.in[2 * i], p.in[2 * i + 1]));
  float2 back = __half22float2 (two);

  p.out[4 * i] = __half2float (h);
  p.out[4 * i + 1] = back.y;
  p.out[4 * i + 2] = __half2float (__hfma (two.x, two.y, h));
  p.out[4 * i + 3] = __bfloat162float (__float2bfloat16_rn (p.in[2 * i]));
}
