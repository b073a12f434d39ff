/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* What a spool says of a stream: objects of frames, and events. */

#include <gst/gst.h>

G_BEGIN_DECLS

/**
 * GstY10RecordNote:
 * @pts: of the frame
 * @line: one JSON object, as the index of a recording has it; valid during the call
 * @length: of @line, in bytes
 * @event: (nullable): of an event, what names it: its segment and offset in the spool; %NULL
 *   of a frame
 * @stream: (nullable): of an event
 * @utc: when it was written to the spool, microseconds since 1970
 */
typedef struct
{
  GstClockTime pts;
  const gchar *line;
  gsize length;
  const gchar *event, *stream;
  gint64 utc;
} GstY10RecordNote;

typedef void (
    *GstY10RecordNoteFunc) (const GstY10RecordNote *note, gpointer user);

typedef struct _GstY10RecordNotes GstY10RecordNotes;

GstY10RecordNotes *gst_y10_record_notes_new (const gchar *events,
    GMainContext *context, GstY10RecordNoteFunc func, gpointer user);
void gst_y10_record_notes_free (GstY10RecordNotes *notes);
gboolean gst_y10_record_notes_read (GstY10RecordNotes *notes);
gboolean gst_y10_record_notes_can_tell (GstY10RecordNotes *notes);
gboolean gst_y10_record_notes_tell (GstY10RecordNotes *notes,
    const gchar *line);

G_END_DECLS
