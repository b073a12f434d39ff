/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Batch sizes and faster plans, which the backend prepares in the background. */

#include <y10/engine.h>

G_BEGIN_DECLS

/* Y10TuneChanged for the backend. */
void y10_engine_tuned (gpointer engine);
/* Prepares steps of @n images, in the background: a GPU runs 1, 2, 4, 8, … and
 * max_batch images at a time and rounds other numbers up. Repeated requests and
 * numbers above max_batch do nothing. Waits for the device thread's turn; never
 * call it from a thread of the engine, as Y10StepDone is. */
void y10_engine_request_batch_size (Y10Engine *engine, guint n);

G_END_DECLS
