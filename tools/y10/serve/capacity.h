/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* How many more cameras this machine carries, by what those that run take. */

#include <libsoup/soup.h>

#include "serve/cameras.h"

G_BEGIN_DECLS

typedef struct _ServeCapacity ServeCapacity;

ServeCapacity *serve_capacity_new (void);
void serve_capacity_free (ServeCapacity *capacity);
/* To be called a few times a second. */
void serve_capacity_look (ServeCapacity *capacity);
/* Answers GET capacity; FALSE if @path, behind "/api/", is another one. */
gboolean serve_capacity_answer (Serve *serve, SoupServerMessage *message,
    const char *path);

G_END_DECLS
