/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* A slot, from inside, and what the backend's class calls. Slots for other input sizes
 * have a base, and of them and it one at a time has a step. */

#include "kernels/head.h"
#include "ops.h"
#include "preprocess.h"
#include "streams.h"

G_BEGIN_DECLS

/* How the slot runs one batch size. */
typedef struct
{
  Y10CudaOpPlans *batch;    /* NULL: the size is not prepared here */
  CUgraphExec graph;        /* of batch; NULL: runs kernel by kernel */
  Y10CudaOpPlans *rejected; /* never tried or captured again; or NULL */
  guint n_failures;         /* tries that failed, one after the other */
  guint64 retry_at;         /* the step before which the next is tried */
  gint64 expected;          /* ns on the device; 0 at first */
} Y10CudaSlotRun;

struct _Y10Slot
{
  Y10Program *program;
  Y10Slot *
      base; /* of the first program, whose stream and pictures it uses; itself */
  guint max_batch, max_rows;
  CUstream stream;
  Y10CudaStreams lanes; /* while a graph is captured */
  CUevent producer, start, input_done, done;
  Y10CudaMemory memory;
  gsize scratch_size;
  Y10CudaInputs own_inputs, *inputs;
  Y10CudaSlotRun *runs; /* [n - 1]: of n images; max_batch */
  guint n_images, size; /* of the step; that it runs as */
  gint64 submitted;     /* when it was; ns */
  gboolean running;     /* submitted and not waited for */
  guint64 n_steps;      /* begun so far */
  int version;          /* the program's, when last compared */
  guint64 retry_at;     /* the step that tries or captures again */
  Y10KHead head;        /* images is set at each run */
  /* One block of pinned memory: params, classes | counts, rows. The device has a copy
   * of the first part, and writes the second where it is. */
  guint8 *pinned;
  guint8 *copied; /* what is in params */
  CUdeviceptr params, mapped;
  gsize classes_at, counts_at, rows_at, pinned_size;
  Y10Rows *results; /* max_batch: views of the pinned rows */
  gfloat ms;        /* of the last step, on the device */
};

/* @base: for a program that has a base, a slot of that, of the same sizes; or NULL. */
Y10Slot *y10_cuda_slot_new (Y10Program *program, Y10Slot *base, guint max_batch,
    guint max_rows, GError **error);
void y10_cuda_slot_free (Y10Slot *slot);
/* Makes room for the pixels of pictures [0, n) of a step. */
gboolean y10_cuda_slot_reserve (Y10Slot *slot, guint n, const Y10Image *image,
    GError **error);
/* Copies picture @i of an open step, if it is in host memory. */
gboolean y10_cuda_slot_stage (Y10Slot *slot, guint i, const Y10Image *image,
    GError **error);
gboolean y10_cuda_slot_load (Y10Slot *slot, guint i, const Y10Image *image,
    const Y10Letterbox *letterbox, const Y10HeadParams *params, GError **error);
gboolean y10_cuda_slot_submit (Y10Slot *slot, guint n, guint first, guint end,
    GError **error);
gboolean y10_cuda_slot_wait_input (Y10Slot *slot, GError **error);
gboolean y10_cuda_slot_wait (Y10Slot *slot, GError **error);
const Y10Rows *y10_cuda_slot_rows (Y10Slot *slot, guint i);
void y10_cuda_slot_times (Y10Slot *slot, gint64 *inference,
    gint64 *postprocess);
gboolean y10_cuda_slot_copy (Y10Slot *slot, guint i, Y10View view, gfloat *out,
    const gfloat *in, GError **error);
void y10_cuda_slot_poison (Y10Slot *slot);

G_END_DECLS
