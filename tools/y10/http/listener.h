/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The address, and who is connected. */

#include "http/auth.h"
#include "http/connection.h"

G_BEGIN_DECLS

typedef struct _ServeListener ServeListener;

/* Hands connections to @server. @certificate: for TLS, or NULL. @port: set to the port,
 * which the system chooses for 0. */
ServeListener *serve_listener_new (SoupServer *server, GInetAddress *address,
    GTlsCertificate *certificate, guint *port, GError **error);
void serve_listener_free (ServeListener *listener);
/* Accepts no connection any more; those that there are, stay. */
void serve_listener_stop (ServeListener *listener);
/* Shuts all connections down. Returns whether none is left: libsoup lets go of them while
 * the main context runs. */
gboolean serve_listener_end (ServeListener *listener);
/* Ends connections that are late, and those whose session has ended; to be called a few
 * times a second. */
void serve_listener_look (ServeListener *listener, const ServeAuth *auth);

G_END_DECLS
