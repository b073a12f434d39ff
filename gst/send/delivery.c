/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Decides which lines are under way. The synced lines of a spool go to a transport in their
 * order; the acknowledged position moves over those that are done, up to the first that is
 * not. After a loss those that are not done are sent again, so each line arrives at least
 * once, and in order once those that came before are left out. Only a line that is late, or
 * fails by itself, is overtaken. What is too old is skipped, so that last night's alarms
 * do not ring in the morning. */
#include "send/delivery.h"

#include <gio/gio.h>

#include "send/refused.h"
#include "send/timer.h"
#include "spool/watch.h"

/* A line that has waited for longer is replayed, too: it is not news. */
#define NEWS (10 * G_TIME_SPAN_SECOND)

/* Lines at a time, before others have their turn. */
#define MAX_LINES 1000

/* Lines behind the first that is not done, and bytes under way. */
#define MAX_FLIGHTS 65536
#define MAX_BYTES (8 << 20)

/* A refused line is kept as a whole up to so many bytes. */
#define MAX_KEPT 65536

/* While so many are late, those that were put aside have to wait. */
#define MAX_LATE 8

/* Warnings about single lines come no more often. */
#define QUIET (60 * G_TIME_SPAN_SECOND)

static gboolean
is_before (GstY10SpoolPosition a, GstY10SpoolPosition b)
{
  return gst_y10_spool_position_compare (a, b) < 0;
}

static void
count (GstY10Delivery *self, guint64 *counter)
{
  g_mutex_lock (&self->lock);
  ++*counter;
  g_mutex_unlock (&self->lock);
}

/* Makes it look for lines. A GFunc for any thread. */
void
gst_y10_delivery_wake (gpointer user)
{
  GstY10Delivery *self = user;

  g_source_set_ready_time (self->wake, 0);
}

/* Acknowledges what is done without a gap. */
static void
advance (GstY10Delivery *self)
{
  GstY10SpoolPosition after;
  guint64 n = 0;

  for (; gst_y10_flights_take (&self->flights, &after); n++)
    gst_y10_spool_acknowledge (self->spool, self->name, after);
  g_mutex_lock (&self->lock);
  self->stats.acknowledged += n;
  g_mutex_unlock (&self->lock);
}

static void
set_connected (GstY10Delivery *self, gboolean is_connected)
{
  g_mutex_lock (&self->lock);
  self->stats.is_connected = is_connected;
  g_mutex_unlock (&self->lock);
}

/* Tells of a failure once, until something arrives again. */
static void
complain (GstY10Delivery *self, const GError *error)
{
  if (!self->is_failing)
    gst_y10_spool_tell (self->spool, error);
  self->is_failing = TRUE;
}

/* Tells that a line does not arrive, while others may. */
static void
complain_of_line (GstY10Delivery *self, const GError *error)
{
  const gint64 now = g_get_monotonic_time ();

  if (self->told_at && now - self->told_at < QUIET)
    return;
  self->told_at = now;
  complain (self, error);
}

/* The other side takes lines again. */
static void
recover (GstY10Delivery *self)
{
  if (self->is_failing)
    gst_y10_spool_tell (self->spool, NULL);
  self->is_failing = FALSE;
  set_connected (self, TRUE);
}

/* Reads the line at @at, or the first behind it that is one. */
static gboolean
read_line (GstY10Delivery *self, GstY10SpoolPosition at, GstY10SpoolLine *line)
{
  gst_y10_spool_reader_seek (self->reader, at);
  return gst_y10_spool_reader_next (self->reader, line);
}

/* Reads the line of a flight. FALSE: it was removed. */
static gboolean
read_again (GstY10Delivery *self, const GstY10Flight *flight,
    GstY10SpoolLine *line)
{
  return read_line (self, flight->at, line)
      && !gst_y10_spool_position_compare (line->at, flight->at);
}

/* Begins the flight of the next line. 0: there is none yet. */
static guint64
begin_flight (GstY10Delivery *self, GstY10SpoolLine *line)
{
  self->caught_up = !read_line (self, self->head, line);
  if (self->caught_up)
    return 0;
  self->head = line->after;
  return gst_y10_flights_begin (&self->flights, line->at, line->after);
}

/* A line is done, in one way or another. */
static void
finish (GstY10Delivery *self, guint64 serial)
{
  gst_y10_flights_set (&self->flights, serial, GST_Y10_FLIGHT_DONE);
  advance (self);
  gst_y10_delivery_wake (self);
}

/* Keeps a line where someone may look for it. The spool has what is too much for that. */
static void
keep (GstY10Delivery *self, GstY10SpoolLine *line, const gchar *reason)
{
  g_autoptr (GString) rest = g_string_new (NULL);
  g_autoptr (GError) error = NULL;

  if (line->length > MAX_KEPT
      && gst_y10_line_cut (rest, line, "snapshot-jpeg")) {
    line->text = rest->str;
    line->length = rest->len;
  }
  if (line->length > MAX_KEPT) {
    line->text = "{}";
    line->length = 2;
  }
  gst_y10_line_address (self->refused, line,
      gst_y10_spool_get_producer_of (self->spool, line->at), FALSE);
  if (!gst_y10_refused_add (gst_y10_spool_get_path (self->spool),
          self->refused->str, self->refused->len, reason, &error))
    complain_of_line (self, error);
}

/* Gives a line up. */
static void
refuse (GstY10Delivery *self, guint64 serial, const gchar *reason)
{
  const GstY10Flight *flight = gst_y10_flights_get (&self->flights, serial);
  GstY10SpoolLine line;

  count (self, &self->stats.failed);
  if (read_again (self, flight, &line))
    keep (self, &line, reason);
  finish (self, serial);
}

static void
on_done (gpointer user, guint64 serial, const GError *error)
{
  GstY10Delivery *self = user;
  const GstY10Flight *flight = gst_y10_flights_get (&self->flights, serial);

  if (!flight || flight->state == GST_Y10_FLIGHT_DONE)
    return;
  gst_y10_blame_answered (&self->blame, serial);
  self->is_proven = TRUE;
  if (error) {
    complain_of_line (self, error);
    refuse (self, serial, error->message);
    return;
  }
  recover (self);
  finish (self, serial);
}

static void
on_late (gpointer user, guint64 serial, const GError *error)
{
  GstY10Delivery *self = user;
  const GstY10Flight *flight = gst_y10_flights_get (&self->flights, serial);

  if (!flight || flight->state != GST_Y10_FLIGHT_UNDER_WAY)
    return;
  complain_of_line (self, error);
  gst_y10_flights_set (&self->flights, serial, GST_Y10_FLIGHT_LATE);
  if (serial == self->blame.alone)
    self->blame.alone = 0;
  gst_y10_delivery_wake (self);
}

static void
on_failed (gpointer user, guint64 serial, const GError *error)
{
  GstY10Delivery *self = user;
  const GstY10Flight *flight = gst_y10_flights_get (&self->flights, serial);

  if (!flight || flight->state == GST_Y10_FLIGHT_DONE)
    return;
  complain_of_line (self, error);
  gst_y10_blame_failed (&self->blame, serial, error->message);
  gst_y10_delivery_wake (self);
}

/* Whether a line may have been sent before, or is no news. */
static gboolean
is_replayed (const GstY10Delivery *self, const GstY10SpoolLine *line)
{
  return is_before (line->at, self->sent) || is_before (line->at, self->began)
      || gst_y10_line_get_age (line) > NEWS;
}

static void
send_line (GstY10Delivery *self, const GstY10SpoolLine *line, guint64 serial,
    gboolean alone)
{
  g_autofree gchar *stream = gst_y10_line_get_string (line, "stream");
  const gchar *name = stream ? stream : "";
  const gboolean is_current = !is_before (line->at, self->began);
  const gboolean is_old = is_replayed (self, line);
  const gchar *topic = self->topics
      ? gst_y10_topics_read (self->topics, line, name, is_current)
      : NULL;

  gst_y10_line_address (self->text, line,
      gst_y10_spool_get_producer_of (self->spool, line->at), is_old);
  if (is_before (self->sent, line->after))
    self->sent = line->after;
  gst_y10_flights_get (&self->flights, serial)->length = self->text->len;
  gst_y10_flights_set (&self->flights, serial, GST_Y10_FLIGHT_UNDER_WAY);
  if (alone)
    self->blame.alone = serial;
  g_mutex_lock (&self->lock);
  self->stats.sent++;
  self->stats.replayed += is_old;
  g_mutex_unlock (&self->lock);
  {
    const GstY10Message message = { .serial = serial,
      .topic = topic,
      .stream = name,
      .text = self->text->str,
      .length = self->text->len,
      .alone = alone };

    self->class->send (self->transport, &message);
  }
}

/* Sends a line, or skips it. */
static void
take_line (GstY10Delivery *self, const GstY10SpoolLine *line, guint64 serial,
    gboolean alone)
{
  const gint64 limit = self->max_delay;

  if (!limit || gst_y10_line_get_age (line) <= limit) {
    send_line (self, line, serial, alone);
    return;
  }
  count (self, &self->stats.skipped);
  /* Its counts still are the latest there are. */
  if (self->topics) {
    g_autofree gchar *stream = gst_y10_line_get_string (line, "stream");

    gst_y10_topics_read (self->topics, line, stream ? stream : "",
        !is_before (line->at, self->began));
  }
  finish (self, serial);
}

static void
take_again (GstY10Delivery *self, guint64 serial, gboolean alone)
{
  const GstY10Flight *flight = gst_y10_flights_get (&self->flights, serial);
  GstY10SpoolLine line;

  if (gst_y10_blame_is_hopeless (flight)) {
    g_autofree gchar *reason = g_strdup (flight->reason);

    refuse (self, serial, reason);
  } else if (read_again (self, flight, &line)) {
    take_line (self, &line, serial, alone);
  } else {
    finish (self, serial);
  }
}

/* Whether there is nothing but what was put aside. */
static gboolean
is_quiet (const GstY10Delivery *self)
{
  return self->caught_up && !self->flights.n[GST_Y10_FLIGHT_WAITING]
      && !self->flights.n[GST_Y10_FLIGHT_UNDER_WAY];
}

/* Sends a line that was put aside and is due. Where it cannot go beside the others, these
 * have to be over. Returns whether others may be sent now. */
static gboolean
send_due (GstY10Delivery *self)
{
  const GstY10Flights *flights = &self->flights;
  const gboolean is_free = self->class->has_lanes
      || !flights->n[GST_Y10_FLIGHT_UNDER_WAY];
  guint64 serial;
  gint64 due;

  if (self->blame.alone || flights->n[GST_Y10_FLIGHT_LATE] > MAX_LATE)
    return self->class->has_lanes;
  serial = gst_y10_flights_find_due (flights, &due);
  if (!serial)
    return TRUE;
  if (due > g_get_monotonic_time ()) {
    g_source_set_ready_time (self->due, due);
    return TRUE;
  }
  /* It may end the connection, so that others go first. */
  if (!self->is_proven && !is_quiet (self))
    return TRUE;
  if (is_free)
    take_again (self, serial, TRUE);
  return self->class->has_lanes || !self->blame.alone;
}

static gboolean
has_room (const GstY10Delivery *self)
{
  const guint n = self->flights.n[GST_Y10_FLIGHT_UNDER_WAY];

  return n - (self->blame.alone > 0) < self->blame.window
      && self->flights.bytes < MAX_BYTES;
}

/* Sends the next line that waits. FALSE: there is none. */
static gboolean
send_next (GstY10Delivery *self)
{
  guint64 serial = gst_y10_flights_find_waiting (&self->flights);
  GstY10SpoolLine line;

  if (serial) {
    take_again (self, serial, FALSE);
    return TRUE;
  }
  if (gst_y10_flights_is_full (&self->flights))
    return FALSE;
  serial = begin_flight (self, &line);
  if (serial) {
    take_line (self, &line, serial, FALSE);
    return TRUE;
  }
  if (self->topics)
    gst_y10_topics_settle (self->topics);
  return FALSE;
}

/* Sends what there is and what the window has room for. */
void
gst_y10_delivery_pump (GstY10Delivery *self)
{
  guint n = 0;

  if (self->is_pumping)
    return;
  self->is_pumping = TRUE;
  while (self->is_connected && send_due (self) && has_room (self)) {
    if (n++ == MAX_LINES) {
      gst_y10_delivery_wake (self);
      break;
    }
    if (!send_next (self))
      break;
  }
  if (self->is_connected && is_quiet (self))
    send_due (self);
  if (self->is_connected && self->class->flush)
    self->class->flush (self->transport);
  self->is_pumping = FALSE;
}

static void
on_connected (gpointer user)
{
  GstY10Delivery *self = user;

  if (self->is_lost)
    count (self, &self->stats.reconnects);
  self->is_lost = FALSE;
  self->is_connected = TRUE;
  self->is_proven = FALSE;
  /* Of others, only an answer shows that it works. */
  if (self->class->has_states)
    recover (self);
  set_connected (self, !self->is_failing);
  if (self->topics)
    gst_y10_topics_repeat (self->topics);
  gst_y10_delivery_wake (self);
}

static void
on_troubled (gpointer user, const GError *error)
{
  GstY10Delivery *self = user;

  complain (self, error);
  set_connected (self, FALSE);
}

static gboolean
on_lost (gpointer user, const GError *error, gboolean by_message)
{
  GstY10Delivery *self = user;
  GstY10SpoolLine line;

  /* One to compare with, where there is one. */
  if (by_message && !self->flights.n[GST_Y10_FLIGHT_WAITING]
      && !gst_y10_flights_is_full (&self->flights))
    begin_flight (self, &line);
  self->caught_up = FALSE;
  complain (self, error);
  self->is_lost = TRUE;
  self->is_connected = FALSE;
  set_connected (self, FALSE);
  return gst_y10_blame_lost (&self->blame, by_message, error->message);
}

static void
on_noted (gpointer user, const gchar *topic, const gchar *text, gsize length,
    gboolean is_news)
{
  const GstY10Delivery *self = user;

  gst_y10_topics_note (self->topics, topic, text, length, is_news);
}

const GstY10TransportCallbacks gst_y10_delivery_callbacks = { on_connected,
  on_troubled, on_lost, on_done, on_late, on_failed, on_noted };

static gboolean
due_dispatch (GSource *source, GSourceFunc func, gpointer user)
{
  g_source_set_ready_time (source, -1);
  return func (user);
}

static GSourceFuncs due_funcs = { NULL, NULL, due_dispatch, NULL };

static gboolean
on_wake (gpointer user)
{
  gst_y10_delivery_pump (user);
  return G_SOURCE_CONTINUE;
}

/* Whether nothing is left to send. */
gboolean
gst_y10_delivery_is_over (const GstY10Delivery *self)
{
  return self->is_connected && self->caught_up
      && gst_y10_flights_is_empty (&self->flights)
      && (!self->class->is_idle || self->class->is_idle (self->transport));
}

static GSource *
add_due (GstY10Delivery *self, GMainContext *context)
{
  GSource *source = g_source_new (&due_funcs, sizeof (GSource));

  g_source_set_callback (source, on_wake, self, NULL);
  g_source_attach (source, context);
  return source;
}

/* Begins behind the acknowledged line. Then @self->transport can be started in the thread
 * of @context. */
void
gst_y10_delivery_begin (GstY10Delivery *self, GMainContext *context)
{
  self->began = gst_y10_spool_get_synced (self->spool);
  self->head = gst_y10_spool_get_acknowledged (self->spool, self->name);
  self->reader = gst_y10_spool_reader_new (self->spool, self->name, self->head);
  gst_y10_flights_init (&self->flights, MAX_FLIGHTS);
  gst_y10_blame_init (&self->blame, &self->flights,
      self->class->get_window (self->transport));
  self->text = g_string_new (NULL);
  self->refused = g_string_new (NULL);
  self->wake = gst_y10_spool_watch_new (gst_y10_spool_get_path (self->spool), 0,
      on_wake, self, context);
  self->due = add_due (self, context);
}

/* Frees what gst_y10_delivery_begin() has made, if it was called. */
void
gst_y10_delivery_end (GstY10Delivery *self)
{
  if (!self->reader)
    return;
  gst_y10_spool_watch_free (self->wake);
  gst_y10_source_clear (&self->due);
  gst_y10_spool_reader_free (self->reader);
  gst_y10_flights_clear (&self->flights);
  g_string_free (self->text, TRUE);
  g_string_free (self->refused, TRUE);
}
