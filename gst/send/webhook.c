/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Posts lines to a web server by libsoup, one request at a time, so that they arrive in
 * their order. Only where an answer is late, or a line has failed before, others are posted
 * beside it. What fails is tried again, ever more rarely; a line that the server refuses is
 * given up, since it would be refused again. */
#include "send/timer.h"
#include "send/transport.h"

#include <libsoup/soup.h>
#include <string.h>

#include "send/batches.h"
#include "send/httpanswer.h"

#define MIN_DELAY 500
#define MAX_DELAY 60000 /* milliseconds until the next try */
#define MAX_BATCH 1000
/* Requests without an answer, and how often they may be late before they have failed. */
#define MAX_REQUESTS 8
#define MAX_LATE 3

typedef struct _Webhook Webhook;

typedef struct
{
  Webhook *webhook;
  GPtrArray *lines; /* GstY10BatchLine */
  gsize size;
  SoupMessage *message;
  GCancellable *cancellable;
  GSource *timer;   /* until it is late */
  guint n_late;     /* how often it was */
  gboolean is_sent; /* a server has got some of it */
  gboolean is_alone;
  gboolean is_dropped; /* its answer means nothing any more */
} Request;

struct _Webhook
{
  const GstY10TransportConfig *config;
  GstY10Uri *uri;
  GUri *address;
  gchar *origin; /* for errors: paths and queries may be secret */
  gchar *authorization;
  GTlsDatabase *certificates; /* NULL: the system's */

  SoupSession *session;
  GstY10Batches batches;
  GPtrArray *requests; /* that have not ended, even if they were dropped */
  Request *current;    /* which others wait for; NULL: none */
  GSource *timer;      /* until the next try */
  guint delay;
};

static void webhook_post (Webhook *self);

static void
request_free (gpointer data)
{
  Request *request = data;

  gst_y10_source_clear (&request->timer);
  g_ptr_array_unref (request->lines);
  g_object_unref (request->message);
  g_object_unref (request->cancellable);
  g_free (request);
}

/* Its end comes later. */
static void
request_drop (Request *request)
{
  gst_y10_source_clear (&request->timer);
  request->is_dropped = TRUE;
  if (request->webhook->current == request)
    request->webhook->current = NULL;
  g_cancellable_cancel (request->cancellable);
}

static void
drop_all (Webhook *self)
{
  for (guint i = 0; i < self->requests->len; i++)
    request_drop (g_ptr_array_index (self->requests, i));
  gst_y10_batches_empty (&self->batches);
}

/* Tells of each line of a request. */
static void
tell (const Request *request,
    void (*func) (gpointer user, guint64 serial, const GError *error),
    const GError *error)
{
  for (guint i = 0; i < request->lines->len; i++) {
    const GstY10BatchLine *line = g_ptr_array_index (request->lines, i);

    func (request->webhook->config->user, line->serial, error);
  }
}

static gboolean
on_retry (gpointer user)
{
  Webhook *self = user;

  gst_y10_source_clear (&self->timer);
  self->config->events->connected (self->config->user);
  return G_SOURCE_REMOVE;
}

/* All that is under way is sent again after some time, at least @seconds. */
static void
webhook_lose (Webhook *self, guint seconds, gboolean by_message,
    const GError *error)
{
  guint delay = MAX (self->delay, seconds * 1000);

  drop_all (self);
  if (self->config->events->lost (self->config->user, error, by_message))
    delay = 0;
  else
    self->delay = MIN (self->delay * 2, MAX_DELAY);
  gst_y10_source_clear (&self->timer);
  self->timer = gst_y10_timer_new (delay, on_retry, self);
}

/* A request has failed. If others went beside it, that is the business of its lines. */
static void
request_fail (Request *request, guint seconds, gboolean by_message,
    const GError *error)
{
  Webhook *self = request->webhook;

  if (by_message && (request->n_late || request->is_alone))
    tell (request, self->config->events->failed, error);
  else
    webhook_lose (self, seconds, by_message, error);
}

static void
request_refuse (Request *request, gboolean is_too_large, const GError *error)
{
  Webhook *self = request->webhook;
  const gboolean is_single = request->lines->len == 1;

  gst_y10_batches_note_refused (&self->batches, request->lines, request->size,
      is_too_large);
  if (is_single)
    tell (request, self->config->events->done, error);
}

static GError *
make_error (const Webhook *self, const gchar *text, const gchar *end)
{
  return g_error_new (G_IO_ERROR, G_IO_ERROR_FAILED, "%s: %s%s", self->origin,
      text, end);
}

static void
request_judge (Request *request)
{
  Webhook *self = request->webhook;
  const GstY10HttpAnswer answer = gst_y10_http_judge (request->message);
  const gboolean has_failed = answer.verdict == GST_Y10_HTTP_FAILED;
  g_autofree gchar *text = NULL;
  g_autoptr (GError) error = NULL;

  if (!has_failed)
    self->delay = MIN_DELAY;
  if (answer.verdict == GST_Y10_HTTP_TAKEN) {
    gst_y10_batches_note_taken (&self->batches, request->lines->len,
        request->size);
    tell (request, self->config->events->done, NULL);
    return;
  }
  text = gst_y10_http_describe (request->message);
  error = make_error (self, text,
      has_failed ? "; trying again" : "; the line is not sent again");
  if (has_failed)
    request_fail (request, answer.retry_seconds, !answer.is_busy, error);
  else
    request_refuse (request, answer.verdict == GST_Y10_HTTP_TOO_LARGE, error);
}

static void
on_answer (GObject *source, GAsyncResult *result, gpointer user)
{
  g_autoptr (GError) error = NULL;
  GInputStream *body = soup_session_send_finish (SOUP_SESSION (source), result,
      &error);
  Request *request = user;
  Webhook *self = request->webhook;

  /* What the server says besides is not read; that ends the connection. */
  g_clear_object (&body);
  gst_y10_source_clear (&request->timer);
  g_ptr_array_remove (self->requests, request);
  if (self->current == request)
    self->current = NULL;
  if (!request->is_dropped && error) {
    g_prefix_error (&error, "%s: ", self->origin);
    request_fail (request, 0, request->is_sent, error);
  } else if (!request->is_dropped) {
    request_judge (request);
  }
  if (!request->is_dropped)
    webhook_post (self);
  request_free (request);
}

static void
on_sent (SoupMessage *message, gpointer user)
{
  Request *request = user;

  request->is_sent = TRUE;
}

static gboolean
on_late (gpointer user)
{
  Request *request = user;
  Webhook *self = request->webhook;
  g_autofree gchar *text = g_strdup_printf ("no %s within %.3g s",
      request->is_sent ? "answer" : "connection",
      (gdouble) self->config->timeout / G_USEC_PER_SEC);
  g_autoptr (GError) error = make_error (self, text, "; trying again");

  request->n_late++;
  if (!request->is_sent) {
    webhook_lose (self, 0, FALSE, error);
  } else if (request->n_late == MAX_LATE) {
    request_drop (request);
    tell (request, self->config->events->failed, error);
  } else if (request->n_late == 1) {
    if (self->current == request)
      self->current = NULL;
    tell (request, self->config->events->late, error);
  }
  webhook_post (self);
  return request->is_dropped ? G_SOURCE_REMOVE : G_SOURCE_CONTINUE;
}

static Request *
post (Webhook *self, GPtrArray *lines)
{
  g_autoptr (GBytes) body = gst_y10_batches_make_body (&self->batches, lines);
  Request *request = g_new0 (Request, 1);

  request->webhook = self;
  request->lines = lines;
  request->size = g_bytes_get_size (body);
  request->cancellable = g_cancellable_new ();
  request->message = soup_message_new_from_uri ("POST", self->address);
  /* Elsewhere nobody has a right to lines, or to credentials. */
  soup_message_add_flags (request->message, SOUP_MESSAGE_NO_REDIRECT);
  if (self->authorization)
    soup_message_headers_replace (soup_message_get_request_headers (
                                      request->message),
        "Authorization", self->authorization);
  soup_message_set_request_body_from_bytes (request->message,
      self->batches.is_ndjson ? "application/x-ndjson" : "application/json",
      body);
  g_signal_connect (request->message, "wrote-headers", G_CALLBACK (on_sent),
      request);
  request->timer = gst_y10_timer_new ((guint) (self->config->timeout / 1000),
      on_late, request);
  g_ptr_array_add (self->requests, request);
  soup_session_send_async (self->session, request->message, G_PRIORITY_DEFAULT,
      request->cancellable, on_answer, request);
  return request;
}

/* Sends what waits, unless it has to wait for an answer. */
static void
webhook_post (Webhook *self)
{
  if (self->current || self->timer || self->requests->len >= MAX_REQUESTS
      || g_queue_is_empty (&self->batches.lines))
    return;
  self->current = post (self, gst_y10_batches_cut (&self->batches));
}

static void
webhook_send (GstY10Transport transport, const GstY10Message *message)
{
  Webhook *self = transport;
  GstY10BatchLine *line = gst_y10_batch_line_new (message->serial,
      message->text, message->length);

  if (message->alone) {
    GPtrArray *lines = g_ptr_array_new_with_free_func (gst_y10_batch_line_free);

    g_ptr_array_add (lines, line);
    post (self, lines)->is_alone = TRUE;
    return;
  }
  gst_y10_batches_put (&self->batches, line);
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

  gst_y10_batches_empty (&self->batches);
  g_ptr_array_unref (self->requests);
  g_clear_pointer (&self->address, g_uri_unref);
  g_clear_object (&self->certificates);
  gst_y10_uri_free (self->uri);
  g_free (self->origin);
  g_free (self->authorization);
  g_free (self);
}

static gchar *
make_authorization (const GstY10Credentials *credentials)
{
  g_autofree gchar *pair = NULL, *encoded = NULL;

  if (credentials->token)
    return g_strconcat ("Bearer ", credentials->token, NULL);
  if (!credentials->user)
    return NULL;
  pair = g_strconcat (credentials->user, ":",
      credentials->password ? credentials->password : "", NULL);
  encoded = g_base64_encode ((const guchar *) pair, strlen (pair));
  return g_strconcat ("Basic ", encoded, NULL);
}

static gboolean
read_settings (Webhook *self, GError **error)
{
  const gchar *format = gst_y10_uri_get (self->uri, "format");
  const gchar *file = gst_y10_uri_get (self->uri, "cafile");

  if (!gst_y10_uri_get_count (self->uri, "batch", MAX_BATCH,
          &self->batches.most_lines, error))
    return FALSE;
  self->batches.is_ndjson = !g_strcmp0 (format, "ndjson");
  if (format && !self->batches.is_ndjson && strcmp (format, "json")) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
        "uri: format is \"%s\"; expected json or ndjson", format);
    return FALSE;
  }
  if (!gst_y10_uri_check_cafile (self->uri, error))
    return FALSE;
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
  self->requests = g_ptr_array_new ();
  gst_y10_batches_init (&self->batches);
  self->authorization = make_authorization (config->credentials);
  self->uri = gst_y10_uri_parse (config->uri, names, error);
  if (self->uri && read_settings (self, error)) {
    self->origin = g_strdup_printf ("%s://%s", self->uri->scheme,
        self->uri->authority);
    return self;
  }
  webhook_free (self);
  return NULL;
}

static guint
webhook_get_window (GstY10Transport transport)
{
  return 2 * ((Webhook *) transport)->batches.most_lines;
}

/* A session belongs to the thread that makes it. */
static void
webhook_start (GstY10Transport transport)
{
  Webhook *self = transport;

  /* Its own limit is of the silence on a socket, beyond ours of the whole answer. */
  self->session = soup_session_new_with_options ("timeout",
      (guint) (MAX_LATE * self->config->timeout / G_USEC_PER_SEC) + 2,
      "max-conns", 3 * MAX_REQUESTS, "max-conns-per-host", 3 * MAX_REQUESTS,
      "user-agent", "yolov10detect ", NULL);
  if (self->certificates)
    soup_session_set_tls_database (self->session, self->certificates);
  self->timer = gst_y10_timer_new (0, on_retry, self);
}

static void
webhook_stop (GstY10Transport transport)
{
  Webhook *self = transport;

  gst_y10_source_clear (&self->timer);
  drop_all (self);
  while (self->requests->len)
    g_main_context_iteration (g_main_context_get_thread_default (), TRUE);
  if (self->session)
    soup_session_abort (self->session);
  g_clear_object (&self->session);
}

const GstY10TransportClass gst_y10_webhook = {
  .schemes = { "http", "https" },
  .library = "libsoup 3",
  .package = "libsoup-3.0-dev",
  .has_lanes = TRUE,
  .open = webhook_open,
  .free = webhook_free,
  .get_window = webhook_get_window,
  .start = webhook_start,
  .send = webhook_send,
  .flush = webhook_flush,
  .stop = webhook_stop,
};
