/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Websockets, by which pages are told what changes. */

#include <libsoup/soup.h>

#include "serve/cameras.h"

G_BEGIN_DECLS

#define SERVE_PUSH_PATH "/api/live"

/* Accepts websockets at that path. Requests to it go through serve_push_judge() first. */
ServePush *serve_push_new (Serve *serve, SoupServer *server);
/* Closes all. */
void serve_push_free (ServePush *push);
/* Answers a request that cannot become a websocket, and leaves one that can. */
void serve_push_judge (Serve *serve, SoupServerMessage *message);
/* Sends @line, a JSON object with a member "type", to all pages. One that does not read
 * is left. */
void serve_push_json (Serve *serve, const char *line);
/* Tells what has changed of cameras; to be called a few times a second. */
void serve_push_look (Serve *serve);

G_END_DECLS
