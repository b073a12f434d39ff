/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Websockets, by which pages are told what changes: a line of text each. Nothing is
 * expected from them.
 *
 * libsoup keeps whatever a client does not read, so what it has not written yet is
 * counted. A client over the limit is left, as is the one that has most waiting when that
 * of all is too much. It comes again and is greeted again. */

#include "config.h"

#ifdef HAVE_SERVE

#include <string.h>

#include "http/connection.h"
#include "http/reply.h"
#include "http/sockets.h"

#define MAX_WAITING (256 << 10) /* bytes, before another message */
#define MAX_OF_ALL (16 << 20)
#define MAX_INCOMING 1024    /* nothing is expected */
#define KEEP_ALIVE 30        /* s between pings */
#define UPGRADE_REQUIRED 426 /* libsoup has no name for it */

struct _HttpSockets
{
  GPtrArray *clients; /* Client */
  HttpGreeting greet;
  gpointer user;
};

typedef struct
{
  HttpSockets *sockets;
  SoupWebsocketConnection *websocket;
  HttpConnection *connection;
  guint64 end; /* of all that it was sent, as the connection counts */
  gboolean is_left;
} Client;

/* How much of it libsoup still has. */
static gsize
get_waiting (const Client *client)
{
  const guint64 written = client->connection->n_written;

  return client->is_left || written >= client->end ? 0 : client->end - written;
}

static void
leave (Client *client)
{
  client->is_left = TRUE;
  http_connection_end (client->connection);
}

/* So that all that waits has room for @length bytes more. */
static void
make_room (const GPtrArray *clients, gsize length)
{
  Client *most = NULL;
  gsize all = length;

  for (guint i = 0; i < clients->len; i++) {
    Client *client = clients->pdata[i];
    const gsize waiting = get_waiting (client);

    all += waiting;
    if (!most || waiting > get_waiting (most))
      most = client;
  }
  if (all > MAX_OF_ALL && most)
    leave (most);
}

static void
send_line (Client *client, const char *line)
{
  const gsize length = strlen (line);

  if (soup_websocket_connection_get_state (client->websocket)
          != SOUP_WEBSOCKET_STATE_OPEN
      || client->is_left)
    return;
  if (get_waiting (client) > MAX_WAITING)
    leave (client);
  make_room (client->sockets->clients, length);
  if (client->is_left)
    return;
  client->end = MAX (client->end, client->connection->n_written) + length;
  soup_websocket_connection_send_text (client->websocket, line);
}

void
http_sockets_send (HttpSockets *sockets, const char *line)
{
  for (guint i = 0; i < sockets->clients->len; i++)
    send_line (sockets->clients->pdata[i], line);
}

gboolean
http_sockets_are_any (const HttpSockets *sockets)
{
  return sockets->clients->len > 0;
}

static void
free_client (gpointer data)
{
  Client *client = data;

  http_reply_end_view ();
  g_signal_handlers_disconnect_by_data (client->websocket, client);
  g_object_unref (client->websocket);
  http_connection_unref (client->connection);
  g_free (client);
}

static void
on_closed (SoupWebsocketConnection *websocket, gpointer client)
{
  g_ptr_array_remove_fast (((Client *) client)->sockets->clients, client);
}

static void
on_websocket (SoupServer *server, SoupServerMessage *message, const char *path,
    SoupWebsocketConnection *websocket, gpointer data)
{
  HttpSockets *sockets = data;
  Client *client = g_new0 (Client, 1);
  g_autofree char *greeting = sockets->greet (sockets->user);

  soup_websocket_connection_set_max_incoming_payload_size (websocket,
      MAX_INCOMING);
  soup_websocket_connection_set_keepalive_interval (websocket, KEEP_ALIVE);
  client->sockets = sockets;
  client->websocket = g_object_ref (websocket);
  client->connection = http_connection_ref (message);
  http_connection_expect_nothing (message);
  http_reply_begin_view ();
  g_ptr_array_add (sockets->clients, client);
  g_signal_connect (websocket, "closed", G_CALLBACK (on_closed), client);
  send_line (client, greeting);
}

void
http_sockets_judge (SoupServerMessage *message, const char *name,
    gpointer sockets)
{
  SoupMessageHeaders *head = soup_server_message_get_request_headers (message);

  if (!soup_message_headers_header_contains (head, "Upgrade", "websocket"))
    http_reply_error (message, UPGRADE_REQUIRED, "expected a websocket");
  else if (!soup_message_headers_get_one (head, "Origin")
      && !soup_message_headers_get_one (head, "Authorization"))
    http_reply_error (message, SOUP_STATUS_FORBIDDEN,
        "expected an Origin or a bearer token");
  else
    http_reply_may_view (message);
}

void
http_sockets_listen (HttpSockets *sockets, SoupServer *server, const char *path)
{
  soup_server_add_websocket_handler (server, path, NULL, NULL, on_websocket,
      sockets, NULL);
  soup_server_remove_websocket_extension (server,
      SOUP_TYPE_WEBSOCKET_EXTENSION_DEFLATE);
}

HttpSockets *
http_sockets_new (HttpGreeting greet, gpointer user)
{
  HttpSockets *sockets = g_new0 (HttpSockets, 1);

  sockets->clients = g_ptr_array_new_with_free_func (free_client);
  sockets->greet = greet;
  sockets->user = user;
  return sockets;
}

void
http_sockets_free (HttpSockets *sockets)
{
  for (guint i = 0; i < sockets->clients->len; i++)
    http_connection_end (((Client *) sockets->clients->pdata[i])->connection);
  g_ptr_array_unref (sockets->clients);
  g_free (sockets);
}

#endif
