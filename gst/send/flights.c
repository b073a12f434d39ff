/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* What has become of each line behind the acknowledged one: only those that are done
 * without a gap are acknowledged, and those beyond a gap are not sent again while this
 * process runs. A serial is never used again, so an answer that comes late means no other
 * line. */
#include "send/flights.h"

#define FIRST_SIZE 64

void
gst_y10_flights_init (GstY10Flights *flights, guint most)
{
  *flights = (GstY10Flights){ .ring = g_new0 (GstY10Flight, FIRST_SIZE),
    .size = FIRST_SIZE,
    .most = MAX (most, FIRST_SIZE),
    .first = 1,
    .next = 1,
    .waiting = 1 };
}

void
gst_y10_flights_clear (GstY10Flights *flights)
{
  for (guint64 i = flights->first; i < flights->next; i++)
    g_free (flights->ring[i % flights->size].reason);
  g_clear_pointer (&flights->ring, g_free);
}

gboolean
gst_y10_flights_is_empty (const GstY10Flights *flights)
{
  return flights->first == flights->next;
}

gboolean
gst_y10_flights_is_full (const GstY10Flights *flights)
{
  return flights->next - flights->first >= flights->most;
}

static void
grow (GstY10Flights *flights)
{
  const guint size = 2 * flights->size;
  GstY10Flight *ring = g_new0 (GstY10Flight, size);

  for (guint64 i = flights->first; i < flights->next; i++)
    ring[i % size] = flights->ring[i % flights->size];
  g_free (flights->ring);
  flights->ring = ring;
  flights->size = size;
}

guint64
gst_y10_flights_begin (GstY10Flights *flights, GstY10SpoolPosition at,
    GstY10SpoolPosition after)
{
  if (flights->next - flights->first == flights->size)
    grow (flights);
  flights->ring[flights->next % flights->size] = (GstY10Flight){ .at = at,
    .after = after };
  flights->n[GST_Y10_FLIGHT_WAITING]++;
  return flights->next++;
}

GstY10Flight *
gst_y10_flights_get (const GstY10Flights *flights, guint64 serial)
{
  if (serial < flights->first || serial >= flights->next)
    return NULL;
  return &flights->ring[serial % flights->size];
}

void
gst_y10_flights_set (GstY10Flights *flights, guint64 serial,
    GstY10FlightState state)
{
  GstY10Flight *flight = gst_y10_flights_get (flights, serial);

  if (flight->state == GST_Y10_FLIGHT_UNDER_WAY)
    flights->bytes -= flight->length;
  if (state == GST_Y10_FLIGHT_UNDER_WAY)
    flights->bytes += flight->length;
  flights->n[flight->state]--;
  flights->n[state]++;
  flight->state = state;
  if (state == GST_Y10_FLIGHT_WAITING)
    flights->waiting = MIN (flights->waiting, serial);
}

guint64
gst_y10_flights_find_waiting (GstY10Flights *flights)
{
  if (!flights->n[GST_Y10_FLIGHT_WAITING])
    return 0;
  flights->waiting = MAX (flights->waiting, flights->first);
  while (gst_y10_flights_get (flights, flights->waiting)->state
      != GST_Y10_FLIGHT_WAITING)
    flights->waiting++;
  return flights->waiting;
}

guint64
gst_y10_flights_find_due (const GstY10Flights *flights, gint64 *due)
{
  guint64 found = 0;
  guint left = flights->n[GST_Y10_FLIGHT_ASIDE];

  for (guint64 i = flights->first; left; i++) {
    const GstY10Flight *flight = gst_y10_flights_get (flights, i);

    if (flight->state != GST_Y10_FLIGHT_ASIDE)
      continue;
    left--;
    if (!found || flight->due < *due) {
      found = i;
      *due = flight->due;
    }
  }
  return found;
}

gboolean
gst_y10_flights_take (GstY10Flights *flights, GstY10SpoolPosition *after)
{
  GstY10Flight *oldest = gst_y10_flights_get (flights, flights->first);

  if (!oldest || oldest->state != GST_Y10_FLIGHT_DONE)
    return FALSE;
  *after = oldest->after;
  g_clear_pointer (&oldest->reason, g_free);
  flights->n[GST_Y10_FLIGHT_DONE]--;
  flights->first++;
  return TRUE;
}

guint
gst_y10_flights_lose (GstY10Flights *flights)
{
  const guint n = flights->n[GST_Y10_FLIGHT_UNDER_WAY];
  guint left = n + flights->n[GST_Y10_FLIGHT_LATE];

  for (guint64 i = flights->first; left; i++) {
    const GstY10Flight *flight = gst_y10_flights_get (flights, i);

    if (flight->state != GST_Y10_FLIGHT_UNDER_WAY
        && flight->state != GST_Y10_FLIGHT_LATE)
      continue;
    gst_y10_flights_set (flights, i, GST_Y10_FLIGHT_WAITING);
    left--;
  }
  return n;
}
