/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* See the header. Stacks are mapped with an inaccessible page below them and
 * kept until the process ends: objects on them are never freed. */

#include "context_switch.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

namespace y10_sim {
/* Only one thread runs kernels at a time, so these need no lock. */
static Fiber *departed, *arriving;

#ifdef __x86_64__
extern "C" void y10_sim_switch_stack (void **save, void *sp);
__asm__(".text\n"
        ".hidden y10_sim_switch_stack\n"
        ".globl y10_sim_switch_stack\n"
        ".type y10_sim_switch_stack, @function\n"
        "y10_sim_switch_stack:\n"
        "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n"
        "  pushq %r13\n  pushq %r14\n  pushq %r15\n"
        "  movq %rsp, (%rdi)\n"
        "  movq %rsi, %rsp\n"
        "  popq %r15\n  popq %r14\n  popq %r13\n"
        "  popq %r12\n  popq %rbx\n  popq %rbp\n"
        "  ret\n"
        ".size y10_sim_switch_stack, . - y10_sim_switch_stack\n");
#endif

void
fiber_reset (Fiber *fiber, void (*entry) ())
{
  Y10_SIM_UNPOISON (fiber->stack, fiber->size);
  fiber->fake_stack = nullptr;
#ifdef __x86_64__
  void **top = (void **) (fiber->stack + fiber->size);

  /* The stack as after a call: the return address, here none, 8 below a
   * multiple of 16; then the registers that the switch pops. */
  *--top = nullptr;
  *--top = (void *) entry;
  for (int i = 0; i < 6; i++)
    *--top = nullptr;
  fiber->sp = top;
#else
  getcontext (&fiber->context);
  fiber->context.uc_stack.ss_sp = fiber->stack;
  fiber->context.uc_stack.ss_size = fiber->size;
  fiber->context.uc_link = nullptr;
  makecontext (&fiber->context, entry, 0);
#endif
#ifdef Y10_SIM_TSAN
  if (fiber->tsan)
    __tsan_destroy_fiber (fiber->tsan);
  fiber->tsan = __tsan_create_fiber (0);
#endif
}

bool
fiber_init (Fiber *fiber, size_t size, void (*entry) ())
{
  size_t page = (size_t) sysconf (_SC_PAGESIZE);
  char *p = (char *) mmap (nullptr, size + page, PROT_READ | PROT_WRITE,
      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);

  if (p == MAP_FAILED)
    return false;
  mprotect (p, page, PROT_NONE);
  memset (fiber, 0, sizeof *fiber);
  fiber->stack = p + page;
  fiber->size = size;
  fiber_reset (fiber, entry);
  return true;
}

void
fiber_arrived ()
{
#ifdef Y10_SIM_ASAN
  const void *bottom;
  size_t size;

  __sanitizer_finish_switch_fiber (arriving->fake_stack, &bottom, &size);
  if (departed && !departed->stack) {
    departed->bottom = bottom;
    departed->bottom_size = size;
  }
#endif
}

void
fiber_switch (Fiber *from, Fiber *to)
{
  departed = from;
  arriving = to;
#ifdef Y10_SIM_ASAN
  __sanitizer_start_switch_fiber (&from->fake_stack,
      to->stack ? to->stack : to->bottom,
      to->stack ? to->size : to->bottom_size);
#endif
#ifdef Y10_SIM_TSAN
  if (!from->stack)
    from->tsan = __tsan_get_current_fiber ();
  __tsan_switch_to_fiber (to->tsan, 0);
#endif
#ifdef __x86_64__
  y10_sim_switch_stack (&from->sp, to->sp);
#else
  swapcontext (&from->context, &to->context);
#endif
  fiber_arrived ();
}
}
