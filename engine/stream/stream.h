/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "stream/request.h"

G_BEGIN_DECLS

/* A stream without a shared engine. @scheduler must outlive it. */
Y10EngineStream *y10_engine_stream_new_on (Y10Scheduler *scheduler,
    gint priority);

G_END_DECLS
