/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Follows a spool, and keeps a record of 24 bytes of each event.
 *
 * Lines are read in their order, a slice at a time, so that the page is there while a large
 * spool is read. What retention removes goes with its segment, and what a failed write has
 * cut off goes, too. Where another folder is there, nothing of the one before counts. */

#include "config.h"

#ifdef HAVE_SERVE

#include <string.h>

#include "events/eventnames.h"
#include "events/eventindex.h"
#include "events/eventsegment.h"

#define SLICE (1 << 20)    /* bytes that are read at once */
#define MAX_LINE (2 << 20) /* a longer one is none */
#define MAX_SEGMENT G_MAXUINT32

struct _ServeEvents
{
  GstY10SpoolView *view;
  GstY10SpoolReader *reader, *other; /* of all that comes; of single lines */
  guint folder;                      /* of what is known, as its position has */
  gsize most, n;
  guint64 left_out; /* segments up to this number, of more than are kept */
  ServeEventFunc func;
  gpointer user;
  GPtrArray *segments; /* ServeEventSegment */
  ServeEventNames names[SERVE_N_NAMES];
  gboolean is_read;
  GString *scratch;
};

ServeEventIndex *
serve_event_index_new (const char *folder, gsize most, ServeEventFunc func,
    gpointer user)
{
  ServeEventIndex *self = g_new0 (ServeEventIndex, 1);

  self->view = gst_y10_spool_view_new (folder);
  self->reader = gst_y10_spool_reader_new_view (self->view);
  self->other = gst_y10_spool_reader_new_view (self->view);
  serve_event_line_set_up (self->reader);
  serve_event_line_set_up (self->other);
  self->most = most;
  self->func = func;
  self->user = user;
  self->segments = serve_event_segments_new ();
  self->scratch = g_string_new (NULL);
  for (guint i = 0; i < SERVE_N_NAMES; i++)
    serve_event_names_init (&self->names[i]);
  for (const char *const *kind = serve_event_kinds; *kind; kind++)
    serve_event_names_add (&self->names[SERVE_NAMES_KINDS], *kind,
        strlen (*kind));
  return self;
}

void
serve_event_index_free (ServeEventIndex *self)
{
  for (guint i = 0; i < SERVE_N_NAMES; i++)
    serve_event_names_clear (&self->names[i]);
  gst_y10_spool_reader_free (self->reader);
  gst_y10_spool_reader_free (self->other);
  gst_y10_spool_view_free (self->view);
  g_ptr_array_unref (self->segments);
  g_string_free (self->scratch, TRUE);
  g_free (self);
}

/* Segments. */

static void
drop_segment (ServeEventIndex *self, guint i)
{
  self->n -= ((const ServeEventSegment *) self->segments->pdata[i])->n;
  g_ptr_array_remove_index (self->segments, i);
}

/* Begins anew: nothing that is known counts. */
static void
rewind_all (ServeEventIndex *self)
{
  while (self->segments->len)
    drop_segment (self, self->segments->len - 1);
  self->left_out = 0;
  self->is_read = FALSE;
  self->folder = gst_y10_spool_view_count_folders (self->view);
  gst_y10_spool_reader_seek (self->reader,
      (GstY10SpoolPosition){ .folder = self->folder });
}

static void
add_segment (ServeEventIndex *self, guint i, guint64 number)
{
  ServeEventSegment *segment = g_new0 (ServeEventSegment, 1);

  segment->number = number;
  segment->first = G_MAXINT64;
  segment->last = G_MININT64;
  g_ptr_array_insert (self->segments, (gint) i, segment);
}

/* Knows the segments that there are, and no others. Numbers only grow where a spool is
 * written, so one in front of what was read has come by other hands: returns FALSE, and all
 * is to be read again. */
static gboolean
list_segments (ServeEventIndex *self)
{
  const guint64 now = gst_y10_spool_reader_get_position (self->reader).segment;
  const GArray *numbers = gst_y10_spool_view_get_segments (self->view);
  gboolean ok = TRUE;
  guint i = 0;

  for (guint k = 0; k < numbers->len; k++) {
    const guint64 number = g_array_index (numbers, guint64, k);
    guint end = serve_event_segments_find (self->segments, number);

    for (; end > i; end--)
      drop_segment (self, i);
    if (number <= self->left_out)
      continue;
    if (i == self->segments->len
        || ((ServeEventSegment *) self->segments->pdata[i])->number != number) {
      add_segment (self, i, number);
      ok &= number >= now;
    }
    i++;
  }
  while (i < self->segments->len)
    drop_segment (self, i);
  return ok;
}

static void
find_segments (ServeEventIndex *self)
{
  gst_y10_spool_view_refresh (self->view);
  if (gst_y10_spool_view_count_folders (self->view) != self->folder)
    rewind_all (self);
  if (list_segments (self))
    return;
  rewind_all (self);
  list_segments (self);
}

/* NULL: it is not there, or not any more. */
static ServeEventSegment *
get_segment (const ServeEventIndex *self, guint64 number)
{
  const guint i = serve_event_segments_find (self->segments, number);
  ServeEventSegment *segment = i < self->segments->len
      ? self->segments->pdata[i]
      : NULL;

  return segment && segment->number == number ? segment : NULL;
}

/* Lines. */

static guint16
take_name (ServeEventIndex *self, ServeNames which,
    const GstY10LineMember *member)
{
  if (!member->json)
    return SERVE_NO_NAME;
  gst_y10_line_member_get (member, self->scratch);
  return serve_event_names_add (&self->names[which], self->scratch->str,
      self->scratch->len);
}

static void
add_record (ServeEventIndex *self, ServeEventSegment *segment, guint32 offset,
    const ServeEventLine *line)
{
  const GstY10LineMember *members = line->members;
  const ServeEventMember zone = members[SERVE_EVENT_ZONE].json
      ? SERVE_EVENT_ZONE
      : SERVE_EVENT_LINE;
  ServeEvent *record;

  if (segment->n == segment->n_room) {
    segment->n_room = MAX (64, segment->n_room * 2);
    segment->records = g_renew (ServeEvent, segment->records, segment->n_room);
  }
  record = &segment->records[segment->n++];
  record->time = line->time;
  record->offset = offset;
  record->names[SERVE_NAMES_CAMERAS] = take_name (self, SERVE_NAMES_CAMERAS,
      &members[SERVE_EVENT_STREAM]);
  record->names[SERVE_NAMES_CLASSES] = take_name (self, SERVE_NAMES_CLASSES,
      &members[SERVE_EVENT_LABEL]);
  record->names[SERVE_NAMES_ZONES] = take_name (self, SERVE_NAMES_ZONES,
      &members[zone]);
  record->names[SERVE_NAMES_KINDS] = take_name (self, SERVE_NAMES_KINDS,
      &members[SERVE_EVENT_EVENT]);
  segment->first = MIN (segment->first, line->time);
  segment->last = MAX (segment->last, line->time);
  self->n++;
}

static void
take_line (ServeEventIndex *self, const GstY10SpoolLine *line)
{
  ServeEventSegment *segment = get_segment (self, line->at.segment);
  ServeEventLine event;

  if (!segment || segment->n >= self->most || line->length > MAX_LINE
      || line->after.offset > MAX_SEGMENT
      || !serve_event_line_read (line, &event))
    return;
  add_record (self, segment, (guint32) line->at.offset, &event);
  if (self->is_read && self->func)
    self->func (line, self->user);
}

/* Forgets what was cut off. */
static void
cut (ServeEventIndex *self)
{
  const GstY10SpoolPosition end = gst_y10_spool_reader_get_position (
      self->reader);
  ServeEventSegment *segment = get_segment (self, end.segment);

  while (segment && segment->n
      && segment->records[segment->n - 1].offset >= end.offset) {
    segment->n--;
    self->n--;
  }
}

/* Of more than are kept, the oldest segments are known no more. */
static void
keep_most (ServeEventIndex *self)
{
  while (self->n > self->most && self->segments->len > 1) {
    self->left_out = ((ServeEventSegment *) self->segments->pdata[0])->number;
    drop_segment (self, 0);
  }
}

gboolean
serve_event_index_read_on (ServeEventIndex *self)
{
  GstY10SpoolPosition begin;
  GstY10SpoolLine line;
  gsize length = 0;

  find_segments (self);
  begin = gst_y10_spool_reader_get_position (self->reader);
  while (length < SLICE && gst_y10_spool_reader_next (self->reader, &line)) {
    take_line (self, &line);
    length += line.length;
  }
  cut (self);
  keep_most (self);
  if (length >= SLICE
      || gst_y10_spool_position_compare (gst_y10_spool_reader_get_position (
                                             self->reader),
             begin)
          < 0)
    return TRUE;
  self->is_read = TRUE;
  return FALSE;
}

gboolean
serve_event_index_is_complete (const ServeEventIndex *self)
{
  return self->is_read;
}

/* Questions. */

const ServeEvent *
serve_event_index_find_before (const ServeEventIndex *self,
    const ServeEventFilter *filter, GstY10SpoolPosition *place)
{
  return serve_event_segments_find_before (self->segments, filter, place);
}

const ServeEvent *
serve_event_index_find_behind (const ServeEventIndex *self,
    const ServeEventFilter *filter, GstY10SpoolPosition *place)
{
  return serve_event_segments_find_behind (self->segments, filter, place);
}

const ServeEvent *
serve_event_index_get (const ServeEventIndex *self, GstY10SpoolPosition place)
{
  return serve_event_segments_get (self->segments, place);
}

void
serve_event_index_histogram (const ServeEventIndex *self,
    const ServeEventFilter *filter, gint64 span, guint n, guint *counts)
{
  serve_event_segments_histogram (self->segments, filter, span, n, counts);
}

gboolean
serve_event_index_read_event (ServeEventIndex *self, GstY10SpoolPosition place,
    GstY10SpoolLine *line, ServeEventLine *event)
{
  place.folder = self->folder;
  gst_y10_spool_reader_seek (self->other, place);
  return gst_y10_spool_reader_next (self->other, line)
      && !gst_y10_spool_position_compare (line->at, place)
      && serve_event_line_read (line, event);
}

guint16
serve_event_index_find_name (const ServeEventIndex *self, ServeNames which,
    const char *name)
{
  return serve_event_names_find (&self->names[which], name, strlen (name));
}

const GPtrArray *
serve_event_index_get_names (const ServeEventIndex *self, ServeNames which)
{
  return self->names[which].names;
}

#endif
