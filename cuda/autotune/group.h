/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* What the tuner's two files share. */

#include "autotune/plan_cache.h"
#include "autotune/autotune.h"

G_BEGIN_DECLS

/* Convolutions that are alike. */
typedef struct
{
  Y10CudaConvDesc desc;
  GArray *ops;                  /* guint */
  GPtrArray *plans;             /* to be tried; NULL: none */
  gboolean known;               /* from the cache; without a plan: keep it as
                                 * it is */
  gboolean unsure;              /* not everything could be tried */
  guint n_wrong;
  Y10CudaSharedPlan *winner;
} Y10CudaTuneGroup;

typedef struct
{
  const Y10Program *program;
  GCancellable *cancellable;
  Y10CudaConvLib *lib;          /* what plans run in until they are given to
                                 * the device's, which is another thread's */
  Y10PlanCache *cache;          /* or NULL */
  Y10CudaTrial *trial;
  gboolean warned;              /* of a wrong plan: once is enough */
  const char *note;             /* why something could not be tried, or NULL */
} Y10CudaTuneTools;

/* All that can be fused at @n images. */
GPtrArray *y10_cuda_tune_groups (const Y10Program * program, guint n);
/* Loads or builds the plans to be tried. Several threads at once, with the
 * device's context. */
void y10_cuda_tune_group_find (const Y10CudaTuneTools * tools,
    Y10CudaTuneGroup * group);
/* Tries them; FALSE and error when there is no point in going on with others.
 * @workspace: what slots have. */
gboolean y10_cuda_tune_group_decide (Y10CudaTuneTools * tools,
    Y10CudaTuneGroup * group, gsize workspace, GError ** error);

G_END_DECLS
