/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Follows a spool, of this process or of another one, from now on: what came before is not of
 * any frame that is still to come. */
#include "record/notes.h"

#include <string.h>

#include "base/json-cursor.h"
#include "spool/reader.h"
#include "spool/watch.h"

/* How often the spool of another process is looked at, microseconds. */
#define LOOK_INTERVAL (250 * 1000)

enum
{
  MEMBER_EVENT,
  MEMBER_STREAM,
  MEMBER_TIMESTAMP,
  MEMBER_UTC,
  MEMBER_OBJECTS,
  N_MEMBERS
};

static const gchar *const member_names[N_MEMBERS] = { "event", "stream",
  "timestamp", "utc", "objects" };

struct _GstY10RecordNotes
{
  gchar *folder;
  gchar *stream; /* NULL: all */
  gint64 since;  /* lines from before are of no interest */
  GstY10SpoolView *view;
  GstY10SpoolReader *reader;
  GstY10SpoolClient *client; /* NULL: the spool is not of this process */
  gboolean is_found;         /* the spool has been there */
  GSource *watch;
  GstY10RecordNoteFunc func;
  gpointer user;
  GString *line, *text; /* scratch */
};

static gboolean
on_lines (gpointer user)
{
  gst_y10_record_notes_read (user);
  return G_SOURCE_CONTINUE;
}

/**
 * gst_y10_record_notes_new:
 * @events: folder of a spool, which need not be there yet; behind a #, name of the stream
 * @context: in which @func is called
 * @func: called with each frame and event of the stream
 * @user: passed to @func
 *
 * Returns: (transfer full):
 */
GstY10RecordNotes *
gst_y10_record_notes_new (const gchar *events, GMainContext *context,
    GstY10RecordNoteFunc func, gpointer user)
{
  GstY10RecordNotes *self = g_new0 (GstY10RecordNotes, 1);
  const gchar *stream = strchr (events, '#');

  self->folder = stream ? g_strndup (events, stream - events)
                        : g_strdup (events);
  self->stream = stream && stream[1] ? g_strdup (stream + 1) : NULL;
  self->since = g_get_real_time ();
  self->func = func;
  self->user = user;
  self->line = g_string_new (NULL);
  self->text = g_string_new (NULL);
  self->view = gst_y10_spool_view_new (self->folder);
  self->reader = gst_y10_spool_reader_new_view (self->view);
  gst_y10_spool_reader_set_members (self->reader, member_names, N_MEMBERS);
  self->watch = gst_y10_spool_watch_new (self->folder, LOOK_INTERVAL, on_lines,
      self, context);
  return self;
}

void
gst_y10_record_notes_free (GstY10RecordNotes *self)
{
  gst_y10_spool_watch_free (self->watch);
  gst_y10_spool_close (self->client);
  gst_y10_spool_reader_free (self->reader);
  gst_y10_spool_view_free (self->view);
  g_string_free (self->line, TRUE);
  g_string_free (self->text, TRUE);
  g_free (self->folder);
  g_free (self->stream);
  g_free (self);
}

static void
append_value (GString *line, Y10Json value)
{
  if (value.text)
    g_string_append_len (line, value.text, value.length);
  else
    g_string_append (line, "null");
}

/* Appends an object as a list. Numbers stay as they are, so that they are the same bits. */
static void
append_object (GString *line, Y10Json object)
{
  static const char *const corners[] = { "x_min", "y_min", "x_max", "y_max" };
  const Y10Json detection = y10_json_find (object, "detection");
  const Y10Json box = y10_json_find (detection, "bounding_box");

  g_string_append_c (line, '[');
  append_value (line, y10_json_find (detection, "label_id"));
  g_string_append_c (line, ',');
  append_value (line, y10_json_find (detection, "label"));
  g_string_append_c (line, ',');
  append_value (line, y10_json_find (detection, "confidence"));
  for (guint i = 0; i < G_N_ELEMENTS (corners); i++) {
    g_string_append_c (line, ',');
    append_value (line, y10_json_find (box, corners[i]));
  }
  g_string_append_c (line, ',');
  append_value (line, y10_json_find (object, "id"));
  g_string_append_c (line, ']');
}

static void
write_objects (GString *line, GstClockTime pts, const GstY10LineMember *objects)
{
  Y10JsonCursor cursor;
  Y10Json object;

  g_string_printf (line, "{\"pts\":%" G_GUINT64_FORMAT ",\"boxes\":[", pts);
  y10_json_enter (&cursor, (Y10Json){ objects->json, objects->length });
  while (y10_json_next (&cursor, &object)) {
    if (line->str[line->len - 1] != '[')
      g_string_append_c (line, ',');
    append_object (line, object);
  }
  g_string_append (line, "]}");
}

static void
note_line (GstY10RecordNotes *self, const GstY10SpoolLine *line)
{
  const GstY10LineMember *members = line->members;
  GstY10RecordNote note = { 0 };
  g_autofree gchar *event = NULL, *stream = NULL;

  if (!members[MEMBER_TIMESTAMP].json
      || !g_ascii_isdigit (*members[MEMBER_TIMESTAMP].json)
      || !gst_y10_line_member_get_utc (&members[MEMBER_UTC], &note.utc)
      || note.utc < self->since)
    return;
  gst_y10_line_member_get (&members[MEMBER_STREAM], self->text);
  if (self->stream && strcmp (self->text->str, self->stream))
    return;
  note.pts = g_ascii_strtoull (members[MEMBER_TIMESTAMP].json, NULL, 10);
  if (line->kind == GST_Y10_LINE_EVENT) {
    stream = g_strdup (self->text->str);
    event = g_strdup_printf ("%" G_GUINT64_FORMAT "-%" G_GUINT64_FORMAT,
        line->at.segment, line->at.offset);
    note.stream = stream;
    note.event = event;
    if (!gst_y10_line_cut (self->line, line, "snapshot-jpeg")) {
      g_string_truncate (self->line, 0);
      g_string_append_len (self->line, line->text, line->length);
    }
  } else if (members[MEMBER_OBJECTS].json) {
    write_objects (self->line, note.pts, &members[MEMBER_OBJECTS]);
  } else {
    return;
  }
  note.line = self->line->str;
  note.length = self->line->len;
  self->func (&note, self->user);
}

/* Older segments than the newest one have nothing of interest. */
static void
go_to_newest (GstY10RecordNotes *self)
{
  const GArray *segments = gst_y10_spool_view_get_segments (self->view);

  if (self->is_found || segments->len == 0)
    return;
  self->is_found = TRUE;
  gst_y10_spool_reader_seek (self->reader,
      (GstY10SpoolPosition){
          .segment = g_array_index (segments, guint64, segments->len - 1),
          .folder = gst_y10_spool_view_count_folders (self->view) });
}

/* Reads what is new. */
void
gst_y10_record_notes_read (GstY10RecordNotes *self)
{
  GstY10SpoolLine line;

  gst_y10_spool_view_refresh (self->view);
  go_to_newest (self);
  while (gst_y10_spool_reader_next (self->reader, &line))
    note_line (self, &line);
}

/* Whether the spool is of this process. Then it stays open for as long as @self. */
gboolean
gst_y10_record_notes_can_tell (GstY10RecordNotes *self)
{
  if (!self->client)
    self->client = gst_y10_spool_join (self->folder);
  return self->client != NULL;
}

/**
 * gst_y10_record_notes_tell:
 * @self: notes
 * @line: an event, as a JSON object
 *
 * Puts a line into the spool and syncs it.
 *
 * Returns: whether it is there; the spool may be of another process
 */
gboolean
gst_y10_record_notes_tell (GstY10RecordNotes *self, const gchar *line)
{
  return gst_y10_record_notes_can_tell (self)
      && gst_y10_spool_put (self->client, GST_Y10_LINE_EVENT, line,
          strlen (line), FALSE)
      && gst_y10_spool_flush (self->client);
}
