/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The parameter of all of the simulator's own kernels. */

typedef struct
{
  const float *in;
  float *out;
  int n;
} SelfTest;

#define SELF_KERNELS(K) \
  K (self_sum) \
  K (self_sum_no_barrier) \
  K (self_sort) \
  K (self_warp) \
  K (self_atomics) \
  K (self_left) \
  K (self_divergent) \
  K (self_deadlock) \
  K (self_overrun) \
  K (self_too_large) \
  K (self_fresh) \
  K (self_half)
