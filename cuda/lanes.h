/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The lanes of a network: which ops run one after the other. */

#include "core/plan.h"

G_BEGIN_DECLS

/* The head's branches: two of each of the three levels. */
#define Y10_CUDA_MAX_LANES 6
#define Y10_CUDA_NO_EVENT G_MAXUINT

/* What a lane waits for: the ends of ops of other lanes, by their events. */
typedef struct
{
  guint n;
  guint event[Y10_CUDA_MAX_LANES - 1];
} Y10CudaWaits;

typedef struct
{
  guint lane;
  guint event;    /* recorded behind it; or Y10_CUDA_NO_EVENT */
  gboolean forks; /* its lane begins, and it waits for no op */
  Y10CudaWaits waits;
} Y10CudaLaneOp;

typedef struct
{
  guint first; /* op in a graph: not a stem, which reads pictures */
  guint n_lanes, n_events;
  /* Kernels, at one an op or pair, and those on the longest chain if lanes are enough. */
  guint n_launches, n_longest;
  Y10CudaLaneOp *ops; /* one an op */
  Y10CudaWaits joins; /* of lane 0, behind the last op */
} Y10CudaLanes;

/* The number of ops from @first to before @end that one kernel may run: consecutive
 * pools, each of which reads what the previous one wrote, a pair, with the logits made of
 * it where there are any, or a 1×1 convolution that is upsampled. */
guint y10_cuda_count_pools (const Y10Graph *graph, guint first, guint end);
guint y10_cuda_count_joint (const Y10Graph *graph, guint first, guint end);
/* Of the ops from @first on. */
Y10CudaLanes *y10_cuda_lanes_new (const Y10Plan *plan, guint first,
    guint max_lanes);
void y10_cuda_lanes_free (Y10CudaLanes *lanes);

G_END_DECLS
