/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The lines that are under way, oldest first. Each has a serial, from 1 on; they arrive
 * in any order. */

#include "publish/spool.h"

G_BEGIN_DECLS

typedef struct
{
  GstY10SpoolPosition after; /* the line */
  gboolean is_done;
} GstY10Flight;

typedef struct
{
  GstY10Flight *ring; /* of @window */
  guint window;
  guint64 first, next; /* serials: of the oldest flight; of the next one */
} GstY10Flights;

void gst_y10_flights_init (GstY10Flights *flights, guint window);
void gst_y10_flights_clear (GstY10Flights *flights);
gboolean gst_y10_flights_is_empty (const GstY10Flights *flights);
gboolean gst_y10_flights_is_full (const GstY10Flights *flights);
/* Begins one, where there is room. Returns its serial. */
guint64 gst_y10_flights_begin (GstY10Flights *flights,
    GstY10SpoolPosition after);
/* FALSE: @serial is not under way, or not any more. */
gboolean gst_y10_flights_finish (GstY10Flights *flights, guint64 serial);
/* Takes the oldest one, if it is done. */
gboolean gst_y10_flights_take (GstY10Flights *flights,
    GstY10SpoolPosition *after);
/* Forgets all of them. */
void gst_y10_flights_forget (GstY10Flights *flights);

G_END_DECLS
