/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* A line of a spool that is an event. */

#include <glib.h>

G_BEGIN_DECLS

/* Members that are read; the order is that of a table's columns. */
typedef enum
{
  SERVE_EVENT_UTC,
  SERVE_EVENT_STREAM,
  SERVE_EVENT_EVENT,
  SERVE_EVENT_ZONE,
  SERVE_EVENT_LINE,
  SERVE_EVENT_ID,
  SERVE_EVENT_LABEL,
  SERVE_EVENT_CONFIDENCE,
  SERVE_EVENT_X,
  SERVE_EVENT_Y,
  SERVE_EVENT_REASON,
  SERVE_EVENT_DURATION,
  SERVE_EVENT_DIRECTION,
  SERVE_EVENT_FROM,
  SERVE_EVENT_TO,
  SERVE_EVENT_IN,
  SERVE_EVENT_OUT,
  SERVE_EVENT_COUNT,
  SERVE_EVENT_LIMIT,
  SERVE_EVENT_OVER,
  SERVE_EVENT_TIMESTAMP,
  SERVE_EVENT_SNAPSHOT,
  SERVE_EVENT_SNAPSHOT_COVERED,
  SERVE_EVENT_N_MEMBERS,
} ServeEventMember;

typedef struct
{
  const char *text; /* JSON, with its quotation marks; NULL: not there */
  gsize length;
} ServeEventValue;

/* Points into the text that was parsed. */
typedef struct
{
  gint64 time; /* milliseconds since 1970 */
  ServeEventValue members[SERVE_EVENT_N_MEMBERS];
} ServeEventLine;

/* Whether @text, without its newline, is an event: one JSON object, in UTF-8, with the
 * members event, stream and utc. Allocates nothing. */
gboolean serve_event_line_parse (const char *text, gsize length,
    ServeEventLine *line);
/* Sets @text to what a value says: a string without its quotation marks and escapes, or
 * other JSON as it is; "" if it is not there. */
void serve_event_value_get (const ServeEventValue *value, GString *text);
const char *serve_event_member_get_name (ServeEventMember member);

G_END_DECLS
