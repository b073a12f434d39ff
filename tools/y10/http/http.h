/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Requests, and the routes to what answers them. Main thread only. */

#include "http/auth.h"
#include "http/reply.h"

/* Without a flag, a route needs a session or the token, and a body has at most 4 KiB. */
typedef enum
{
  HTTP_PUBLIC = 1 << 0,    /* for anyone */
  HTTP_PROBE = 1 << 1,     /* likewise, and whatever host is asked for */
  HTTP_HEAD = 1 << 2,      /* GET, and HEAD with it */
  HTTP_LARGE = 1 << 3,     /* a body of at most 64 KiB */
  HTTP_WEBSOCKET = 1 << 4, /* of an HttpSockets */
} HttpRouteFlags;

typedef struct
{
  const char *method; /* NULL: all */
  const char *path;   /* may have one star, for any text */
  HttpRouteFlags flags;
  HttpHandler *handler;
  gpointer data; /* for the handler; borrowed */
} HttpRoute;

typedef struct _HttpServer HttpServer;

/* Answers requests to @soup by the first of @routes that fits the path, of those with that
 * path the one that has the method. @routes are copied; their texts are borrowed. */
HttpServer *http_server_new (SoupServer *soup, HttpAuth *auth,
    const HttpRoute *routes, gsize n_routes);
/* From now on nothing is answered. */
void http_server_stop (HttpServer *http);
void http_server_free (HttpServer *http);
