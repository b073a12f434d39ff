/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* A cache of cuDNN plans on disk, so that the second start builds none. An unusable
 * folder or entry is treated as missing. */

#include "conv/conv.h"

G_BEGIN_DECLS

/* Everything that plans depend on besides their convolution. */
typedef struct
{
  guint cudnn, own; /* versions of those who make plans; 0: not here */
  const char *gpu;  /* the name of the GPU */
  int major, minor, multiprocessors;
  const char *model; /* a hash of the weights */
} Y10PlanCacheKey;

typedef struct _Y10PlanCache Y10PlanCache;

/* Opens @folder, or $XDG_CACHE_HOME/yolov10detect/plans if it is NULL, and creates
 * it if necessary, for this user only. Returns NULL and appends the reason to @why
 * if the folder is unusable or writable by others, who could store GPU code. */
Y10PlanCache *y10_plan_cache_open (const char *folder,
    const Y10PlanCacheKey *key, GString *why);
void y10_plan_cache_free (Y10PlanCache *cache);
const char *y10_plan_cache_get_folder (const Y10PlanCache *cache);

/* Returns the plan stored for this convolution, or NULL if there is none that can
 * be trusted. Any thread. */
GBytes *y10_plan_cache_load (const Y10PlanCache *cache,
    const Y10CudaConvDesc *desc, Y10CudaConvStage stage);
/* Stores a plan and atomically replaces an earlier one. Any thread. */
gboolean y10_plan_cache_store (const Y10PlanCache *cache,
    const Y10CudaConvDesc *desc, Y10CudaConvStage stage, GBytes *plan,
    GError **error);

G_END_DECLS
