/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Memory of pipelines that come and go.
 *
 * Each pipeline has threads of its own, and glibc gives new threads arenas in turn, up to
 * eight for each CPU. Small blocks that stay keep the holes that a decoder or an engine
 * leaves, in one arena after another: with nothing lost, a process grew by 0.2 MB a
 * reconnect for hundreds of them. So arenas are few, and their free pages go back when a
 * pipeline has ended. Blocks of a frame's size still come from arenas: from the kernel
 * (M_MMAP_THRESHOLD), each frame of 720p took 700 page faults, a fifth of the CPU's
 * time. */

#include "config.h"

#if defined(HAVE_GST) && defined(HAVE_SERVE)

#include "camera/memory.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

#define ARENAS 2

void
tool_memory_set_up (void)
{
#ifdef __GLIBC__
  mallopt (M_ARENA_MAX, ARENAS);
#endif
}

void
tool_memory_trim (void)
{
#ifdef __GLIBC__
  malloc_trim (0);
#endif
}

#endif
