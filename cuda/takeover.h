/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Which op plans a slot runs for each batch size. */

#include "slot.h"

G_BEGIN_DECLS

/* Runs @n images by @batch from now on; FALSE: it does not run. A failed capture is
 * no error, nor is a graph that gives other results: then nothing changes, or, where
 * the slot has no other plans, @batch runs uncaptured. */
gboolean y10_cuda_slot_try (Y10Slot *slot, Y10CudaOpPlans *batch, guint n,
    GError **error);
/* Between two steps: takes over what the program has published. */
void y10_cuda_slot_take_over (Y10Slot *slot);
/* The batch size that a step of @n images runs as. */
guint y10_cuda_slot_choose_size (Y10Slot *slot, guint n);

G_END_DECLS
