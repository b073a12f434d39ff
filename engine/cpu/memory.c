/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Large zeroed memory in huge pages where available: each frame reads all
 * weights and activations, and small pages would cost a tenth of its time. */

#include "config.h"

#include <sys/mman.h>
#include <y10/error.h>

#include "base/memory-limit.h"
#include "cpu/memory.h"

#define HUGE_PAGE ((gsize) 2 << 20)
/* Kernels may read, but not use, this much behind the end (kernels/amx.h). */
#define READ_BEYOND ((gsize) 4096)

gboolean
y10_cpu_memory_init (Y10CpuMemory *m, const char *purpose, gsize size,
    GError **error)
{
  gsize start, end;

  *m = (Y10CpuMemory){
    0,
  };
  /* mmap() would succeed in any case. */
  if (!y10_memory_check (size, purpose, error))
    return FALSE;
  size = MAX (size, 1);
  m->mapped_size = size + READ_BEYOND + HUGE_PAGE;
  m->mapped = mmap (NULL, m->mapped_size, PROT_READ | PROT_WRITE,
      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (m->mapped == MAP_FAILED) {
    *m = (Y10CpuMemory){
      0,
    };
    g_set_error (error, Y10_ERROR, Y10_ERROR_NO_MEMORY,
        "cannot allocate %" G_GSIZE_FORMAT " bytes for %s", size, purpose);
    return FALSE;
  }
  start = ((gsize) m->mapped + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
  end = (start + size + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
#ifdef MADV_HUGEPAGE
  madvise ((void *) start,
      MIN (end, (gsize) m->mapped + m->mapped_size) - start, MADV_HUGEPAGE);
#endif
  m->data = (guint8 *) start;
  m->size = size;
  return TRUE;
}

void
y10_cpu_memory_clear (Y10CpuMemory *m)
{
  if (m->mapped)
    munmap (m->mapped, m->mapped_size);
  *m = (Y10CpuMemory){
    0,
  };
}
