/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Instructions of tensor cores and asynchronous copies, for which CUDA has no function
 * that fits. sm_75 has neither these copies nor bf16 and tf32, and multiplies in two
 * halves. */

#include "types.cuh"

__device__ __forceinline__ unsigned int
y10_shared_address (const void *p)
{
  return (unsigned int) __cvta_generic_to_shared (p);
}

#if __CUDA_ARCH__ >= 800
/* Copies 16 bytes to shared memory in the background; zeros if not @have, and then
 * it reads nothing. */
__device__ __forceinline__ void
y10_copy16 (unsigned int to, const void *from, bool have)
{
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to),
               "l"(from), "r"(have ? 16 : 0)
               : "memory");
}

__device__ __forceinline__ void
y10_copies_commit ()
{
  asm volatile("cp.async.commit_group;" ::: "memory");
}

/* Waits for all groups of the thread's copies but the last N. */
template <int N>
__device__ __forceinline__ void
y10_copies_wait ()
{
  asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}
#endif

/* Four matrices of 8 by 8 16-bit numbers, or 8 by 4 of 32 bits: each lane gives the
 * address of a row. */
__device__ __forceinline__ void
y10_load_matrix4 (unsigned int (&r)[4], unsigned int row)
{
  asm volatile(
      "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
      : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
      : "r"(row)
      : "memory");
}

/* d += a b for 16 by 16 and 16 by 8 numbers. */
__device__ __forceinline__ void
y10_mma (float (&d)[4], const unsigned int (&a)[4], unsigned int b0,
    unsigned int b1, __half)
{
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#else
  asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
      "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(b0));
  asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
      "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[2]), "r"(a[3]), "r"(b1));
#endif
}

#if __CUDA_ARCH__ >= 800
__device__ __forceinline__ void
y10_mma (float (&d)[4], const unsigned int (&a)[4], unsigned int b0,
    unsigned int b1, __nv_bfloat16)
{
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/* A float's 11 significant bits that tensor cores read. */
__device__ __forceinline__ unsigned int
y10_tf32 (float x)
{
  unsigned int r;

  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(x));
  return r;
}

/* d += a b for 16 by 8 and 8 by 8 numbers of tf32, which are where 16-bit ones of twice
 * the depth are. */
__device__ __forceinline__ void
y10_mma_tf32 (float (&d)[4], const unsigned int (&a)[4], unsigned int b0,
    unsigned int b1)
{
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
#endif
