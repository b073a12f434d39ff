/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* What a slot is made of, for slot.c and capture.c. */

#include "cuda.h"

G_BEGIN_DECLS

struct _Y10Slot
{
  Y10Program *program;
  guint max_batch, max_rows;
  CUstream stream;
  CUevent producer, start, input_done, done;
  Y10CudaMemory memory;
  gsize scratch_size;
  Y10CudaInput *inputs;         /* max_batch */
  CUgraphExec *graphs;          /* [n - 1]: of n images, or NULL */
  Y10CudaOpPlans **batches;       /* [n - 1]: what it was captured from */
  int version;                  /* the program's, when it was last looked at */
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
/* Queues nothing: records what a run of @n images queues. What is captured has
 * been run once before, so that nothing is loaded lazily any more. */
gboolean y10_cuda_slot_capture (Y10Slot * slot, const Y10CudaOpPlans * batch,
    guint n, CUgraphExec * exec, GError ** error);
/* Runs @batch once, then captures it and compares. */
gboolean y10_cuda_slot_warm_up (Y10Slot * slot, const Y10CudaOpPlans * batch,
    guint n, CUgraphExec * exec, GError ** error);
/* What runs @n images here; borrowed. */
Y10CudaOpPlans *y10_cuda_slot_find_batch (Y10Slot * slot, guint n,
    GError ** error);
/* Between two steps: takes over what the program has better. */
void y10_cuda_slot_look_for_better (Y10Slot * slot);

G_END_DECLS
