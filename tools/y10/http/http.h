/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Requests, and who answers them. */

#include <libsoup/soup.h>

#include "serve/cameras.h"

G_BEGIN_DECLS

/* Answers all requests that come to @server. */
void serve_http_set_up (Serve *serve, SoupServer *server);
/* Answers no request any more, nor a websocket whose handshake is under way. */
void serve_http_stop (SoupServer *server);

G_END_DECLS
