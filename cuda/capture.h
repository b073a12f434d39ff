/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The work of a slot, queued or captured. */

#include "slot.h"

G_BEGIN_DECLS

/* Bytes of scratch memory for the ops and for the head, which never run at the
 * same time. */
gsize y10_cuda_slot_scratch (const Y10Slot *slot, const Y10CudaOpPlans *batch);
void y10_cuda_slot_set_params (Y10Slot *slot, guint i, const Y10Letterbox *l,
    const Y10HeadParams *params);
/* Queues a copy of all images' parameters, unless the device has them. */
gboolean y10_cuda_slot_copy_params (Y10Slot *slot, GError **error);
gboolean y10_cuda_slot_clear (Y10Slot *slot, guint8 value, GError **error);
/* Queues ops [first, end) on the slot's stream, and the head after the last. */
gboolean y10_cuda_slot_run (Y10Slot *slot, const Y10CudaOpPlans *batch, guint n,
    guint first, guint end, GError **error);
/* Image @i is computed, and nothing found in it: the step has fewer images than
 * the batch size that it runs as. */
void y10_cuda_slot_set_surplus (Y10Slot *slot, guint i);
/* Runs @batch once, captures it and compares the results. FALSE: @batch does not
 * run, and *@error says why. TRUE without *@exec: it runs, but is not captured,
 * because of *@capture_error or because graphs are off. *@differs: because the
 * graph gives other results, as it would again. */
gboolean y10_cuda_slot_warm_up (Y10Slot *slot, const Y10CudaOpPlans *batch,
    guint n, CUgraphExec *exec, gboolean *differs, GError **error,
    GError **capture_error);

G_END_DECLS
