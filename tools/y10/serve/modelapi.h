/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The model, and the choice of another one, for requests. */

#include <libsoup/soup.h>

#include "serve/cameras.h"

G_BEGIN_DECLS

/* Answers GET and PATCH model; FALSE if @path, behind "/api/", is another one. */
gboolean serve_model_answer (Serve *serve, SoupServerMessage *message,
    const char *path);

G_END_DECLS
