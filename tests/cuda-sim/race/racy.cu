/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* One race each, in every order of threads: synchronization is missing, or it
 * is of a kind that orders something else. */

#include "races.h"

#define SELF (threadIdx.x)
#define OUT (p.out[blockIdx.x * blockDim.x + SELF])

extern "C" __global__ void
racy_read_after_write (RaceTest p)
{
  __shared__ int a;

  if (SELF == 0)
    a = p.in[0];
  OUT = SELF == 40 ? a : 0;
}

/* The reader can come first: then it reads unwritten memory. */
extern "C" __global__ void
racy_index (RaceTest p)
{
  __shared__ int index[2];
  __shared__ int a[64];

  a[SELF] = p.in[SELF];
  if (SELF == 0)
    index[1] = 5;
  __syncwarp ();
  OUT = SELF == 40 ? a[index[1]] : 0;
}

extern "C" __global__ void
racy_write_after_read (RaceTest p)
{
  __shared__ int a;

  if (SELF == 0)
    a = p.in[0];
  __syncthreads ();
  OUT = SELF == 1 ? a : 0;
  if (SELF == 0)
    a = 1;
}

/* The last write comes from a thread that has read, too. */
extern "C" __global__ void
racy_write_after_many_reads (RaceTest p)
{
  __shared__ int a;

  if (SELF == 0)
    a = p.in[0];
  __syncthreads ();
  OUT = a;
  __syncwarp ();
  if (SELF == 33)
    a = 1;
}

extern "C" __global__ void
racy_same_value (RaceTest p)
{
  __shared__ int a;

  a = 1;
  __syncthreads ();
  OUT = a;
}

/* Lanes do not run in lock-step. */
extern "C" __global__ void
racy_neighbour_lane (RaceTest p)
{
  __shared__ int a[64];

  a[SELF] = 0;
  __syncthreads ();
  a[SELF] = p.in[SELF];
  OUT = a[SELF ^ 1];
}

extern "C" __global__ void
racy_shuffle (RaceTest p)
{
  __shared__ int a[64];

  a[SELF] = 0;
  __syncthreads ();
  a[SELF] = p.in[SELF];
  OUT = __shfl_xor_sync (0xffffffffu, p.in[SELF], 1);
  OUT += a[SELF ^ 1];
}

extern "C" __global__ void
racy_vote (RaceTest p)
{
  __shared__ int a[64];

  a[SELF] = 0;
  __syncthreads ();
  a[SELF] = p.in[SELF];
  if (__any_sync (0xffffffffu, SELF == 3))
    OUT = a[SELF ^ 1];
}

/* Each half of the warp waits for itself. */
extern "C" __global__ void
racy_masks (RaceTest p)
{
  __shared__ int a[64];

  a[SELF] = 0;
  __syncthreads ();
  a[SELF] = p.in[SELF];
  if (SELF % 32 < 16)
    __syncwarp (0x0000ffffu);
  else
    __syncwarp (0xffff0000u);
  OUT = a[SELF ^ 16];
}

/* Lane 2 has synchronized with lane 1, but before lane 1 did with lane 0. */
extern "C" __global__ void
racy_chain (RaceTest p)
{
  __shared__ int a;
  const unsigned lane = SELF % 32;

  if (SELF == 0)
    a = p.in[0];
  if (SELF < 32 && (lane == 1 || lane == 2))
    __syncwarp (6);
  if (SELF < 32 && lane < 2)
    __syncwarp (3);
  OUT = SELF == 2 ? a : 0;
}

extern "C" __global__ void
racy_read_of_atomic (RaceTest p)
{
  __shared__ int n;

  if (SELF == 0)
    n = 0;
  __syncthreads ();
  atomicAdd (&n, 1);
  OUT = SELF == 0 ? n : 0;
}

extern "C" __global__ void
racy_atomic_on_plain (RaceTest p)
{
  __shared__ int n;

  if (SELF == 0)
    n = 0;
  atomicAdd (&n, 1);
  __syncthreads ();
  OUT = n;
}

extern "C" __global__ void
racy_atomic_orders_nothing (RaceTest p)
{
  __shared__ int n, a;

  if (SELF == 0)
    n = 0;
  __syncthreads ();
  if (SELF == 0)
    a = p.in[0];
  OUT = atomicAdd (&n, 1);
  if (SELF == 50)
    OUT = a;
}

extern "C" __global__ void
racy_part_of_word (RaceTest p)
{
  __shared__ unsigned long long a[2];

  if (SELF == 0)
    a[1] = p.in[0];
  OUT = SELF == 33 ? ((unsigned short *) a)[5] : 0;
}

extern "C" __global__ void
racy_vector (RaceTest p)
{
  __shared__ float4 a[64];
  const float x = (float) p.in[SELF];

  a[SELF] = make_float4 (0, 0, 0, 0);
  __syncthreads ();
  a[SELF] = make_float4 (x, x, x, x);
  OUT = (int) ((float *) a)[(4 * SELF + 7) % 256];
}

struct Large
{
  int values[9];
};

extern "C" __global__ void
racy_copy (RaceTest p)
{
  __shared__ Large a[2];

  if (SELF == 0)
    a[0] = *(const Large *) p.in;
  if (SELF == 1)
    a[1] = a[0];
  __syncthreads ();
  OUT = a[1].values[SELF % 9];
}

extern "C" __global__ void
racy_memcpy (RaceTest p)
{
  __shared__ Large a;
  int values[9];

  if (SELF == 0)
    memcpy (&a, p.in, sizeof a);
  __builtin_memcpy (values, &a, sizeof a);
  OUT = values[SELF % 9];
}

/* The reads of one round are not over when the next begins. */
extern "C" __global__ void
racy_loop (RaceTest p)
{
  __shared__ int a[64];

  OUT = 0;
  for (int i = 0; i < 3; i++) {
    a[SELF] = p.in[SELF] + i;
    __syncthreads ();
    OUT += a[63 - SELF];
  }
}
