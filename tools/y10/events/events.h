/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* What happened: a record of each event in a spool. The lines stay in the spool, which is
 * the only store. Main thread only. */

#include "events/eventline.h"
#include "events/eventsegment.h"

typedef struct _ServeEvents ServeEvents;

/* Told of each event that comes once all earlier ones are read. */
typedef void (*ServeEventFunc) (const GstY10SpoolLine *line, gpointer user);

/* @most: how many are kept; of more the oldest segments are left out. */
ServeEvents *serve_events_new (const char *folder, gsize most,
    ServeEventFunc func, gpointer user);
void serve_events_free (ServeEvents *events);
/* Reads on, a part at a time. Returns whether there is more at once. */
gboolean serve_events_look (ServeEvents *events);

/* Whether all that was there at the start has been read. */
gboolean serve_events_are_read (const ServeEvents *events);

/* Finds the event that fits @filter in front of @place, or behind it, and moves @place
 * there. For the first: segment 0, or G_MAXUINT64. NULL: there is none. */
const ServeEvent *serve_events_find_before (const ServeEvents *events,
    const ServeEventFilter *filter, GstY10SpoolPosition *place);
const ServeEvent *serve_events_find_behind (const ServeEvents *events,
    const ServeEventFilter *filter, GstY10SpoolPosition *place);
/* The event at @place, or NULL. */
const ServeEvent *serve_events_get (const ServeEvents *events,
    GstY10SpoolPosition place);
/* Adds the number of fitting events of each of @n spans of @span milliseconds from the
 * filter's since on. */
void serve_events_histogram (const ServeEvents *events,
    const ServeEventFilter *filter, gint64 span, guint n, guint *counts);

/* Reads the line of the event at @place, which is valid until the next call. FALSE: it is
 * gone. */
gboolean serve_events_read (ServeEvents *events, GstY10SpoolPosition place,
    GstY10SpoolLine *line, ServeEventLine *event);

/* The index of a name, or SERVE_NO_NAME. */
guint16 serve_events_find_name (const ServeEvents *events, ServeNames which,
    const char *name);
/* All that were seen, in their order; owned by @events. */
const GPtrArray *serve_events_get_names (const ServeEvents *events,
    ServeNames which);
