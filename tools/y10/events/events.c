/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Follows the segments of a spool, and keeps a record of 24 bytes of each event.
 *
 * Segments are read in their order, a slice at a time, so that the page is there while a
 * large spool is read. Only whole lines count. The newest segment grows; where writing it
 * failed, its end is cut off and comes again in another one, so records behind the end of
 * a file go. What retention removes goes with its segment. The folder is looked for by its
 * path: where another one is there, nothing of the one before counts. */

#include "config.h"

#ifdef HAVE_SERVE

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "events/eventnames.h"
#include "events/events.h"
#include "events/eventsegment.h"
#include "publish/folder.h"

#define SLICE (1 << 20)     /* bytes that are read at once */
#define MOST_LINE (2 << 20) /* a longer one is none */
#define MOST_SEGMENT G_MAXUINT32
#define LIST_TIME \
  (2 * G_USEC_PER_SEC) /* also where the folder looks unchanged */

struct _ServeEvents
{
  char *path;
  int folder; /* -1: not there yet */
  struct timespec changed;
  gint64 listed;
  gsize most, n;
  guint64 bad;
  guint64 left_out; /* segments up to this number, of more than are kept */
  ServeEventFunc func;
  gpointer user;
  GPtrArray *segments; /* ServeEventSegment */
  ServeEventNames names[SERVE_N_NAMES];
  gboolean is_read;
  int file,
      other; /* segments that are read from: the newest ones, single lines */
  guint64 file_number, other_number;
  GByteArray *pending; /* behind the size of the segment that is read */
  gboolean skips;      /* the rest of a line that is too long */
  GString *scratch;
  GByteArray *line;
};

ServeEvents *
serve_events_new (const char *folder, gsize most, ServeEventFunc func,
    gpointer user)
{
  static const char *const kinds[] = { SERVE_EVENT_KINDS };
  ServeEvents *self = g_new0 (ServeEvents, 1);

  self->path = g_strdup (folder);
  self->folder = self->file = self->other = -1;
  self->most = most;
  self->func = func;
  self->user = user;
  self->segments = serve_event_segments_new ();
  self->pending = g_byte_array_new ();
  self->line = g_byte_array_new ();
  self->scratch = g_string_new (NULL);
  for (guint i = 0; i < SERVE_N_NAMES; i++)
    serve_event_names_init (&self->names[i]);
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    serve_event_names_add (&self->names[SERVE_NAMES_KINDS], kinds[i],
        strlen (kinds[i]));
  return self;
}

static void
close_file (int *file)
{
  if (*file >= 0)
    close (*file);
  *file = -1;
}

void
serve_events_free (ServeEvents *self)
{
  close_file (&self->file);
  close_file (&self->other);
  close_file (&self->folder);
  for (guint i = 0; i < SERVE_N_NAMES; i++)
    serve_event_names_clear (&self->names[i]);
  g_ptr_array_unref (self->segments);
  g_byte_array_unref (self->pending);
  g_byte_array_unref (self->line);
  g_string_free (self->scratch, TRUE);
  g_free (self->path);
  g_free (self);
}

/* Segments. */

static int
open_segment (const ServeEvents *self, guint64 number)
{
  char name[GST_Y10_SEGMENT_NAME_SIZE];

  gst_y10_folder_make_name (number, name);
  return gst_y10_folder_open_file (self->folder, name);
}

static void
drop_segment (ServeEvents *self, guint i)
{
  const ServeEventSegment *segment = self->segments->pdata[i];

  self->n -= segment->n;
  if (self->file >= 0 && self->file_number == segment->number) {
    close_file (&self->file);
    g_byte_array_set_size (self->pending, 0);
    self->skips = FALSE;
  }
  g_ptr_array_remove_index (self->segments, i);
}

/* Begins anew in another folder. */
static void
find_folder (ServeEvents *self)
{
  if (self->folder >= 0
      && gst_y10_folder_is_at (AT_FDCWD, self->path, self->folder))
    return;
  while (self->segments->len)
    drop_segment (self, self->segments->len - 1);
  close_file (&self->other);
  close_file (&self->folder);
  self->left_out = 0;
  self->listed = G_MININT64 / 2;
  self->is_read = FALSE;
  self->folder = open (self->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* Whether the list may have changed. */
static gboolean
must_list (ServeEvents *self)
{
  const gint64 now = g_get_monotonic_time ();
  struct stat status;

  find_folder (self);
  if (self->folder < 0)
    return FALSE;
  if (fstat (self->folder, &status) == 0
      && !memcmp (&status.st_mtim, &self->changed, sizeof self->changed)
      && now - self->listed < LIST_TIME) {
    return FALSE;
  }
  self->listed = now;
  return TRUE;
}

static GHashTable *
list_numbers (ServeEvents *self)
{
  GDir *dir = g_dir_open (self->path, 0, NULL);
  GHashTable *numbers;
  struct stat status;
  const char *name;

  if (!dir)
    return NULL;
  if (fstat (self->folder, &status) == 0)
    self->changed = status.st_mtim;
  numbers = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  while ((name = g_dir_read_name (dir))) {
    const guint64 number = gst_y10_folder_parse_name (name);

    if (number)
      g_hash_table_add (numbers, g_memdup2 (&number, sizeof number));
  }
  g_dir_close (dir);
  return numbers;
}

static void
list_segments (ServeEvents *self)
{
  GHashTable *numbers = must_list (self) ? list_numbers (self) : NULL;
  GHashTableIter iter;
  gpointer key;

  if (!numbers)
    return;
  for (guint i = self->segments->len; i-- > 0;) {
    const ServeEventSegment *segment = self->segments->pdata[i];

    if (!g_hash_table_remove (numbers, &segment->number))
      drop_segment (self, i);
  }
  g_hash_table_iter_init (&iter, numbers);
  while (g_hash_table_iter_next (&iter, &key, NULL)) {
    const guint64 number = *(const guint64 *) key;
    ServeEventSegment *segment;

    if (number <= self->left_out)
      continue;
    segment = g_new0 (ServeEventSegment, 1);
    segment->number = number;
    segment->first = G_MAXINT64;
    segment->last = G_MININT64;
    g_ptr_array_add (self->segments, segment);
  }
  serve_event_segments_sort (self->segments);
  g_hash_table_unref (numbers);
}

/* Lines. */

static guint16
take_name (ServeEvents *self, ServeNames which, const ServeEventValue *value)
{
  if (!value->text)
    return SERVE_NO_NAME;
  serve_event_value_get (value, self->scratch);
  return serve_event_names_add (&self->names[which], self->scratch->str,
      self->scratch->len);
}

static void
add_record (ServeEvents *self, ServeEventSegment *segment, guint32 length,
    const ServeEventLine *line)
{
  const ServeEventValue *members = line->members;
  const ServeEventMember zone = members[SERVE_EVENT_ZONE].text
      ? SERVE_EVENT_ZONE
      : SERVE_EVENT_LINE;
  ServeEvent *record;

  if (segment->n == segment->n_room) {
    segment->n_room = MAX (64, segment->n_room * 2);
    segment->records = g_renew (ServeEvent, segment->records, segment->n_room);
  }
  record = &segment->records[segment->n++];
  record->time = line->time;
  record->offset = (guint32) segment->size;
  record->length = length;
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
take_line (ServeEvents *self, ServeEventSegment *segment, const char *text,
    gsize length)
{
  const gboolean rest = self->skips;
  ServeEventLine line;

  self->skips = FALSE;
  if (!rest && segment->n < self->most && length <= MOST_LINE
      && segment->size + length < MOST_SEGMENT
      && serve_event_line_parse (text, length, &line)) {
    add_record (self, segment, (guint32) length, &line);
    if (self->is_read && self->func)
      self->func ((ServeEventPlace){ segment->number, (guint32) segment->size },
          text, length, self->user);
  } else {
    self->bad++;
  }
  segment->size += length + 1;
}

static void
take_lines (ServeEvents *self, ServeEventSegment *segment)
{
  const char *text = (const char *) self->pending->data;
  gsize length = self->pending->len, used = 0;
  const char *end;

  while (used < length && (end = memchr (text + used, '\n', length - used))) {
    take_line (self, segment, text + used, (gsize) (end - text) - used);
    used = (gsize) (end - text) + 1;
  }
  if (length - used > MOST_LINE) {
    self->skips = TRUE;
    segment->size += length - used;
    used = length;
  }
  if (used)
    g_byte_array_remove_range (self->pending, 0, (guint) used);
}

/* The end of a file was cut off. */
static void
cut (ServeEvents *self, ServeEventSegment *segment, guint64 size)
{
  while (segment->n
      && (guint64) segment->records[segment->n - 1].offset
              + segment->records[segment->n - 1].length
          >= size) {
    segment->n--;
    self->n--;
  }
  segment->size = size;
  self->skips = FALSE;
  g_byte_array_set_size (self->pending, 0);
}

/* Without memory for what does not come. */
static void
finish (ServeEvents *self, ServeEventSegment *segment)
{
  self->bad += self->pending->len > 0;
  g_byte_array_set_size (self->pending, 0);
  self->skips = FALSE;
  close_file (&self->file);
  segment->is_done = TRUE;
  segment->n_room = segment->n;
  segment->records = g_renew (ServeEvent, segment->records, segment->n_room);
}

/* Reads a slice of a segment. Returns whether there was one. */
static gboolean
read_slice (ServeEvents *self, ServeEventSegment *segment)
{
  struct stat status;
  guint pending;
  gssize n;

  if (self->file_number != segment->number) {
    close_file (&self->file);
    g_byte_array_set_size (self->pending, 0);
    self->skips = FALSE;
  }
  if (self->file < 0) {
    self->file = open_segment (self, segment->number);
    self->file_number = segment->number;
  }
  if (self->file < 0 || fstat (self->file, &status) != 0)
    return FALSE;
  pending = self->pending->len;
  if ((guint64) status.st_size < segment->size + pending) {
    cut (self, segment, MIN (segment->size, (guint64) status.st_size));
    return FALSE;
  }
  g_byte_array_set_size (self->pending, pending + SLICE);
  do
    n = pread (self->file, self->pending->data + pending, SLICE,
        (off_t) (segment->size + pending));
  while (n < 0 && errno == EINTR);
  g_byte_array_set_size (self->pending, pending + (guint) MAX (n, 0));
  if (n <= 0)
    return FALSE;
  take_lines (self, segment);
  return TRUE;
}

/* Of more than are kept, the oldest segments are known no more. */
static void
keep_most (ServeEvents *self)
{
  while (self->n > self->most && self->segments->len > 1) {
    self->left_out = ((ServeEventSegment *) self->segments->pdata[0])->number;
    drop_segment (self, 0);
  }
}

gboolean
serve_events_look (ServeEvents *self)
{
  /* Before reading: once there is a newer segment, one does not grow. */
  list_segments (self);
  for (guint i = 0; i < self->segments->len; i++) {
    ServeEventSegment *segment = self->segments->pdata[i];

    if (segment->is_done)
      continue;
    if (read_slice (self, segment)) {
      keep_most (self);
      return TRUE;
    }
    if (i + 1 < self->segments->len)
      finish (self, segment);
  }
  self->is_read = TRUE;
  return FALSE;
}

gboolean
serve_events_are_read (const ServeEvents *self)
{
  return self->is_read;
}

gsize
serve_events_count (const ServeEvents *self)
{
  return self->n;
}

guint64
serve_events_count_bad (const ServeEvents *self)
{
  return self->bad;
}

/* Questions. */

const ServeEvent *
serve_events_find_before (const ServeEvents *self,
    const ServeEventFilter *filter, ServeEventPlace *place)
{
  return serve_event_segments_find_before (self->segments, filter, place);
}

const ServeEvent *
serve_events_find_behind (const ServeEvents *self,
    const ServeEventFilter *filter, ServeEventPlace *place)
{
  return serve_event_segments_find_behind (self->segments, filter, place);
}

const ServeEvent *
serve_events_get (const ServeEvents *self, ServeEventPlace place)
{
  return serve_event_segments_get (self->segments, place);
}

void
serve_events_histogram (const ServeEvents *self, const ServeEventFilter *filter,
    gint64 span, guint n, guint *counts)
{
  serve_event_segments_histogram (self->segments, filter, span, n, counts);
}

/* Lines of one segment often follow each other. */
static int
get_file (ServeEvents *self, guint64 number)
{
  if (self->other >= 0 && self->other_number == number)
    return self->other;
  close_file (&self->other);
  self->other = open_segment (self, number);
  self->other_number = number;
  return self->other;
}

gboolean
serve_events_read (ServeEvents *self, ServeEventPlace place,
    const ServeEvent *event, const char **text, ServeEventLine *line)
{
  const int file = get_file (self, place.segment);
  gssize n;

  if (file < 0)
    return FALSE;
  g_byte_array_set_size (self->line, event->length);
  do
    n = pread (file, self->line->data, event->length, event->offset);
  while (n < 0 && errno == EINTR);
  *text = (const char *) self->line->data;
  return n == (gssize) event->length
      && serve_event_line_parse (*text, event->length, line);
}

guint16
serve_events_find_name (const ServeEvents *self, ServeNames which,
    const char *name)
{
  return serve_event_names_find (&self->names[which], name, strlen (name));
}

const GPtrArray *
serve_events_get_names (const ServeEvents *self, ServeNames which)
{
  return self->names[which].names;
}

#endif
