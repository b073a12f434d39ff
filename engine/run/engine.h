/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Engines as engine/run and engine/stream make them, and what becomes of a
 * configuration. */

#include "run/state.h"

G_BEGIN_DECLS

/* Copies a caller's struct, of any version, over the defaults in @to. */
gboolean y10_engine_config_read (Y10EngineConfig *to,
    const Y10EngineConfig *from, GError **error);
/* Fills in the input size and head that @config leaves to the model. */
void y10_engine_resolve_input (const Y10Model *model, Y10EngineConfig *config);
/* Checks a configuration for @model and replaces 0 and auto where the model
 * decides. */
gboolean y10_engine_config_resolve (const Y10Model *model,
    Y10EngineConfig *config, GError **error);
/* y10_engine_new() with a chosen backend and a resolved @config.
 * @fallback_reason (nullable): why auto chose no faster one. */
Y10Engine *y10_engine_create (Y10Model *model, const Y10EngineConfig *config,
    const Y10BackendClass *backend, const char *fallback_reason,
    GCancellable *cancellable, GError **error);
const Y10Graph *y10_engine_get_graph (const Y10Engine *engine);
const Y10Plan *y10_engine_get_plan (const Y10Engine *engine);

G_END_DECLS
