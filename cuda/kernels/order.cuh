/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Lets the kernel that comes next begin, and waits for those before. Where the launch says
 * so (y10_cuda_launch ()), a kernel begins before the one in front of it has ended: then
 * its launch and what it does before it waits cost no time. So each calls this, in every
 * thread, before it reads or writes anything but parameters, weights and shared memory;
 * that all wait is what orders those that are further apart. Until sm_90 there is nothing
 * to wait for. */
static __device__ __forceinline__ void
y10_wait_for_others ()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
