/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Part of template.h: how long a block of a pixel is, and how the results of kernels that
 * share no tile are stored. int8.h has that of integers. */

#include "kernels.h"
#include "vec.h"

#define PIXEL (Y10_VLEN * Y10_ELEM)
#define STEPS (Y10_VLEN * Y10_ELEM / 4) /* groups of 4 bytes in a pixel */

#if Y10_ELEM != 1

Y10_INLINE void
row_store (const Y10DwRow *r, int at, vf v)
{
  if (r->silu)
    v = vf_silu (v);
  if (r->add)
    v += ve_load ((const char *) r->add + at * PIXEL);
  if (r->dst_size == 4)
    vf_store ((char *) r->dst + at * (Y10_VLEN * 4), v);
  else
    ve_store ((char *) r->dst + at * PIXEL, v);
}

Y10_INLINE void
stem_store (char *dst, int size, int p, vf v)
{
  if (size == 4)
    vf_store (dst + p * (Y10_VLEN * 4), v);
  else
    ve_store (dst + p * PIXEL, v);
}

#endif
