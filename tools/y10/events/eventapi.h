/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Events, for requests. Main thread only. */

#include "events/eventindex.h"
#include "http/reply.h"
#include "http/sockets.h"

/* Whether the camera may show only what is covered. */
typedef gboolean (*ServeIsPrivate) (const char *camera, gpointer user);

typedef struct
{
  ServeEventIndex *events; /* NULL: none are kept, or not any more */
  const char *snapshots;   /* their folder; borrowed */
  HttpSockets *sockets;    /* that are told; borrowed */
  ServeIsPrivate is_private;
  gpointer user;
  GSource *watch;
  guint read_id;
  guint n_exports, n_pushed;
  gint64 pushed_since;
} ServeEventApi;

/* Without a spool. */
ServeEventApi *serve_event_api_new (const char *snapshots, HttpSockets *sockets,
    ServeIsPrivate is_private, gpointer user);
/* Reads the spool in @folder, and goes on. */
void serve_event_api_start (ServeEventApi *api, const char *folder);
/* From then on there are no events. */
void serve_event_api_stop (ServeEventApi *api);
void serve_event_api_free (ServeEventApi *api);

/* Whether events are kept. If not, answers so. */
gboolean serve_event_api_has_events (const ServeEventApi *api,
    SoupServerMessage *message);
/* Of a ServeEventApi. */
HttpHandler serve_events_list, serve_events_get_counts, serve_events_list_names,
    serve_events_find_nothing;
