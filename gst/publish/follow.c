/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Decides which lines are under way. A thread reads the synced lines of a spool in their
 * order and hands them to a transport; the acknowledged position moves over those that are
 * done, up to the first that is not. After a loss it begins anew from there, so each line
 * arrives at least once, and in order once those that came before are left out. What is
 * too old is skipped, so that last night's alarms do not ring in the morning. */
#include "publish/follow.h"

#include <gio/gio.h>
#include <string.h>

#include "publish/flights.h"
#include "publish/line.h"
#include "publish/topics.h"
#include "publish/transport.h"

/* A line that has waited for longer is replayed, too: it is not news. */
#define NEWS (10 * G_TIME_SPAN_SECOND)

/* How long the end waits for the other side, if it answers at all. */
#define FAREWELL (2 * G_TIME_SPAN_SECOND)
#define FAREWELL_INTERVAL 10 /* milliseconds */

/* Lines at a time, before others have their turn. */
#define MAX_LINES 1000

typedef enum
{
  NEW,
  CONNECTED,
  LOST,
  STOPPED,
} State;

struct _GstY10Follower
{
  GstY10Spool *spool;
  GstY10TransportConfig config;
  GstY10Credentials credentials;
  gchar *uri;
  const GstY10TransportClass *class;
  GstY10Transport transport;
  GstY10Topics *topics;      /* NULL: the transport has none */
  GstY10SpoolPosition began; /* what lies before is of earlier processes */

  GThread *thread;
  GMainContext *context;
  GMainLoop *loop;
  GSource *wake; /* more lines, or a window with room */

  /* Thread. */
  GstY10SpoolReader *reader;
  State state;
  GstY10Flights flights;
  GstY10SpoolPosition sent; /* up to here, lines have been sent before */
  gboolean caught_up, is_pumping;
  gboolean is_refused; /* the other side refuses lines, as was told */
  GString *text;

  GMutex lock;
  GstY10FollowerStats stats;
  gint64 farewell; /* when to give up; 0: the end has not come */
};

static gboolean
is_before (GstY10SpoolPosition a, GstY10SpoolPosition b)
{
  return a.segment != b.segment ? a.segment < b.segment : a.offset < b.offset;
}

static void
count (GstY10Follower *self, guint64 *counter)
{
  g_mutex_lock (&self->lock);
  ++*counter;
  g_mutex_unlock (&self->lock);
}

static void
wake (gpointer user)
{
  GstY10Follower *self = user;

  g_source_set_ready_time (self->wake, 0);
}

/* Acknowledges what is done without a gap. */
static void
advance (GstY10Follower *self)
{
  GstY10SpoolPosition after;
  guint64 n = 0;

  for (; gst_y10_flights_take (&self->flights, &after); n++)
    gst_y10_spool_acknowledge (self->spool, after);
  g_mutex_lock (&self->lock);
  self->stats.acknowledged += n;
  g_mutex_unlock (&self->lock);
}

static void
set_connected (GstY10Follower *self, gboolean is_connected)
{
  g_mutex_lock (&self->lock);
  self->stats.is_connected = is_connected;
  g_mutex_unlock (&self->lock);
}

/* Tells of a failure once, until something arrives again. */
static void
complain (GstY10Follower *self, const GError *error)
{
  if (!self->is_refused)
    gst_y10_spool_tell (self->spool, error);
  self->is_refused = TRUE;
}

/* The other side takes lines again. */
static void
recover (GstY10Follower *self)
{
  if (self->is_refused)
    gst_y10_spool_tell (self->spool, NULL);
  self->is_refused = FALSE;
  self->state = CONNECTED;
  set_connected (self, TRUE);
}

static void
on_done (gpointer user, guint64 serial, const GError *error)
{
  GstY10Follower *self = user;

  if (!gst_y10_flights_finish (&self->flights, serial))
    return;
  if (error) {
    count (self, &self->stats.failed);
    complain (self, error);
  } else if (self->is_refused) {
    recover (self);
  }
  advance (self);
  wake (self);
}

static void
send_state (const gchar *topic, const gchar *text, gsize length, gpointer user)
{
  GstY10Follower *self = user;
  const GstY10Message message = { .topic = topic,
    .stream = "",
    .text = text,
    .length = length,
    .retain = TRUE };

  self->class->send (self->transport, &message);
}

static void
set_presence (const gchar *topic, gboolean is_there, gpointer user)
{
  GstY10Follower *self = user;

  self->class->set_presence (self->transport, topic, is_there);
}

/* Whether a line may have been sent before, or is no news. */
static gboolean
is_replayed (const GstY10Follower *self, const GstY10SpoolLine *line)
{
  return is_before (line->at, self->sent) || is_before (line->at, self->began)
      || gst_y10_line_get_age (line) > NEWS;
}

static void
send_line (GstY10Follower *self, const GstY10SpoolLine *line, guint64 serial)
{
  gchar *stream = gst_y10_line_get_string (line, "stream");
  const gchar *name = stream ? stream : "";
  const gboolean is_current = !is_before (line->at, self->began);
  const gboolean is_old = is_replayed (self, line);
  const gchar *topic = self->topics
      ? gst_y10_topics_read (self->topics, line, name, is_current)
      : NULL;

  gst_y10_line_address (self->text, line,
      gst_y10_spool_get_producer (self->spool), is_old);
  if (is_before (self->sent, line->after))
    self->sent = line->after;
  g_mutex_lock (&self->lock);
  self->stats.sent++;
  self->stats.replayed += is_old;
  g_mutex_unlock (&self->lock);
  {
    const GstY10Message message = { .serial = serial,
      .topic = topic,
      .stream = name,
      .text = self->text->str,
      .length = self->text->len };

    self->class->send (self->transport, &message);
  }
  g_free (stream);
}

/* Sends a line, or skips it. */
static void
take_line (GstY10Follower *self, const GstY10SpoolLine *line)
{
  const guint64 serial = gst_y10_flights_begin (&self->flights, line->after);
  const gint64 limit = self->config.max_delay;

  if (!limit || gst_y10_line_get_age (line) <= limit) {
    send_line (self, line, serial);
    return;
  }
  count (self, &self->stats.skipped);
  /* Its counts still are the latest there are. */
  if (self->topics) {
    gchar *stream = gst_y10_line_get_string (line, "stream");

    gst_y10_topics_read (self->topics, line, stream ? stream : "",
        !is_before (line->at, self->began));
    g_free (stream);
  }
  gst_y10_flights_finish (&self->flights, serial);
  advance (self);
}

/* Sends what there is and what the window has room for. */
static void
pump (GstY10Follower *self)
{
  GstY10SpoolLine line;
  guint n = 0;

  if (self->is_pumping)
    return;
  self->is_pumping = TRUE;
  while (
      self->state == CONNECTED && !gst_y10_flights_is_full (&self->flights)) {
    if (n++ == MAX_LINES) {
      wake (self);
      break;
    }
    self->caught_up = !gst_y10_spool_reader_next (self->reader, &line);
    if (self->caught_up) {
      if (self->topics)
        gst_y10_topics_settle (self->topics);
      break;
    }
    take_line (self, &line);
  }
  if (self->state == CONNECTED && self->class->flush)
    self->class->flush (self->transport);
  self->is_pumping = FALSE;
}

static void
on_connected (gpointer user)
{
  GstY10Follower *self = user;

  if (self->state == LOST)
    count (self, &self->stats.reconnects);
  /* Of others, only an answer shows that it works. */
  if (self->class->has_states)
    recover (self);
  self->state = CONNECTED;
  set_connected (self, !self->is_refused);
  if (self->topics)
    gst_y10_topics_repeat (self->topics);
  wake (self);
}

static void
on_troubled (gpointer user, const GError *error)
{
  GstY10Follower *self = user;

  complain (self, error);
  set_connected (self, FALSE);
}

static void
on_lost (gpointer user, const GError *error)
{
  GstY10Follower *self = user;

  gst_y10_flights_forget (&self->flights);
  self->caught_up = FALSE;
  gst_y10_spool_reader_seek (self->reader,
      gst_y10_spool_get_acknowledged (self->spool));
  complain (self, error);
  self->state = LOST;
  set_connected (self, FALSE);
}

static const GstY10TransportEvents events = { on_connected, on_troubled,
  on_lost, on_done };

static gboolean
wake_dispatch (GSource *source, GSourceFunc func, gpointer user)
{
  g_source_set_ready_time (source, -1);
  return func (user);
}

static GSourceFuncs wake_funcs = { NULL, NULL, wake_dispatch, NULL };

static gboolean
on_wake (gpointer user)
{
  pump (user);
  return G_SOURCE_CONTINUE;
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
  if (self->state == LOST || g_get_monotonic_time () > end
      || (self->state == CONNECTED && self->caught_up
          && gst_y10_flights_is_empty (&self->flights)
          && (!self->class->is_idle || self->class->is_idle (self->transport))))
    g_main_loop_quit (self->loop);
  return G_SOURCE_CONTINUE;
}

static gboolean
begin_farewell (gpointer user)
{
  GstY10Follower *self = user;
  GSource *source = g_timeout_source_new (FAREWELL_INTERVAL);

  self->caught_up = FALSE;
  pump (self);
  g_source_set_callback (source, on_farewell, self, NULL);
  g_source_attach (source, self->context);
  g_source_unref (source);
  return G_SOURCE_REMOVE;
}

static gpointer
run (gpointer user)
{
  GstY10Follower *self = user;

  g_main_context_push_thread_default (self->context);
  self->class->start (self->transport);
  g_main_loop_run (self->loop);
  self->state = STOPPED;
  self->class->stop (self->transport);
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
  gchar *prefix = g_uri_unescape_segment (path, path + strcspn (path, "?"),
      NULL);
  const GstY10TopicsConfig config = {
    .prefix = prefix ? prefix : "",
    .home_assistant = settings->home_assistant,
    .send = send_state,
    .set_presence = set_presence,
    .user = self,
  };

  self->topics = gst_y10_topics_new (&config);
  g_free (prefix);
}

static void
release (GstY10Follower *self)
{
  if (self->transport)
    self->class->free (self->transport);
  if (self->wake) {
    g_source_destroy (self->wake);
    g_source_unref (self->wake);
  }
  g_clear_pointer (&self->loop, g_main_loop_unref);
  g_clear_pointer (&self->context, g_main_context_unref);
  gst_y10_spool_reader_free (self->reader);
  gst_y10_topics_free (self->topics);
  gst_y10_credentials_clear (&self->credentials);
  if (self->text)
    g_string_free (self->text, TRUE);
  g_mutex_clear (&self->lock);
  gst_y10_flights_clear (&self->flights);
  g_free (self->uri);
  g_free (self);
}

static gboolean
open_transport (GstY10Follower *self, const GstY10FollowerSettings *settings,
    GError **error)
{
  self->class = gst_y10_transport_find (settings->uri, error);
  if (!self->class
      || !gst_y10_credentials_load (&self->credentials, settings->credentials,
          error))
    return FALSE;
  if (settings->home_assistant && !self->class->has_states) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
        "home-assistant: the uri is %s:; expected mqtt: or mqtts:",
        self->class->schemes[0]);
    return FALSE;
  }
  self->config = (GstY10TransportConfig){
    .uri = self->uri,
    .credentials = &self->credentials,
    .producer = gst_y10_spool_get_producer (self->spool),
    .max_delay = settings->max_delay,
    .events = &events,
    .user = self,
  };
  self->transport = self->class->open (&self->config, error);
  return self->transport != NULL;
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

  self->spool = spool;
  self->uri = g_strdup (settings->uri);
  g_mutex_init (&self->lock);
  if (!open_transport (self, settings, error)) {
    release (self);
    return NULL;
  }
  if (self->class->has_states)
    add_topics (self, settings);
  self->began = gst_y10_spool_get_synced (spool);
  self->reader = gst_y10_spool_reader_new (spool,
      gst_y10_spool_get_acknowledged (spool));
  gst_y10_flights_init (&self->flights,
      self->class->get_window (self->transport));
  self->text = g_string_new (NULL);
  self->context = g_main_context_new ();
  self->loop = g_main_loop_new (self->context, FALSE);
  self->wake = g_source_new (&wake_funcs, sizeof (GSource));
  g_source_set_callback (self->wake, on_wake, self, NULL);
  g_source_attach (self->wake, self->context);
  gst_y10_spool_set_notify (spool, wake, self);
  /* Before it connects, so that this stream has the connection's own will. */
  if (self->topics && settings->stream)
    gst_y10_topics_set_stream (self->topics, settings->stream, TRUE);
  self->thread = g_thread_new ("y10-follow", run, self);
  return self;
}

static void
invoke (GstY10Follower *self, GSourceFunc func, gpointer data,
    GDestroyNotify free_func)
{
  GSource *source = g_idle_source_new ();

  g_source_set_priority (source, G_PRIORITY_DEFAULT);
  g_source_set_callback (source, func, data, free_func);
  g_source_attach (source, self->context);
  g_source_unref (source);
}

/* Frees a follower, after what it can still send within two seconds. The rest is sent when
 * the spool is opened again. */
void
gst_y10_follower_free (GstY10Follower *self)
{
  if (!self)
    return;
  gst_y10_spool_set_notify (self->spool, NULL, NULL);
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
  g_mutex_lock (&self->lock);
  *stats = self->stats;
  g_mutex_unlock (&self->lock);
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

  gst_y10_topics_set_stream (notice->follower->topics, notice->stream,
      notice->is_there);
  return G_SOURCE_REMOVE;
}

static gboolean
on_zones (gpointer user)
{
  const Notice *notice = user;

  gst_y10_topics_set_zones (notice->follower->topics, notice->stream,
      (const gchar *const *) notice->zones,
      (const gchar *const *) notice->lines);
  wake (notice->follower);
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

  if (!self->topics)
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

  if (!self->topics)
    return;
  notice = g_new0 (Notice, 1);
  *notice = (Notice){ self, g_strdup (stream), TRUE,
    g_strdupv ((gchar **) zones), g_strdupv ((gchar **) lines) };
  invoke (self, on_zones, notice, notice_free);
}
