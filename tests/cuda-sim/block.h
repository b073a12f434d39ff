/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* What a block of threads has: its limits and its shared memory. */

#include <stddef.h>

namespace y10_sim
{
constexpr unsigned MAX_THREADS = 1024;
/* Space for all arrays of a block, with gaps between them. */
constexpr size_t SHARED_ARENA = 256 << 10;

/* shared_memory.cpp: before a kernel with so much dynamic memory, and before
 * each of its blocks. */
void shared_begin_kernel (size_t dynamic_size);
void shared_begin_block ();
/* FALSE: something was written beside the arrays. */
bool shared_fences_hold ();

extern unsigned char shared_arena[SHARED_ARENA] __attribute__ ((visibility ("hidden")));

/* Where @p lies in that space; SHARED_ARENA or more: outside. */
__attribute__ ((always_inline)) static inline size_t
shared_offset (const void *p)
{
  return (size_t) ((const unsigned char *) p - shared_arena);
}

/* "list[5], byte 2": the array that @p lies in and the offset there. */
void shared_describe (const void *p, char *text, size_t size);

/* fibers.cpp. */
bool in_kernel ();
/* "thread (x, y, z)" of the block that runs. */
void describe_thread (unsigned thread, char *text, size_t size);
/* Reports @what about the thread that runs and leaves the kernel. */
[[noreturn]] void fail_race (const char *what);
}
