/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Portable, 8-bit integers. */

#define Y10_VLEN 8
#define Y10_ELEM 1
#define Y10_TILE 3
#define Y10_DW_TILE 2
#define Y10_KERNELS y10_kernels_c_int8
#define Y10_KERNELS_NAME "c"

#include "template.h"
