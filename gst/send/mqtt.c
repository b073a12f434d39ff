/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Sends to an MQTT broker by libmosquitto, whose sockets belong to the follower's main
 * context. Each connection is a client of its own: libmosquitto would send again by itself
 * what its last one left, and the follower does so in its own order. A will says that a
 * stream is gone, and a connection has one will, so each further stream has a connection
 * for that alone. MQTT 5 says what becomes of a message; a broker without it is asked in
 * MQTT 3.1.1, where one that is too large or not allowed may vanish. */
#include "send/timer.h"
#include "send/transport.h"

#include <gio/gio.h>
#include <glib-unix.h>
#include <mosquitto.h>
#include <mqtt_protocol.h>
#include <string.h>
#include <sys/socket.h>

#define KEEPALIVE 15  /* seconds */
#define MIN_DELAY 500 /* milliseconds until the next try */
#define MAX_DELAY 30000
#define WINDOW 100
#define QOS 1

/* A message may be late so often before it has failed. */
#define MAX_LATE 3

typedef struct
{
  gint mid;
  guint64 serial;
  gint64 due; /* monotonic, when it is late again */
  guint n_late;
} Flight;

typedef struct _Mqtt Mqtt;

/* A connection that is there, is being made, or waits for the next try. */
typedef struct
{
  Mqtt *mqtt;
  guint number;    /* 0: the one that carries lines */
  gchar *presence; /* topic of its will; NULL: none yet */
  gboolean is_there;

  struct mosquitto *client;
  GSource *source;       /* watches its socket */
  gpointer tag;          /* of the socket in the source */
  GSource *timer;        /* until the next try, or each second */
  GCancellable *probing; /* NULL: no probe is running */
  GIOCondition watched;  /* of the socket */
  gint64 began_at;       /* to connect */
  guint delay;
  guint n_unanswered; /* messages */
  gboolean is_connected;
  gboolean is_old; /* this try is in MQTT 3.1.1 */
  gint failure;    /* MOSQ_ERR_*; dealt with outside of callbacks */
  gint refusal;    /* of the broker */
} Link;

struct _Mqtt
{
  const GstY10TransportConfig *config;
  GstY10Uri *uri;
  gboolean has_tls;
  guint port;
  GPtrArray *links;
  GArray *flights;    /* Flight */
  GPtrArray *watches; /* filters of topics */
  gboolean is_started;
  gboolean is_old; /* the broker knows MQTT 3.1.1 only */
  guint n_probes;  /* that have not ended, even if they were cancelled */
};

/* A source that watches a client's socket. */
typedef struct
{
  GSource parent;
  Link *link;
} SocketSource;

static void link_probe (Link *link);
static void link_drop (Link *link, const GError *error);

static void
link_close (Link *link)
{
  gst_y10_source_clear (&link->source);
  gst_y10_source_clear (&link->timer);
  if (link->probing) {
    g_cancellable_cancel (link->probing);
    g_clear_object (&link->probing);
  }
  g_clear_pointer (&link->client, mosquitto_destroy);
  link->is_connected = FALSE;
  link->n_unanswered = 0;
}

static void
link_free (gpointer data)
{
  Link *link = data;

  link_close (link);
  g_free (link->presence);
  g_free (link);
}

static gboolean
on_retry (gpointer user)
{
  Link *link = user;

  link_close (link);
  link_probe (link);
  return G_SOURCE_REMOVE;
}

/* Closes a connection, and tries again later. */
static void
link_drop (Link *link, const GError *error)
{
  Mqtt *mqtt = link->mqtt;
  const gboolean by_message = link->is_connected;
  guint delay = link->delay;

  link_close (link);
  link->delay = MIN (link->delay * 2, MAX_DELAY);
  if (!link->number) {
    g_array_set_size (mqtt->flights, 0);
    if (mqtt->config->callbacks->lost (mqtt->config->user, error, by_message))
      delay = 0;
  }
  link->timer = gst_y10_timer_new (delay, on_retry, link);
}

/* libmosquitto ends some of its texts as sentences, others not. */
static gchar *
describe (const Link *link, gint code)
{
  const gchar *text = link->refusal ? link->mqtt->is_old
          ? mosquitto_connack_string (link->refusal)
          : mosquitto_reason_string (link->refusal)
      : code == MOSQ_ERR_ERRNO ? g_strerror (errno)
      : code == MOSQ_ERR_SUCCESS    ? "the broker closed the connection"
                                    : mosquitto_strerror (code);

  return g_strndup (text, strlen (text) - g_str_has_suffix (text, "."));
}

/* Whether a broker, which does not answer, may know another version only. */
static gboolean
is_of_version (const Link *link)
{
  return link->refusal == CONNACK_REFUSED_PROTOCOL_VERSION
      || link->refusal == MQTT_RC_UNSUPPORTED_PROTOCOL_VERSION
      || (!link->refusal && !link->is_connected);
}

/* Deals with a failure of libmosquitto. */
static void
link_fail (Link *link, gint code)
{
  Mqtt *mqtt = link->mqtt;
  g_autofree gchar *text = describe (link, code);
  g_autoptr (GError) error = g_error_new (G_IO_ERROR, G_IO_ERROR_FAILED,
      "%s: %s; trying again", mqtt->uri->address, text);

  if (is_of_version (link))
    mqtt->is_old = !link->is_old;
  link->refusal = 0;
  link_drop (link, error);
}

static gint
publish (Link *link, const gchar *topic, const gchar *text, gsize length,
    gboolean retain, gint *mid)
{
  const gint code = mosquitto_publish (link->client, mid, topic, (int) length,
      text, QOS, retain);

  link->n_unanswered += code == MOSQ_ERR_SUCCESS;
  return code;
}

static void
tell_presence (Link *link, Link *subject)
{
  const gchar *text = subject->is_there ? "online" : "offline";

  if (link->is_connected && subject->presence)
    publish (link, subject->presence, text, strlen (text), TRUE, NULL);
}

/* libmosquitto's callbacks, in which a client must not be destroyed. */
static void
on_connect (struct mosquitto *client, void *user, int code, int flags,
    const mosquitto_property *properties)
{
  Link *link = user;
  const Mqtt *mqtt = link->mqtt;

  if (code) {
    link->refusal = code;
    link->failure = MOSQ_ERR_CONN_REFUSED;
    return;
  }
  link->is_connected = TRUE;
  tell_presence (link, link);
  if (link->number)
    return;
  for (guint i = 0; i < mqtt->watches->len; i++)
    mosquitto_subscribe (client, NULL, g_ptr_array_index (mqtt->watches, i),
        QOS);
  mqtt->config->callbacks->connected (mqtt->config->user);
}

static void
on_disconnect (struct mosquitto *client, void *user, int code,
    const mosquitto_property *properties)
{
  Link *link = user;

  if (!link->failure)
    link->failure = code ? code : MOSQ_ERR_CONN_LOST;
}

static void
on_message (struct mosquitto *client, void *user,
    const struct mosquitto_message *message)
{
  const Link *link = user;
  const GstY10TransportConfig *config = link->mqtt->config;

  config->callbacks->noted (config->user, message->topic, message->payload,
      (gsize) message->payloadlen, !message->retain);
}

/* What the broker says of a message. */
static void
answer (Mqtt *mqtt, guint64 serial, gint reason)
{
  const GstY10TransportCallbacks *callbacks = mqtt->config->callbacks;
  const gboolean is_final = reason == MQTT_RC_PACKET_TOO_LARGE
      || reason == MQTT_RC_PAYLOAD_FORMAT_INVALID
      || reason == MQTT_RC_TOPIC_NAME_INVALID;
  g_autoptr (GError) error = NULL;

  if (reason < MQTT_RC_UNSPECIFIED) {
    callbacks->done (mqtt->config->user, serial, NULL);
    return;
  }
  error = g_error_new (G_IO_ERROR, G_IO_ERROR_FAILED,
      "%s: the broker answers to a line: %s; %s", mqtt->uri->address,
      mosquitto_reason_string (reason),
      is_final ? "it is not sent again" : "trying again");
  if (is_final)
    callbacks->done (mqtt->config->user, serial, error);
  else
    callbacks->failed (mqtt->config->user, serial, error);
}

static void
on_publish (struct mosquitto *client, void *user, int mid, int reason,
    const mosquitto_property *properties)
{
  Link *link = user;
  Mqtt *mqtt = link->mqtt;

  link->n_unanswered -= link->n_unanswered > 0;
  if (reason < MQTT_RC_UNSPECIFIED)
    link->delay = MIN_DELAY;
  for (guint i = 0; !link->number && i < mqtt->flights->len; i++) {
    const Flight flight = g_array_index (mqtt->flights, Flight, i);

    if (flight.mid != mid)
      continue;
    g_array_remove_index (mqtt->flights, i);
    answer (mqtt, flight.serial, reason);
    return;
  }
}

static gboolean
socket_prepare (GSource *source, gint *timeout)
{
  Link *link = ((SocketSource *) source)->link;
  const GIOCondition wanted = G_IO_IN | G_IO_ERR | G_IO_HUP
      | (mosquitto_want_write (link->client) ? G_IO_OUT : 0);

  *timeout = -1;
  /* Each time that it is set wakes the loop. */
  if (wanted != link->watched)
    g_source_modify_unix_fd (source, link->tag, wanted);
  link->watched = wanted;
  return FALSE;
}

static gboolean
socket_check (GSource *source)
{
  return g_source_query_unix_fd (source, ((SocketSource *) source)->link->tag)
      != 0;
}

static gboolean
socket_dispatch (GSource *source, GSourceFunc func, gpointer user)
{
  Link *link = ((SocketSource *) source)->link;
  const GIOCondition ready = g_source_query_unix_fd (source, link->tag);
  gint code = MOSQ_ERR_SUCCESS;

  if (ready & (G_IO_IN | G_IO_ERR | G_IO_HUP))
    code = mosquitto_loop_read (link->client, 1);
  if (!code && !link->failure && ready & G_IO_OUT)
    code = mosquitto_loop_write (link->client, 1);
  if (code || link->failure)
    link_fail (link, link->failure ? link->failure : code);
  return G_SOURCE_CONTINUE;
}

static GSourceFuncs socket_funcs = { socket_prepare, socket_check,
  socket_dispatch, NULL };

/* Looks after messages that have no answer. */
static void
find_late (Mqtt *mqtt)
{
  const GstY10TransportCallbacks *callbacks = mqtt->config->callbacks;
  const gint64 now = g_get_monotonic_time ();
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < mqtt->flights->len; i++) {
    Flight *flight = &g_array_index (mqtt->flights, Flight, i);
    const guint64 serial = flight->serial;

    if (now < flight->due)
      continue;
    if (!error)
      error = g_error_new (G_IO_ERROR, G_IO_ERROR_TIMED_OUT,
          "%s: no answer to a line within %.3g s; trying again",
          mqtt->uri->address, (gdouble) mqtt->config->timeout / G_USEC_PER_SEC);
    flight->due += mqtt->config->timeout;
    if (++flight->n_late < MAX_LATE) {
      callbacks->late (mqtt->config->user, serial, error);
      continue;
    }
    g_array_remove_index (mqtt->flights, i--);
    callbacks->failed (mqtt->config->user, serial, error);
  }
}

/* Keeps a connection alive, and gives up one that does not answer. */
static gboolean
on_second (gpointer user)
{
  Link *link = user;
  gint code = mosquitto_loop_misc (link->client);

  if (!code && !link->is_connected
      && g_get_monotonic_time () - link->began_at > link->mqtt->config->timeout)
    code = MOSQ_ERR_CONN_LOST;
  if (code || link->failure) {
    link_fail (link, link->failure ? link->failure : code);
    return G_SOURCE_REMOVE;
  }
  if (!link->number)
    find_late (link->mqtt);
  return G_SOURCE_CONTINUE;
}

static gint
set_tls (const Mqtt *mqtt, struct mosquitto *client)
{
  const gchar *file = gst_y10_uri_get (mqtt->uri, "cafile");

  if (!mqtt->has_tls)
    return MOSQ_ERR_SUCCESS;
  if (file)
    return mosquitto_tls_set (client, file, NULL, NULL, NULL, NULL);
  return mosquitto_int_option (client, MOSQ_OPT_TLS_USE_OS_CERTS, 1);
}

static struct mosquitto *
new_client (Mqtt *mqtt, Link *link)
{
  const GstY10Credentials *credentials = mqtt->config->credentials;
  gchar id[64];
  struct mosquitto *client;
  gint code;

  g_snprintf (id, sizeof id, link->number ? "y10-%s-%u" : "y10-%s",
      mqtt->config->producer, link->number);
  client = mosquitto_new (id, TRUE, link);
  if (!client)
    return NULL;
  mosquitto_connect_v5_callback_set (client, on_connect);
  mosquitto_disconnect_v5_callback_set (client, on_disconnect);
  mosquitto_publish_v5_callback_set (client, on_publish);
  mosquitto_message_callback_set (client, on_message);
  mosquitto_max_inflight_messages_set (client, 0);
  link->is_old = mqtt->is_old;
  code = mosquitto_int_option (client, MOSQ_OPT_PROTOCOL_VERSION,
      link->is_old ? MQTT_PROTOCOL_V311 : MQTT_PROTOCOL_V5);
  if (!code)
    code = set_tls (mqtt, client);
  if (!code && credentials->user)
    code = mosquitto_username_pw_set (client, credentials->user,
        credentials->password);
  if (!code && link->presence)
    code = mosquitto_will_set (client, link->presence, strlen ("offline"),
        "offline", QOS, TRUE);
  if (code)
    g_clear_pointer (&client, mosquitto_destroy);
  return client;
}

/* Connects to an address family that has just answered. */
static void
link_connect (Link *link, gboolean is_v6)
{
  Mqtt *mqtt = link->mqtt;
  gint code = MOSQ_ERR_NOMEM;

  link->failure = link->refusal = 0;
  link->client = new_client (mqtt, link);
  if (link->client)
    code = mosquitto_connect_bind_async (link->client, mqtt->uri->host,
        (int) mqtt->port, KEEPALIVE, is_v6 ? "::" : "0.0.0.0");
  if (code || mosquitto_socket (link->client) < 0) {
    link_fail (link, code ? code : MOSQ_ERR_NO_CONN);
    return;
  }
  link->source = g_source_new (&socket_funcs, sizeof (SocketSource));
  ((SocketSource *) link->source)->link = link;
  link->tag = g_source_add_unix_fd (link->source,
      mosquitto_socket (link->client), G_IO_IN);
  g_source_attach (link->source, g_main_context_get_thread_default ());
  link->watched = G_IO_IN;
  link->began_at = g_get_monotonic_time ();
  link->timer = gst_y10_timer_new (1000, on_second, link);
}

static gboolean
is_v6 (GSocketConnection *connection)
{
  g_autoptr (GSocketAddress)
      address = g_socket_connection_get_remote_address (connection, NULL);

  return address
      && g_socket_address_get_family (address) == G_SOCKET_FAMILY_IPV6;
}

static void
on_probed (GObject *source, GAsyncResult *result, gpointer user)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GSocketConnection)
      connection = g_socket_client_connect_to_host_finish (G_SOCKET_CLIENT (
                                                               source),
          result, &error);
  Link *link = user;

  link->mqtt->n_probes--;
  if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED)) {
    g_clear_object (&link->probing);
    if (connection) {
      link_connect (link, is_v6 (connection));
    } else {
      g_prefix_error (&error, "%s: ", link->mqtt->uri->address);
      link_drop (link, error);
    }
  }
}

/* libmosquitto waits for names and tries one address only. So this asks first which one
 * answers, which can be cancelled. */
static void
link_probe (Link *link)
{
  g_autoptr (GSocketClient) client = g_socket_client_new ();

  g_socket_client_set_timeout (client,
      (guint) MAX (link->mqtt->config->timeout / G_USEC_PER_SEC, 1));
  g_socket_client_set_enable_proxy (client, FALSE);
  link->probing = g_cancellable_new ();
  link->mqtt->n_probes++;
  g_socket_client_connect_to_host_async (client, link->mqtt->uri->host,
      (guint16) link->mqtt->port, link->probing, on_probed, link);
}

static Link *
add_link (Mqtt *mqtt)
{
  Link *link = g_new0 (Link, 1);

  link->mqtt = mqtt;
  link->number = mqtt->links->len;
  link->delay = MIN_DELAY;
  g_ptr_array_add (mqtt->links, link);
  return link;
}

static void
mqtt_free (GstY10Transport self)
{
  Mqtt *mqtt = self;

  g_ptr_array_unref (mqtt->links);
  g_array_unref (mqtt->flights);
  g_ptr_array_unref (mqtt->watches);
  gst_y10_uri_free (mqtt->uri);
  g_free (mqtt);
  mosquitto_lib_cleanup ();
}

static gboolean
check (Mqtt *mqtt, GError **error)
{
  const gchar *file = gst_y10_uri_get (mqtt->uri, "cafile");

  if (file && !mqtt->has_tls)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
        "uri: %s has a cafile, but no TLS; expected mqtts:",
        mqtt->uri->address);
  else if (!gst_y10_uri_check_cafile (mqtt->uri, error))
    return FALSE;
  else if (strpbrk (mqtt->uri->path, "+#") || strlen (mqtt->uri->path) > 200)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
        "uri: the prefix of topics is \"%s\"; expected at most 200 bytes without + "
        "and #",
        mqtt->uri->path);
  else if (strchr (mqtt->uri->authority, ','))
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
        "uri: \"%s\" names several brokers; expected one",
        mqtt->uri->authority);
  else
    return TRUE;
  return FALSE;
}

static GstY10Transport
mqtt_open (const GstY10TransportConfig *config, GError **error)
{
  static const gchar *const names[] = { "cafile", NULL };
  Mqtt *mqtt = g_new0 (Mqtt, 1);

  mosquitto_lib_init ();
  mqtt->config = config;
  mqtt->links = g_ptr_array_new_with_free_func (link_free);
  mqtt->flights = g_array_new (FALSE, FALSE, sizeof (Flight));
  mqtt->watches = g_ptr_array_new_with_free_func (g_free);
  add_link (mqtt);
  mqtt->uri = gst_y10_uri_parse (config->uri, names, error);
  if (mqtt->uri) {
    mqtt->has_tls = !strcmp (mqtt->uri->scheme, "mqtts");
    mqtt->port = mqtt->uri->port ? mqtt->uri->port
        : mqtt->has_tls          ? 8883
                                 : 1883;
    if (check (mqtt, error))
      return mqtt;
  }
  mqtt_free (mqtt);
  return NULL;
}

static guint
mqtt_get_window (GstY10Transport self)
{
  return WINDOW;
}

static void
mqtt_start (GstY10Transport self)
{
  Mqtt *mqtt = self;

  mqtt->is_started = TRUE;
  for (guint i = 0; i < mqtt->links->len; i++)
    link_probe (g_ptr_array_index (mqtt->links, i));
}

static void
mqtt_send (GstY10Transport self, const GstY10Message *message)
{
  Mqtt *mqtt = self;
  Link *link = g_ptr_array_index (mqtt->links, 0);
  Flight flight = { .serial = message->serial,
    .due = g_get_monotonic_time () + mqtt->config->timeout };
  const gint code = publish (link, message->topic, message->text,
      message->length, message->retain, &flight.mid);

  /* Without a connection, lost() is about to be told. */
  if (!message->serial || code == MOSQ_ERR_NO_CONN || code == MOSQ_ERR_CONN_LOST
      || code == MOSQ_ERR_ERRNO)
    return;
  if (code) {
    g_autofree gchar *text = describe (link, code);
    g_autoptr (GError) error = g_error_new (G_IO_ERROR, G_IO_ERROR_FAILED,
        "%s: the broker takes no %" G_GSIZE_FORMAT
        " bytes for %s: %s; the line is not sent again",
        mqtt->uri->address, message->length, message->topic, text);

    mqtt->config->callbacks->done (mqtt->config->user, message->serial, error);
    return;
  }
  g_array_append_val (mqtt->flights, flight);
}

static void
mqtt_set_presence (GstY10Transport self, const gchar *topic, gboolean is_there)
{
  Mqtt *mqtt = self;
  Link *first = g_ptr_array_index (mqtt->links, 0), *link = NULL;

  for (guint i = 0; i < mqtt->links->len && !link; i++) {
    Link *one = g_ptr_array_index (mqtt->links, i);

    if (!g_strcmp0 (one->presence, topic))
      link = one;
  }
  if (!link) {
    link = first->presence || first->client ? add_link (mqtt) : first;
    link->presence = g_strdup (topic);
    if (mqtt->is_started && link != first)
      link_probe (link);
  }
  link->is_there = is_there;
  /* Both carry it, so that it is there before the lines that follow. */
  tell_presence (first, link);
  if (link != first)
    tell_presence (link, link);
}

static void
mqtt_watch (GstY10Transport self, const gchar *filter)
{
  const Mqtt *mqtt = self;
  const Link *link = g_ptr_array_index (mqtt->links, 0);

  g_ptr_array_add (mqtt->watches, g_strdup (filter));
  if (link->is_connected)
    mosquitto_subscribe (link->client, NULL, filter, QOS);
}

static gboolean
mqtt_is_idle (GstY10Transport self)
{
  const Mqtt *mqtt = self;

  for (guint i = 0; i < mqtt->links->len; i++)
    if (((Link *) g_ptr_array_index (mqtt->links, i))->n_unanswered)
      return FALSE;
  return TRUE;
}

static void
mqtt_stop (GstY10Transport self)
{
  Mqtt *mqtt = self;

  for (guint i = 0; i < mqtt->links->len; i++) {
    Link *link = g_ptr_array_index (mqtt->links, i);

    /* Its will is not sent then. */
    if (link->is_connected)
      mosquitto_disconnect (link->client);
    link_close (link);
  }
  mqtt->is_started = FALSE;
  while (mqtt->n_probes)
    g_main_context_iteration (g_main_context_get_thread_default (), TRUE);
}

const GstY10TransportClass gst_y10_mqtt = {
  .schemes = { "mqtt", "mqtts" },
  .library = "libmosquitto",
  .package = "libmosquitto-dev",
  .has_states = TRUE,
  .has_lanes = TRUE,
  .open = mqtt_open,
  .free = mqtt_free,
  .get_window = mqtt_get_window,
  .start = mqtt_start,
  .send = mqtt_send,
  .set_presence = mqtt_set_presence,
  .watch = mqtt_watch,
  .is_idle = mqtt_is_idle,
  .stop = mqtt_stop,
};
