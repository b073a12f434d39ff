/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* A fiber's stack and the switch to another fiber, announced to the sanitizers.
 * On x86-64 by hand, because swapcontext() makes two system calls each time;
 * ucontext elsewhere. */

#include <stddef.h>

#if defined(__SANITIZE_ADDRESS__)
#define Y10_SIM_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define Y10_SIM_ASAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define Y10_SIM_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define Y10_SIM_TSAN 1
#endif
#endif

#ifdef Y10_SIM_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#define Y10_SIM_POISON(p, n) __asan_poison_memory_region (p, n)
#define Y10_SIM_UNPOISON(p, n) __asan_unpoison_memory_region (p, n)
#else
#define Y10_SIM_POISON(p, n) ((void) (p), (void) (n))
#define Y10_SIM_UNPOISON(p, n) ((void) (p), (void) (n))
#endif
#ifdef Y10_SIM_TSAN
#include <sanitizer/tsan_interface.h>
#endif

#ifndef __x86_64__
#include <ucontext.h>
#endif

namespace y10_sim {
struct Fiber
{
  char *stack; /* NULL: the thread's own */
  size_t size;
#ifdef __x86_64__
  void *sp;
#else
  ucontext_t context;
#endif
  void *fake_stack;   /* ASan's */
  const void *bottom; /* of the thread's own stack, once known */
  size_t bottom_size;
  void *tsan;
};

/* FALSE: out of memory. @entry never returns. */
bool fiber_init (Fiber *fiber, size_t size, void (*entry) ());
/* Resets the fiber to the start of its function; it must not be running. */
void fiber_reset (Fiber *fiber, void (*entry) ());
/* Call this first in @entry; a switch ends with it, too. */
void fiber_arrived ();
void fiber_switch (Fiber *from, Fiber *to);
}
