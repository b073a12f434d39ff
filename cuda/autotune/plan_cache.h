/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Plans of cuDNN on disk, so that the second start builds none. Whatever is
 * wrong with the cache, its folder or an entry, is as if there were none. */

#include "conv/conv.h"

G_BEGIN_DECLS

/* What plans depend on besides their convolution. */
typedef struct
{
  guint cudnn;                  /* version, 91900 */
  const char *gpu;              /* its name */
  int major, minor, multiprocessors;
  const char *model;            /* a hash of the weights */
} Y10PlanCacheKey;

typedef struct _Y10PlanCache Y10PlanCache;

/* @folder NULL: $XDG_CACHE_HOME/yolov10detect/plans. It is made where it is
 * missing, for us alone; NULL with the reason appended to @why where it cannot
 * be used, or others could have put code for the GPU into it. */
Y10PlanCache *y10_plan_cache_open (const char *folder,
    const Y10PlanCacheKey * key, GString * why);
void y10_plan_cache_free (Y10PlanCache * cache);
const char *y10_plan_cache_get_folder (const Y10PlanCache * cache);

/* What was stored for this convolution; NULL: nothing that can be trusted.
 * Any thread, as y10_plan_cache_store(). */
GBytes *y10_plan_cache_load (const Y10PlanCache * cache,
    const Y10CudaConvDesc * desc, Y10CudaConvStage stage);
/* In place of what there was, at once: others see the old or the new. */
gboolean y10_plan_cache_store (const Y10PlanCache * cache,
    const Y10CudaConvDesc * desc, Y10CudaConvStage stage, GBytes * plan,
    GError ** error);

G_END_DECLS
