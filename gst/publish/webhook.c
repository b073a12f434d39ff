/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Posts lines to a web server by libsoup, one request at a time, so that they arrive in
 * their order. What fails for now is tried again, ever more rarely; what the server
 * refuses is given up, since it would refuse it again. */
#include "publish/transport.h"

#include <libsoup/soup.h>
#include <string.h>

#define TIMEOUT 20 /* seconds */
#define MIN_DELAY 500
#define MAX_DELAY 60000 /* milliseconds until the next try */
#define MAX_BATCH 1000
#define MAX_BYTES (1 << 20) /* lines that are sent together */

/* Lines that are in one request, or wait for the next. */
typedef struct
{
  GString *text;
  GArray *serials; /* guint64 */
} Batch;

typedef struct
{
  const GstY10TransportConfig *config;
  GstY10Uri *uri;
  GUri *address;
  gchar *authorization;
  guint batch_lines;
  gboolean is_ndjson;
  GTlsDatabase *certificates; /* NULL: the system's */

  SoupSession *session;
  GCancellable *sending; /* NULL: no request is under way */
  SoupMessage *message;  /* of @sending */
  gboolean is_busy; /* the request has not ended, even if it was cancelled */
  Batch waiting, sent;
  GSource *timer;
  guint delay;
} Webhook;

static void webhook_post (Webhook *self);

static void
batch_init (Batch *batch)
{
  batch->text = g_string_new (NULL);
  batch->serials = g_array_new (FALSE, FALSE, sizeof (guint64));
}

static void
batch_empty (Batch *batch)
{
  g_string_truncate (batch->text, 0);
  g_array_set_size (batch->serials, 0);
}

static void
batch_clear (Batch *batch)
{
  g_string_free (batch->text, TRUE);
  g_array_unref (batch->serials);
}

static gboolean
on_retry (gpointer user)
{
  Webhook *self = user;

  g_source_unref (self->timer);
  self->timer = NULL;
  self->config->events->connected (self->config->user);
  return G_SOURCE_REMOVE;
}

/* What is under way is sent again after some time, at least @seconds. */
static void
webhook_lose (Webhook *self, guint seconds, const GError *error)
{
  guint delay = MAX (self->delay, MIN (seconds, 3600) * 1000);

  self->delay = MIN (self->delay * 2, MAX_DELAY);
  batch_empty (&self->waiting);
  batch_empty (&self->sent);
  self->timer = g_timeout_source_new (delay);
  g_source_set_callback (self->timer, on_retry, self, NULL);
  g_source_attach (self->timer, g_main_context_get_thread_default ());
  self->config->events->lost (self->config->user, error);
}

static void
webhook_done (Webhook *self, const GError *error)
{
  GArray *serials = self->sent.serials;

  self->delay = MIN_DELAY;
  /* Only then may more be sent. */
  self->sent.serials = g_array_new (FALSE, FALSE, sizeof (guint64));
  batch_empty (&self->sent);
  for (guint i = 0; i < serials->len; i++)
    self->config->events->done (self->config->user,
        g_array_index (serials, guint64, i), error);
  g_array_unref (serials);
  webhook_post (self);
}

/* Whether the server may take the same later: it is busy, or something between answers
 * in its place. */
static gboolean
is_temporary (guint status)
{
  return status == 408 || status == 425 || status == 429 || status < 200
      || (status >= 300 && status < 400) || status >= 500;
}

static guint
get_retry_after (SoupMessage *message)
{
  const gchar *text =
      soup_message_headers_get_one (soup_message_get_response_headers (message),
          "Retry-After");
  guint64 seconds = 0;

  if (text)
    g_ascii_string_to_unsigned (text, 10, 0, 3600, &seconds, NULL);
  return (guint) seconds;
}

static void
on_answer (GObject *source, GAsyncResult *result, gpointer user)
{
  GError *error = NULL;
  GInputStream *body = soup_session_send_finish (SOUP_SESSION (source), result,
      &error);
  Webhook *self = user;
  SoupMessage *message;
  guint status;

  /* What the server says besides is not read; that ends the connection. */
  g_clear_object (&body);
  self->is_busy = FALSE;
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED)) {
    g_error_free (error);
    return;
  }
  message = g_steal_pointer (&self->message);
  status = soup_message_get_status (message);
  g_clear_object (&self->sending);
  if (error) {
    g_prefix_error (&error, "%s: ", self->uri->address);
    webhook_lose (self, 0, error);
  } else if (status >= 200 && status < 300) {
    webhook_done (self, NULL);
  } else {
    const gboolean is_lost = is_temporary (status);

    error = g_error_new (G_IO_ERROR, G_IO_ERROR_FAILED,
        "%s: the server answers %u %s%s", self->uri->address, status,
        soup_message_get_reason_phrase (message),
        is_lost ? "; trying again" : "; not sent again");
    if (is_lost)
      webhook_lose (self, get_retry_after (message), error);
    else
      webhook_done (self, error);
  }
  g_object_unref (message);
  g_clear_error (&error);
}

/* Sends what waits, unless a request is under way. */
static void
webhook_post (Webhook *self)
{
  const Batch batch = self->sent;
  GBytes *body;

  if (self->sending || self->timer || !self->waiting.serials->len)
    return;
  self->sent = self->waiting;
  self->waiting = batch;
  if (!self->is_ndjson && self->batch_lines > 1)
    g_string_append_c (self->sent.text, ']');
  self->message = soup_message_new_from_uri ("POST", self->address);
  soup_message_add_flags (self->message, SOUP_MESSAGE_NO_REDIRECT);
  if (self->authorization)
    soup_message_headers_replace (soup_message_get_request_headers (
                                      self->message),
        "Authorization", self->authorization);
  body = g_bytes_new (self->sent.text->str, self->sent.text->len);
  soup_message_set_request_body_from_bytes (self->message,
      self->is_ndjson ? "application/x-ndjson" : "application/json", body);
  g_bytes_unref (body);
  self->sending = g_cancellable_new ();
  self->is_busy = TRUE;
  soup_session_send_async (self->session, self->message, G_PRIORITY_DEFAULT,
      self->sending, on_answer, self);
}

static void
webhook_send (GstY10Transport transport, const GstY10Message *message)
{
  Webhook *self = transport;
  Batch *batch = &self->waiting;

  if (!self->is_ndjson && self->batch_lines > 1)
    g_string_append_c (batch->text, batch->serials->len ? ',' : '[');
  g_string_append_len (batch->text, message->text, (gssize) message->length);
  if (self->is_ndjson)
    g_string_append_c (batch->text, '\n');
  g_array_append_val (batch->serials, message->serial);
  if (batch->serials->len >= self->batch_lines || batch->text->len >= MAX_BYTES)
    webhook_post (self);
}

static void
webhook_flush (GstY10Transport transport)
{
  webhook_post (transport);
}

static void
webhook_free (GstY10Transport transport)
{
  Webhook *self = transport;

  batch_clear (&self->waiting);
  batch_clear (&self->sent);
  g_clear_pointer (&self->address, g_uri_unref);
  g_clear_object (&self->certificates);
  gst_y10_uri_free (self->uri);
  g_free (self->authorization);
  g_free (self);
}

static gchar *
make_authorization (const GstY10Credentials *credentials)
{
  gchar *pair, *encoded, *text;

  if (credentials->token)
    return g_strconcat ("Bearer ", credentials->token, NULL);
  if (!credentials->user)
    return NULL;
  pair = g_strconcat (credentials->user, ":",
      credentials->password ? credentials->password : "", NULL);
  encoded = g_base64_encode ((const guchar *) pair, strlen (pair));
  text = g_strconcat ("Basic ", encoded, NULL);
  g_free (pair);
  g_free (encoded);
  return text;
}

static gboolean
read_settings (Webhook *self, GError **error)
{
  const gchar *format = gst_y10_uri_get (self->uri, "format");
  const gchar *file = gst_y10_uri_get (self->uri, "cafile");

  self->batch_lines = 1;
  if (!gst_y10_uri_get_count (self->uri, "batch", MAX_BATCH, &self->batch_lines,
          error))
    return FALSE;
  self->is_ndjson = !g_strcmp0 (format, "ndjson");
  if (format && !self->is_ndjson && strcmp (format, "json")) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
        "uri: format is \"%s\"; expected json or ndjson", format);
    return FALSE;
  }
  if (file) {
    self->certificates = g_tls_file_database_new (file, error);
    if (!self->certificates) {
      g_prefix_error (error, "uri: cafile %s: ", file);
      return FALSE;
    }
  }
  self->address = g_uri_parse (self->uri->address, SOUP_HTTP_URI_FLAGS, error);
  if (!self->address)
    g_prefix_error (error, "uri: %s: ", self->uri->address);
  return self->address != NULL;
}

static GstY10Transport
webhook_open (const GstY10TransportConfig *config, GError **error)
{
  static const gchar *const names[] = { "batch", "cafile", "format", NULL };
  Webhook *self = g_new0 (Webhook, 1);

  self->config = config;
  self->delay = MIN_DELAY;
  batch_init (&self->waiting);
  batch_init (&self->sent);
  self->authorization = make_authorization (config->credentials);
  self->uri = gst_y10_uri_parse (config->uri, names, error);
  if (self->uri && read_settings (self, error))
    return self;
  webhook_free (self);
  return NULL;
}

static guint
webhook_get_window (GstY10Transport transport)
{
  return 2 * ((Webhook *) transport)->batch_lines;
}

static gboolean
on_start (gpointer user)
{
  Webhook *self = user;

  g_source_unref (self->timer);
  self->timer = NULL;
  self->config->events->connected (self->config->user);
  return G_SOURCE_REMOVE;
}

/* A session belongs to the thread that makes it. */
static void
webhook_start (GstY10Transport transport)
{
  Webhook *self = transport;

  self->session = soup_session_new_with_options ("timeout", TIMEOUT,
      "user-agent", "yolov10detect ", NULL);
  if (self->certificates)
    soup_session_set_tls_database (self->session, self->certificates);
  self->timer = g_idle_source_new ();
  g_source_set_callback (self->timer, on_start, self, NULL);
  g_source_attach (self->timer, g_main_context_get_thread_default ());
}

static void
webhook_stop (GstY10Transport transport)
{
  Webhook *self = transport;

  if (self->timer) {
    g_source_destroy (self->timer);
    g_source_unref (self->timer);
    self->timer = NULL;
  }
  if (self->sending) {
    g_cancellable_cancel (self->sending);
    g_clear_object (&self->sending);
  }
  while (self->is_busy)
    g_main_context_iteration (g_main_context_get_thread_default (), TRUE);
  g_clear_object (&self->message);
  if (self->session)
    soup_session_abort (self->session);
  g_clear_object (&self->session);
}

const GstY10TransportClass gst_y10_webhook = {
  .schemes = { "http", "https" },
  .library = "libsoup 3",
  .package = "libsoup-3.0-dev",
  .open = webhook_open,
  .free = webhook_free,
  .get_window = webhook_get_window,
  .start = webhook_start,
  .send = webhook_send,
  .flush = webhook_flush,
  .stop = webhook_stop,
};
