/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Shared by autotune/verify.c and autotune/measure.c. */

#include "autotune/autotune.h"

G_BEGIN_DECLS

#define Y10_TRIAL_MAX_IMAGES 3 /* compared images */

struct _Y10CudaTrial
{
  Y10Device *device;
  CUstream stream;
  CUevent start, end;
  int l2;          /* bytes */
  gfloat *noise;   /* -1 to 1 */
  guint8 *scratch; /* the noise in the activations' type */

  Y10CudaConvDesc desc;
  Y10KType type, out_type;
  gsize elem_size, out_elem_size;
  CUdeviceptr memory;
  gsize memory_size;
  /* Offsets within a set, and after all sets. */
  gsize in_at, add_at, weight_at, out_at, set_size;
  gsize bias_at, staging_at, workspace_at, size;
  guint n_sets;
  guint n_looked_at, looked_at[Y10_TRIAL_MAX_IMAGES];
  guint8 *expected, *got; /* output of the compared images */
  double rms;             /* root mean square of @expected */

  /* Of a pair, whose 1×1 is @desc, or whose logits are. */
  Y10CudaPairDesc pair;
  Y10CudaConvDesc pair_second;
  CUdeviceptr pair_memory;         /* 0: no pair */
  CUdeviceptr pair_between;        /* depthwise outputs; 0: no logits */
  Y10CudaPairWeights pair_weights; /* but those of @desc */
  gsize pair_in_size;              /* of a set */
};

/* Makes the outputs NaN. */
gboolean y10_cuda_trial_clear (Y10CudaTrial *trial, GError **error);
/* Compares the output of the first set, as y10_cuda_trial_verify() does. */
gboolean y10_cuda_trial_compare (Y10CudaTrial *trial, double *difference,
    GError **error);

/* Fills @n values of @type at @to with repeated noise times @scale. */
gboolean y10_cuda_trial_fill (Y10CudaTrial *trial, CUdeviceptr to, gsize n,
    gfloat scale, Y10KType type, GError **error);
/* The expected output for the input of the first set. */
gboolean y10_cuda_trial_run_reference (Y10CudaTrial *trial, GError **error);

/* autotune/pair_trial.c: y10_cuda_trial_begin() for a pair, whose second convolution is
 * @second, or for its @logits, which are not NULL then; end it also after an error. */
gboolean y10_cuda_trial_begin_pair (Y10CudaTrial *trial,
    const Y10CudaPairDesc *pair, const Y10CudaConvDesc *second,
    const Y10CudaConvDesc *logits, gsize workspace, GError **error);
void y10_cuda_trial_end_pair (Y10CudaTrial *trial);
/* Queues it, or its depthwise convolution alone if @way has no tile. @way computes logits
 * where these are tried, and nowhere else. */
gboolean y10_cuda_trial_run_pair (Y10CudaTrial *trial, guint set,
    Y10CudaPair way, GError **error);
/* As y10_cuda_trial_verify(). */
gboolean y10_cuda_trial_verify_pair (Y10CudaTrial *trial, Y10CudaPair way,
    double *difference, GError **error);
/* Measures each of @ways and the depthwise convolution alone, in nanoseconds. */
gboolean y10_cuda_trial_measure_pair (Y10CudaTrial *trial,
    const Y10CudaPair *ways, guint n, GCancellable *cancellable,
    gint64 *depthwise_ns, gint64 *ns, GError **error);

/* Returns the address of a view in set @set, in whose tensor at offset @at it lies;
 * 0 for a view without channels. */
CUdeviceptr y10_cuda_trial_address (const Y10CudaTrial *trial, guint set,
    gsize at, const Y10CudaConvView *v);
Y10KView y10_cuda_trial_view (const Y10CudaTrial *trial, guint set, gsize at,
    const Y10CudaConvView *v);

G_END_DECLS
