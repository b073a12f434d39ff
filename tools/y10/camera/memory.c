/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Memory of pipelines that come and go.
 *
 * Each pipeline has threads of its own, and glibc gives new threads arenas in turn, up to
 * eight for each CPU. Also, the first megabytes that are freed make glibc take blocks of
 * that size from an arena rather than from the kernel. Small blocks that stay then keep
 * the holes of an engine's or decoder's large ones, in one arena after another: with
 * nothing lost, a process grew by 0.2 MB a reconnect for hundreds of them. So large
 * blocks always come from the kernel and go back there, arenas are few, and their free
 * pages go back when a pipeline has ended. Frames are in pools, so this takes no time from
 * them. */

#include "config.h"

#if defined(HAVE_GST) && defined(HAVE_SERVE)

#include "camera/memory.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

#define ARENAS 4
#define LARGE \
  (128 << 10) /* bytes; glibc's own at first, and fixed by being set */

void
tool_memory_set_up (void)
{
#ifdef __GLIBC__
  mallopt (M_ARENA_MAX, ARENAS);
  mallopt (M_MMAP_THRESHOLD, LARGE);
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
