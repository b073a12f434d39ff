/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Connections, and how long each may take.
 *
 * libsoup waits for ever for a client that sends a byte a minute, and takes any number of
 * them. So connections are accepted here: at most so many, each with a deadline for what
 * it is doing. An answer without an end, as a live view is, ends with the session by which
 * it was asked for. */

#include "config.h"

#ifdef HAVE_SERVE

#include <poll.h>
#include <sys/socket.h>

#include "serve/listener.h"

#define MOST_CONNECTIONS 128
#define HEAD_TIME (10 * G_USEC_PER_SEC)
/* Frames that the kernel keeps for a slow viewer only make them late. */
#define SEND_BUFFER (256 << 10)
#define KEY "y10-connection"

struct _ServeListener
{
  SoupServer *server;
  GSocketService *service;
  GTlsCertificate *certificate;
  GPtrArray *connections;
};

struct _ServeConnection
{
  ServeListener *listener;
  GSocket *socket;
  gint64 deadline; /* 0: none */
  char *session;   /* of what is being answered, or NULL */
};

static void
clear_connection (gpointer data)
{
  ServeConnection *connection = data;

  g_object_unref (connection->socket);
  g_free (connection->session);
}

static void
unref_connection (gpointer connection)
{
  g_rc_box_release_full (connection, clear_connection);
}

/* libsoup lets go of a stream when the connection ends. */
static void
on_gone (gpointer data, GObject *stream)
{
  ServeConnection *connection = data;

  if (connection->listener)
    g_ptr_array_remove_fast (connection->listener->connections, connection);
  unref_connection (connection);
}

static gboolean
on_incoming (GSocketService *service, GSocketConnection *incoming,
    GObject *source, gpointer data)
{
  ServeListener *listener = data;
  GSocket *socket = g_socket_connection_get_socket (incoming);
  GSocketAddress *local = g_socket_get_local_address (socket, NULL);
  GSocketAddress *remote = g_socket_get_remote_address (socket, NULL);
  GIOStream *stream = NULL;
  ServeConnection *connection;

  if (local && remote && listener->connections->len < MOST_CONNECTIONS)
    stream = !listener->certificate
        ? g_object_ref (G_IO_STREAM (incoming))
        : g_tls_server_connection_new (G_IO_STREAM (incoming),
            listener->certificate, NULL);
  if (stream) {
    g_socket_set_option (socket, SOL_SOCKET, SO_SNDBUF, SEND_BUFFER, NULL);
    connection = g_rc_box_new0 (ServeConnection);
    connection->listener = listener;
    connection->socket = g_object_ref (socket);
    connection->deadline = g_get_monotonic_time () + HEAD_TIME;
    g_ptr_array_add (listener->connections, g_rc_box_acquire (connection));
    g_object_set_data_full (G_OBJECT (remote), KEY,
        g_rc_box_acquire (connection), unref_connection);
    g_object_weak_ref (G_OBJECT (stream), on_gone, connection);
    soup_server_accept_iostream (listener->server, stream, local, remote, NULL);
    g_object_unref (stream);
  }
  g_clear_object (&local);
  g_clear_object (&remote);
  return TRUE;
}

static ServeConnection *
find_connection (SoupServerMessage *message)
{
  GSocketAddress *remote = soup_server_message_get_remote_address (message);

  return remote ? g_object_get_data (G_OBJECT (remote), KEY) : NULL;
}

gboolean
serve_connection_is_gone (SoupServerMessage *message)
{
  const ServeConnection *connection = find_connection (message);
  struct pollfd state = {
    .fd = connection ? g_socket_get_fd (connection->socket) : -1,
    .events = POLLRDHUP,
  };

  return poll (&state, 1, 0) > 0;
}

void
serve_connection_set_deadline (SoupServerMessage *message, guint seconds)
{
  ServeConnection *connection = find_connection (message);

  if (connection)
    connection->deadline = seconds
        ? g_get_monotonic_time () + (gint64) seconds * G_USEC_PER_SEC
        : 0;
}

void
serve_connection_set_session (SoupServerMessage *message, char *session)
{
  ServeConnection *connection = find_connection (message);

  if (!connection) {
    g_free (session);
    return;
  }
  g_free (connection->session);
  connection->session = session;
}

ServeConnection *
serve_connection_ref (SoupServerMessage *message)
{
  ServeConnection *connection = find_connection (message);

  return connection ? g_rc_box_acquire (connection) : NULL;
}

void
serve_connection_unref (ServeConnection *connection)
{
  if (connection)
    unref_connection (connection);
}

void
serve_connection_end (ServeConnection *connection)
{
  if (connection)
    g_socket_shutdown (connection->socket, TRUE, TRUE, NULL);
}

gboolean
serve_connection_takes (ServeConnection *connection)
{
  return connection
      && g_socket_condition_check (connection->socket, G_IO_OUT) & G_IO_OUT;
}

void
serve_listener_look (ServeListener *listener, const ServeAuth *auth)
{
  const gint64 now = g_get_monotonic_time ();

  /* libsoup sees that the connection has ended, and lets go of it later. */
  for (guint i = 0; i < listener->connections->len; i++) {
    ServeConnection *connection = listener->connections->pdata[i];

    if ((connection->deadline && now > connection->deadline)
        || (connection->session
            && !serve_auth_is_open (auth, connection->session))) {
      connection->deadline = 0;
      g_clear_pointer (&connection->session, g_free);
      g_socket_shutdown (connection->socket, TRUE, TRUE, NULL);
    }
  }
}

ServeListener *
serve_listener_new (SoupServer *server, GInetAddress *address,
    GTlsCertificate *certificate, guint *port, GError **error)
{
  ServeListener *listener = g_new0 (ServeListener, 1);
  GSocketAddress *wanted = g_inet_socket_address_new (address, (guint16) *port);
  GSocketAddress *actual = NULL;

  listener->server = server;
  listener->certificate = certificate;
  listener->connections = g_ptr_array_new_with_free_func (unref_connection);
  listener->service = g_socket_service_new ();
  /* With the default, the eleventh of many at once tries again after a second. */
  g_socket_listener_set_backlog (G_SOCKET_LISTENER (listener->service),
      MOST_CONNECTIONS);
  if (g_socket_listener_add_address (G_SOCKET_LISTENER (listener->service),
          wanted, G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_TCP, NULL, &actual,
          error)) {
    *port = g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (actual));
    g_signal_connect (listener->service, "incoming", G_CALLBACK (on_incoming),
        listener);
    g_socket_service_start (listener->service);
    g_object_unref (actual);
  } else {
    serve_listener_free (g_steal_pointer (&listener));
  }
  g_object_unref (wanted);
  return listener;
}

void
serve_listener_stop (ServeListener *listener)
{
  g_socket_service_stop (listener->service);
  g_socket_listener_close (G_SOCKET_LISTENER (listener->service));
}

gboolean
serve_listener_end (ServeListener *listener)
{
  for (guint i = 0; i < listener->connections->len; i++)
    serve_connection_end (listener->connections->pdata[i]);
  return listener->connections->len == 0;
}

void
serve_listener_free (ServeListener *listener)
{
  serve_listener_stop (listener);
  g_object_unref (listener->service);
  for (guint i = 0; i < listener->connections->len; i++)
    ((ServeConnection *) listener->connections->pdata[i])->listener = NULL;
  g_ptr_array_unref (listener->connections);
  g_free (listener);
}

#endif
