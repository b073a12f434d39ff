/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* A depthwise convolution and the 1×1 that alone reads it as one kernel
 * (kernels/separable.h), perhaps with the logits that another 1×1 makes of that: which
 * pairs it computes, and how. Call with the device's context current. */

#include "conv/conv.h"

G_BEGIN_DECLS

typedef struct _Y10CudaPairs Y10CudaPairs;

/* Both convolutions; nothing is added, and the result is no logits. What @logits has is
 * made of it and nothing else is. */
typedef struct
{
  Y10Precision precision;
  guint images;
  Y10CudaConvView in, out; /* of the first one; of the second */
  Y10CudaConvView logits;  /* floats; without channels: none */
  gint kernel, stride, pad;
  gboolean depthwise_silu, silu;
} Y10CudaPairDesc;

/* How a pair runs. */
typedef struct
{
  guint tile;      /* plus 1; 0: as two kernels */
  guint parts;     /* blocks that share the columns of some pixels */
  gboolean logits; /* it computes these as well */
} Y10CudaPair;

/* NULL: all pairs run as two kernels, because our own convolutions are not among the
 * providers of @lib, or the GPU refuses. @kernels outlive it. */
Y10CudaPairs *y10_cuda_pairs_new (Y10CudaConvLib *lib,
    const Y10CudaKernels *kernels);
void y10_cuda_pairs_free (Y10CudaPairs *pairs);
/* The ways in which @desc can run as one kernel, with its logits or without, the one
 * first that is estimated to be fastest; returns how many. @pairs may be NULL. */
guint y10_cuda_pair_candidates (const Y10CudaPairs *pairs,
    const Y10CudaPairDesc *desc, gboolean logits, Y10CudaPair *ways, guint max);
/* How @desc runs until it is measured. */
Y10CudaPair y10_cuda_pair_first (const Y10CudaPairs *pairs,
    const Y10CudaPairDesc *desc);
/* A name such as "own:separable-64x64/2", for as long as the process. */
const char *y10_cuda_pair_describe (Y10CudaPair pair);
/* The weights of each convolution as kernels read them, and biases, which are floats; the
 * last ones are the logits'. */
typedef struct
{
  CUdeviceptr weight[3], bias[3];
} Y10CudaPairWeights;

/* Queues it on @stream. @out: what the pair writes, or its logits. */
gboolean y10_cuda_pair_run (const Y10CudaPairs *pairs,
    const Y10CudaPairDesc *desc, Y10CudaPair pair, CUstream stream,
    CUdeviceptr in, const Y10CudaPairWeights *weights, CUdeviceptr out,
    GError **error);

G_END_DECLS
