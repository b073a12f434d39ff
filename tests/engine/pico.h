/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Engines for the smallest network, pico-nc3, on any backend; their rows and their
 * tuning. */

#include "util.h"

G_BEGIN_DECLS

#define PICO_SIZE 32     /* of its input */
#define PICO_MAX_ROWS 63 /* 21 anchors of 3 classes */

/* The defaults with that size and all rows. */
void pico_config_init (Y10EngineConfig *config, Y10BackendKind backend);
/* Fails the test where there is no engine, unless @error takes the reason. */
Y10Engine *pico_engine (const Y10EngineConfig *config, GError **error);

/* Whether both have the same class, and confidences and edges that differ by at most
 * @score and @box. */
gboolean pico_row_is_near (const Y10Detection *a, const Y10Detection *b,
    double score, double box);

/* Waits until everything is tuned. */
void pico_wait_tuned (Y10Engine *engine, Y10TuningProgress *progress);

G_END_DECLS
