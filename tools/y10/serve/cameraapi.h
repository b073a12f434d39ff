/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The REST interface, docs/serve.md. */

#include <libsoup/soup.h>

#include "serve/cameras.h"

G_BEGIN_DECLS

/* @path: behind "/api/". The message is one that may be answered. */
void serve_api_answer (Serve *serve, SoupServerMessage *message,
    const char *path);

G_END_DECLS
