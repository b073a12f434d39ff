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
  gsize size, used, wanted;     /* bytes */
  gsize serial;                 /* of the texts that are in there */
} Y10CudaAtlas;

typedef enum
{
  Y10_CUDA_ATLAS_THERE,
  Y10_CUDA_ATLAS_FULL,
  Y10_CUDA_ATLAS_FAILED,        /* the error is set */
} Y10CudaAtlasResult;

gboolean y10_cuda_atlas_init (Y10CudaAtlas * atlas,
    const Y10CudaDriver * driver, GError ** error);
void y10_cuda_atlas_clear (Y10CudaAtlas * atlas, const Y10CudaDriver * driver);

/* Sees to it that @text is there from what @stream gets next on. Not full when
 * the atlas is empty: it grows then. */
Y10CudaAtlasResult y10_cuda_atlas_add (Y10CudaAtlas * atlas,
    const Y10CudaDriver * driver, Y10PaintText * text, CUstream stream,
    GError ** error);

/* Forgets all texts. What the stream has been given already still sees them.
 * @again: the second time for one frame, whose texts need more room. */
void y10_cuda_atlas_empty (Y10CudaAtlas * atlas, gboolean again);

G_END_DECLS
