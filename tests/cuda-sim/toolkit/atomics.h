/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Atomic functions: one fiber runs at a time, and none of these functions
 * switches. Overloads rather than templates, so that arguments convert as with
 * nvcc; the types are those that sm_75 has. Included by cuda_sim.h alone. */

/* For the race detector an atomic is one access, at its caller's line. */
#ifdef Y10_SIM_RACES
#include "race.h"
#define Y10_ATOMIC_FUNCTION \
  static __attribute__ ((noinline, unused, no_sanitize ("thread")))
#define Y10_ATOMIC_ACCESS(p) \
  y10_sim::race_access (p, sizeof *p, y10_sim::RACE_ATOMIC, __builtin_return_address (0))
#else
#define Y10_ATOMIC_FUNCTION static inline
#define Y10_ATOMIC_ACCESS(p) ((void) 0)
#endif

#define Y10_ATOMIC_NAMED(name, type, expression) \
  Y10_ATOMIC_FUNCTION type name (type *p, type v) \
  { \
    Y10_ATOMIC_ACCESS (p); \
    type old = *p; \
    *p = (expression); \
    return old; \
  }
#define Y10_ATOMIC(name, type, expression) \
  Y10_ATOMIC_NAMED (name, type, expression) \
  Y10_ATOMIC_NAMED (name##_block, type, expression)

#define Y10_ATOMIC_INTEGERS(name, expression) \
  Y10_ATOMIC (name, int, expression) \
  Y10_ATOMIC (name, unsigned int, expression) \
  Y10_ATOMIC (name, unsigned long long, expression)

#define Y10_ATOMIC_CAS(type) \
  Y10_ATOMIC_FUNCTION type atomicCAS (type *p, type compare, type v) \
  { \
    Y10_ATOMIC_ACCESS (p); \
    type old = *p; \
    if (old == compare) \
      *p = v; \
    return old; \
  }

Y10_ATOMIC (atomicAdd, int, (int) ((unsigned) old + (unsigned) v))
Y10_ATOMIC (atomicAdd, unsigned int, old + v)
Y10_ATOMIC (atomicAdd, unsigned long long, old + v)
Y10_ATOMIC (atomicAdd, float, old + v)
Y10_ATOMIC (atomicAdd, double, old + v)
Y10_ATOMIC (atomicSub, int, (int) ((unsigned) old - (unsigned) v))
Y10_ATOMIC (atomicSub, unsigned int, old - v)
Y10_ATOMIC_INTEGERS (atomicMax, old > v ? old : v)
Y10_ATOMIC_INTEGERS (atomicMin, old < v ? old : v)
Y10_ATOMIC (atomicMax, long long, old > v ? old : v)
Y10_ATOMIC (atomicMin, long long, old < v ? old : v)
Y10_ATOMIC_INTEGERS (atomicOr, old | v)
Y10_ATOMIC_INTEGERS (atomicAnd, old & v)
Y10_ATOMIC_INTEGERS (atomicXor, old ^ v)
Y10_ATOMIC_INTEGERS (atomicExch, v)
Y10_ATOMIC (atomicExch, float, v)
Y10_ATOMIC (atomicInc, unsigned int, old >= v ? 0 : old + 1)
Y10_ATOMIC (atomicDec, unsigned int, old == 0 || old > v ? v : old - 1)
Y10_ATOMIC_CAS (int)
Y10_ATOMIC_CAS (unsigned int)
Y10_ATOMIC_CAS (unsigned long long)
Y10_ATOMIC_CAS (unsigned short)
