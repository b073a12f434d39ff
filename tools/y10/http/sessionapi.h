/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Sessions, for requests. */

#include <libsoup/soup.h>

#include "serve/cameras.h"

G_BEGIN_DECLS

/* Answers a request to /api/@path if it is to a session or to all of them; returns whether
 * it is. */
gboolean serve_session_answer (Serve *serve, SoupServerMessage *message,
    const char *path);

G_END_DECLS
