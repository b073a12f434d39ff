/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Pictures of host memory on their way to the device, and the taps of their
 * letterboxes: pinned memory and its copy on the device. */

#include "kernels/preprocess.h"
#include "program.h"

G_BEGIN_DECLS

typedef struct
{
  guint8 *pinned; /* size bytes; grows with the frames */
  CUdeviceptr device;
  gsize size, staged_size;
  gboolean staged;      /* pinned holds the step's picture */
  CUdeviceptr plane[4]; /* of the staged picture */
  gint64 stride[4];
  Y10KTap *taps; /* pinned: columns, then rows */
  CUdeviceptr device_taps;
  Y10Letterbox letterbox; /* the one that device_taps is for */
  guint width;            /* likewise, of the image */
} Y10CudaInput;

typedef struct
{
  guint max_batch;
  Y10CudaInput *images;
  Y10KPicture *pictures; /* pinned, as the taps behind them */
  CUdeviceptr device_pictures;
  guint n_loaded; /* not run yet */
} Y10CudaInputs;

gboolean y10_cuda_inputs_init (Y10CudaInputs *inputs, Y10Device *device,
    const Y10Graph *graph, guint max_batch, GError **error);
void y10_cuda_inputs_clear (Y10CudaInputs *inputs, Y10Device *device);
/* Makes room for @image's pixels; no step may use the buffer. */
gboolean y10_cuda_input_reserve (Y10CudaInput *input, Y10Device *device,
    const Y10Image *image, GError **error);
/* Copies the pixels; makes room first where there is none. */
gboolean y10_cuda_input_stage (Y10CudaInput *input, Y10Device *device,
    const Y10Image *image, GError **error);
/* Queues the copies that picture @i of the step needs; pictures are loaded in
 * order. */
gboolean y10_cuda_inputs_load (Y10CudaInputs *inputs, Y10Device *device,
    guint i, const Y10Image *image, const Y10Letterbox *letterbox,
    CUstream stream, GError **error);
/* Queues the kernel that reads all loaded pictures into @out, the network's
 * input. */
gboolean y10_cuda_inputs_run (Y10CudaInputs *inputs, const Y10Program *program,
    Y10KView out, CUstream stream, GError **error);
/* The same, into the output of the program's stem. */
gboolean y10_cuda_inputs_run_stem (Y10CudaInputs *inputs,
    const Y10Program *program, Y10KView out, CUstream stream, GError **error);

G_END_DECLS
