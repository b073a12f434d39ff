/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Decides which line of a spool is an event. Its members are untrusted. */

#include "config.h"

#ifdef HAVE_SERVE

#include "events/eventline.h"

static const char *const names[] = {
  [SERVE_EVENT_UTC] = "utc",
  [SERVE_EVENT_STREAM] = "stream",
  [SERVE_EVENT_EVENT] = "event",
  [SERVE_EVENT_ZONE] = "zone",
  [SERVE_EVENT_LINE] = "line",
  [SERVE_EVENT_ID] = "id",
  [SERVE_EVENT_LABEL] = "label",
  [SERVE_EVENT_CONFIDENCE] = "confidence",
  [SERVE_EVENT_X] = "x",
  [SERVE_EVENT_Y] = "y",
  [SERVE_EVENT_REASON] = "reason",
  [SERVE_EVENT_DURATION] = "duration",
  [SERVE_EVENT_DIRECTION] = "direction",
  [SERVE_EVENT_FROM] = "from",
  [SERVE_EVENT_TO] = "to",
  [SERVE_EVENT_IN] = "in",
  [SERVE_EVENT_OUT] = "out",
  [SERVE_EVENT_COUNT] = "count",
  [SERVE_EVENT_LIMIT] = "limit",
  [SERVE_EVENT_OVER] = "over",
  [SERVE_EVENT_TIMESTAMP] = "timestamp",
  [SERVE_EVENT_SNAPSHOT] = "snapshot",
  [SERVE_EVENT_SNAPSHOT_COVERED] = "snapshot-covered",
};

void
serve_event_line_set_up (GstY10SpoolReader *reader)
{
  gst_y10_spool_reader_set_members (reader, names, SERVE_EVENT_N_MEMBERS);
}

gboolean
serve_event_line_read (const GstY10SpoolLine *line, ServeEventLine *event)
{
  const GstY10LineMember *members = line->members;
  gint64 time = 0;

  if (line->kind != GST_Y10_LINE_EVENT
      || !gst_y10_line_member_is_string (&members[SERVE_EVENT_EVENT])
      || !gst_y10_line_member_is_string (&members[SERVE_EVENT_STREAM])
      || !gst_y10_line_member_get_utc (&members[SERVE_EVENT_UTC], &time))
    return FALSE;
  *event = (ServeEventLine){ time / 1000, members };
  return TRUE;
}

const char *
serve_event_member_get_name (ServeEventMember member)
{
  return names[member];
}

#endif
