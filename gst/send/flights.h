/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The lines that are not all done yet, oldest first. Each has a serial, from 1 on; they
 * arrive in any order. */

#include "spool/position.h"

G_BEGIN_DECLS

typedef enum
{
  GST_Y10_FLIGHT_WAITING,   /* to be sent, maybe again */
  GST_Y10_FLIGHT_UNDER_WAY, /* sent; the window has room for so many */
  GST_Y10_FLIGHT_LATE,      /* sent, but others do not wait for it any more */
  GST_Y10_FLIGHT_ASIDE,     /* to be sent again by itself, when it is due */
  GST_Y10_FLIGHT_DONE,
} GstY10FlightState;

#define GST_Y10_N_FLIGHT_STATES 5

typedef struct
{
  GstY10SpoolPosition at, after; /* the line */
  GstY10FlightState state;
  gsize length;        /* bytes, while it is under way */
  gint64 due;          /* monotonic, if it is aside */
  guint n_tries;       /* that failed for this line */
  guint n_own;         /* of these, while others were taken */
  gboolean is_suspect; /* has failed since another one was taken */
  gchar *reason;       /* of the latest failure; NULL: none */
} GstY10Flight;

typedef struct
{
  GstY10Flight *ring; /* of @size */
  guint size, most;
  guint64 first, next; /* serials: of the oldest flight; of the next one */
  guint64 waiting;     /* no earlier one waits */
  guint n[GST_Y10_N_FLIGHT_STATES];
  gsize bytes; /* under way */
} GstY10Flights;

void gst_y10_flights_init (GstY10Flights *flights, guint most);
void gst_y10_flights_clear (GstY10Flights *flights);
gboolean gst_y10_flights_is_empty (const GstY10Flights *flights);
gboolean gst_y10_flights_is_full (const GstY10Flights *flights);
/* Begins one that waits, where there is room. Returns its serial. */
guint64 gst_y10_flights_begin (GstY10Flights *flights, GstY10SpoolPosition at,
    GstY10SpoolPosition after);
/* NULL: @serial is not there, or not any more. */
GstY10Flight *gst_y10_flights_get (const GstY10Flights *flights,
    guint64 serial);
void gst_y10_flights_set (GstY10Flights *flights, guint64 serial,
    GstY10FlightState state);
/* The first that waits; 0: none. */
guint64 gst_y10_flights_find_waiting (GstY10Flights *flights);
/* The one aside that is due first, and when; 0: none. */
guint64 gst_y10_flights_find_due (const GstY10Flights *flights, gint64 *due);
/* Takes the oldest one, if it is done. */
gboolean gst_y10_flights_take (GstY10Flights *flights,
    GstY10SpoolPosition *after);
/* Those that were sent wait again. Returns how many were under way. */
guint gst_y10_flights_lose (GstY10Flights *flights);

G_END_DECLS
