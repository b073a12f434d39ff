/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Sends to a Kafka topic by librdkafka's idempotent producer, which keeps order and tries
 * again by itself. The stream is the key, so a stream's lines stay in one partition. If
 * librdkafka gives up, another producer sends again what is left. */
#include "send/timer.h"
#include "send/transport.h"

#include <gio/gio.h>
#include <glib-unix.h>
#include <librdkafka/rdkafka.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define RETRY 1000 /* milliseconds until there is another producer */
#define WINDOW 1000

typedef struct
{
  const GstY10TransportConfig *config;
  GstY10Uri *uri;
  int wake; /* readable when the producer has something to tell */

  rd_kafka_t *producer;
  GSource *source, *timer;
  gboolean is_lost; /* dealt with outside of callbacks */
  GError *reason;
} Kafka;

/* Makes the source look after the producer. */
static void
wake (Kafka *self)
{
  static const guint64 one = 1;

  /* It fails only if the source has much to look after anyway. */
  if (write (self->wake, &one, sizeof one) < 0)
    return;
}

static void
lose (Kafka *self, const gchar *reason)
{
  self->is_lost = TRUE;
  if (!self->reason)
    self->reason = g_error_new (G_IO_ERROR, G_IO_ERROR_FAILED,
        "%s: %s; trying again", self->uri->address, reason);
}

/* Whether another message would be taken. */
static gboolean
is_of_message (rd_kafka_resp_err_t code)
{
  return code == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE
      || code == RD_KAFKA_RESP_ERR_RECORD_LIST_TOO_LARGE
      || code == RD_KAFKA_RESP_ERR_INVALID_MSG_SIZE
      || code == RD_KAFKA_RESP_ERR_INVALID_MSG
      || code == RD_KAFKA_RESP_ERR_INVALID_TIMESTAMP
      || code == RD_KAFKA_RESP_ERR_POLICY_VIOLATION
      || code == RD_KAFKA_RESP_ERR_INVALID_RECORD;
}

/* What a message carries besides: its serial, and whether it was sent by itself. */
static gpointer
make_mark (const GstY10Message *message)
{
  return GSIZE_TO_POINTER ((gsize) message->serial << 1 | message->alone);
}

static void
on_delivery (rd_kafka_t *producer, const rd_kafka_message_t *message,
    void *user)
{
  Kafka *self = user;
  const gsize mark = GPOINTER_TO_SIZE (message->_private);
  const gboolean is_alone = mark & 1;
  g_autoptr (GError) error = NULL;

  if (self->is_lost || !mark)
    return;
  if (!message->err) {
    self->config->events->done (self->config->user, mark >> 1, NULL);
    return;
  }
  if (!is_of_message (message->err)) {
    lose (self, rd_kafka_err2str (message->err));
    return;
  }
  error = g_error_new (G_IO_ERROR, G_IO_ERROR_FAILED, "%s: %s; %s",
      self->uri->address, rd_kafka_err2str (message->err),
      is_alone ? "the line is not sent again" : "trying again by itself");
  /* The broker refuses all that came with it. */
  if (is_alone)
    self->config->events->done (self->config->user, mark >> 1, error);
  else
    self->config->events->failed (self->config->user, mark >> 1, error);
}

static void
on_error (rd_kafka_t *producer, int code, const char *reason, void *user)
{
  Kafka *self = user;
  char text[256];

  if (code == RD_KAFKA_RESP_ERR__FATAL) {
    rd_kafka_fatal_error (producer, text, sizeof text);
    lose (self, text);
  } else if (code == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN
      || code == RD_KAFKA_RESP_ERR__AUTHENTICATION
      || code == RD_KAFKA_RESP_ERR__SSL) {
    g_autoptr (GError) error = g_error_new (G_IO_ERROR, G_IO_ERROR_FAILED,
        "%s: %s; trying again", self->uri->address, reason);

    self->config->events->troubled (self->config->user, error);
  }
}

/* Else it writes to the standard error stream. */
static void
on_log (const rd_kafka_t *producer, int level, const char *facility,
    const char *text)
{
}

static gboolean kafka_connect (gpointer user);

static void
kafka_close (Kafka *self)
{
  gst_y10_source_clear (&self->source);
  gst_y10_source_clear (&self->timer);
  if (self->producer) {
    rd_kafka_purge (self->producer,
        RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT
            | RD_KAFKA_PURGE_F_NON_BLOCKING);
    /* What has been told so far is of no interest any more. */
    self->is_lost = TRUE;
    rd_kafka_poll (self->producer, 0);
    rd_kafka_destroy_flags (self->producer,
        RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
    self->producer = NULL;
  }
  self->is_lost = FALSE;
}

static void
kafka_lose (Kafka *self)
{
  g_autoptr (GError) error = g_steal_pointer (&self->reason);

  kafka_close (self);
  self->timer = g_timeout_source_new (RETRY);
  g_source_set_callback (self->timer, kafka_connect, self, NULL);
  g_source_attach (self->timer, g_main_context_get_thread_default ());
  self->config->events->lost (self->config->user, error, FALSE);
}

static gboolean
on_wake (gint fd, GIOCondition condition, gpointer user)
{
  Kafka *self = user;
  guint64 n;

  if (read (fd, &n, sizeof n) < 0)
    n = 0;
  while (!self->is_lost && rd_kafka_poll (self->producer, 0) > 0)
    ;
  if (!self->is_lost)
    return G_SOURCE_CONTINUE;
  kafka_lose (self);
  return G_SOURCE_REMOVE;
}

static gboolean
set (rd_kafka_conf_t *conf, const gchar *name, const gchar *value,
    GError **error)
{
  gchar text[256];

  if (rd_kafka_conf_set (conf, name, value, text, sizeof text)
      == RD_KAFKA_CONF_OK)
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
      "uri: librdkafka refuses %s: %s", name, text);
  return FALSE;
}

static gboolean
set_security (const Kafka *self, rd_kafka_conf_t *conf, GError **error)
{
  const GstY10Credentials *credentials = self->config->credentials;
  const gchar *file = gst_y10_uri_get (self->uri, "cafile");
  const gboolean has_tls = file || gst_y10_uri_get (self->uri, "tls");
  const gchar *protocol = credentials->user
      ? has_tls ? "sasl_ssl" : "sasl_plaintext"
      : has_tls ? "ssl"
                : "plaintext";

  return set (conf, "security.protocol", protocol, error)
      && (!file || set (conf, "ssl.ca.location", file, error))
      && (!credentials->user
          || (set (conf, "sasl.mechanisms", "PLAIN", error)
              && set (conf, "sasl.username", credentials->user, error)
              && set (conf, "sasl.password",
                  credentials->password ? credentials->password : "", error)));
}

static rd_kafka_conf_t *
make_conf (Kafka *self, GError **error)
{
  rd_kafka_conf_t *conf = rd_kafka_conf_new ();
  const gint64 delay = self->config->max_delay / 1000;
  const gint64 wait = self->config->timeout / 1000;
  gchar timeout[32], answer[32];

  /* Older events are skipped; whoever waits for longer gets none of them. */
  g_snprintf (timeout, sizeof timeout, "%d",
      delay ? (int) CLAMP (delay, 1000, G_MAXINT32 - 1) : 0);
  /* Its own limits of both. */
  g_snprintf (answer, sizeof answer, "%d", (int) CLAMP (wait, 10, 300000));
  if (set (conf, "bootstrap.servers", self->uri->authority, error)
      && set (conf, "client.id", self->config->producer, error)
      && set (conf, "enable.idempotence", "true", error)
      && set (conf, "linger.ms", "5", error)
      && set (conf, "message.timeout.ms", timeout, error)
      && set (conf, "request.timeout.ms", answer, error)
      && set (conf, "socket.timeout.ms", answer, error)
      && set (conf, "reconnect.backoff.max.ms", "5000", error)
      && set (conf, "log.connection.close", "false", error)
      && set_security (self, conf, error)) {
    rd_kafka_conf_set_dr_msg_cb (conf, on_delivery);
    rd_kafka_conf_set_error_cb (conf, on_error);
    rd_kafka_conf_set_log_cb (conf, on_log);
    rd_kafka_conf_set_opaque (conf, self);
    return conf;
  }
  rd_kafka_conf_destroy (conf);
  return NULL;
}

static gboolean
kafka_connect (gpointer user)
{
  static const guint64 one = 1;
  Kafka *self = user;
  rd_kafka_conf_t *conf = make_conf (self, NULL);
  rd_kafka_queue_t *queue;
  gchar text[256] = "out of memory";

  gst_y10_source_clear (&self->timer);
  if (conf)
    self->producer = rd_kafka_new (RD_KAFKA_PRODUCER, conf, text, sizeof text);
  if (!self->producer) {
    if (conf)
      rd_kafka_conf_destroy (conf);
    lose (self, text);
    kafka_lose (self);
    return G_SOURCE_REMOVE;
  }
  queue = rd_kafka_queue_get_main (self->producer);
  rd_kafka_queue_io_event_enable (queue, self->wake, &one, sizeof one);
  rd_kafka_queue_destroy (queue);
  /* It tells only of what comes to an empty queue, and there may be something. */
  wake (self);
  self->source = g_unix_fd_source_new (self->wake, G_IO_IN);
  g_source_set_callback (self->source, G_SOURCE_FUNC (on_wake), self, NULL);
  g_source_attach (self->source, g_main_context_get_thread_default ());
  self->config->events->connected (self->config->user);
  return G_SOURCE_REMOVE;
}

static void
kafka_free (GstY10Transport transport)
{
  Kafka *self = transport;

  gst_y10_uri_free (self->uri);
  if (self->wake >= 0)
    close (self->wake);
  g_clear_error (&self->reason);
  g_free (self);
}

static gboolean
check (const Kafka *self, GError **error)
{
  const gchar *topic = self->uri->path;
  const gchar *tls = gst_y10_uri_get (self->uri, "tls");
  gsize n = strspn (topic,
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
      "0123456789._-");

  if (!n || n > 249 || topic[n]) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
        "uri: the topic is \"%s\"; expected kafka://HOST[:PORT][,…]/TOPIC of "
        "letters, digits, . _ and -",
        topic);
    return FALSE;
  }
  if (tls && strcmp (tls, "true")) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
        "uri: tls is \"%s\"; expected true", tls);
    return FALSE;
  }
  return gst_y10_uri_check_cafile (self->uri, error);
}

static GstY10Transport
kafka_open (const GstY10TransportConfig *config, GError **error)
{
  static const gchar *const names[] = { "cafile", "tls", NULL };
  Kafka *self = g_new0 (Kafka, 1);
  rd_kafka_conf_t *conf;

  self->config = config;
  self->wake = eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK);
  self->uri = gst_y10_uri_parse (config->uri, names, error);
  if (self->uri && check (self, error) && (conf = make_conf (self, error))) {
    rd_kafka_conf_destroy (conf);
    return self;
  }
  kafka_free (self);
  return NULL;
}

static guint
kafka_get_window (GstY10Transport transport)
{
  return WINDOW;
}

static void
kafka_start (GstY10Transport transport)
{
  Kafka *self = transport;

  self->timer = g_idle_source_new ();
  g_source_set_callback (self->timer, kafka_connect, self, NULL);
  g_source_attach (self->timer, g_main_context_get_thread_default ());
}

static void
kafka_send (GstY10Transport transport, const GstY10Message *message)
{
  Kafka *self = transport;
  rd_kafka_resp_err_t code;
  g_autoptr (GError) error = NULL;

  code = rd_kafka_producev (self->producer, RD_KAFKA_V_TOPIC (self->uri->path),
      RD_KAFKA_V_KEY (message->stream, strlen (message->stream)),
      RD_KAFKA_V_VALUE ((void *) message->text, message->length),
      RD_KAFKA_V_OPAQUE (make_mark (message)),
      RD_KAFKA_V_MSGFLAGS (RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_END);
  if (!code)
    return;
  if (!is_of_message (code)) {
    lose (self, rd_kafka_err2str (code));
    wake (self);
    return;
  }
  error = g_error_new (G_IO_ERROR, G_IO_ERROR_FAILED,
      "%s: %s; the line is not sent again", self->uri->address,
      rd_kafka_err2str (code));
  self->config->events->done (self->config->user, message->serial, error);
}

static void
kafka_stop (GstY10Transport transport)
{
  kafka_close (transport);
}

const GstY10TransportClass gst_y10_kafka = {
  .schemes = { "kafka" },
  .library = "librdkafka",
  .package = "librdkafka-dev",
  .open = kafka_open,
  .free = kafka_free,
  .get_window = kafka_get_window,
  .start = kafka_start,
  .send = kafka_send,
  .stop = kafka_stop,
};
