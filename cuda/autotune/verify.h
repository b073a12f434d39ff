/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* What autotune/verify.c, which makes and compares numbers, and autotune/measure.c share. */

#include "autotune/autotune.h"

G_BEGIN_DECLS

#define Y10_TRIAL_MAX_IMAGES 3  /* that are compared */

struct _Y10CudaTrial
{
  Y10Device *device;
  CUstream stream;
  CUevent start, end;
  int l2;                       /* bytes */
  gfloat *noise;                /* -1 to 1 */
  guint8 *scratch;              /* the noise in the type of activations */

  Y10CudaConvDesc desc;
  Y10KType type, out_type;
  gsize elem_size, out_elem_size;
  CUdeviceptr memory;
  gsize memory_size;
  /* In a set, and behind all sets. */
  gsize in_at, add_at, weight_at, out_at, set_size;
  gsize bias_at, staging_at, workspace_at, size;
  guint n_sets;
  guint n_looked_at, looked_at[Y10_TRIAL_MAX_IMAGES];
  guint8 *expected, *got;       /* of these images */
  double rms;                   /* of what is expected */
};

/* Where a view of set @set lies, whose room begins @at bytes into the set; none
 * for a view without channels. */
CUdeviceptr y10_cuda_trial_address (const Y10CudaTrial * trial, guint set,
    gsize at, const Y10CudaConvView * v);
Y10KView y10_cuda_trial_view (const Y10CudaTrial * trial, guint set,
    gsize at, const Y10CudaConvView * v);

G_END_DECLS
