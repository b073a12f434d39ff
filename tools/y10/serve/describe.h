/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* A camera as JSON, without its secrets. */

#include "serve/cameras.h"

G_BEGIN_DECLS

/* Adds an object with all that there is to know. */
void serve_describe (GString *json, const ServeCamera *camera);
/* Returns an object without what changes with each frame, as one line. Free with
 * g_free(). */
char *serve_describe_line (const ServeCamera *camera);

G_END_DECLS
