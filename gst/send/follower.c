/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Makes what sends a spool's lines, and the thread that it lives in. What others tell of
 * streams and zones is handed to that thread. */
#include "send/follower.h"

#include <gio/gio.h>
#include <string.h>

#include "send/delivery.h"

/* How long the end waits for the other side, if it answers at all. */
#define FAREWELL (2 * G_TIME_SPAN_SECOND)
#define FAREWELL_INTERVAL 10 /* milliseconds */

/* Streams that an earlier process had come back within a minute, or by the end, if there
 * was time for them. */
#define COMEBACK 60000    /* milliseconds */
#define MIN_COMEBACK 3000 /* milliseconds */

struct _GstY10Follower
{
  GstY10Delivery delivery;
  GstY10TransportConfig config;
  GstY10Credentials credentials;
  gchar *uri;

  GThread *thread;
  GMainContext *context;
  GMainLoop *loop;
  gint64 began_at;

  GMutex lock;
  gint64 farewell; /* when to give up; 0: the end has not come */
};

static void
send_state (const gchar *topic, const gchar *text, gsize length, gpointer user)
{
  const GstY10Delivery *delivery = user;
  const GstY10Message message = { .topic = topic,
    .stream = "",
    .text = text,
    .length = length,
    .retain = TRUE };

  delivery->class->send (delivery->transport, &message);
}

static void
set_presence (const gchar *topic, gboolean is_there, gpointer user)
{
  const GstY10Delivery *delivery = user;

  delivery->class->set_presence (delivery->transport, topic, is_there);
}

static void
watch (const gchar *filter, gpointer user)
{
  const GstY10Delivery *delivery = user;

  delivery->class->watch (delivery->transport, filter);
}

/* Ends the loop when all has arrived, or will not. */
static gboolean
on_farewell (gpointer user)
{
  GstY10Follower *self = user;
  gint64 end;

  g_mutex_lock (&self->lock);
  end = self->farewell;
  g_mutex_unlock (&self->lock);
  if (self->delivery.is_lost || g_get_monotonic_time () > end
      || gst_y10_delivery_is_over (&self->delivery))
    g_main_loop_quit (self->loop);
  return G_SOURCE_CONTINUE;
}

static gboolean
on_comeback (gpointer user)
{
  GstY10Follower *self = user;

  if (!self->delivery.is_connected)
    return G_SOURCE_CONTINUE;
  gst_y10_topics_sweep (self->delivery.topics);
  gst_y10_delivery_wake (&self->delivery);
  return G_SOURCE_REMOVE;
}

static void
add_timer (GstY10Follower *self, guint milliseconds, GSourceFunc func)
{
  g_autoptr (GSource) source = g_timeout_source_new (milliseconds);

  g_source_set_callback (source, func, self, NULL);
  g_source_attach (source, self->context);
}

static gboolean
begin_farewell (gpointer user)
{
  GstY10Follower *self = user;
  const gint64 age = g_get_monotonic_time () - self->began_at;

  if (self->delivery.topics && age > MIN_COMEBACK * G_TIME_SPAN_MILLISECOND)
    on_comeback (self);
  self->delivery.caught_up = FALSE;
  gst_y10_delivery_pump (&self->delivery);
  add_timer (self, FAREWELL_INTERVAL, on_farewell);
  return G_SOURCE_REMOVE;
}

static gpointer
run (gpointer user)
{
  GstY10Follower *self = user;

  g_main_context_push_thread_default (self->context);
  self->delivery.class->start (self->delivery.transport);
  g_main_loop_run (self->loop);
  if (self->delivery.topics)
    gst_y10_topics_end (self->delivery.topics,
        gst_y10_delivery_is_over (&self->delivery));
  self->delivery.is_connected = FALSE;
  self->delivery.class->stop (self->delivery.transport);
  while (g_main_context_iteration (self->context, FALSE))
    ;
  g_main_context_pop_thread_default (self->context);
  return NULL;
}

static void
add_topics (GstY10Follower *self, const GstY10FollowerSettings *settings)
{
  const gchar *slash = strchr (strstr (settings->uri, "://") + 3, '/');
  const gchar *path = slash ? slash + 1 : "";
  g_autofree gchar *broker = slash
      ? g_strndup (settings->uri, slash - settings->uri)
      : g_strdup (settings->uri);
  g_autofree gchar *prefix = g_uri_unescape_segment (path,
      path + strcspn (path, "?"), NULL);
  const GstY10TopicsConfig config = {
    .prefix = prefix ? prefix : "",
    .folder = gst_y10_spool_get_path (self->delivery.spool),
    .follower = self->delivery.name,
    .producer = self->config.producer,
    .broker = broker,
    .home_assistant = settings->home_assistant,
    .send = send_state,
    .set_presence = set_presence,
    .watch = watch,
    .user = &self->delivery,
  };

  self->delivery.topics = gst_y10_topics_new (&config);
}

static void
release (GstY10Follower *self)
{
  if (self->delivery.transport)
    self->delivery.class->free (self->delivery.transport);
  gst_y10_delivery_end (&self->delivery);
  g_clear_pointer (&self->loop, g_main_loop_unref);
  g_clear_pointer (&self->context, g_main_context_unref);
  gst_y10_topics_free (self->delivery.topics);
  gst_y10_credentials_clear (&self->credentials);
  g_mutex_clear (&self->delivery.lock);
  g_mutex_clear (&self->lock);
  g_free (self->uri);
  g_free (self);
}

/* Of two followers, each is a client of its own, also where they have one broker. */
static const gchar *
get_client (const GstY10Delivery *delivery)
{
  const gchar *producer = gst_y10_spool_get_producer (delivery->spool);
  gchar *client = g_strconcat (producer, *delivery->name ? "-" : "",
      delivery->name, NULL);
  const gchar *interned = g_intern_string (client);

  g_free (client);
  return interned;
}

static gboolean
open_transport (GstY10Follower *self, const GstY10FollowerSettings *settings,
    GError **error)
{
  self->delivery.class = gst_y10_transport_find (settings->uri, error);
  if (!self->delivery.class
      || !gst_y10_credentials_load (&self->credentials, settings->credentials,
          error))
    return FALSE;
  if (settings->home_assistant && !self->delivery.class->has_states) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
        "home-assistant: the uri is %s:; expected mqtt: or mqtts:",
        self->delivery.class->schemes[0]);
    return FALSE;
  }
  self->config = (GstY10TransportConfig){
    .uri = self->uri,
    .credentials = &self->credentials,
    .producer = get_client (&self->delivery),
    .max_delay = settings->max_delay,
    .timeout = settings->timeout,
    .callbacks = &gst_y10_delivery_callbacks,
    .user = &self->delivery,
  };
  self->delivery.transport = self->delivery.class->open (&self->config, error);
  return self->delivery.transport != NULL;
}

/**
 * gst_y10_follower_new:
 * @spool: a spool, which must outlive the follower
 * @settings: where to send to
 * @error: what is wrong with the settings; a network that is away is no error
 *
 * Begins to send what @spool has behind its acknowledged position.
 *
 * Returns: (transfer full) (nullable): a follower
 */
GstY10Follower *
gst_y10_follower_new (GstY10Spool *spool,
    const GstY10FollowerSettings *settings, GError **error)
{
  GstY10Follower *self = g_new0 (GstY10Follower, 1);

  self->delivery.spool = spool;
  self->delivery.name = g_intern_string (settings->name);
  self->delivery.max_delay = settings->max_delay;
  g_mutex_init (&self->delivery.lock);
  self->uri = g_strdup (settings->uri);
  g_mutex_init (&self->lock);
  if (!open_transport (self, settings, error)) {
    release (self);
    return NULL;
  }
  if (self->delivery.class->has_states)
    add_topics (self, settings);
  self->context = g_main_context_new ();
  self->loop = g_main_loop_new (self->context, FALSE);
  gst_y10_delivery_begin (&self->delivery, self->context);
  /* Before it connects, so that this stream has the connection's own will. */
  self->began_at = g_get_monotonic_time ();
  if (self->delivery.topics)
    add_timer (self, COMEBACK, on_comeback);
  if (self->delivery.topics && settings->stream)
    gst_y10_topics_set_stream (self->delivery.topics, settings->stream, TRUE);
  self->thread = g_thread_new ("y10-follow", run, self);
  return self;
}

static void
invoke (GstY10Follower *self, GSourceFunc func, gpointer data,
    GDestroyNotify free_func)
{
  g_autoptr (GSource) source = g_idle_source_new ();

  g_source_set_priority (source, G_PRIORITY_DEFAULT);
  g_source_set_callback (source, func, data, free_func);
  g_source_attach (source, self->context);
}

/* Frees a follower, after what it can still send within two seconds. The rest is sent when
 * the spool is opened again. */
void
gst_y10_follower_free (GstY10Follower *self)
{
  if (!self)
    return;
  g_mutex_lock (&self->lock);
  self->farewell = g_get_monotonic_time () + FAREWELL;
  g_mutex_unlock (&self->lock);
  invoke (self, begin_farewell, self, NULL);
  g_thread_join (self->thread);
  release (self);
}

void
gst_y10_follower_get_stats (GstY10Follower *self, GstY10FollowerStats *stats)
{
  g_mutex_lock (&self->delivery.lock);
  *stats = self->delivery.stats;
  g_mutex_unlock (&self->delivery.lock);
}

/* What another thread says of a stream. */
typedef struct
{
  GstY10Follower *follower;
  gchar *stream;
  gboolean is_there;
  gchar **zones, **lines;
} Notice;

static void
notice_free (gpointer data)
{
  Notice *notice = data;

  g_free (notice->stream);
  g_strfreev (notice->zones);
  g_strfreev (notice->lines);
  g_free (notice);
}

static gboolean
on_stream (gpointer user)
{
  const Notice *notice = user;

  gst_y10_topics_set_stream (notice->follower->delivery.topics, notice->stream,
      notice->is_there);
  return G_SOURCE_REMOVE;
}

static gboolean
on_zones (gpointer user)
{
  const Notice *notice = user;

  gst_y10_topics_set_zones (notice->follower->delivery.topics, notice->stream,
      (const gchar *const *) notice->zones,
      (const gchar *const *) notice->lines);
  gst_y10_delivery_wake (&notice->follower->delivery);
  return G_SOURCE_REMOVE;
}

/**
 * gst_y10_follower_set_stream:
 * @self: a follower
 * @stream: name that the lines of a stream carry
 * @is_there: whether it runs
 *
 * Says whether a stream is there, which the broker also tells if this process dies.
 */
void
gst_y10_follower_set_stream (GstY10Follower *self, const gchar *stream,
    gboolean is_there)
{
  Notice *notice;

  if (!self->delivery.topics)
    return;
  notice = g_new0 (Notice, 1);
  *notice = (Notice){ self, g_strdup (stream), is_there };
  invoke (self, on_stream, notice, notice_free);
}

/**
 * gst_y10_follower_set_zones:
 * @self: a follower
 * @stream: name that the lines of a stream carry
 * @zones: (nullable): names of zones, ending with %NULL; empty if they are new
 * @lines: (nullable): names of lines, likewise
 *
 * Says what a stream watches, so that its states are there before anything happens.
 */
void
gst_y10_follower_set_zones (GstY10Follower *self, const gchar *stream,
    const gchar *const *zones, const gchar *const *lines)
{
  Notice *notice;

  if (!self->delivery.topics)
    return;
  notice = g_new0 (Notice, 1);
  *notice = (Notice){ self, g_strdup (stream), TRUE,
    g_strdupv ((gchar **) zones), g_strdupv ((gchar **) lines) };
  invoke (self, on_zones, notice, notice_free);
}
