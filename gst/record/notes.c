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

/* Of a box: its confidence and four edges. */
#define N_VALUES 5

/* Lines that are read at once: frames wait meanwhile. */
#define MAX_LINES 256

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
  gboolean is_current;       /* what was there at first has been read */
  gboolean is_found;         /* the spool has been there */
  GSource *watch;
  GstY10RecordNoteFunc func;
  gpointer user;
  GString *line, *text; /* scratch */
};

static gboolean
on_lines (gpointer user)
{
  GstY10RecordNotes *self = user;

  if (gst_y10_record_notes_read (self))
    g_source_set_ready_time (self->watch, 0);
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

/* Appends a list of what @find finds in each object. */
static void
append_list (GString *line, const gchar *name, Y10Json objects,
    Y10Json (*find) (Y10Json object, const char *name), const gchar *member)
{
  Y10JsonCursor cursor;
  Y10Json object, value;

  g_string_append_printf (line, ",\"%s\":[", name);
  y10_json_enter (&cursor, objects);
  while (y10_json_next (&cursor, &object)) {
    if (line->str[line->len - 1] != '[')
      g_string_append_c (line, ',');
    value = find (object, member);
    if (value.text)
      g_string_append_len (line, value.text, value.length);
    else
      g_string_append (line, "null");
  }
  g_string_append_c (line, ']');
}

static Y10Json
find_in_detection (Y10Json object, const char *member)
{
  return y10_json_find (y10_json_find (object, "detection"), member);
}

static gfloat
get_float (Y10Json value)
{
  gdouble number = 0;

  y10_json_get_double (value, &number);
  return (gfloat) number;
}

static void
read_box (Y10Json object, gfloat *values)
{
  static const char *const corners[] = { "x_min", "y_min", "x_max", "y_max" };
  const Y10Json box = find_in_detection (object, "bounding_box");

  values[0] = get_float (find_in_detection (object, "confidence"));
  for (guint i = 0; i < G_N_ELEMENTS (corners); i++)
    values[1 + i] = get_float (y10_json_find (box, corners[i]));
}

/* Appends confidences and boxes bit by bit: as decimals they take half as much again. All
 * first bytes of floats, little-endian, come first, and the last ones last, since they are
 * much alike. */
static void
append_boxes (GString *line, Y10Json objects)
{
  const guint n = y10_json_count (objects) * N_VALUES;
  g_autofree guint8 *bytes = g_malloc (MAX (n, 1) * sizeof (gfloat));
  g_autofree gchar *text = NULL;
  Y10JsonCursor cursor;
  Y10Json object;
  guint at = 0;

  y10_json_enter (&cursor, objects);
  while (y10_json_next (&cursor, &object)) {
    gfloat values[N_VALUES];

    read_box (object, values);
    for (guint i = 0; i < N_VALUES; i++, at++) {
      guint32 bits;

      memcpy (&bits, &values[i], sizeof bits);
      for (guint k = 0; k < sizeof bits; k++)
        bytes[k * n + at] = bits >> 8 * k & 0xff;
    }
  }
  text = g_base64_encode (bytes, n * sizeof (gfloat));
  g_string_append_printf (line, ",\"boxes\":\"%s\"}", text);
}

static void
write_objects (GString *line, GstClockTime pts, const GstY10LineMember *member)
{
  const Y10Json objects = { member->json, member->length };

  g_string_printf (line, "{\"pts\":%" G_GUINT64_FORMAT, pts);
  append_list (line, "label_ids", objects, find_in_detection, "label_id");
  append_list (line, "labels", objects, find_in_detection, "label");
  append_list (line, "ids", objects, y10_json_find, "id");
  append_boxes (line, objects);
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
      || (!self->is_current && note.utc < self->since))
    return;
  gst_y10_line_member_get (&members[MEMBER_STREAM], self->text);
  if (self->stream && strcmp (self->text->str, self->stream))
    return;
  note.pts = g_ascii_strtoull (members[MEMBER_TIMESTAMP].json, NULL, 10);
  if (note.pts > G_MAXINT64)
    return;
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

/* Reads what is new. Returns whether there is more. */
gboolean
gst_y10_record_notes_read (GstY10RecordNotes *self)
{
  GstY10SpoolLine line;
  guint n = 0;

  gst_y10_spool_view_refresh (self->view);
  go_to_newest (self);
  for (; n < MAX_LINES && gst_y10_spool_reader_next (self->reader, &line); n++)
    note_line (self, &line);
  self->is_current = self->is_current || n < MAX_LINES;
  return n == MAX_LINES;
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
