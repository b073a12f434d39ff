/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The texts that a painter has copied to the GPU. */

#include <y10/painter.h>

#include "driver/driver.h"

G_BEGIN_DECLS

typedef struct
{
  CUdeviceptr data;
  gsize size, used, wanted; /* bytes */
  gsize serial;             /* of the texts in the atlas */
} Y10CudaAtlas;

typedef enum
{
  Y10_CUDA_ATLAS_THERE,
  Y10_CUDA_ATLAS_FULL,
  Y10_CUDA_ATLAS_FAILED, /* with an error set */
} Y10CudaAtlasResult;

gboolean y10_cuda_atlas_init (Y10CudaAtlas *atlas, const Y10CudaDriver *driver,
    GError **error);
void y10_cuda_atlas_clear (Y10CudaAtlas *atlas, const Y10CudaDriver *driver);

/* Makes @text available to later work on @stream. An empty atlas is never full: it
 * grows. */
Y10CudaAtlasResult y10_cuda_atlas_add (Y10CudaAtlas *atlas,
    const Y10CudaDriver *driver, Y10PaintText *text, CUstream stream,
    GError **error);

/* Drops all texts; work already queued on the stream still uses them. @again: the
 * second time for one frame, so the atlas must grow. */
void y10_cuda_atlas_empty (Y10CudaAtlas *atlas, gboolean again);

G_END_DECLS
