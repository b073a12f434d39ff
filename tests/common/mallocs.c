/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* See mallocs.h. A program with this file uses these malloc() and friends because
 * the linker finds them before the C library's. */

#include "mallocs.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#endif

#if defined(SANITIZED) || !defined(__GLIBC__)

gboolean
test_mallocs_can_count (void)
{
  return FALSE;
}

void
test_mallocs_start (guint n_print)
{
}

guint
test_mallocs_stop (void)
{
  return 0;
}

#else

#include <errno.h>
#include <execinfo.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FRAMES 32

extern void *__libc_malloc (size_t size);
extern void *__libc_calloc (size_t n, size_t size);
extern void *__libc_realloc (void *p, size_t size);
extern void *__libc_memalign (size_t align, size_t size);

static atomic_bool counting;
static atomic_uint n_allocations, n_to_print;
static __thread gboolean inside; /* the count may itself allocate */

static void
record (const char *what, size_t size)
{
  void *frames[MAX_FRAMES];

  if (!counting || inside || n_allocations++ >= n_to_print)
    return;
  inside = TRUE;
  fprintf (stderr, "%s of %zu bytes by\n", what, size);
  backtrace_symbols_fd (frames, backtrace (frames, MAX_FRAMES), 2);
  inside = FALSE;
}

void *
malloc (size_t size)
{
  record ("malloc", size);
  return __libc_malloc (size);
}

void *
calloc (size_t n, size_t size)
{
  record ("calloc", n * size);
  return __libc_calloc (n, size);
}

void *
realloc (void *p, size_t size)
{
  record ("realloc", size);
  return __libc_realloc (p, size);
}

void *
memalign (size_t align, size_t size)
{
  record ("memalign", size);
  return __libc_memalign (align, size);
}

void *
aligned_alloc (size_t align, size_t size)
{
  record ("aligned_alloc", size);
  return __libc_memalign (align, size);
}

int
posix_memalign (void **p, size_t align, size_t size)
{
  record ("posix_memalign", size);
  *p = __libc_memalign (align, size);
  return *p ? 0 : ENOMEM;
}

gboolean
test_mallocs_can_count (void)
{
  return TRUE;
}

void
test_mallocs_start (guint n_print)
{
  void *frames[4];

  backtrace (frames, 4); /* loads the libraries that it needs */
  n_allocations = 0;
  n_to_print = n_print;
  counting = TRUE;
}

guint
test_mallocs_stop (void)
{
  counting = FALSE;
  return n_allocations;
}

#endif
