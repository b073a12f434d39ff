/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Finds the line that makes the other side fail, so that it holds up no other one. One
 * failure says nothing. After several in a row fewer lines are sent at a time, down to one;
 * if that fails by itself, the next line is tried at once. If that is taken, it is the
 * line's fault, which is put aside and sent by itself, ever more rarely; else the other
 * side's, and all lines wait in their order. A line is given up only after it has failed
 * several times while others were taken: an outage, however long, costs none. */
#include "send/blame.h"

/* Losses in a row that need no explanation. */
#define TOLERATED 2
/* A line fails so often while others are taken. The waits between are two minutes. */
#define MAX_FAILURES 8
#define MAX_WAIT 60 /* seconds */

void
gst_y10_blame_init (GstY10Blame *self, GstY10Flights *flights, guint window)
{
  *self = (GstY10Blame){ .flights = flights, .full = window, .window = window };
}

static gint64
get_wait (const GstY10Flight *flight)
{
  const guint n = MIN (flight->n_tries, 16);

  return MIN (1 << (n - (n > 0)), MAX_WAIT) * G_TIME_SPAN_SECOND;
}

/* Something was taken, so what failed before has failed for reasons of its own. */
static void
convict (GstY10Blame *self)
{
  guint left = self->flights->n[GST_Y10_FLIGHT_ASIDE];

  for (guint64 i = self->flights->first; left; i++) {
    GstY10Flight *flight = gst_y10_flights_get (self->flights, i);

    if (flight->state != GST_Y10_FLIGHT_ASIDE)
      continue;
    left--;
    flight->n_own += flight->is_suspect;
    flight->is_suspect = FALSE;
    if (i == self->probed)
      flight->due = g_get_monotonic_time () + get_wait (flight);
  }
  self->probed = 0;
}

void
gst_y10_blame_answered (GstY10Blame *self, guint64 serial)
{
  if (serial == self->alone)
    self->alone = 0;
  self->n_losses = 0;
  self->window = MIN (self->window + 1, self->full);
  convict (self);
}

void
gst_y10_blame_failed (GstY10Blame *self, guint64 serial, const gchar *reason)
{
  GstY10Flight *flight = gst_y10_flights_get (self->flights, serial);

  if (serial == self->alone)
    self->alone = 0;
  gst_y10_flights_set (self->flights, serial, GST_Y10_FLIGHT_ASIDE);
  flight->n_tries++;
  flight->is_suspect = TRUE;
  flight->due = g_get_monotonic_time () + get_wait (flight);
  g_free (flight->reason);
  flight->reason = g_strdup (reason);
}

/* Puts a suspect aside while the next line is tried, if there is one. */
static gboolean
probe (GstY10Blame *self, guint64 suspect, const gchar *reason)
{
  GstY10Flight *flight = gst_y10_flights_get (self->flights, suspect);

  gst_y10_blame_failed (self, suspect, reason);
  if (!gst_y10_flights_find_waiting (self->flights)) {
    gst_y10_flights_set (self->flights, suspect, GST_Y10_FLIGHT_WAITING);
    return FALSE;
  }
  /* By then, the other one has said whose fault it is. */
  flight->due = g_get_monotonic_time () + MAX_WAIT * G_TIME_SPAN_SECOND;
  self->probed = suspect;
  return TRUE;
}

static void
acquit (GstY10Blame *self)
{
  const GstY10Flight *flight = gst_y10_flights_get (self->flights,
      self->probed);

  if (flight && flight->state == GST_Y10_FLIGHT_ASIDE)
    gst_y10_flights_set (self->flights, self->probed, GST_Y10_FLIGHT_WAITING);
  self->probed = 0;
}

gboolean
gst_y10_blame_lost (GstY10Blame *self, gboolean by_message, const gchar *reason)
{
  const guint64 alone = self->alone, probed = self->probed;
  const guint n = gst_y10_flights_lose (self->flights);

  self->alone = 0;
  acquit (self);
  if (!by_message || !n)
    return FALSE;
  if (alone) {
    gst_y10_blame_failed (self, alone, reason);
    return FALSE;
  }
  /* The other one fails, too. */
  if (probed)
    return FALSE;
  if (++self->n_losses <= TOLERATED && self->window == self->full)
    return FALSE;
  self->window = MAX (n / 2, 1);
  return n > 1
      || probe (self, gst_y10_flights_find_waiting (self->flights), reason);
}

/* Whether a line has failed so often that it is given up. */
gboolean
gst_y10_blame_is_hopeless (const GstY10Flight *flight)
{
  return flight->n_own >= MAX_FAILURES;
}
