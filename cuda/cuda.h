/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* What the files of the backend share. Every function here wants the device's
 * context to be current; backend.c pushes it at each entry and pops it at
 * each exit, so that whatever the caller had is never disturbed. */

#include <pthread.h>

#include "core/backend.h"
#include "conv/conv.h"
#include "driver/driver.h"
#include "kernels/head.h"
#include "kernels/preprocess.h"
#include "driver/launch.h"
#include "driver/context.h"

G_BEGIN_DECLS

/* Of each tensor in the arena and each packed array of weights. */
#define Y10_CUDA_ALIGN 256
/* Channels are padded to this: 16 bytes of half precision. */
#define Y10_CUDA_BLOCK 8
/* Slots have at least so much workspace: plans come in while steps run, when
 * nothing is allocated any more. */
#define Y10_CUDA_WORKSPACE ((gsize) 1 << 20)

struct _Y10Device
{
  const Y10CudaDriver *driver;
  CUcontext context;
  Y10CudaContext *taken;        /* whose handle it is; NULL: the caller's */
  gboolean graphs;              /* steps are captured */
  CUdevice id;
  int major, minor;
  Y10CudaKernels kernels;
  Y10CudaConvLib *conv;
  char *description;
};

/* A plan of ops that are alike, in one batch or several: an atomic rc box. */
typedef struct
{
  Y10CudaConvPlan *plan;
} Y10CudaSharedPlan;

/* How an op runs at one number of images. */
typedef struct
{
  Y10CudaSharedPlan *conv;      /* dense convolutions only */
  gboolean staged;              /* conv cannot write where the result goes */
  gboolean epilogue;            /* SiLU, addition or conversion afterwards */
} Y10CudaOpPlan;

/* All ops at one number of images: an atomic rc box that never changes. */
typedef struct
{
  guint n_ops;
  Y10CudaOpPlan *ops;
  gsize staging;                /* bytes of the largest staged output */
  gsize workspace;              /* bytes that cuDNN has behind it */
} Y10CudaOpPlans;

typedef struct _Y10CudaTune Y10CudaTune;
typedef struct _Y10CudaPreparer Y10CudaPreparer;

/* A set of batch sizes: bit n - 1 is n images. */
#define Y10_CUDA_MAX_SIZE 64
#define Y10_CUDA_SIZE_BIT(n) ((guint64) 1 << ((n) - 1))

/* The smallest size in @sizes that holds @n images; there is one. */
static inline guint
y10_cuda_smallest_size (guint64 sizes, guint n)
{
  return (guint) __builtin_ctzll (sizes & ~(Y10_CUDA_SIZE_BIT (n) - 1)) + 1;
}

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
  char hash[17];                /* of the weights */
  Y10CudaPreparer *preparer;    /* NULL: no batch size was requested */
  Y10CudaTune *tune;            /* searches for faster plans; NULL: off */
  const char *not_tuned;        /* why; or NULL */

  pthread_mutex_t preparing;    /* one thread at a time makes op plans */
  pthread_mutex_t lock;         /* of what follows */
  guint64 sizes;                /* prepared or requested */
  Y10CudaOpPlans *batches[Y10_CUDA_MAX_SIZE];   /* [n - 1]: newest, or NULL */
  Y10CudaOpPlans *in_use;       /* by the slots, at the most images */
  guint in_use_images;
  int version;                  /* atomic: counts publications */
  int n_submitted, n_running;   /* atomic: steps so far; not waited for yet */
};

/* program.c */
Y10Program *y10_cuda_program_new (Y10Device * device, const Y10Plan * plan,
    Y10Precision precision, GCancellable * cancellable, GError ** error);
void y10_cuda_program_free (Y10Program * program);
Y10KType y10_cuda_type (Y10Precision precision);

/* Prepares @n images in the background, unless they are already. */
void y10_cuda_program_request (Y10Program * program, guint n,
    Y10TuneChanged changed, gpointer data);

/* prepare.c: the thread that prepares batch sizes. Its functions may be called
 * by any thread; free ends it and waits for the convolution it is at. */
Y10CudaPreparer *y10_cuda_preparer_new (Y10Program * program,
    Y10TuneChanged changed, gpointer data, GError ** error);
void y10_cuda_preparer_free (Y10CudaPreparer * preparer);
void y10_cuda_preparer_add (Y10CudaPreparer * preparer, guint n);
gboolean y10_cuda_preparer_is_idle (Y10CudaPreparer * preparer);

/* opplans.c. A new reference to the newest op plans of @n images, which are made
 * if there are none. @stream: to read biases on now; NULL: the first run reads
 * them. Any thread; NULL on error or when cancelled. */
Y10CudaOpPlans *y10_cuda_program_prepare (Y10Program * program, guint n,
    CUstream stream, GCancellable * cancellable, GError ** error);
/* NULL: there are none. */
Y10CudaOpPlans *y10_cuda_program_find (Y10Program * program, guint n);
guint64 y10_cuda_program_get_sizes (Y10Program * program);
/* Marks @n as requested; FALSE: it was already. */
gboolean y10_cuda_program_add_size (Y10Program * program, guint n);
Y10CudaOpPlans *y10_cuda_op_plans_ref (Y10CudaOpPlans * batch);
void y10_cuda_op_plans_unref (Y10CudaOpPlans * batch);
/* The same plans, to be changed before anybody else sees them. */
Y10CudaOpPlans *y10_cuda_op_plans_copy (const Y10CudaOpPlans * batch);
/* Op @op's convolution is @fused from now on, and nothing follows it. */
void y10_cuda_op_plans_fuse (Y10CudaOpPlans * batch, guint op,
    Y10CudaSharedPlan * fused);
/* Takes @plan. */
Y10CudaSharedPlan *y10_cuda_shared_plan_new (Y10CudaConvPlan * plan);
void y10_cuda_shared_plan_unref (Y10CudaSharedPlan * plan);
/* Slots will take @batch over, which belongs to the program from now on. Any
 * thread, as y10_cuda_program_used(), which says that one has. */
void y10_cuda_program_publish (Y10Program * program, guint n,
    Y10CudaOpPlans * batch);
void y10_cuda_program_used (Y10Program * program, guint n,
    Y10CudaOpPlans * batch);
/* FALSE: op @op is no dense convolution, or there is nothing to be fused, or it
 * cannot be. Else @desc is all of it, with SiLU and addition, at @n images. */
gboolean y10_cuda_fused_desc (const Y10Program * program, guint op, guint n,
    Y10CudaConvDesc * desc);
/* Unfused, the result is written to packed memory first. */
gboolean y10_cuda_is_staged (const Y10CudaConvDesc * desc);
/* The convolution and its bias alone. */
Y10CudaConvDesc y10_cuda_unfused_desc (const Y10CudaConvDesc * desc);
const char *y10_cuda_program_impl (Y10Program * program, guint op);

/* ops.c: queues ops [first, end) for @n images. @arena holds max_batch images,
 * tensor by tensor. */
typedef struct
{
  CUdeviceptr arena, scratch;
  guint max_batch;
} Y10CudaMemory;

gboolean y10_cuda_run (const Y10Program * program,
    const Y10CudaOpPlans * batch, const Y10CudaMemory * memory, guint first,
    guint end, guint n, CUstream stream, GError ** error);
/* @v as kernels see it, in image 0. */
Y10KView y10_cuda_view (const Y10Program * program,
    const Y10CudaMemory * memory, Y10View v);

/* weights.c: weights and biases of all ops in the layouts of the kernels; the
 * caller frees the bytes. */
guint8 *y10_cuda_pack (const Y10Program * program, gsize * size,
    GError ** error);

/* slot.c */
Y10Slot *y10_cuda_slot_new (Y10Program * program, guint max_batch,
    guint max_rows, GError ** error);
void y10_cuda_slot_free (Y10Slot * slot);
/* Makes room for the pixels of pictures [0, n) of a step. */
gboolean y10_cuda_slot_reserve (Y10Slot * slot, guint n,
    const Y10Image * image, GError ** error);
/* Copies picture @i of an open step, if it is in host memory. */
gboolean y10_cuda_slot_stage (Y10Slot * slot, guint i, const Y10Image * image,
    GError ** error);
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

/* preprocess.c: pictures of host memory on their way to the device, and the taps
 * of their letterboxes: pinned memory and its copy on the device. */
typedef struct
{
  guint8 *pinned;               /* size bytes; grows with the frames */
  CUdeviceptr device;
  gsize size, staged_size;
  gboolean staged;              /* pinned holds the step's picture */
  CUdeviceptr plane[4];         /* of the staged picture */
  gint64 stride[4];
  Y10KTap *taps;                /* pinned: columns, then rows */
  CUdeviceptr device_taps;
  Y10Letterbox letterbox;       /* the one that device_taps is for */
} Y10CudaInput;

typedef struct
{
  guint max_batch;
  Y10CudaInput *images;
  Y10KPicture *pictures;        /* pinned, as the taps behind them */
  CUdeviceptr device_pictures;
  guint n_loaded;               /* not run yet */
} Y10CudaInputs;

gboolean y10_cuda_inputs_init (Y10CudaInputs * inputs, Y10Device * device,
    const Y10Graph * graph, guint max_batch, GError ** error);
void y10_cuda_inputs_clear (Y10CudaInputs * inputs, Y10Device * device);
/* Makes room for @image's pixels; no step may use the buffer. */
gboolean y10_cuda_input_reserve (Y10CudaInput * input, Y10Device * device,
    const Y10Image * image, GError ** error);
/* Copies the pixels; makes room first where there is none. */
gboolean y10_cuda_input_stage (Y10CudaInput * input, Y10Device * device,
    const Y10Image * image, GError ** error);
/* Queues the copies that picture @i of the step needs; pictures are loaded in
 * order. */
gboolean y10_cuda_inputs_load (Y10CudaInputs * inputs, Y10Device * device,
    guint i, const Y10Image * image, const Y10Letterbox * letterbox,
    CUstream stream, GError ** error);
/* Queues the kernel that reads all loaded pictures into @out. */
gboolean y10_cuda_inputs_run (Y10CudaInputs * inputs,
    const Y10Program * program, Y10KView out, CUstream stream,
    GError ** error);

/* The module's one export. */
__attribute__ ((visibility ("default")))
const Y10BackendClass *y10_backend_module (void);

G_END_DECLS
