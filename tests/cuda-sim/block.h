/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* What a block of threads has: its limits and its shared memory. */

#include <stddef.h>

namespace y10_sim
{
constexpr unsigned MAX_THREADS = 1024;

/* shared_memory.cpp: before a kernel with so much dynamic memory, and before
 * each of its blocks. */
void shared_begin_kernel (size_t dynamic_size);
void shared_begin_block ();
/* FALSE: something was written beside the arrays. */
bool shared_fences_hold ();

/* fibers.cpp. */
bool in_kernel ();
}
