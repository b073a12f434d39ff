/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Embeds the compiled kernels in the module, so that there is no file to find. The
 * build defines the path of nvcc's output. */

#include "driver/driver.h"

__asm__(".section .rodata\n"
        ".balign 64\n"
        ".hidden y10_cuda_kernels\n"
        ".globl y10_cuda_kernels\n"
        "y10_cuda_kernels:\n"
        ".incbin \"" Y10_FATBIN "\"\n"
        ".previous\n");

extern const unsigned char y10_cuda_kernels[]
    __attribute__ ((visibility ("hidden")));

const void *
y10_cuda_kernel_image (void)
{
  return y10_cuda_kernels;
}

const char *
y10_cuda_kernel_codes (void)
{
  return Y10_CODES;
}
