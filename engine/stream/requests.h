/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Requests without their images: what the public functions call once they have
 * checked them, and what tests call for a scheduler without an engine. */

#include "stream/request.h"

G_BEGIN_DECLS

/* Queues a request behind the others of its stream. @n_parts: 1 for a whole image.
 * Any thread; does not block. */
void y10_engine_stream_queue (Y10EngineStream *stream,
    Y10EngineRequest *request, guint n_parts);
/* Queues it in place of those, as y10_line_replace(). Returns FALSE if there were
 * none; it was not queued then. Any thread; does not block. */
gboolean y10_engine_stream_queue_instead (Y10EngineStream *stream,
    Y10EngineRequest *request, guint n_parts);
/* As y10_place_withdraw(); FALSE if it was never queued. Any thread; does not
 * block. */
gboolean y10_engine_request_withdraw (Y10EngineRequest *request);
/* Waits until @request is over, or until @until as for y10_engine_request_wait().
 * Once it is answered, all requests that its stream queued before it are over, too.
 * Several threads may wait, but not the scheduler's. Returns its state. */
Y10PlaceState y10_engine_request_await (Y10EngineRequest *request,
    gint64 until);

G_END_DECLS
