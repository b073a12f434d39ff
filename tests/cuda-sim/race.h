/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The race detector for shared memory. fibers.cpp tells it which thread runs
 * and which threads have synchronized; the hooks in race_hooks.cpp, which the
 * compiler calls from the kernels of the instrumented build, report
 * accesses. */

#include "block.h"

namespace y10_sim {
enum RaceKind
{
  RACE_READ,
  RACE_WRITE,
  RACE_ATOMIC,
};

/* The running thread, by its index in the block. */
extern unsigned race_thread;

void race_begin_block ();
/* All threads of the block have synchronized. */
void race_barrier ();
/* The lanes of @lanes in the warp that begins at thread @first have
 * synchronized, with ordering of memory. */
void race_sync_lanes (unsigned first, unsigned lanes);
/* @p: in shared memory. @pc: the instruction, for the report. */
void race_shared_access (const void *p, size_t size, RaceKind kind,
    const void *pc);

/* Filters here, because most accesses are to other memory. */
__attribute__ ((always_inline)) static inline void
race_access (const void *p, size_t size, RaceKind kind, const void *pc)
{
  if (__builtin_expect (shared_offset (p) < SHARED_ARENA, 0))
    race_shared_access (p, size, kind, pc);
}
}
