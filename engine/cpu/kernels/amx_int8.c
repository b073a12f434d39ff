/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Built with -mavx512{f,bw,dq,vl,vnni,bf16} and -mamx-{bf16,int8}: as avx512_vnni.c, and
 * products of whole tiles of pixels in tile registers. */

#define Y10_VLEN 16
#define Y10_ELEM 1
#define Y10_TILE 14
#define Y10_DW_TILE 8
#define Y10_KERNELS y10_kernels_amx_int8
#define Y10_KERNELS_NAME "amx_int8"
#define Y10_AMX 1

#include "template.h"
