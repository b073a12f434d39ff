/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Built with -mamx-bf16 as well: dense convolutions are matrix products in tile
 * registers, of up to 32 pixels and two blocks of output channels; all else is
 * as in avx512_bf16.c. */

#define Y10_VLEN 16
#define Y10_ELEM 2
#define Y10_TILE 32
#define Y10_DW_TILE 8
#define Y10_STEM_TILE 16
#define Y10_KERNELS y10_kernels_amx_bf16
#define Y10_KERNELS_NAME "amx_bf16"
#define Y10_AMX 1

#include "template.h"
