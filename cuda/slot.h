/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* What slot.c, capture.c and takeover.c share: a slot, from inside. */

#include "cuda.h"

G_BEGIN_DECLS

/* How the slot runs one batch size. */
typedef struct
{
  Y10CudaOpPlans *batch;        /* NULL: the size is not prepared here */
  CUgraphExec graph;            /* of batch; NULL: runs kernel by kernel */
  Y10CudaOpPlans *rejected;     /* never tried again; or NULL */
  guint n_failures;             /* captures that failed, one after the other */
  guint64 retry_at;             /* the step before which the next is tried */
} Y10CudaSlotRun;

struct _Y10Slot
{
  Y10Program *program;
  guint max_batch, max_rows;
  CUstream stream;
  CUevent producer, start, input_done, done;
  Y10CudaMemory memory;
  gsize scratch_size;
  Y10CudaInputs inputs;
  Y10CudaSlotRun *runs;         /* [n - 1]: of n images; max_batch */
  guint n_images;               /* of the step */
  gboolean running;             /* submitted and not waited for */
  guint64 n_steps;              /* begun so far */
  guint64 occurred;             /* batch sizes that steps have had */
  int version;                  /* the program's, when last compared */
  guint64 retry_at;             /* the step that tries or captures again */
  Y10KHead head;                /* images is set at each run */
  /* One block of device memory, and of pinned memory, each: params, classes |
   * counts, rows. */
  CUdeviceptr io;
  guint8 *pinned;
  gsize classes_at, counts_at, rows_at, io_size;
  Y10Rows *results;             /* max_batch: views of the pinned rows */
  gfloat ms;                    /* of the last step, on the device */
};

/* capture.c. Bytes of scratch memory for the ops and for the head, which
 * never run at the same time. */
gsize y10_cuda_slot_scratch (const Y10Slot * slot,
    const Y10CudaOpPlans * batch);
void y10_cuda_slot_set_params (Y10Slot * slot, guint i,
    const Y10Letterbox * l, const Y10HeadParams * params);
gboolean y10_cuda_slot_clear (Y10Slot * slot, guint8 value, GError ** error);
/* Queues ops [first, end), and the head after the last. */
gboolean y10_cuda_slot_run (Y10Slot * slot, const Y10CudaOpPlans * batch,
    guint n, guint first, guint end, GError ** error);
/* Image @i is computed, and nothing found in it: the step has fewer images than
 * the batch size that it runs as. */
void y10_cuda_slot_set_surplus (Y10Slot * slot, guint i);
/* Runs @batch once, captures it and compares the results. FALSE: @batch cannot
 * be used. TRUE without @exec: it can, but was not captured, because of
 * @capture_error or because graphs are off. */
gboolean y10_cuda_slot_warm_up (Y10Slot * slot, const Y10CudaOpPlans * batch,
    guint n, CUgraphExec * exec, GError ** error, GError ** capture_error);

/* takeover.c. Runs @n images by @batch from now on; FALSE: it cannot be used. A
 * failed capture is no error. */
gboolean y10_cuda_slot_try (Y10Slot * slot, Y10CudaOpPlans * batch, guint n,
    GError ** error);
/* Between two steps: takes over what the program has published. */
void y10_cuda_slot_take_over (Y10Slot * slot);
/* The batch size that a step of @n images runs as. */
guint y10_cuda_slot_choose_size (Y10Slot * slot, guint n);

G_END_DECLS
