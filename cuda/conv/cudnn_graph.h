/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* A convolution and what follows it as cuDNN's graph of operations, and what
 * tests without a GPU need of cuda/conv/cudnn_plan.c. */

#include "conv/conv.h"
#include "conv/cudnn.h"

G_BEGIN_DECLS

/* Tensors of a convolution by the numbers that plans know them by; these are
 * in plans on disk, too. */
enum
{
  Y10_CONV_UID_IN = 1,
  Y10_CONV_UID_WEIGHT,
  Y10_CONV_UID_BIAS,
  Y10_CONV_UID_ADD,
  Y10_CONV_UID_OUT,
  Y10_CONV_UID_VIRTUAL,         /* and up */
};

/* Descriptors that are made together and live as long as one another. After a
 * failed call every further one does nothing. */
typedef struct
{
  const Y10Cudnn *cudnn;
  GPtrArray *made;
  GError *error;
} Y10CudnnSet;

void y10_cudnn_set_init (Y10CudnnSet * set, const Y10Cudnn * cudnn);
void y10_cudnn_set_clear (Y10CudnnSet * set);
/* FALSE when a call failed; @error is set then. */
gboolean y10_cudnn_set_ok (Y10CudnnSet * set, GError ** error);
cudnnBackendDescriptor_t y10_cudnn_set_begin (Y10CudnnSet * set,
    cudnnBackendDescriptorType_t type);
void y10_cudnn_set_attribute (Y10CudnnSet * set, cudnnBackendDescriptor_t d,
    cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
    gint64 n, const void *values);
void y10_cudnn_set_finish (Y10CudnnSet * set, cudnnBackendDescriptor_t d,
    const char *what);

/* Precompiled kernels take the bias in the type of everything else only, fused
 * ones as floats, too. */
Y10Precision y10_cuda_conv_bias_type (const Y10CudaConvDesc * desc,
    Y10CudaConvStage stage);
/* The graph of @desc; @handle NULL: for any device. */
cudnnBackendDescriptor_t y10_cuda_conv_graph (Y10CudnnSet * set,
    const Y10CudaConvDesc * desc, Y10CudaConvStage stage,
    cudnnHandle_t handle);

/* A library for the GPU that @properties (cuDNN's own JSON of a device)
 * describe, for questions only: its plans cannot run. */
Y10CudaConvLib *y10_cuda_conv_lib_new_deviceless (const char *properties,
    GString * why);
/* The plan that would be tried first, not built: it can only be described. */
Y10CudaConvPlan *y10_cuda_conv_plan_peek (Y10CudaConvLib * lib,
    const Y10CudaConvDesc * desc, Y10CudaConvStage stage, GError ** error);

G_END_DECLS
