/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Websockets, by which pages are told what changes: one line of JSON each.
 *
 * A page that comes is told of all cameras, and from then on of those that are not as it
 * was told last, at most twice a second. libsoup keeps whatever a client does not read,
 * so what it has not written yet is counted. A client over the limit is
 * left, as is the one that has most waiting when that of all is too much. It comes again
 * and is told all. */

#include "config.h"

#ifdef HAVE_SERVE

#include <string.h>

#include "http/listener.h"
#include "http/reply.h"
#include "serve/describe.h"
#include "serve/push.h"

#define INTERVAL (G_USEC_PER_SEC / 2)
#define MOST_WAITING (256 << 10) /* bytes, before another message */
#define MOST_OF_ALL (16 << 20)
#define MOST_INCOMING 1024   /* nothing is expected */
#define KEEP_ALIVE 30        /* s between pings */
#define UPGRADE_REQUIRED 426 /* libsoup has no name for it */

struct _ServePush
{
  GPtrArray *clients;
  GHashTable *told; /* id → line */
  gint64 last;
};

typedef struct
{
  Serve *serve;
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
  if (all > MOST_OF_ALL && most)
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
  if (get_waiting (client) > MOST_WAITING)
    leave (client);
  make_room (client->serve->push->clients, length);
  if (client->is_left)
    return;
  client->end = MAX (client->end, client->connection->n_written) + length;
  soup_websocket_connection_send_text (client->websocket, line);
}

/* Returns {"type": "cameras", "all": @all, "cameras": [@lines]}, with the ids of those
 * that are gone. */
static char *
make_message (gboolean all, const GPtrArray *lines, const GPtrArray *removed)
{
  GString *text = g_string_new ("{\"type\":\"cameras\",\"all\":");

  g_string_append_printf (text, "%s,\"cameras\":[", all ? "true" : "false");
  for (guint i = 0; i < lines->len; i++)
    g_string_append_printf (text, "%s%s", i ? "," : "",
        (const char *) lines->pdata[i]);
  g_string_append (text, "],\"removed\":[");
  for (guint i = 0; removed && i < removed->len; i++)
    g_string_append_printf (text, "%s\"%s\"", i ? "," : "",
        (const char *) removed->pdata[i]);
  g_string_append (text, "]}");
  return g_string_free (text, FALSE);
}

/* Adds lines of cameras that differ from what was told. */
static void
find_changes (Serve *serve, GPtrArray *lines)
{
  for (guint i = 0; i < serve->cameras->len; i++) {
    const ServeCamera *camera = serve->cameras->pdata[i];
    const char *id = camera->config->id;
    char *line = serve_describe_line (camera);

    if (!g_strcmp0 (line, g_hash_table_lookup (serve->push->told, id))) {
      g_free (line);
      continue;
    }
    g_hash_table_insert (serve->push->told, g_strdup (id), line);
    g_ptr_array_add (lines, line);
  }
}

/* Forgets cameras that are gone, and adds their ids. */
static void
find_removed (Serve *serve, GPtrArray *removed)
{
  GHashTableIter iter;
  gpointer id;

  g_hash_table_iter_init (&iter, serve->push->told);
  while (g_hash_table_iter_next (&iter, &id, NULL)) {
    if (serve_camera_find (serve, id))
      continue;
    g_ptr_array_add (removed, g_strdup (id));
    g_hash_table_iter_remove (&iter);
  }
}

void
serve_push_json (Serve *serve, const char *line)
{
  for (guint i = 0; serve->push && i < serve->push->clients->len; i++)
    send_line (serve->push->clients->pdata[i], line);
}

static void
tell_changes (Serve *serve)
{
  GPtrArray *lines = g_ptr_array_new ();
  GPtrArray *removed = g_ptr_array_new_with_free_func (g_free);
  char *message;

  find_changes (serve, lines);
  find_removed (serve, removed);
  if (lines->len || removed->len) {
    message = make_message (FALSE, lines, removed);
    serve_push_json (serve, message);
    g_free (message);
  }
  g_ptr_array_unref (removed);
  g_ptr_array_unref (lines);
}

void
serve_push_look (Serve *serve)
{
  const gint64 now = g_get_monotonic_time ();

  if (!serve->push->clients->len || now - serve->push->last < INTERVAL)
    return;
  serve->push->last = now;
  tell_changes (serve);
}

static void
free_client (Client *client)
{
  client->serve->n_viewers--;
  g_signal_handlers_disconnect_by_data (client->websocket, client);
  g_object_unref (client->websocket);
  http_connection_unref (client->connection);
  g_free (client);
}

static void
on_closed (SoupWebsocketConnection *websocket, gpointer data)
{
  Client *client = data;

  g_ptr_array_remove_fast (client->serve->push->clients, client);
  free_client (client);
}

static void
tell_all (Client *client)
{
  const Serve *serve = client->serve;
  GPtrArray *lines = g_ptr_array_new_with_free_func (g_free);
  char *message;

  for (guint i = 0; i < serve->cameras->len; i++)
    g_ptr_array_add (lines, serve_describe_line (serve->cameras->pdata[i]));
  message = make_message (TRUE, lines, NULL);
  send_line (client, message);
  g_free (message);
  g_ptr_array_unref (lines);
}

static void
on_websocket (SoupServer *server, SoupServerMessage *message, const char *path,
    SoupWebsocketConnection *websocket, gpointer data)
{
  Serve *serve = data;
  Client *client = g_new0 (Client, 1);

  soup_websocket_connection_set_max_incoming_payload_size (websocket,
      MOST_INCOMING);
  soup_websocket_connection_set_keepalive_interval (websocket, KEEP_ALIVE);
  client->serve = serve;
  client->websocket = g_object_ref (websocket);
  client->connection = http_connection_ref (message);
  http_connection_expect_nothing (message);
  serve->n_viewers++;
  g_ptr_array_add (serve->push->clients, client);
  g_signal_connect (websocket, "closed", G_CALLBACK (on_closed), client);
  tell_all (client);
}

void
serve_push_judge (Serve *serve, SoupServerMessage *message)
{
  SoupMessageHeaders *head = soup_server_message_get_request_headers (message);

  if (!soup_message_headers_header_contains (head, "Upgrade", "websocket"))
    http_reply_error (message, UPGRADE_REQUIRED, "expected a websocket");
  else if (!soup_message_headers_get_one (head, "Origin")
      && !soup_message_headers_get_one (head, "Authorization"))
    http_reply_error (message, SOUP_STATUS_FORBIDDEN,
        "expected an Origin or a bearer token");
  else if (serve->n_viewers >= SERVE_MOST_VIEWERS)
    http_reply_error (message, SOUP_STATUS_SERVICE_UNAVAILABLE,
        "too many viewers");
}

ServePush *
serve_push_new (Serve *serve, SoupServer *server)
{
  ServePush *push = g_new0 (ServePush, 1);

  push->clients = g_ptr_array_new ();
  push->told = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  soup_server_add_websocket_handler (server, SERVE_PUSH_PATH, NULL, NULL,
      on_websocket, serve, NULL);
  soup_server_remove_websocket_extension (server,
      SOUP_TYPE_WEBSOCKET_EXTENSION_DEFLATE);
  return push;
}

void
serve_push_free (ServePush *push)
{
  for (guint i = 0; i < push->clients->len; i++) {
    Client *client = push->clients->pdata[i];

    http_connection_end (client->connection);
    free_client (client);
  }
  g_ptr_array_unref (push->clients);
  g_hash_table_unref (push->told);
  g_free (push);
}

#endif
