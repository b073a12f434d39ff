/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* nvcc's built-in declarations, for a host compiler: every translated kernel
 * file starts with this header. Threads of a block are fibers (../fibers.cpp),
 * of which one runs at any time, so that atomics need no atomic instructions; a
 * thread gives way only at a barrier or a warp's exchange. Names that only some
 * of our GPUs have are left out on purpose: they must not compile here either.
 *
 * __shared__ is not here: translate.py turns such declarations into a reference
 * into the block's memory; a declaration that it overlooks does not compile. */

#include <initializer_list>
#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define __CUDA_SIM__ 1
#define __global__
#define __device__
#define __host__
#define __constant__ static const
#define __forceinline__ inline __attribute__ ((always_inline))
#define __noinline__ __attribute__ ((noinline))
#define __launch_bounds__(...)
#define __align__(n) __attribute__ ((aligned (n)))
#define __grid_constant__

#include "vector_types.h"

namespace y10_sim
{
struct Current
{
  uint3 thread, block;
  dim3 block_dim, grid_dim;
  unsigned lane;
};
extern Current current __attribute__ ((visibility ("hidden")));

enum WarpOp
{
  WARP_SYNC,
  WARP_SHFL,
  WARP_BALLOT,
  WARP_MATCH_ANY,
  WARP_MATCH_ALL,
};

enum BlockOp
{
  BLOCK_SYNC,
  BLOCK_COUNT,
  BLOCK_AND,
  BLOCK_OR,
};

/* A declaration of shared memory in one instance of a function. */
struct SharedSite
{
  unsigned long long block;     /* the block that ptr belongs to */
  void *ptr;
};

int block_sync (BlockOp op, int predicate, const char *file, int line);
/* @arg: the lane to read from, for WARP_SHFL. */
unsigned long long warp_sync (WarpOp op, unsigned mask,
    unsigned long long value, int arg, const char *file, int line);
void *shared (SharedSite *site, size_t size, size_t align, const char *name);
void *dynamic_shared (size_t align, const char *name);
const char *current_kernel ();
[[noreturn]] void trap (const char *what, const char *file, int line);
}

template <typename... T>
static constexpr size_t
y10_sim_max_align (T... align)
{
  size_t most = 1;

  for (size_t a : {(size_t) align...})
    most = a > most ? a : most;
  return most;
}

#define threadIdx (y10_sim::current.thread)
#define blockIdx (y10_sim::current.block)
#define blockDim (y10_sim::current.block_dim)
#define gridDim (y10_sim::current.grid_dim)
#define warpSize 32

/* The caller's source line, for reports. */
#define Y10_SITE_PARAMS const char *file = __builtin_FILE (), \
    int line = __builtin_LINE ()

static inline void
__syncthreads (Y10_SITE_PARAMS)
{
  y10_sim::block_sync (y10_sim::BLOCK_SYNC, 0, file, line);
}

static inline int
__syncthreads_count (int predicate, Y10_SITE_PARAMS)
{
  return y10_sim::block_sync (y10_sim::BLOCK_COUNT, predicate, file, line);
}

static inline int
__syncthreads_and (int predicate, Y10_SITE_PARAMS)
{
  return y10_sim::block_sync (y10_sim::BLOCK_AND, predicate, file, line);
}

static inline int
__syncthreads_or (int predicate, Y10_SITE_PARAMS)
{
  return y10_sim::block_sync (y10_sim::BLOCK_OR, predicate, file, line);
}

static inline void
__threadfence ()
{
}

static inline void
__threadfence_block ()
{
}

static inline void
__threadfence_system ()
{
}

static inline void
__trap (Y10_SITE_PARAMS)
{
  y10_sim::trap ("__trap ()", file, line);
}

#include "warp.h"
#include "atomics.h"
#include "device_math.h"

/* gcc does not instrument copies by this function. */
#ifdef Y10_SIM_RACES
namespace y10_sim
{
__attribute__ ((noinline, unused, no_sanitize ("thread"))) static void
race_copy (void *to, const void *from, size_t size)
{
  race_access (from, size, RACE_READ, __builtin_return_address (0));
  race_access (to, size, RACE_WRITE, __builtin_return_address (0));
  memcpy (to, from, size);
}
}

#define __builtin_memcpy y10_sim::race_copy
#define memcpy y10_sim::race_copy
#endif
