/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* What the files of the backend share. Every function here wants the device's
 * context to be current; backend_cuda.c pushes it at each entry and pops it at
 * each exit, so that whatever the caller had is never disturbed. */

#include "backend.h"
#include "conv.h"
#include "driver.h"
#include "kernels/head.h"
#include "kernels/preprocess.h"
#include "launch.h"

G_BEGIN_DECLS

/* Of each tensor in the arena and each packed array of weights. */
#define Y10_CUDA_ALIGN 256
/* Channels are padded to this: 16 bytes of half precision. */
#define Y10_CUDA_BLOCK 8

struct _Y10Device
{
  const Y10CudaDriver *driver;
  CUcontext context;            /* borrowed, or the primary one, retained */
  gboolean retained;
  gboolean graphs;              /* steps are captured */
  CUdevice id;
  int major, minor;
  Y10CudaKernels kernels;
  Y10CudaConvLib *conv;
  char *description;
};

/* How an op runs at one number of images. */
typedef struct
{
  Y10CudaConvPlan *conv;        /* dense convolutions only */
  gboolean staged;              /* conv cannot write where the result goes */
  gboolean finish;              /* SiLU, addition or conversion afterwards */
} Y10CudaOpPlan;

/* All ops at one number of images. */
typedef struct
{
  Y10CudaOpPlan *ops;
  gsize staging;                /* bytes of the largest staged output */
  gsize workspace;              /* bytes that cuDNN wants behind it */
} Y10CudaBatch;

struct _Y10Program
{
  Y10Device *device;
  const Y10Plan *plan;
  Y10Precision precision;
  Y10KType type;
  guint elem_size;
  CUdeviceptr weights;          /* of all ops */
  gsize weights_size;
  gsize *weight, *bias;         /* one an op: bytes from weights */
  GPtrArray *batches;           /* [n - 1]: Y10CudaBatch, or NULL */
};

/* primary.c: the GPU's primary context, which everybody in the process shares.
 * Where @lost it is given back in a way that lets it be made anew. */
gboolean y10_cuda_primary_retain (const Y10CudaDriver * driver, CUdevice id,
    CUcontext * context, GError ** error);
void y10_cuda_primary_release (const Y10CudaDriver * driver, CUdevice id,
    gboolean lost);

/* program.c */
Y10Program *y10_cuda_program_new (Y10Device * device, const Y10Plan * plan,
    Y10Precision precision, GCancellable * cancellable, GError ** error);
void y10_cuda_program_free (Y10Program * program);
/* Makes what @n images need; nothing when it is there. NULL on error. */
const Y10CudaBatch *y10_cuda_program_prepare (Y10Program * program, guint n,
    GError ** error);
const char *y10_cuda_program_impl (Y10Program * program, guint op);

/* run.c: queues ops [first, end) for @n images. @arena holds max_batch images,
 * tensor by tensor. */
typedef struct
{
  CUdeviceptr arena, scratch;
  guint max_batch;
} Y10CudaMemory;

gboolean y10_cuda_run (const Y10Program * program,
    const Y10CudaBatch * batch, const Y10CudaMemory * memory, guint first,
    guint end, guint n, CUstream stream, GError ** error);
/* @v as kernels see it, in image 0. */
Y10KView y10_cuda_view (const Y10Program * program,
    const Y10CudaMemory * memory, Y10View v);

/* pack.c: weights and biases of all ops in the layouts of the kernels; the
 * caller frees the bytes. */
guint8 *y10_cuda_pack (const Y10Program * program, gsize * size,
    GError ** error);

/* slot.c */
Y10Slot *y10_cuda_slot_new (Y10Program * program, guint max_batch,
    guint max_rows, GError ** error);
void y10_cuda_slot_free (Y10Slot * slot);
gboolean y10_cuda_slot_load (Y10Slot * slot, guint i, const Y10Image * image,
    const Y10Letterbox * letterbox, const Y10HeadParams * params,
    GError ** error);
gboolean y10_cuda_slot_submit (Y10Slot * slot, guint n, guint first,
    guint end, GError ** error);
gboolean y10_cuda_slot_wait_input (Y10Slot * slot, GError ** error);
gboolean y10_cuda_slot_wait (Y10Slot * slot, GError ** error);
const Y10Rows *y10_cuda_slot_rows (Y10Slot * slot, guint i);
void y10_cuda_slot_times (Y10Slot * slot, gint64 * inference,
    gint64 * postprocess);
gboolean y10_cuda_slot_copy (Y10Slot * slot, guint i, Y10View view,
    gfloat * out, const gfloat * in, GError ** error);
void y10_cuda_slot_poison (Y10Slot * slot);
Y10Device *y10_cuda_slot_device (Y10Slot * slot);

/* input.c: pictures of host memory on their way to the device, and the taps of
 * the letterbox: pinned memory and its copy on the device. */
typedef struct
{
  guint8 *pinned;
  CUdeviceptr device;
  gsize size;
  Y10KTap *taps;                /* pinned: columns, then rows */
  CUdeviceptr device_taps;
  Y10Letterbox letterbox;       /* what they are for */
} Y10CudaInput;

gboolean y10_cuda_input_init (Y10CudaInput * input, Y10Device * device,
    const Y10Graph * graph, GError ** error);
void y10_cuda_input_clear (Y10CudaInput * input, Y10Device * device);
/* Queues the copies that @image needs, and the kernel that reads it into
 * @out. */
gboolean y10_cuda_input_load (Y10CudaInput * input, const Y10Program * program,
    const Y10Image * image, const Y10Letterbox * letterbox, Y10KView out,
    CUstream stream, GError ** error);

/* The module's one export. */
__attribute__ ((visibility ("default")))
const Y10BackendClass *y10_backend_module (void);

G_END_DECLS
