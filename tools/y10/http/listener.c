/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The address, and who is connected.
 *
 * libsoup takes any number of connections, so they are accepted here: at most so many.
 * When all are taken, one of those who have shown neither token nor session makes room:
 * of the address that has most of them, the one that is there for the longest time. An
 * answer without an end, as a live view is, ends with the session by which it was asked
 * for. */

#include "config.h"

#ifdef HAVE_SERVE

#include <string.h>
#include <sys/socket.h>

#include "http/handshake.h"
#include "http/listener.h"

#define MAX_CONNECTIONS 128
#define MAX_AT_ONCE 256 /* that are accepted between two requests, */
#define MAX_TAKEN 16    /* and handed on */
/* Frames that the kernel keeps for a slow viewer only make them late. */
#define SEND_BUFFER (256 << 10)

struct _HttpListener
{
  SoupServer *server;
  GSocket *socket;
  GSource *source;
  HttpHandshakes *handshakes; /* NULL: without TLS */
  GPtrArray *connections;
};

/* A connection until libsoup has it. */
typedef struct
{
  HttpConnection *connection;
  GSocketAddress *local, *remote;
} Arrival;

static void
forget (HttpConnection *connection)
{
  HttpListener *listener = connection->listener;

  connection->listener = NULL;
  if (listener)
    g_ptr_array_remove_fast (listener->connections, connection);
}

static void
free_arrival (Arrival *arrival)
{
  http_connection_unref (arrival->connection);
  g_object_unref (arrival->local);
  g_object_unref (arrival->remote);
  g_free (arrival);
}

/* libsoup lets go of a stream when the connection ends. */
static void
on_gone (gpointer connection, GObject *stream)
{
  forget (connection);
  http_connection_unref (connection);
}

/* A HttpHandshakeFunc. */
static void
hand_over (GIOStream *stream, gpointer data)
{
  Arrival *arrival = data;
  HttpConnection *connection = arrival->connection;

  if (stream && connection->listener) {
    g_autoptr (GIOStream)
        tap = http_connection_guard (connection, g_steal_pointer (&stream));

    g_object_weak_ref (G_OBJECT (tap), on_gone, g_rc_box_acquire (connection));
    soup_server_accept_iostream (connection->listener->server, tap,
        arrival->local, arrival->remote, NULL);
  } else {
    forget (connection);
  }
  g_clear_object (&stream);
  free_arrival (arrival);
}

static guint
count_untrusted (const GPtrArray *connections, const guint8 *place)
{
  guint n = 0;

  for (guint i = 0; i < connections->len; i++) {
    const HttpConnection *connection = connections->pdata[i];

    n += !connection->trusted && !memcmp (connection->place, place, HTTP_PLACE);
  }
  return n;
}

static void
make_room (HttpListener *listener)
{
  HttpConnection *found = NULL;
  guint most = 0;

  for (guint i = 0; i < listener->connections->len; i++) {
    HttpConnection *connection = listener->connections->pdata[i];
    guint n;

    if (connection->trusted)
      continue;
    n = count_untrusted (listener->connections, connection->place);
    if (n > most || (n == most && connection->since < found->since)) {
      most = n;
      found = connection;
    }
  }
  if (!found)
    return;
  http_connection_end (found);
  forget (found);
}

/* Whether it has closed the connection and sent nothing. */
static gboolean
is_gone (GSocket *socket)
{
  char byte;

  return recv (g_socket_get_fd (socket), &byte, 1, MSG_PEEK | MSG_DONTWAIT)
      == 0;
}

/* Returns NULL if the client has gone already. */
static Arrival *
receive (GSocket *socket)
{
  g_autoptr (GSocketAddress) local = g_socket_get_local_address (socket, NULL);
  g_autoptr (GSocketAddress)
      remote = g_socket_get_remote_address (socket, NULL);
  Arrival *arrival = NULL;

  if (local && remote && !is_gone (socket)) {
    arrival = g_new0 (Arrival, 1);
    arrival->connection = http_connection_new (socket, remote);
    arrival->local = g_object_ref (local);
    arrival->remote = g_object_ref (remote);
  }
  return arrival;
}

static void
take (HttpListener *listener, Arrival *arrival)
{
  HttpConnection *connection = arrival->connection;
  GIOStream *stream = G_IO_STREAM (
      g_socket_connection_factory_create_connection (connection->socket));

  g_socket_set_option (connection->socket, SOL_SOCKET, SO_SNDBUF, SEND_BUFFER,
      NULL);
  connection->listener = listener;
  g_ptr_array_add (listener->connections, g_rc_box_acquire (connection));
  if (listener->handshakes)
    http_handshakes_begin (listener->handshakes, connection, stream, hand_over,
        arrival);
  else
    hand_over (stream, arrival);
}

static gboolean
on_incoming (GSocket *listening, GIOCondition condition, gpointer data)
{
  HttpListener *listener = data;
  guint n_taken = 0;

  for (guint i = 0; i < MAX_AT_ONCE && n_taken < MAX_TAKEN; i++) {
    g_autoptr (GSocket) socket = g_socket_accept (listening, NULL, NULL);
    Arrival *arrival = socket ? receive (socket) : NULL;

    if (!socket)
      break;
    if (!arrival)
      continue;
    if (listener->connections->len >= MAX_CONNECTIONS)
      make_room (listener);
    if (listener->connections->len < MAX_CONNECTIONS) {
      take (listener, arrival);
      n_taken++;
    } else {
      free_arrival (arrival);
    }
  }
  return G_SOURCE_CONTINUE;
}

static gboolean
listen_at (HttpListener *listener, GInetAddress *address, guint *port,
    GError **error)
{
  g_autoptr (GSocketAddress)
      wanted = g_inet_socket_address_new (address, (guint16) *port);
  g_autoptr (GSocketAddress) actual = NULL;

  listener->socket = g_socket_new (g_inet_address_get_family (address),
      G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_TCP, error);
  if (listener->socket) {
    g_socket_set_blocking (listener->socket, FALSE);
    /* A client whose attempt finds no room tries again after a second. */
    g_socket_set_listen_backlog (listener->socket, SOMAXCONN);
    if (g_socket_bind (listener->socket, wanted, TRUE, error)
        && g_socket_listen (listener->socket, error))
      actual = g_socket_get_local_address (listener->socket, error);
  }
  if (!actual)
    return FALSE;
  *port = g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (actual));
  return TRUE;
}

HttpListener *
http_listener_new (SoupServer *server, GInetAddress *address,
    GTlsCertificate *certificate, guint *port, GError **error)
{
  HttpListener *listener = g_new0 (HttpListener, 1);

  listener->server = server;
  listener->connections = g_ptr_array_new_with_free_func (
      http_connection_unref);
  if (!listen_at (listener, address, port, error)) {
    http_listener_free (listener);
    return NULL;
  }
  if (certificate)
    listener->handshakes = http_handshakes_new (certificate);
  listener->source = g_socket_create_source (listener->socket, G_IO_IN, NULL);
  g_source_set_callback (listener->source, G_SOURCE_FUNC (on_incoming),
      listener, NULL);
  g_source_attach (listener->source, NULL);
  return listener;
}

void
http_listener_stop (HttpListener *listener)
{
  if (listener->source)
    g_source_destroy (listener->source);
  g_clear_pointer (&listener->source, g_source_unref);
  g_clear_object (&listener->socket);
}

gboolean
http_listener_end (HttpListener *listener)
{
  for (guint i = 0; i < listener->connections->len; i++)
    http_connection_end (listener->connections->pdata[i]);
  return listener->connections->len == 0;
}

void
http_listener_free (HttpListener *listener)
{
  http_listener_stop (listener);
  for (guint i = 0; i < listener->connections->len; i++) {
    HttpConnection *connection = listener->connections->pdata[i];

    connection->listener = NULL;
    http_connection_end (connection);
  }
  g_clear_pointer (&listener->handshakes, http_handshakes_free);
  g_ptr_array_unref (listener->connections);
  g_free (listener);
}

#endif
