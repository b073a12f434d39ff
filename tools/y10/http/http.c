/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Requests and answers.
 *
 * Whether a request may be answered is decided when its head has come, in one place and
 * before its body is read: its size, its host, its origin, and then who it is from. Only
 * the page's own files, the way to a session and two probes need nobody.
 *
 * What libsoup does by itself for a header (ranges, compression of websockets) serves
 * nobody here, and some of it costs far more than the request does. So of a request's
 * headers those remain that something needs, and libsoup sees no others. */

#include "config.h"

#ifdef HAVE_SERVE

#include <string.h>

#include "events/eventapi.h"
#include "http/http.h"
#include "http/listener.h"
#include "http/reply.h"
#include "serve/cameraapi.h"
#include "serve/metrics.h"
#include "serve/push.h"
#include "serve/views.h"

#define MOST_TARGET 4096 /* bytes of a path with its query */
#define MOST_BODY 4096
#define MOST_CHANGE 65536 /* with zones */
#define BODY_TIME 10      /* s */
#define REPLY_TIME 30
#define IDLE_TIME 60

static const struct
{
  const char *path, *resource, *type;
} pages[] = {
  { "/", "/y10/page/index.html", "text/html; charset=utf-8" },
  { "/icon.svg", "/y10/page/icon.svg", "image/svg+xml" },
  { "/events.css", "/y10/page/events.css", "text/css; charset=utf-8" },
  { "/events.js", "/y10/page/events.js", "text/javascript; charset=utf-8" },
  { "/app.js", "/y10/page/app.js", "text/javascript; charset=utf-8" },
  { "/capacity.js", "/y10/page/capacity.js", "text/javascript; charset=utf-8" },
  { "/model.js", "/y10/page/model.js", "text/javascript; charset=utf-8" },
  { "/push.js", "/y10/page/push.js", "text/javascript; charset=utf-8" },
  { "/settings.js", "/y10/page/settings.js", "text/javascript; charset=utf-8" },
  { "/zones.js", "/y10/page/zones.js", "text/javascript; charset=utf-8" },
  { "/style.css", "/y10/page/style.css", "text/css; charset=utf-8" },
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

static gboolean
is_probe (const char *path)
{
  return !strcmp (path, "/healthz") || !strcmp (path, "/readyz");
}

static gboolean
is_public (const char *path, const char *method)
{
  gboolean is = FALSE;

  if (!strcmp (method, "POST"))
    return !strcmp (path, "/api/session");
  if (strcmp (method, "GET") != 0 && strcmp (method, "HEAD") != 0)
    return FALSE;
  for (guint i = 0; !is && i < G_N_ELEMENTS (pages); i++)
    is = !strcmp (path, pages[i].path);
  return is;
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
judge_body (SoupMessageHeaders *head, const char *method, const char **why)
{
  const SoupEncoding encoding = soup_message_headers_get_encoding (head);
  const gboolean changes = !strcmp (method, "PATCH");

  *why = "the body is too large";
  if (encoding == SOUP_ENCODING_CONTENT_LENGTH
      && soup_message_headers_get_content_length (head)
          > (changes ? MOST_CHANGE : MOST_BODY))
    return SOUP_STATUS_REQUEST_ENTITY_TOO_LARGE;
  *why = "expected a Content-Length";
  if (encoding == SOUP_ENCODING_CHUNKED
      || ((changes || !strcmp (method, "POST"))
          && encoding != SOUP_ENCODING_CONTENT_LENGTH))
    return SOUP_STATUS_LENGTH_REQUIRED;
  return 0;
}

static guint
judge (Serve *serve, SoupServerMessage *message, const char *path,
    const char **why)
{
  SoupMessageHeaders *head = soup_server_message_get_request_headers (message);
  const char *method = soup_server_message_get_method (message);
  const char *query = g_uri_get_query (soup_server_message_get_uri (message));
  const gboolean reads = !strcmp (method, "GET") || !strcmp (method, "HEAD");
  guint status;

  *why = "the address is too long";
  if (strlen (path) + (query ? strlen (query) : 0) > MOST_TARGET)
    return SOUP_STATUS_REQUEST_URI_TOO_LONG;
  status = judge_body (head, method, why);
  if (status || is_probe (path))
    return status;
  *why = "unknown host or origin; --host adds a name";
  if (!http_auth_check_host (serve->auth, message))
    return SOUP_STATUS_FORBIDDEN;
  if (is_public (path, method))
    return 0;
  *why = "expected a session or a bearer token";
  status = http_auth_check (serve->auth, message);
  if (status != SOUP_STATUS_OK)
    return status;
  http_connection_trust (message);
  http_connection_set_session (message,
      http_auth_get_session (serve->auth, message));
  /* Browsers say where such a request is from. */
  *why = "expected an Origin or a bearer token";
  return reads || soup_message_headers_get_one (head, "Origin")
          || soup_message_headers_get_one (head, "Authorization")
      ? 0
      : SOUP_STATUS_FORBIDDEN;
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
  GIOStream *stream = soup_server_message_steal_connection (message);
  GOutputStream *out = g_io_stream_get_output_stream (stream);

  g_pollable_output_stream_write_nonblocking (G_POLLABLE_OUTPUT_STREAM (out),
      answer, sizeof answer - 1, NULL, NULL);
  g_io_stream_close (stream, NULL, NULL);
  g_object_unref (stream);
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
on_head (SoupServerMessage *message, gpointer serve)
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
    status = judge (serve, message, path, &why);
  if (status)
    refuse (message, status, why);
}

/* libsoup's own handlers of heads miss those that it refuses itself, whose bodies it
 * reads. */
static void
on_started (SoupServer *server, SoupServerMessage *message, gpointer serve)
{
  http_connection_begin (message);
  g_signal_connect (message, "got-headers", G_CALLBACK (on_head), serve);
}

static gboolean
serve_page (SoupServerMessage *message, const char *path)
{
  for (guint i = 0; i < G_N_ELEMENTS (pages); i++) {
    GBytes *bytes;

    if (strcmp (path, pages[i].path) != 0)
      continue;
    bytes = g_resources_lookup_data (pages[i].resource, 0, NULL);
    if (!bytes)
      return FALSE;
    http_reply_bytes (message, SOUP_STATUS_OK, pages[i].type, bytes);
    g_bytes_unref (bytes);
    return TRUE;
  }
  return FALSE;
}

/* Ready: a camera is live, or there is none. */
static gboolean
is_ready (Serve *serve)
{
  for (guint i = 0; i < serve->cameras->len; i++) {
    const ServeCamera *camera = serve->cameras->pdata[i];
    ToolCameraStatus status;

    tool_camera_get_status (camera->camera, &status);
    if (status.state == TOOL_CAMERA_LIVE)
      return TRUE;
  }
  return serve->cameras->len == 0;
}

/* /live/ID and /snapshot/ID.jpg */
static gboolean
serve_view (Serve *serve, SoupServerMessage *message, const char *path)
{
  const gboolean once = g_str_has_prefix (path, "/snapshot/");
  ServeCamera *camera = NULL;
  char *id;

  if (once && g_str_has_suffix (path, ".jpg")) {
    id = g_strndup (path + 10, strlen (path) - 14);
    camera = serve_camera_find (serve, id);
    g_free (id);
  } else if (g_str_has_prefix (path, "/live/")) {
    camera = serve_camera_find (serve, path + 6);
  }
  if (camera)
    serve_mjpeg_view (camera, message, once);
  return camera != NULL;
}

static void
on_request (SoupServer *server, SoupServerMessage *message, const char *path,
    GHashTable *query, gpointer data)
{
  Serve *serve = data;
  const char *method = soup_server_message_get_method (message);

  http_connection_set_deadline (message, REPLY_TIME);
  add_headers (message); /* libsoup forgets them after 100 */
  if (!strcmp (path, SERVE_PUSH_PATH)) {
    serve_push_judge (serve, message);
  } else if (g_str_has_prefix (path, "/api/")) {
    if (!serve_events_answer (serve, message, path + 5))
      serve_api_answer (serve, message, path + 5);
  } else if (strcmp (method, "GET") != 0 && strcmp (method, "HEAD") != 0) {
    http_reply_error (message, SOUP_STATUS_METHOD_NOT_ALLOWED, "expected GET");
  } else if (is_probe (path)) {
    soup_server_message_set_status (message,
        !strcmp (path, "/healthz") || is_ready (serve)
            ? SOUP_STATUS_OK
            : SOUP_STATUS_SERVICE_UNAVAILABLE,
        NULL);
  } else if (!strcmp (path, "/metrics")) {
    http_reply_text (message, SOUP_STATUS_OK,
        "text/plain; version=0.0.4; charset=utf-8", serve_metrics (serve));
  } else if (!serve_page (message, path)
      && !(!strcmp (method, "GET") && serve_view (serve, message, path))) {
    http_reply_error (message, SOUP_STATUS_NOT_FOUND, "there is no such page");
  }
}

void
serve_http_set_up (Serve *serve, SoupServer *server)
{
  g_signal_connect (server, "request-started", G_CALLBACK (on_started), serve);
  soup_server_add_handler (server, NULL, on_request, serve, NULL);
  /* libsoup has one handler for a path, which does all of these. */
  soup_server_add_handler (server, SERVE_PUSH_PATH, on_request, serve, NULL);
  serve->push = serve_push_new (serve, server);
}

/* libsoup looks for a handler anew at each step of a request. */
void
serve_http_stop (SoupServer *server)
{
  soup_server_remove_handler (server, SERVE_PUSH_PATH);
  soup_server_remove_handler (server, NULL);
}

#endif
