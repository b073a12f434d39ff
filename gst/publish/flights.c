/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Which lines have arrived up to which one without a gap: only those are acknowledged. A
 * serial is never used again, so an answer that comes late means no other line. */
#include "publish/flights.h"

void
gst_y10_flights_init (GstY10Flights *flights, guint window)
{
  *flights = (GstY10Flights){ g_new (GstY10Flight, window), window, 1, 1 };
}

void
gst_y10_flights_clear (GstY10Flights *flights)
{
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
  return flights->next - flights->first >= flights->window;
}

guint64
gst_y10_flights_begin (GstY10Flights *flights, GstY10SpoolPosition after)
{
  flights->ring[flights->next % flights->window] = (GstY10Flight){ after,
    FALSE };
  return flights->next++;
}

gboolean
gst_y10_flights_finish (GstY10Flights *flights, guint64 serial)
{
  if (serial < flights->first || serial >= flights->next)
    return FALSE;
  flights->ring[serial % flights->window].is_done = TRUE;
  return TRUE;
}

gboolean
gst_y10_flights_take (GstY10Flights *flights, GstY10SpoolPosition *after)
{
  const GstY10Flight *oldest = &flights->ring[flights->first % flights->window];

  if (gst_y10_flights_is_empty (flights) || !oldest->is_done)
    return FALSE;
  *after = oldest->after;
  flights->first++;
  return TRUE;
}

void
gst_y10_flights_forget (GstY10Flights *flights)
{
  flights->first = flights->next;
}
