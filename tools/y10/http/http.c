/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Requests, and the routes to what answers them.
 *
 * Whether a request may be answered is decided when its head has come, in one place and
 * before its body is read: its size, its host, its origin, and then who it is from. Only a
 * public route and a probe need nobody; none of these has a star, so a path that is
 * written in another way is none of them.
 *
 * What libsoup does by itself for a header (ranges, compression of websockets) serves
 * nobody here, and some of it costs far more than the request does. So of a request's
 * headers those remain that something needs, and libsoup sees no others. */

#include "config.h"

#ifdef HAVE_SERVE

#include <string.h>

#include "http/connection.h"
#include "http/http.h"
#include "http/reply.h"
#include "http/sockets.h"

#define MAX_TARGET 4096 /* bytes of a path with its query */
#define MAX_BODY 4096
#define MAX_LARGE 65536 /* of routes that say so */
#define BODY_TIME 10    /* s */
#define REPLY_TIME 30
#define IDLE_TIME 60

struct _HttpServer
{
  SoupServer *soup;
  HttpAuth *auth;
  HttpRoute *routes;
  gsize n_routes;
};

static const struct
{
  const char *name, *value;
} every_reply[] = {
  { "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
      "connect-src 'self'; form-action 'none'; frame-ancestors 'none'; "
      "base-uri 'none'" },
  { "X-Content-Type-Options", "nosniff" },
  { "Referrer-Policy", "no-referrer" },
  { "Cross-Origin-Resource-Policy", "same-origin" },
  { "Cache-Control", "no-store" },
};

/* Headers of requests that are read: here, and by libsoup to find a body's end, to keep the
 * connection and to make it a websocket. Of most, a second one would let another program
 * on the way read the request otherwise. */
static const struct
{
  const char *name;
  gboolean is_list;
} known_headers[] = {
  { "Authorization", FALSE },
  { "Connection", TRUE },
  { "Content-Length", FALSE },
  { "Cookie", TRUE },
  { "Host", FALSE },
  { "Origin", FALSE },
  { "Sec-WebSocket-Key", FALSE },
  { "Sec-WebSocket-Version", FALSE },
  { "Transfer-Encoding", FALSE },
  { "Upgrade", TRUE },
};

/* A star stands for any text, which is returned: of a path without a star, all of it.
 * NULL: @path is another one. */
static char *
match (const char *pattern, const char *path)
{
  const char *star = strchr (pattern, '*');
  const gsize n = star ? (gsize) (star - pattern) : 0;

  if (!star)
    return !strcmp (pattern, path) ? g_strdup (path) : NULL;
  return strlen (path) + 1 >= strlen (pattern) && !strncmp (pattern, path, n)
          && g_str_has_suffix (path, star + 1)
      ? g_strndup (path + n, strlen (path) + 1 - strlen (pattern))
      : NULL;
}

/* Returns the first route to @path, whatever its method, or NULL. @name: as match(). */
static const HttpRoute *
find_path (const HttpServer *http, const char *path, char **name)
{
  for (gsize i = 0; i < http->n_routes; i++)
    if ((*name = match (http->routes[i].path, path)))
      return &http->routes[i];
  return NULL;
}

static gboolean
takes (const HttpRoute *route, const char *method)
{
  return !route->method || !strcmp (route->method, method)
      || (route->flags & HTTP_HEAD && !strcmp (method, "HEAD"));
}

/* Of the routes with the path of @first, returns the one of @method, or NULL. Those that
 * there are, are added to @methods, as in a sentence, if it is not NULL. */
static const HttpRoute *
find_method (const HttpServer *http, const HttpRoute *first, const char *method,
    GString *methods)
{
  const char *last = NULL;

  for (const HttpRoute *route = first; route < http->routes + http->n_routes;
       route++) {
    if (strcmp (route->path, first->path) != 0)
      continue;
    if (takes (route, method))
      return route;
    if (methods && last)
      g_string_append_printf (methods, "%s%s", methods->len ? ", " : "", last);
    last = route->method;
  }
  if (methods)
    g_string_append_printf (methods, "%s%s", methods->len ? " or " : "", last);
  return NULL;
}

/* Removes the headers that nothing reads. Returns the name of one that is there more often
 * than it may be, or NULL. */
static const char *
keep_known_headers (SoupMessageHeaders *head)
{
  char *values[G_N_ELEMENTS (known_headers)] = { NULL };
  const char *name, *value, *repeated = NULL;
  SoupMessageHeadersIter iter;

  soup_message_headers_iter_init (&iter, head);
  while (soup_message_headers_iter_next (&iter, &name, &value)) {
    for (guint i = 0; i < G_N_ELEMENTS (known_headers); i++) {
      if (g_ascii_strcasecmp (name, known_headers[i].name) != 0)
        continue;
      if (values[i] && !known_headers[i].is_list)
        repeated = known_headers[i].name;
      else if (!values[i])
        values[i] = g_strdup (soup_message_headers_get_list (head, name));
    }
  }
  soup_message_headers_clear (head);
  for (guint i = 0; i < G_N_ELEMENTS (known_headers); i++) {
    if (values[i])
      soup_message_headers_append (head, known_headers[i].name, values[i]);
    g_free (values[i]);
  }
  return repeated;
}

/* Returns the status to refuse with, and why, or 0. */
static guint
judge_body (SoupMessageHeaders *head, const char *method, gsize most,
    const char **why)
{
  const SoupEncoding encoding = soup_message_headers_get_encoding (head);

  *why = "the body is too large";
  if (encoding == SOUP_ENCODING_CONTENT_LENGTH
      && soup_message_headers_get_content_length (head) > (goffset) most)
    return SOUP_STATUS_REQUEST_ENTITY_TOO_LARGE;
  *why = "expected a Content-Length";
  if (encoding == SOUP_ENCODING_CHUNKED
      || ((!strcmp (method, "PATCH") || !strcmp (method, "POST"))
          && encoding != SOUP_ENCODING_CONTENT_LENGTH))
    return SOUP_STATUS_LENGTH_REQUIRED;
  return 0;
}

static guint
judge_sender (HttpServer *http, SoupServerMessage *message, const char *method,
    const char **why)
{
  SoupMessageHeaders *head = soup_server_message_get_request_headers (message);
  const gboolean reads = !strcmp (method, "GET") || !strcmp (method, "HEAD");
  const guint status = http_auth_check (http->auth, message);

  *why = "expected a session or a bearer token";
  if (status != SOUP_STATUS_OK)
    return status;
  http_connection_trust (message);
  http_connection_set_session (message, http->auth,
      http_auth_get_session (http->auth, message));
  /* Browsers say where such a request is from. */
  *why = "expected an Origin or a bearer token";
  return reads || soup_message_headers_get_one (head, "Origin")
          || soup_message_headers_get_one (head, "Authorization")
      ? 0
      : SOUP_STATUS_FORBIDDEN;
}

/* What no route leads to needs a token, too. */
static guint
judge (HttpServer *http, SoupServerMessage *message, const char *path,
    const char **why)
{
  const char *method = soup_server_message_get_method (message);
  const char *query = g_uri_get_query (soup_server_message_get_uri (message));
  g_autofree char *name = NULL;
  const HttpRoute *first, *route;
  guint status;

  *why = "the address is too long";
  if (strlen (path) + (query ? strlen (query) : 0) > MAX_TARGET)
    return SOUP_STATUS_REQUEST_URI_TOO_LONG;
  first = find_path (http, path, &name);
  route = first ? find_method (http, first, method, NULL) : NULL;
  status = judge_body (soup_server_message_get_request_headers (message),
      method, route && route->flags & HTTP_LARGE ? MAX_LARGE : MAX_BODY, why);
  if (status || (first && first->flags & HTTP_PROBE))
    return status;
  *why = "unknown host or origin; --host adds a name";
  if (!http_auth_check_host (http->auth, message))
    return SOUP_STATUS_FORBIDDEN;
  return route && route->flags & HTTP_PUBLIC
      ? 0
      : judge_sender (http, message, method, why);
}

static void
on_finished (SoupServerMessage *message, gpointer unused)
{
  if (soup_server_message_get_status (message)
      != SOUP_STATUS_SWITCHING_PROTOCOLS)
    http_connection_expect_head (message, IDLE_TIME);
}

static void
add_headers (SoupServerMessage *message)
{
  SoupMessageHeaders *head = soup_server_message_get_response_headers (message);

  for (guint i = 0; i < G_N_ELEMENTS (every_reply); i++)
    soup_message_headers_replace (head, every_reply[i].name,
        every_reply[i].value);
}

/* Whether libsoup, which takes any text for a length, found the one that is there. */
static gboolean
has_body_length (SoupMessageHeaders *head)
{
  const char *text = soup_message_headers_get_one (head, "Content-Length");

  return !text
      || g_ascii_string_to_unsigned (text, 10, 0, G_MAXINT64, NULL, NULL);
}

/* Answers without libsoup, which would read a body whose end it does not know. */
static void
drop (SoupServerMessage *message)
{
  static const char answer[] =
      "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
  g_autoptr (GIOStream) stream = soup_server_message_steal_connection (message);
  GOutputStream *out = g_io_stream_get_output_stream (stream);

  g_pollable_output_stream_write_nonblocking (G_POLLABLE_OUTPUT_STREAM (out),
      answer, sizeof answer - 1, NULL, NULL);
  g_io_stream_close (stream, NULL, NULL);
}

static void
refuse (SoupServerMessage *message, guint status, const char *why)
{
  /* What comes now is not kept, nor is the connection. */
  soup_message_body_set_accumulate (soup_server_message_get_request_body (
                                        message),
      FALSE);
  soup_message_headers_replace (soup_server_message_get_response_headers (
                                    message),
      "Connection", "close");
  http_reply_error (message, status, why);
}

/* At the end of a request's head. */
static void
on_head (SoupServerMessage *message, gpointer http)
{
  SoupMessageHeaders *head = soup_server_message_get_request_headers (message);
  const char *repeated = keep_known_headers (head);
  const char *path = soup_server_message_is_options_ping (message)
      ? "*"
      : g_uri_get_path (soup_server_message_get_uri (message));
  guint status = soup_server_message_get_status (message);
  const char *why = "the address is none of this server's";
  char text[80];

  if (!has_body_length (head)) {
    drop (message);
    return;
  }
  add_headers (message);
  http_connection_expect_body (message, BODY_TIME);
  g_signal_connect (message, "finished", G_CALLBACK (on_finished), NULL);
  if (!status && repeated) {
    g_snprintf (text, sizeof text, "found %s twice; expected it once",
        repeated);
    why = text;
    status = SOUP_STATUS_BAD_REQUEST;
  }
  if (!status)
    status = judge (http, message, path, &why);
  if (status)
    refuse (message, status, why);
}

/* libsoup's own handlers of heads miss those that it refuses itself, whose bodies it
 * reads. */
static void
on_started (SoupServer *server, SoupServerMessage *message, gpointer http)
{
  http_connection_begin (message);
  g_signal_connect (message, "got-headers", G_CALLBACK (on_head), http);
}

static void
on_request (SoupServer *server, SoupServerMessage *message, const char *path,
    GHashTable *query, gpointer data)
{
  const HttpServer *http = data;
  const char *method = soup_server_message_get_method (message);
  g_autoptr (GString) expected = g_string_new (NULL);
  g_autofree char *name = NULL;
  const HttpRoute *first = find_path (http, path, &name);
  const HttpRoute *route = first ? find_method (http, first, method, expected)
                                 : NULL;

  http_connection_set_deadline (message, REPLY_TIME);
  add_headers (message); /* libsoup forgets them after 100 */
  if (route) {
    route->handler (message, name, route->data);
  } else if (first) {
    g_string_prepend (expected, "expected ");
    http_reply_error (message, SOUP_STATUS_METHOD_NOT_ALLOWED, expected->str);
  } else {
    http_reply_error (message, SOUP_STATUS_NOT_FOUND, "there is no such page");
  }
}

HttpServer *
http_server_new (SoupServer *soup, HttpAuth *auth, const HttpRoute *routes,
    gsize n_routes)
{
  HttpServer *http = g_new0 (HttpServer, 1);

  http->soup = g_object_ref (soup);
  http->auth = auth;
  http->routes = g_memdup2 (routes, n_routes * sizeof *routes);
  http->n_routes = n_routes;
  g_signal_connect (soup, "request-started", G_CALLBACK (on_started), http);
  soup_server_add_handler (soup, NULL, on_request, http, NULL);
  for (gsize i = 0; i < n_routes; i++) {
    if (!(routes[i].flags & HTTP_WEBSOCKET))
      continue;
    /* libsoup has one handler for a path, which does all of these. */
    soup_server_add_handler (soup, routes[i].path, on_request, http, NULL);
    http_sockets_listen (routes[i].data, soup, routes[i].path);
  }
  return http;
}

/* libsoup looks for a handler anew at each step of a request. */
void
http_server_stop (HttpServer *http)
{
  for (gsize i = 0; i < http->n_routes; i++)
    if (http->routes[i].flags & HTTP_WEBSOCKET)
      soup_server_remove_handler (http->soup, http->routes[i].path);
  soup_server_remove_handler (http->soup, NULL);
}

void
http_server_free (HttpServer *http)
{
  g_signal_handlers_disconnect_by_data (http->soup, http);
  g_object_unref (http->soup);
  g_free (http->routes);
  g_free (http);
}

#endif
