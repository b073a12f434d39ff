/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Shared memory of the running block, and the limits of a launch. Each block
 * finds its arrays filled with NaN. Fences surround them, and they are aligned
 * no better than their types. */

#include "block.h"
#include "context_switch.h"
#include "sim.h"
#include "toolkit/cuda_sim.h"

#include <vector>

namespace y10_sim {
alignas (256) unsigned char shared_arena[SHARED_ARENA];

namespace {
constexpr unsigned STATIC_SHARED = 48 << 10;
constexpr size_t ARENA = SHARED_ARENA, GAP = 64;
constexpr unsigned char FENCE = 0xa5;

struct Array
{
  const char *name;
  size_t offset, size;
};

unsigned char *const arena = shared_arena;
/* Never freed: a thread may still be in a kernel when the process ends. */
std::vector<Array> &arrays = *new std::vector<Array>;
size_t arena_used; /* with the fence after the last array */
size_t shared_used, dynamic_bytes;
unsigned long long block_serial;

unsigned char *
take_shared (const char *name, size_t size, size_t align)
{
  size_t begin = arena_used;
  size_t offset = ((begin ? begin : GAP) + align - 1) / align * align;

  /* Aligned no better than requested. */
  if (offset % (2 * align) == 0)
    offset += align;
  if (offset + size + GAP > ARENA)
    return nullptr;
  arena_used = offset + size + GAP;
  Y10_SIM_UNPOISON (arena + begin, arena_used - begin);
  memset (arena + begin, FENCE, offset - begin);
  memset (arena + offset, 0xff, size);
  memset (arena + offset + size, FENCE, GAP);
  Y10_SIM_POISON (arena + begin, offset - begin);
  Y10_SIM_POISON (arena + offset + size, GAP);
  arrays.push_back ({ name, offset, size });
  return arena + offset;
}

const char *
find_wrong (const Y10KLaunch *l, guint max_dynamic)
{
  guint most = MAX (max_dynamic, STATIC_SHARED);

  for (int i = 0; i < 3; i++)
    if (l->grid[i] == 0 || l->block[i] == 0)
      return "an empty grid or block";
  if (l->grid[0] > 0x7fffffff || l->grid[1] > 65535 || l->grid[2] > 65535)
    return "a grid larger than 2147483647, 65535, 65535";
  if (l->block[0] > 1024 || l->block[1] > 1024 || l->block[2] > 64)
    return "a block larger than 1024, 1024, 64";
  if ((guint64) l->block[0] * l->block[1] * l->block[2] > MAX_THREADS)
    return "more than 1024 threads in a block";
  if (most > y10_sim_max_shared_optin ())
    return "allows itself more shared memory than the GPU has";
  if (l->shared_bytes > most)
    return "more dynamic shared memory than the function's attribute allows";
  return nullptr;
}
}

void
shared_begin_kernel (size_t dynamic_size)
{
  dynamic_bytes = dynamic_size;
  arena_used = ARENA; /* the first block poisons all of it */
}

void
shared_begin_block ()
{
  Y10_SIM_POISON (arena, arena_used);
  arrays.clear ();
  arena_used = 0;
  shared_used = 0;
  block_serial++;
  if (dynamic_bytes > 0)
    take_shared ("the dynamic array", dynamic_bytes, 16);
}

bool
shared_fences_hold ()
{
  size_t at = 0;
  bool hold = true;

  if (arrays.empty ())
    return true;
  Y10_SIM_UNPOISON (arena, arena_used);
  for (size_t i = 0; i <= arrays.size (); i++) {
    size_t end = i < arrays.size () ? arrays[i].offset : arena_used;

    for (; at < end && hold; at++)
      hold = arena[at] == FENCE;
    if (i < arrays.size ())
      at = arrays[i].offset + arrays[i].size;
  }
  Y10_SIM_POISON (arena, arena_used);
  return hold;
}

void
shared_describe (const void *p, char *text, size_t size)
{
  size_t offset = shared_offset (p);

  snprintf (text, size, "between the arrays");
  for (const Array &a : arrays)
    if (offset >= a.offset && offset < a.offset + a.size)
      snprintf (text, size, "byte %zu of %s", offset - a.offset, a.name);
}

void *
shared (SharedSite *site, size_t size, size_t align, const char *name)
{
  if (site->block == block_serial)
    return site->ptr;
  shared_used = (shared_used + align - 1) / align * align + size;
  if (shared_used > STATIC_SHARED)
    trap ("more than 49152 bytes of static shared memory", name, 0);
  if (shared_used + dynamic_bytes > y10_sim_max_shared_optin ())
    trap ("static and dynamic shared memory exceed the GPU's", name, 0);
  site->ptr = take_shared (name, size, align);
  site->block = block_serial;
  return site->ptr;
}

void *
dynamic_shared (size_t align, const char *name)
{
  if (!in_kernel ()) {
    fprintf (stderr,
        "cuda-sim: %s: declare extern __shared__ inside a function\n", name);
    abort ();
  }
  if (dynamic_bytes == 0)
    trap ("the launch gave no dynamic shared memory", name, 0);
  if (align > 16)
    trap ("dynamic shared memory is aligned to 16 bytes", name, 0);
  return arena + arrays[0].offset;
}
}

gboolean
y10_sim_check_launch (const Y10SimKernel *kernel, Y10KLaunch launch,
    guint max_dynamic)
{
  const char *wrong = y10_sim::find_wrong (&launch, max_dynamic);

  if (wrong)
    y10_sim_report ("kernel %s <<<(%u, %u, %u), (%u, %u, %u), %u>>>: %s",
        kernel->name, launch.grid[0], launch.grid[1], launch.grid[2],
        launch.block[0], launch.block[1], launch.block[2], launch.shared_bytes,
        wrong);
  return !wrong;
}
