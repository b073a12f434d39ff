/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The kernels for tests of the race detector; each runs in blocks of 64 threads
 * and takes a RaceTest. */

typedef struct
{
  const int *in; /* 64 values */
  int *out;      /* 64 values a block */
} RaceTest;

#define RACY_KERNELS(K) \
  K (racy_read_after_write) \
  K (racy_index) \
  K (racy_write_after_read) \
  K (racy_write_after_many_reads) \
  K (racy_same_value) \
  K (racy_neighbour_lane) \
  K (racy_shuffle) \
  K (racy_vote) \
  K (racy_masks) \
  K (racy_chain) \
  K (racy_read_of_atomic) \
  K (racy_atomic_on_plain) \
  K (racy_atomic_orders_nothing) \
  K (racy_part_of_word) \
  K (racy_vector) \
  K (racy_copy) \
  K (racy_memcpy) \
  K (racy_loop)

#define RACE_FREE_KERNELS(K) \
  K (free_barrier) \
  K (free_barrier_vote) \
  K (free_loop) \
  K (free_bytes) \
  K (free_own_value) \
  K (free_syncwarp) \
  K (free_masks) \
  K (free_chain) \
  K (free_atomics) \
  K (free_vectors)
