/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Built with -mavx512{f,bw,dq,vl}: 32 registers of 16 floats. */

#define Y10_VLEN 16
#define Y10_ELEM 4
#define Y10_TILE 14
#define Y10_DW_TILE 8
#define Y10_STEM_TILE 16
#define Y10_KERNELS y10_kernels_avx512
#define Y10_KERNELS_NAME "avx512"

#include "template.h"
