/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Built with -mavx512{f,bw,dq,vl,vnni}: dot products of 8-bit integers. */

#define Y10_VLEN 16
#define Y10_ELEM 1
#define Y10_TILE 14
#define Y10_DW_TILE 8
#define Y10_KERNELS y10_kernels_avx512_vnni
#define Y10_KERNELS_NAME "avx512_vnni"

#include "template.h"
