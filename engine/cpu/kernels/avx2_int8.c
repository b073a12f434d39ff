/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Built with -mavx2 -mfma -mf16c, 8-bit integers. */

#define Y10_VLEN 8
#define Y10_ELEM 1
#define Y10_TILE 6
#define Y10_DW_TILE 4
#define Y10_KERNELS y10_kernels_avx2_int8
#define Y10_KERNELS_NAME "avx2"

#include "template.h"
