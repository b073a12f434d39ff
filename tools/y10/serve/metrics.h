/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Counters for Prometheus. */

#include "serve/cameras.h"

G_BEGIN_DECLS

/* Returns them in its text format; free with g_free(). */
char *serve_metrics (Serve *serve);

G_END_DECLS
