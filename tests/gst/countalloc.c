/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* See countalloc.h. These are the program's malloc() and its kin, because they
 * come before the C library's. */
#include "countalloc.h"

#include <stdlib.h>

#if defined (__GLIBC__) && !defined (__SANITIZE_ADDRESS__) \
    && !defined (__SANITIZE_THREAD__)
extern void *__libc_malloc (size_t size);
extern void *__libc_calloc (size_t n, size_t size);
extern void *__libc_realloc (void *p, size_t size);
extern void *__libc_memalign (size_t align, size_t size);

static gint n_allocations;

void *
malloc (size_t size)
{
  g_atomic_int_inc (&n_allocations);
  return __libc_malloc (size);
}

void *
calloc (size_t n, size_t size)
{
  g_atomic_int_inc (&n_allocations);
  return __libc_calloc (n, size);
}

void *
realloc (void *p, size_t size)
{
  g_atomic_int_inc (&n_allocations);
  return __libc_realloc (p, size);
}

void *
aligned_alloc (size_t align, size_t size)
{
  g_atomic_int_inc (&n_allocations);
  return __libc_memalign (align, size);
}

int
posix_memalign (void **p, size_t align, size_t size)
{
  g_atomic_int_inc (&n_allocations);
  *p = __libc_memalign (align, size);
  return *p ? 0 : 12;
}

gint
test_n_allocations (void)
{
  return g_atomic_int_get (&n_allocations);
}
#else
gint
test_n_allocations (void)
{
  return -1;
}
#endif
