/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* An index of the events in a spool: a record of each. The lines stay in the spool, which is
 * the only store. Main thread only. */

#include "events/eventline.h"
#include "events/eventsegment.h"

typedef struct _ServeEvents ServeEventIndex;

/* Called with each event that is added after the index was complete. */
typedef void (*ServeEventFunc) (const GstY10SpoolLine *line, gpointer user);

/* @most: limit of records; beyond it, the oldest segments are left out. */
ServeEventIndex *serve_event_index_new (const char *folder, gsize most,
    ServeEventFunc func, gpointer user);
void serve_event_index_free (ServeEventIndex *events);
/* Reads on, a part at a time. Returns whether there is more at once. */
gboolean serve_event_index_read_on (ServeEventIndex *events);

/* Whether all that was in the spool at the start has been read. */
gboolean serve_event_index_is_complete (const ServeEventIndex *events);

/* Finds the event that fits @filter in front of @place, or behind it, and moves @place
 * there. For the first: segment 0, or G_MAXUINT64. NULL: there is none. */
const ServeEvent *serve_event_index_find_before (const ServeEventIndex *events,
    const ServeEventFilter *filter, GstY10SpoolPosition *place);
const ServeEvent *serve_event_index_find_behind (const ServeEventIndex *events,
    const ServeEventFilter *filter, GstY10SpoolPosition *place);
/* The event at @place, or NULL. */
const ServeEvent *serve_event_index_get (const ServeEventIndex *events,
    GstY10SpoolPosition place);
/* Adds the number of fitting events of each of @n spans of @span milliseconds from the
 * filter's since on. */
void serve_event_index_histogram (const ServeEventIndex *events,
    const ServeEventFilter *filter, gint64 span, guint n, guint *counts);

/* Reads the line of the event at @place, which is valid until the next call. FALSE: it is
 * gone. */
gboolean serve_event_index_read_event (ServeEventIndex *events,
    GstY10SpoolPosition place, GstY10SpoolLine *line, ServeEventLine *event);

/* The index of a name, or SERVE_NO_NAME. */
guint16 serve_event_index_find_name (const ServeEventIndex *events,
    ServeNames which, const char *name);
/* All that were seen, in their order; owned by @events. */
const GPtrArray *serve_event_index_get_names (const ServeEventIndex *events,
    ServeNames which);
