/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Pairs of ops, as one kernel or as two, with the logits made of them or without:
 * whichever is fastest. */

#include "autotune/group.h"
#include "autotune/verify.h"

G_BEGIN_DECLS

/* Pairs of the same kind. */
typedef struct
{
  Y10CudaPairDesc desc;
  const Y10CudaTuneGroup *group;  /* of the 1×1; borrowed */
  const Y10CudaTuneGroup *logits; /* of that which makes logits; or NULL */
  GArray *ops;                    /* guint: the first one of each */
  gboolean decided;               /* else each runs as before */
  Y10CudaPair winner;
  gint64 ns;          /* what it takes, with logits; 0: not measured */
  gboolean disturbed; /* steps ran while ways were timed */
} Y10CudaTunePair;

/* All pairs that may run as one kernel at @n images. @groups outlive them. */
GPtrArray *y10_cuda_tune_pairs (const Y10Program *program, guint n,
    const GPtrArray *groups);
/* Measures the ways of a pair, when its groups have been decided; FALSE and error: no
 * other pair can be tried, either. */
gboolean y10_cuda_tune_pair_decide (Y10CudaTuneTools *tools,
    Y10CudaTunePair *pair, gsize workspace, GError **error);

G_END_DECLS
