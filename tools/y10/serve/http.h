/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Requests and answers. */

#include <libsoup/soup.h>

#include "serve/cameras.h"

G_BEGIN_DECLS

/* Answers all requests that come to @server. */
void serve_http_set_up (Serve *serve, SoupServer *server);
void serve_reply_bytes (SoupServerMessage *message, guint status,
    const char *type, GBytes *bytes);
/* Takes @text. */
void serve_reply_text (SoupServerMessage *message, guint status,
    const char *type, char *text);
/* Answers {"error": @text}. */
void serve_reply_error (SoupServerMessage *message, guint status,
    const char *text);

G_END_DECLS
