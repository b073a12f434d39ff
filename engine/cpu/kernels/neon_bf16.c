/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Built with +bf16: activations and weights are bfloat16. */

#define Y10_VLEN 4
#define Y10_ELEM 2
#define Y10_TILE 12
#define Y10_DW_TILE 8
#define Y10_STEM_TILE 16
#define Y10_KERNELS y10_kernels_neon_bf16
#define Y10_KERNELS_NAME "neon_bf16"

#include "template.h"
