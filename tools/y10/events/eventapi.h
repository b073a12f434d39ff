/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Events by HTTP. */

#include <libsoup/soup.h>

#include "serve/cameras.h"

G_BEGIN_DECLS

/* Begins to follow the spool of the settings, if there is one. */
void serve_events_start (Serve *serve);
void serve_events_stop (Serve *serve);

/* Whether @path, behind /api/, is one of events; it is answered then. */
gboolean serve_events_answer (Serve *serve, SoupServerMessage *message,
    const char *path);

G_END_DECLS
