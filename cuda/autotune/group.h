/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* What autotune.c and group.c share. */

#include "autotune/plan_cache.h"
#include "autotune/autotune.h"

G_BEGIN_DECLS

/* Convolutions of the same kind. */
typedef struct
{
  Y10CudaConvDesc desc;
  GArray *ops;        /* guint */
  GPtrArray *plans;   /* to be tried; NULL: none */
  gboolean known;     /* from the cache; without plans: none is
                                 * faster */
  gboolean unsure;    /* the next start must try again */
  gboolean disturbed; /* steps ran while plans were timed */
  guint n_wrong;
  Y10CudaSharedPlan *winner;
  gboolean unfused; /* the winner needs its epilogue */
  gint64 ns;        /* what it takes, or else the first plan; 0: unknown */
} Y10CudaTuneGroup;

typedef struct
{
  const Y10Program *program;
  GCancellable *cancellable;
  Y10CudaConvLib *lib; /* plans run in it until they are given to the
                                 * device's, which another thread uses */
  Y10PlanCache *cache; /* or NULL */
  Y10CudaTrial *trial;
  gboolean warned;  /* of a wrong plan */
  const char *note; /* why something could not be tried, or NULL */
} Y10CudaTuneTools;

/* All convolutions that can be fused, for @n images. */
GPtrArray *y10_cuda_tune_groups (const Y10Program *program, guint n);
/* Loads or builds the candidates. Several threads may call it at once, with the
 * device's context current. */
void y10_cuda_tune_group_find (const Y10CudaTuneTools *tools,
    Y10CudaTuneGroup *group);
/* Tries them; FALSE and error: no other group can be tried, either.
 * @workspace: bytes that slots have. */
gboolean y10_cuda_tune_group_decide (Y10CudaTuneTools *tools,
    Y10CudaTuneGroup *group, gsize workspace, GError **error);

/* Those so far; -1 while one runs, which shares the GPU with what is timed. */
int y10_cuda_tune_count_steps (const Y10CudaTuneTools *tools);

G_END_DECLS
