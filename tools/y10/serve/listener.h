/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Connections, and how long each may take. */

#include "serve/auth.h"

G_BEGIN_DECLS

typedef struct _ServeListener ServeListener;
typedef struct _ServeConnection ServeConnection;

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
/* The connection of @message ends after @seconds, unless it is told otherwise by then; 0:
 * it does not. */
void serve_connection_set_deadline (SoupServerMessage *message, guint seconds);
/* The connection of @message ends with a session, or not any more for NULL. Takes
 * @session. */
void serve_connection_set_session (SoupServerMessage *message, char *session);

/* The connection of @message, or NULL, for longer than the message has it. */
ServeConnection *serve_connection_ref (SoupServerMessage *message);
void serve_connection_unref (ServeConnection *connection);
/* Ends it at once. */
void serve_connection_end (ServeConnection *connection);
/* Whether the kernel has room for more to send. */
gboolean serve_connection_takes (ServeConnection *connection);
/* Whether the client has closed the connection of @message; libsoup notices only when it
 * writes. */
gboolean serve_connection_is_gone (SoupServerMessage *message);

G_END_DECLS
