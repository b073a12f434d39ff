/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The engine's threads, and calls that run on the device thread. */

#include "run/slot.h"

G_BEGIN_DECLS

typedef gboolean (
    *Y10DeviceCall) (Y10Engine *engine, gpointer data, GError **error);

/* Starts the engine's threads. After quit is set they finish the queued steps,
 * free what the backend allocated and end. */
gboolean y10_engine_start (Y10Engine *engine, GError **error);
/* Opens the device, compiles the model and allocates the slots. Runs on the
 * device thread; @data: the GCancellable. */
gboolean y10_engine_make_device (Y10Engine *engine, gpointer data,
    GError **error);
/* Runs @call on the device thread, between steps, and waits for it. Fails without a
 * call once the device is lost; a call can be what loses it. */
gboolean y10_engine_call (Y10Engine *engine, Y10DeviceCall call, gpointer data,
    GError **error);
/* Whether the caller is one of the engine's threads. */
gboolean y10_engine_is_own_thread (const Y10Engine *engine);
gboolean y10_engine_load_images (Y10Engine *engine, Y10EngineSlot *slot,
    GError **error);

G_END_DECLS
