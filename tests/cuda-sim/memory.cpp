/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Device and pinned memory: pages of the host in a reserved range of addresses,
 * so that every address shows whether it belongs here. An allocation ends at an
 * inaccessible range, except for the padding of its alignment to 256. Freed
 * memory is inaccessible, and its addresses are reused only after all others.
 * New memory is filled with NaN. */

#include "device.h"

#include <map>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "context_switch.h"
#include "toolkit/cuda_sim.h"

namespace y10_sim {
namespace {
constexpr gsize ALIGN = 256, GAP = 16 << 20;
constexpr guint8 FENCE = 0xa5;

guint8 *window, *window_end, *next_free;
gsize used, limit;
/* Sorted by map. Like all globals here, never freed: reports at the end of the
 * process need it. */
auto &allocations = *new std::map<guint8 *, Allocation>;

gsize
round_up (gsize size, gsize to)
{
  return (size + to - 1) / to * to;
}

#ifndef Y10_SIM_ASAN
struct sigaction old_action;

/* Handles a kernel or a copy that leaves its memory. The process cannot
 * continue. */
void
on_fault (int number, siginfo_t *info, void *context)
{
  guint8 *p = (guint8 *) info->si_addr;
  const Allocation *a;

  if (p < window || p >= window_end) {
    sigaction (number, &old_action, nullptr);
    return;
  }
  a = memory_find (p);
  y10_sim_report ("%s: address %p, %s, block (%u, %u, %u), thread (%u, %u, %u)",
      current_kernel (), p,
      a && a->freed ? "in freed memory"
          : a       ? "outside an allocation"
                    : "where nothing is",
      current.block.x, current.block.y, current.block.z, current.thread.x,
      current.thread.y, current.thread.z);
  _exit (99);
}
#endif

bool
init ()
{
  const char *text = getenv ("Y10_SIM_MEMORY");

  if (window)
    return true;
  limit = text ? g_ascii_strtoull (text, nullptr, 10) : (gsize) 16 << 30;
  for (gsize size = (gsize) 1 << 40; size >= (gsize) 1 << 32 && !window;
       size /= 4) {
    void *p = mmap (nullptr, size, PROT_NONE,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (p != MAP_FAILED) {
      window = next_free = (guint8 *) p;
      window_end = window + size;
    }
  }
#ifndef Y10_SIM_ASAN
  if (window) {
    /* Fibers have small stacks, and the handler may run on one of them. */
    struct sigaction action;

    memset (&action, 0, sizeof action);
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO;
    sigaction (SIGSEGV, &action, &old_action);
  }
#endif
  return window != nullptr;
}

/* Takes addresses that were never used, or else those that were freed first. */
guint8 *
find_room (gsize size)
{
  guint8 *p;

  if ((gsize) (window_end - next_free) >= size) {
    p = next_free;
    next_free += size;
    return p;
  }
  p = window;
  for (auto i = allocations.begin (); i != allocations.end ();) {
    if (i->second.freed) {
      i = allocations.erase (i);
      continue;
    }
    if ((gsize) (i->first - p) >= size)
      return p;
    p = i->first + round_up (i->second.map_size + GAP, 4096);
    ++i;
  }
  return (gsize) (window_end - p) >= size ? p : nullptr;
}
}

bool
memory_holds (const void *p, gsize size)
{
  const guint8 *at = (const guint8 *) p;
  const Allocation *a;

  if (at < window || at >= window_end)
    return true;
  a = memory_find (p);
  return a && !a->freed && at >= a->base && at + size <= a->base + a->size;
}

int
memory_alloc (CUcontext context, gsize size, bool pinned, guint8 **p)
{
  Allocation a = {};
  gsize room;

  *p = nullptr;
  if (!init () || (!pinned && used + size > limit))
    return Y10_CU_OUT_OF_MEMORY;
  a.map_size = round_up (round_up (size, ALIGN) + ALIGN, 4096);
  room = round_up (a.map_size + GAP, 4096);
  a.map = find_room (room);
  if (!a.map || mprotect (a.map, a.map_size, PROT_READ | PROT_WRITE) != 0)
    return Y10_CU_OUT_OF_MEMORY;
  a.size = size;
  a.base = a.map + a.map_size - round_up (size, ALIGN);
  a.context = context;
  a.pinned = pinned;
  memset (a.map, FENCE, a.base - a.map);
  memset (a.base, 0xff, size);
  memset (a.base + size, FENCE, a.map + a.map_size - a.base - size);
  Y10_SIM_POISON (a.map, a.base - a.map);
  Y10_SIM_POISON (a.base + size, a.map + a.map_size - a.base - size);
  allocations[a.map] = a;
  if (!pinned)
    used += size;
  *p = a.base;
  return Y10_CU_SUCCESS;
}

const Allocation *
memory_find (const void *p)
{
  if ((guint8 *) p < window || (guint8 *) p >= window_end)
    return nullptr;
  auto i = allocations.upper_bound ((guint8 *) p);
  if (i == allocations.begin ())
    return nullptr;
  --i;
  return (guint8 *) p < i->second.map + i->second.map_size + GAP ? &i->second
                                                                 : nullptr;
}

void
memory_set_mapped (const void *p, bool mapped)
{
  ((Allocation *) memory_find (p))->mapped = mapped;
}

gboolean
memory_fences_hold (const Allocation *a)
{
  guint8 *end = a->map + a->map_size;
  gboolean hold = TRUE;

  Y10_SIM_UNPOISON (a->map, a->map_size);
  for (guint8 *p = a->map; p < a->base && hold; p++)
    hold = *p == FENCE;
  for (guint8 *p = a->base + a->size; p < end && hold; p++)
    hold = *p == FENCE;
  Y10_SIM_POISON (a->map, a->base - a->map);
  Y10_SIM_POISON (a->base + a->size, end - a->base - a->size);
  return hold;
}

static void
release (Allocation *a)
{
  a->freed = true;
  if (!a->pinned)
    used -= a->size;
  Y10_SIM_POISON (a->map, a->map_size);
  madvise (a->map, a->map_size, MADV_DONTNEED);
  mprotect (a->map, a->map_size, PROT_NONE);
}

int
memory_free (guint8 *p, bool pinned)
{
  Allocation *a = (Allocation *) memory_find (p);

  if (!a || a->base != p || a->pinned != pinned)
    return misuse (Y10_CU_INVALID_VALUE, "freeing %p, which is no %s memory",
        (void *) p, pinned ? "pinned" : "device");
  if (a->freed)
    return misuse (Y10_CU_INVALID_VALUE, "freeing %p again", (void *) p);
  if (!memory_fences_hold (a))
    y10_sim_report ("something wrote outside the %zu bytes at %p", a->size,
        (void *) p);
  release (a);
  return Y10_CU_SUCCESS;
}

void
memory_drop (CUcontext context)
{
  for (auto &i : allocations)
    if (!i.second.freed && i.second.context == context)
      release (&i.second);
}

void
memory_info (gsize *free_bytes, gsize *total)
{
  init ();
  *free_bytes = limit - used;
  *total = limit;
}

guint
memory_count (CUcontext context, gsize *bytes)
{
  guint n = 0;

  *bytes = 0;
  for (const auto &i : allocations) {
    if (i.second.freed || i.second.context != context)
      continue;
    n++;
    *bytes += i.second.size;
  }
  return n;
}
}
