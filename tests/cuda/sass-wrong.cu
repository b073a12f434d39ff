/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Faults that sass-check.py must find, one per kernel, and one kernel without a
 * fault. Never run. */

/* Indices unknown to the compiler keep an array out of registers. */
extern "C" __global__ void
spills (const int *in, int *out)
{
  int all[32];

  for (int i = 0; i < 32; i++)
    all[i] = in[i] * i;
  for (int i = 0; i < 32; i++)
    all[in[i] & 31] += i;
  out[threadIdx.x] = all[in[threadIdx.x] & 31];
}

extern "C" __global__ void
waits (volatile int *a)
{
  a[threadIdx.x] = 1;
  __threadfence ();
  a[threadIdx.x + 1024] = 2;
}

extern "C" __global__ void
counts (unsigned int *a)
{
  atomicAdd (a, threadIdx.x);
  a[1] = atomicMax (a + 2, threadIdx.x);
}

extern "C" __global__ void
right (const float4 *a, const float4 *b, float4 *out)
{
  __shared__ unsigned int n;
  float4 x = a[threadIdx.x], y = b[threadIdx.x];

  if (threadIdx.x == 0)
    n = 0;
  __syncthreads ();
  atomicAdd (&n, 1);
  __syncthreads ();
  out[threadIdx.x] = make_float4 (x.x * y.x, x.y * y.y, x.z * y.z, (float) n);
}
