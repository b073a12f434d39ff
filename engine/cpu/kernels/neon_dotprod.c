/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Built with +dotprod: 8-bit integers by SDOT, products of s8 by s8 alone. */

#define Y10_VLEN 4
#define Y10_ELEM 1
#define Y10_TILE 12
#define Y10_DW_TILE 8
#define Y10_KERNELS y10_kernels_neon_dotprod
#define Y10_KERNELS_NAME "neon_dotprod"

#include "template.h"
