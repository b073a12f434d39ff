/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Shared by the tuner's two files. */

#include "autotune/plan_cache.h"
#include "autotune/autotune.h"

G_BEGIN_DECLS

/* A group of identical convolutions. */
typedef struct
{
  Y10CudaConvDesc desc;
  GArray *ops;                  /* guint */
  GPtrArray *plans;             /* candidates; NULL: none */
  gboolean known;               /* cached result; without a plan: none is
                                 * faster */
  gboolean unsure;              /* some candidates could not be tried */
  guint n_wrong;
  Y10CudaSharedPlan *winner;
} Y10CudaTuneGroup;

typedef struct
{
  const Y10Program *program;
  GCancellable *cancellable;
  Y10CudaConvLib *lib;          /* for trials; accepted plans move to the device
                                 * thread's library */
  Y10PlanCache *cache;          /* or NULL */
  Y10CudaTrial *trial;
  gboolean warned;              /* has warned of a wrong plan */
  const char *note;             /* why something could not be tried, or NULL */
} Y10CudaTuneTools;

/* Returns all groups that can be fused for @n images. */
GPtrArray *y10_cuda_tune_groups (const Y10Program * program, guint n);
/* Loads or builds the candidates. Several threads may call it at once, with the
 * device's context current. */
void y10_cuda_tune_group_find (const Y10CudaTuneTools * tools,
    Y10CudaTuneGroup * group);
/* Tries the candidates. Returns FALSE and sets @error if tuning must stop.
 * @workspace: bytes per slot. */
gboolean y10_cuda_tune_group_decide (Y10CudaTuneTools * tools,
    Y10CudaTuneGroup * group, gsize workspace, GError ** error);

G_END_DECLS
