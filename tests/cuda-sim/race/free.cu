/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Kernels without a race. Each has a race if any one of its barriers is missing
 * (barriers.py). */

#include "races.h"

#define SELF (threadIdx.x)
#define OUT (p.out[blockIdx.x * blockDim.x + SELF])

extern "C" __global__ void
free_barrier (RaceTest p)
{
  __shared__ int a;

  if (SELF == 0)
    a = p.in[0];
  __syncthreads ();
  OUT = a;
  __syncthreads ();
  if (SELF == 63)
    a = 1;
}

extern "C" __global__ void
free_barrier_vote (RaceTest p)
{
  __shared__ int a[64];
  int n;

  a[SELF] = p.in[SELF];
  n = __syncthreads_count (SELF < 5);
  OUT = a[SELF ^ 32] + n - 5;
}

extern "C" __global__ void
free_loop (RaceTest p)
{
  __shared__ int a[64];

  OUT = 0;
  for (int i = 0; i < 3; i++) {
    a[SELF] = p.in[SELF] + i;
    __syncthreads ();
    OUT += a[63 - SELF];
    __syncthreads ();
  }
}

/* Four threads share a word, each with a byte of it. */
extern "C" __global__ void
free_bytes (RaceTest p)
{
  __shared__ unsigned a[16];
  unsigned char *bytes = (unsigned char *) a;

  if (SELF < 16)
    a[SELF] = 0;
  __syncthreads ();
  bytes[SELF] = (unsigned char) (SELF + 1);
  OUT = bytes[SELF];
  bytes[SELF]++;
  __syncthreads ();
  OUT += (int) a[SELF / 4];
}

extern "C" __global__ void
free_own_value (RaceTest p)
{
  __shared__ int a[64];

  for (int i = 0; i < 4; i++)
    a[SELF] = (i ? a[SELF] : 0) + p.in[SELF];
  OUT = a[SELF];
}

extern "C" __global__ void
free_syncwarp (RaceTest p)
{
  __shared__ int a[64];

  a[SELF] = p.in[SELF];
  for (int d = 16; d > 0; d >>= 1) {
    __syncwarp ();
    const int other = a[SELF ^ d];
    __syncwarp ();
    a[SELF] += other;
  }
  OUT = a[SELF];
}

extern "C" __global__ void
free_masks (RaceTest p)
{
  __shared__ int a[64];
  const unsigned mask = SELF % 32 < 16 ? 0x0000ffffu : 0xffff0000u;

  a[SELF] = p.in[SELF];
  __syncwarp (mask);
  OUT = a[SELF ^ 8];
}

/* Lane 2 learns of lane 0 from lane 1. */
extern "C" __global__ void
free_chain (RaceTest p)
{
  __shared__ int a;
  const unsigned lane = SELF % 32;

  if (SELF == 0)
    a = p.in[0];
  if (SELF < 32 && lane < 2)
    __syncwarp (3);
  if (SELF < 32 && (lane == 1 || lane == 2))
    __syncwarp (6);
  OUT = SELF == 2 ? a : 0;
}

extern "C" __global__ void
free_atomics (RaceTest p)
{
  __shared__ int n, most;

  if (SELF == 0)
    n = most = 0;
  __syncthreads ();
  atomicAdd (&n, 1);
  atomicMax (&most, (int) SELF);
  __syncthreads ();
  OUT = n + most;
  __syncthreads ();
  atomicSub (&n, 1);
}

extern "C" __global__ void
free_vectors (RaceTest p)
{
  __shared__ float4 a[64];
  const float x = (float) p.in[SELF];

  a[SELF] = make_float4 (x, x + 1, x + 2, x + 3);
  OUT = (int) ((float *) a)[4 * SELF + 3];
  __syncthreads ();
  const float4 other = a[63 - SELF];
  OUT += (int) (other.x + other.y);
}
