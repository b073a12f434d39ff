/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The address, and who is connected. */

#include "http/auth.h"
#include "http/connection.h"

typedef struct _HttpListener HttpListener;

/* Hands connections to @server. @certificate: for TLS, or NULL. @port: set to the port,
 * which the system chooses for 0. */
HttpListener *http_listener_new (SoupServer *server, GInetAddress *address,
    GTlsCertificate *certificate, guint *port, GError **error);
void http_listener_free (HttpListener *listener);
/* Accepts no connection any more; those that there are, stay. */
void http_listener_stop (HttpListener *listener);
/* Shuts all connections down. Returns whether none is left: libsoup lets go of them while
 * the main context runs. */
gboolean http_listener_end (HttpListener *listener);
