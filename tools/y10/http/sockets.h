/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Websockets, by which pages are told what changes. Main thread only. */

#include "http/reply.h"

typedef struct _HttpSockets HttpSockets;

/* Returns what a client that comes is told first. Free with g_free(). */
typedef char *(*HttpGreeting) (gpointer user);

HttpSockets *http_sockets_new (HttpGreeting greet, gpointer user);
/* Closes all. */
void http_sockets_free (HttpSockets *sockets);
gboolean http_sockets_are_any (const HttpSockets *sockets);
/* Sends @line to all. One that does not read is left. */
void http_sockets_send (HttpSockets *sockets, const char *line);
/* Accepts websockets at @path. Requests to it go through http_sockets_judge() first. */
void http_sockets_listen (HttpSockets *sockets, SoupServer *server,
    const char *path);
/* Of an HttpSockets: answers a request that cannot become a websocket, and leaves one that
 * can. */
HttpHandler http_sockets_judge;
