/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Connections: what each may take of time and of bytes.
 *
 * libsoup waits for ever for a client that sends a byte a minute, and reads whatever a
 * client sends: bodies of requests that were refused, and messages of websockets that
 * have no end. So a connection has a deadline for what it is doing, and a number of bytes
 * that may come until it does something else. One that has sent more is closed. */

#include "config.h"

#ifdef HAVE_SERVE

#include <fcntl.h>
#include <poll.h>
#include <string.h>

#include "http/connection.h"
#include "http/tap.h"

#define KEY "y10-connection"
#define HEAD_TIME 10   /* s */
#define MAX_HEAD 16384 /* bytes, of */
#define MAX_LINES 100
/* Bytes. Most of it is thrown away: a client that is refused reads the answer only once it
 * has sent all. */
#define MAX_BODY (1 << 20)
#define MAX_WEBSOCKET 1024                /* bytes, within */
#define WEBSOCKET_TIME 30                 /* s: answers to pings, */
#define MAX_EVER (256 << 10)              /* and in all */
#define SESSION_TIME (G_USEC_PER_SEC / 4) /* between looks at a session */

static HttpConnection *
find_connection (SoupServerMessage *message)
{
  GSocketAddress *remote = soup_server_message_get_remote_address (message);

  return remote ? g_object_get_data (G_OBJECT (remote), KEY) : NULL;
}

static gint64
get_time_in (guint seconds)
{
  return g_get_monotonic_time () + (gint64) seconds * G_USEC_PER_SEC;
}

/* A session can also end by the clock, of which nobody tells. */
static void
set_alarm (HttpConnection *connection)
{
  const gint64 time = connection->session
      ? MIN (connection->next_look, connection->deadline)
      : connection->deadline;

  g_source_set_ready_time (connection->alarm, time < G_MAXINT64 ? time : -1);
}

static void
set_deadline (HttpConnection *connection, guint seconds)
{
  connection->deadline = seconds ? get_time_in (seconds) : G_MAXINT64;
  set_alarm (connection);
}

/* libsoup sees that the connection has ended, and lets go of it later. */
static gboolean
on_alarm (GSource *alarm, GSourceFunc unused, gpointer data)
{
  HttpConnection *connection = data;

  if (g_get_monotonic_time () >= connection->deadline
      || (connection->session
          && !http_auth_is_open (connection->auth, connection->session))) {
    connection->deadline = G_MAXINT64;
    g_clear_pointer (&connection->session, g_free);
    http_connection_end (connection);
  }
  connection->next_look = g_get_monotonic_time () + SESSION_TIME;
  set_alarm (connection);
  return G_SOURCE_CONTINUE;
}

static GSource *
make_alarm (HttpConnection *connection)
{
  static GSourceFuncs funcs = { .dispatch = on_alarm };
  GSource *alarm = g_source_new (&funcs, sizeof *alarm);

  g_source_set_callback (alarm, NULL, connection, NULL);
  g_source_attach (alarm, NULL);
  return alarm;
}

/* Whoever has an IPv6 address has 2^64 of them. */
static void
set_place (HttpConnection *connection, GSocketAddress *remote)
{
  static const guint8 mapped[12] = { [10] = 0xff, [11] = 0xff };
  GInetAddress *address = G_IS_INET_SOCKET_ADDRESS (remote)
      ? g_inet_socket_address_get_address (G_INET_SOCKET_ADDRESS (remote))
      : NULL;
  const guint8 *bytes = address ? g_inet_address_to_bytes (address) : NULL;

  if (!bytes)
    return;
  memcpy (connection->place, mapped, sizeof mapped);
  if (g_inet_address_get_family (address) == G_SOCKET_FAMILY_IPV4)
    memcpy (connection->place + sizeof mapped, bytes, 4);
  else if (!memcmp (bytes, mapped, sizeof mapped))
    memcpy (connection->place, bytes, HTTP_PLACE);
  else
    memcpy (memset (connection->place, 0, HTTP_PLACE), bytes, 8);
}

static void
allow (HttpConnection *connection, gsize bytes, gboolean head)
{
  connection->allowed = bytes;
  connection->quota = G_MAXSIZE;
  connection->refill = G_MAXINT64;
  connection->in_head = head;
  connection->in_line = connection->has_text = FALSE;
  connection->n_lines = 0;
}

HttpConnection *
http_connection_new (GSocket *socket, GSocketAddress *remote)
{
  HttpConnection *connection = g_rc_box_new0 (HttpConnection);

  connection->socket = g_object_ref (socket);
  connection->since = g_get_monotonic_time ();
  connection->alarm = make_alarm (connection);
  set_deadline (connection, HEAD_TIME);
  allow (connection, MAX_HEAD, TRUE);
  set_place (connection, remote);
  g_object_set_data_full (G_OBJECT (remote), KEY, g_rc_box_acquire (connection),
      http_connection_unref);
  return connection;
}

static void
clear_connection (gpointer data)
{
  HttpConnection *connection = data;

  g_source_destroy (connection->alarm);
  g_source_unref (connection->alarm);
  g_object_unref (connection->socket);
  g_free (connection->session);
}

void
http_connection_unref (gpointer connection)
{
  if (connection)
    g_rc_box_release_full (connection, clear_connection);
}

/* Counts the lines of a head, for each of which libsoup moves all behind it. What follows
 * the head in the same read is not counted. */
static gboolean
admit_lines (HttpConnection *connection, const guint8 *bytes, gsize n)
{
  for (gsize i = 0; i < n && connection->in_head; i++) {
    if (bytes[i] == '\n') {
      connection->in_head = connection->in_line || !connection->has_text;
      connection->in_line = FALSE;
      if (++connection->n_lines > MAX_LINES)
        return FALSE;
    } else if (bytes[i] != '\r') {
      connection->in_line = connection->has_text = TRUE;
    }
  }
  return TRUE;
}

static gboolean
admit (const guint8 *bytes, gsize n, gpointer data)
{
  HttpConnection *connection = data;

  if (g_get_monotonic_time () > connection->refill) {
    connection->quota = MAX_WEBSOCKET;
    connection->refill = get_time_in (WEBSOCKET_TIME);
  }
  if (n > MIN (connection->allowed, connection->quota))
    return FALSE;
  connection->allowed -= n;
  connection->quota -= n;
  return admit_lines (connection, bytes, n);
}

static void
count (gsize n, gpointer data)
{
  HttpConnection *connection = data;

  connection->n_written += n;
}

GIOStream *
http_connection_guard (HttpConnection *connection, GIOStream *stream)
{
  static const HttpTapFuncs funcs = { admit, count, http_connection_unref };
  GIOStream *tap = http_tap_new (stream, connection->socket, &funcs,
      g_rc_box_acquire (connection));

  g_object_unref (stream);
  return tap;
}

void
http_connection_begin (SoupServerMessage *message)
{
  http_connection_set_deadline (message, HEAD_TIME);
}

void
http_connection_expect_body (SoupServerMessage *message, guint seconds)
{
  HttpConnection *connection = find_connection (message);

  if (!connection)
    return;
  allow (connection, MAX_BODY, FALSE);
  set_deadline (connection, seconds);
}

void
http_connection_expect_head (SoupServerMessage *message, guint seconds)
{
  HttpConnection *connection = find_connection (message);

  if (!connection)
    return;
  allow (connection, MAX_HEAD, TRUE);
  connection->since = g_get_monotonic_time ();
  connection->trusted = FALSE;
  g_clear_pointer (&connection->session, g_free);
  set_deadline (connection, seconds);
}

void
http_connection_expect_nothing (SoupServerMessage *message)
{
  HttpConnection *connection = find_connection (message);

  if (!connection)
    return;
  connection->allowed = MAX_EVER;
  connection->refill = 0;
  set_deadline (connection, 0);
}

void
http_connection_trust (SoupServerMessage *message)
{
  HttpConnection *connection = find_connection (message);

  if (connection)
    connection->trusted = TRUE;
}

void
http_connection_set_deadline (SoupServerMessage *message, guint seconds)
{
  HttpConnection *connection = find_connection (message);

  if (connection)
    set_deadline (connection, seconds);
}

void
http_connection_set_session (SoupServerMessage *message, const HttpAuth *auth,
    char *session)
{
  HttpConnection *connection = find_connection (message);

  if (!connection) {
    g_free (session);
    return;
  }
  g_free (connection->session);
  connection->session = session;
  connection->auth = auth;
  connection->next_look = g_get_monotonic_time () + SESSION_TIME;
  set_alarm (connection);
}

HttpConnection *
http_connection_ref (SoupServerMessage *message)
{
  HttpConnection *connection = find_connection (message);

  return connection ? g_rc_box_acquire (connection) : NULL;
}

void
http_connection_end (HttpConnection *connection)
{
  if (connection)
    g_socket_shutdown (connection->socket, TRUE, TRUE, NULL);
}

int
http_connection_dup (HttpConnection *connection)
{
  return fcntl (g_socket_get_fd (connection->socket), F_DUPFD_CLOEXEC, 3);
}

gboolean
http_connection_is_closed (HttpConnection *connection)
{
  return g_socket_is_closed (connection->socket);
}

gboolean
http_connection_is_gone (SoupServerMessage *message)
{
  const HttpConnection *connection = find_connection (message);
  struct pollfd state = {
    .fd = connection ? g_socket_get_fd (connection->socket) : -1,
    .events = POLLRDHUP,
  };

  return poll (&state, 1, 0) > 0;
}

#endif
