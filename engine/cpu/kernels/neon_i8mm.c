/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Built with +i8mm: 8-bit integers by USMMLA, 2 by 2 sums of 8 products each. */

#define Y10_VLEN 4
#define Y10_ELEM 1
#define Y10_TILE 12
#define Y10_DW_TILE 8
#define Y10_KERNELS y10_kernels_neon_i8mm
#define Y10_KERNELS_NAME "neon_i8mm"

#include "template.h"
