/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* What happened: a record of each event in a spool. The lines stay in the spool, which is
 * the only store. Main thread only. */

#include "events/eventline.h"
#include "events/eventsegment.h"

G_BEGIN_DECLS

typedef struct _ServeEvents ServeEvents;

/* Told of each event that comes once all earlier ones are read. */
typedef void (*ServeEventFunc) (ServeEventPlace place, const char *line,
    gsize length, gpointer user);

/* @most: how many are kept; of more the oldest segments are left out. */
ServeEvents *serve_events_new (const char *folder, gsize most,
    ServeEventFunc func, gpointer user);
void serve_events_free (ServeEvents *events);
/* Reads on; to be called a few times a second. Returns whether there is more at once. */
gboolean serve_events_look (ServeEvents *events);

/* Whether all that was there at the start has been read. */
gboolean serve_events_are_read (const ServeEvents *events);
gsize serve_events_count (const ServeEvents *events);
/* Lines that were no events, without those in @folder that left it. */
guint64 serve_events_count_bad (const ServeEvents *events);

/* Finds the event that fits @filter in front of @place, or behind it, and moves @place
 * there. For the first: segment 0, or G_MAXUINT64. NULL: there is none. */
const ServeEvent *serve_events_find_before (const ServeEvents *events,
    const ServeEventFilter *filter, ServeEventPlace *place);
const ServeEvent *serve_events_find_behind (const ServeEvents *events,
    const ServeEventFilter *filter, ServeEventPlace *place);
/* The event at @place, or NULL. */
const ServeEvent *serve_events_get (const ServeEvents *events,
    ServeEventPlace place);
/* Adds the number of fitting events of each of @n spans of @span milliseconds from the
 * filter's since on. */
void serve_events_histogram (const ServeEvents *events,
    const ServeEventFilter *filter, gint64 span, guint n, guint *counts);

/* Reads an event's line. Valid until the next call. FALSE: it is gone. */
gboolean serve_events_read (ServeEvents *events, ServeEventPlace place,
    const ServeEvent *event, const char **text, ServeEventLine *line);

/* The index of a name, or SERVE_NO_NAME. */
guint16 serve_events_find_name (const ServeEvents *events, ServeNames which,
    const char *name);
/* All that were seen, in their order; owned by @events. */
const GPtrArray *serve_events_get_names (const ServeEvents *events,
    ServeNames which);

G_END_DECLS
