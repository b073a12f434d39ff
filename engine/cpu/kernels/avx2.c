/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Built with -mavx2 -mfma -mf16c: 16 registers of 8 floats. */

#define Y10_VLEN 8
#define Y10_ELEM 4
#define Y10_TILE 6
#define Y10_DW_TILE 4
#define Y10_STEM_TILE 8
#define Y10_KERNELS y10_kernels_avx2
#define Y10_KERNELS_NAME "avx2"

#include "template.h"
