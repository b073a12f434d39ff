/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* What conv/cudnn_plan.c, which runs plans, and conv/cudnn_search.c, which finds them,
 * share. */

#include "conv/cudnn_graph.h"

G_BEGIN_DECLS

/* Pointer sets a plan remembers: one a slot and op that it runs for. */
#define Y10_CONV_MAX_PACKS 256
#define Y10_CONV_N_POINTERS 5

struct _Y10CudaConvLib
{
  const Y10Cudnn *cudnn;
  const Y10CudaDriver *driver;  /* NULL, as the handle: deviceless */
  cudnnHandle_t handle;
  CUstream stream;              /* the handle's */
  Y10CudnnSet set;
  cudnnBackendDescriptor_t properties;  /* NULL: the handle's are used, */
  GMutex building;              /* and then by one thread at a time */
  char *description;
};

typedef struct
{
  void *pointers[Y10_CONV_N_POINTERS], *workspace;
  cudnnBackendDescriptor_t pack;
} Y10CudaConvPack;

struct _Y10CudaConvPlan
{
  Y10CudaConvLib *lib;
  Y10CudnnSet *graph;           /* shared; NULL: the plan was loaded */
  Y10CudnnSet set;
  cudnnBackendDescriptor_t plan;
  gboolean add;
  Y10Precision bias_type;       /* FP32, FP16 or BF16 */
  gsize n_bias, workspace;
  char *description;
  CUdeviceptr bias, converted;  /* the bias, and what it is in bias_type */
  Y10CudaConvPack packs[Y10_CONV_MAX_PACKS];
  guint n_packs, next_pack;
};

void y10_cudnn_set_release (Y10CudnnSet * set);

G_END_DECLS
