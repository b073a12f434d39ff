/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* A block of threads: its limits and its shared memory. */

#include <stddef.h>

namespace y10_sim {
constexpr unsigned MAX_THREADS = 1024;
/* Space for all arrays of a block, with gaps between them. */
constexpr size_t SHARED_ARENA = 256 << 10;

/* shared_memory.cpp: call these before a kernel with so much dynamic memory,
 * and before each of its blocks. */
void shared_begin_kernel (size_t dynamic_size);
void shared_begin_block ();
/* FALSE: the kernel wrote outside of the arrays. */
bool shared_fences_hold ();

extern unsigned char shared_arena[SHARED_ARENA]
    __attribute__ ((visibility ("hidden")));

/* Returns the offset of @p in that space; SHARED_ARENA or more: outside. */
__attribute__ ((always_inline)) static inline size_t
shared_offset (const void *p)
{
  return (size_t) ((const unsigned char *) p - shared_arena);
}

/* Writes the array that @p lies in and the offset there, as in "list[5], byte
 * 2". */
void shared_describe (const void *p, char *text, size_t size);

/* fibers.cpp. */
bool in_kernel ();
/* Writes "thread (x, y, z)" for a thread of the running block. */
void describe_thread (unsigned thread, char *text, size_t size);
/* Reports @what for the running thread and leaves the kernel. */
[[noreturn]] void fail_race (const char *what);
}
