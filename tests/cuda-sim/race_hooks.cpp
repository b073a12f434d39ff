/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The functions that the compiler calls for each access in code compiled with
 * -fsanitize=thread. Here they call the race detector instead of
 * ThreadSanitizer's library, which is not linked. So the detector needs neither
 * special types in the kernels nor another translation. */

#include "race.h"

using namespace y10_sim;

#define HOOK(name, size, kind) \
  extern "C" void __tsan_##name (const void *p) \
  { \
    race_access (p, size, kind, __builtin_return_address (0)); \
  }
#define HOOKS(size) \
  HOOK (read##size, size, RACE_READ) \
  HOOK (write##size, size, RACE_WRITE) \
  HOOK (unaligned_read##size, size, RACE_READ) \
  HOOK (unaligned_write##size, size, RACE_WRITE) \
  HOOK (volatile_read##size, size, RACE_READ) \
  HOOK (volatile_write##size, size, RACE_WRITE)
#define RANGE_HOOK(name, kind) \
  extern "C" void __tsan_##name##_range (const void *p, size_t size) \
  { \
    race_access (p, size, kind, __builtin_return_address (0)); \
  }
#define EMPTY_HOOK(name) \
  extern "C" void __tsan_##name () \
  { \
  }

/* clang-format off */
HOOKS (1)
HOOKS (2)
HOOKS (4)
HOOKS (8)
HOOKS (16)
RANGE_HOOK (read, RACE_READ)
RANGE_HOOK (write, RACE_WRITE)
EMPTY_HOOK (init)
EMPTY_HOOK (func_entry)
EMPTY_HOOK (func_exit)
EMPTY_HOOK (vptr_read)
EMPTY_HOOK (vptr_update)
/* clang-format on */

/* clang's names of the functions that copy structures. */
extern "C" void *
__tsan_memcpy (void *to, const void *from, size_t size)
{
  race_access (from, size, RACE_READ, __builtin_return_address (0));
  race_access (to, size, RACE_WRITE, __builtin_return_address (0));
  return __builtin_memcpy (to, from, size);
}

extern "C" void *
__tsan_memmove (void *to, const void *from, size_t size)
{
  race_access (from, size, RACE_READ, __builtin_return_address (0));
  race_access (to, size, RACE_WRITE, __builtin_return_address (0));
  return __builtin_memmove (to, from, size);
}

extern "C" void *
__tsan_memset (void *to, int value, size_t size)
{
  race_access (to, size, RACE_WRITE, __builtin_return_address (0));
  return __builtin_memset (to, value, size);
}
