/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The input sizes of an engine: one, or with auto_size one for each shape of images. */

#include "run/state.h"

G_BEGIN_DECLS

/* Makes the plan, the program and the slots' memory for an input of the configured size,
 * which the engine's other shapes share the weights with. Device thread. */
gboolean y10_engine_make_first_shape (Y10Engine *engine,
    GCancellable *cancellable, GError **error);
/* Frees all of them. Device thread. */
void y10_engine_free_shapes (Y10Engine *engine);
/* Gives @slot its memory for the size of its step, which is made if there is none. Device
 * thread, between steps. */
gboolean y10_slot_enter_shape (Y10Engine *engine, Y10EngineSlot *slot,
    GError **error);
/* The shape of @width × @height, which is made if there is none. Device thread, between
 * steps. */
Y10Shape *y10_engine_need_shape (Y10Engine *engine, guint width, guint height,
    GError **error);

/* Lets the backend prepare steps of @n images in all shapes, those to come included.
 * Device thread. */
void y10_engine_prepare_batch_size (Y10Engine *engine, guint n);
/* The graph of the shape that @step's slot has: of its size, once its images have been
 * loaded. */
const Y10Graph *y10_step_get_graph (const Y10Step *step);

/* Bytes of the activations of all shapes that there are. Any thread. */
gsize y10_engine_get_all_arenas_size (Y10Engine *engine);
/* Bytes of weights that shapes have beside the first one's. For tests. */
gsize y10_engine_get_more_weights_size (Y10Engine *engine);
/* Number of shapes that there are. For tests. */
guint y10_engine_count_shapes (Y10Engine *engine);

G_END_DECLS
