/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* A line of a spool that is an event. */

#include "spool/reader.h"

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

/* As long as the line is valid. */
typedef struct
{
  gint64 time; /* milliseconds since 1970 */
  const GstY10LineMember *members;
} ServeEventLine;

/* Makes @reader find the members of events. */
void serve_event_line_set_up (GstY10SpoolReader *reader);
/* Whether @line of such a reader is an event, with the members event, stream and utc. */
gboolean serve_event_line_read (const GstY10SpoolLine *line,
    ServeEventLine *event);
const char *serve_event_member_get_name (ServeEventMember member);
