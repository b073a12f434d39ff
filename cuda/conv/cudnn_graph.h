/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* A convolution with its epilogue as cuDNN's operation graph, and the functions of
 * conv/cudnn_plan.c for tests without a GPU. */

#include "conv/conv.h"
#include "conv/cudnn.h"

G_BEGIN_DECLS

/* Tensor ids of a convolution. Plans on disk contain them, so they must not
 * change. */
enum
{
  Y10_CONV_UID_IN = 1,
  Y10_CONV_UID_WEIGHT,
  Y10_CONV_UID_BIAS,
  Y10_CONV_UID_ADD,
  Y10_CONV_UID_OUT,
  Y10_CONV_UID_VIRTUAL, /* and up */
};

/* Descriptors with a common lifetime. After a failed call, further calls do
 * nothing. */
typedef struct
{
  const Y10Cudnn *cudnn;
  GPtrArray *made;
  GError *error;
} Y10CudnnSet;

void y10_cudnn_set_init (Y10CudnnSet *set, const Y10Cudnn *cudnn);
void y10_cudnn_set_clear (Y10CudnnSet *set);
/* Returns FALSE and sets @error if a call failed. */
gboolean y10_cudnn_set_ok (Y10CudnnSet *set, GError **error);
cudnnBackendDescriptor_t y10_cudnn_set_begin (Y10CudnnSet *set,
    cudnnBackendDescriptorType_t type);
void y10_cudnn_set_attribute (Y10CudnnSet *set, cudnnBackendDescriptor_t d,
    cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
    gint64 n, const void *values);
void y10_cudnn_set_finish (Y10CudnnSet *set, cudnnBackendDescriptor_t d,
    const char *what);

/* Returns the type of the bias: floats for fused plans, the type of the other
 * tensors for precompiled kernels, which accept nothing else. */
Y10Precision y10_cuda_conv_bias_type (const Y10CudaConvDesc *desc,
    Y10CudaConvStage stage);
/* Returns the graph of @desc; @handle NULL: for any device. */
cudnnBackendDescriptor_t y10_cuda_conv_graph (Y10CudnnSet *set,
    const Y10CudaConvDesc *desc, Y10CudaConvStage stage, cudnnHandle_t handle);

typedef struct _Y10CudnnLib Y10CudnnLib;
typedef struct _Y10CudnnPlan Y10CudnnPlan;

/* Creates a library for the GPU described by @properties, cuDNN's JSON of a
 * device. Its plans can be described but not run. */
Y10CudnnLib *y10_cudnn_lib_new_deviceless (const char *properties,
    GString *why);
/* Returns the first candidate without building it: it can only be described. */
Y10CudnnPlan *y10_cudnn_plan_peek (Y10CudnnLib *lib,
    const Y10CudaConvDesc *desc, Y10CudaConvStage stage, GError **error);

G_END_DECLS
