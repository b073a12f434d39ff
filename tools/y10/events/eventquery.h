/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* What a request for events asks for. */

#include <libsoup/soup.h>

#include "events/eventindex.h"

/* Parameters that a request may have besides those of the filter. */
typedef enum
{
  SERVE_QUERY_PAGE = 1 << 0,   /* limit and before */
  SERVE_QUERY_BUCKET = 1 << 1, /* bucket; since has a default */
} ServeQueryFlags;

typedef struct
{
  ServeEventFilter filter;
  guint limit;
  GstY10SpoolPosition before;
  guint bucket; /* seconds */
} ServeEventQuery;

/* Reads the parameters of @message. FALSE: it was answered with what is wrong. */
gboolean serve_event_query_read (const ServeEventIndex *events,
    SoupServerMessage *message, ServeQueryFlags flags, ServeEventQuery *query);

/* Reads SEGMENT:OFFSET. */
gboolean serve_event_place_parse (const char *text, GstY10SpoolPosition *place);
