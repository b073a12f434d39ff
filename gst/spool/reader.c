/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Finds the lines in segments. With the spool of a writer in this process, only those that
 * are synced; with a view, whatever is there. What power loss has left of others is skipped
 * and counted. */
#include "spool/reader.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "spool/segments.h"

/* How much is read at once: at first, since it may be for one line, and at most. */
#define FIRST_CHUNK 4096
#define MAX_CHUNK 65536
/* As much as a writer takes; a longer line is none. */
#define MAX_LINE (4 << 20)

struct _GstY10SpoolReader
{
  GstY10Segments *segments;    /* of a writer, or NULL */
  const gchar *follower;       /* interned, of it */
  const GstY10SpoolView *view; /* otherwise */
  GstY10SpoolPosition at;      /* of the next line */
  int file;                    /* of segment @at.segment; -1: not open */
  GByteArray *pending;         /* what was read */
  gsize used;                  /* of @pending, in front of @at */
  gsize searched;              /* from @at on, without a newline */
  gsize chunk;                 /* to read next */
  gboolean skips;              /* the rest of a line that is too long */
  GstY10LineMember *members;   /* of the line that was returned */
  guint n_members;
};

static GstY10SpoolReader *
reader_new (GstY10Segments *segments, const GstY10SpoolView *view)
{
  GstY10SpoolReader *self = g_new0 (GstY10SpoolReader, 1);

  self->segments = segments;
  self->view = view;
  self->file = -1;
  self->pending = g_byte_array_sized_new (MAX_CHUNK);
  self->chunk = FIRST_CHUNK;
  return self;
}

static guint
count_folders (const GstY10SpoolReader *self)
{
  return self->segments ? gst_y10_segments_count_folders (self->segments)
                        : gst_y10_spool_view_count_folders (self->view);
}

/**
 * gst_y10_spool_reader_new:
 * @spool: the spool of a writer, which must outlive the reader
 * @follower: name of who reads, as of gst_y10_spool_acknowledge()
 * @from: the beginning of a line, such as the acknowledged position
 *
 * Returns: (transfer full): a reader of the synced lines
 */
GstY10SpoolReader *
gst_y10_spool_reader_new (GstY10Spool *spool, const gchar *follower,
    GstY10SpoolPosition from)
{
  GstY10SpoolReader *self = reader_new (gst_y10_spool_get_segments (spool),
      NULL);

  self->follower = g_intern_string (follower);
  self->at = from;
  self->at.folder = count_folders (self);
  return self;
}

/**
 * gst_y10_spool_reader_new_view:
 * @view: a spool that anybody may write to; must outlive the reader
 *
 * Returns: (transfer full): a reader of all lines
 */
GstY10SpoolReader *
gst_y10_spool_reader_new_view (const GstY10SpoolView *view)
{
  return reader_new (NULL, view);
}

/* Finds members of each line while it is checked: looking for them later takes as long
 * again. @names must outlive the reader. */
void
gst_y10_spool_reader_set_members (GstY10SpoolReader *self,
    const gchar *const *names, guint n)
{
  self->members = g_renew (GstY10LineMember, self->members, n);
  self->n_members = n;
  for (guint i = 0; i < n; i++)
    self->members[i].name = names[i];
}

static void
drop_pending (GstY10SpoolReader *self)
{
  g_byte_array_set_size (self->pending, 0);
  self->used = self->searched = 0;
  self->chunk = FIRST_CHUNK;
  self->skips = FALSE;
}

static void
close_segment (GstY10SpoolReader *self)
{
  if (self->file >= 0)
    close (self->file);
  self->file = -1;
  drop_pending (self);
}

void
gst_y10_spool_reader_free (GstY10SpoolReader *self)
{
  if (!self)
    return;
  close_segment (self);
  g_byte_array_unref (self->pending);
  g_free (self->members);
  g_free (self);
}

/* Where the next line begins. */
GstY10SpoolPosition
gst_y10_spool_reader_get_position (const GstY10SpoolReader *self)
{
  return self->at;
}

/* Goes to the beginning of a line, such as back to the acknowledged one after a
 * reconnection. */
void
gst_y10_spool_reader_seek (GstY10SpoolReader *self, GstY10SpoolPosition to)
{
  if (!gst_y10_spool_position_compare (self->at, to))
    return;
  if (to.segment != self->at.segment || to.folder != self->at.folder)
    close_segment (self);
  else
    drop_pending (self);
  self->at = to;
}

/* In another folder nothing is as it was: goes on where a follower has come there. */
static void
note_folder (GstY10SpoolReader *self)
{
  const guint n = count_folders (self);

  if (n != self->at.folder)
    gst_y10_spool_reader_seek (self,
        self->segments
            ? gst_y10_segments_get_acknowledged (self->segments, self->follower)
            : (GstY10SpoolPosition){ .folder = n });
}

/* Opens the segment of the position, or the one after it where that was removed. */
static gboolean
open_segment (GstY10SpoolReader *self)
{
  guint64 number;

  self->file = self->segments
      ? gst_y10_segments_open_segment (self->segments, self->at.segment,
          &number)
      : gst_y10_spool_view_open_segment (self->view, self->at.segment, &number);
  if (self->file < 0)
    return FALSE;
  if (number != self->at.segment)
    self->at = (GstY10SpoolPosition){ number, 0, self->at.folder };
  return TRUE;
}

/* How far the segment may be read, and whether it will not grow. */
static guint64
get_end (const GstY10SpoolReader *self, gboolean *is_final)
{
  struct stat status;

  if (self->segments)
    return gst_y10_segments_get_end (self->segments, self->at.segment,
        is_final);
  *is_final = gst_y10_spool_view_is_final (self->view, self->at.segment);
  return fstat (self->file, &status) == 0 ? (guint64) status.st_size : 0;
}

static gsize
get_length (const GstY10SpoolReader *self)
{
  return self->pending->len - self->used;
}

static void
skip (GstY10SpoolReader *self, gsize length)
{
  self->used += length;
  self->at.offset += length;
  self->searched = 0;
}

static void
skip_bad (GstY10SpoolReader *self, gsize length)
{
  if (self->segments && (length || self->skips))
    gst_y10_segments_count_bad_line (self->segments);
  skip (self, length);
  self->skips = FALSE;
}

/* Reads on up to @end. FALSE: there is no more. */
static gboolean
read_more (GstY10SpoolReader *self, guint64 end)
{
  const guint64 offset = self->at.offset + get_length (self);
  const gsize wanted = offset < end ? (gsize) MIN (end - offset, self->chunk)
                                    : 0;
  const guint before = (guint) get_length (self);
  gssize n;

  if (!wanted)
    return FALSE;
  g_byte_array_remove_range (self->pending, 0, (guint) self->used);
  self->used = 0;
  self->chunk = MIN (2 * self->chunk, MAX_CHUNK);
  g_byte_array_set_size (self->pending, before + (guint) wanted);
  do
    n = pread (self->file, self->pending->data + before, wanted,
        (off_t) offset);
  while (n < 0 && errno == EINTR);
  g_byte_array_set_size (self->pending, before + (guint) MAX (n, 0));
  if (n > 0)
    return TRUE;
  /* Someone has cut the file off, or it cannot be read. */
  skip_bad (self, get_length (self));
  self->at.offset = MAX (self->at.offset, end);
  return FALSE;
}

/* Takes the line that ends at @end. FALSE: it is none. */
static gboolean
take_line (GstY10SpoolReader *self, const guint8 *end, GstY10SpoolLine *line)
{
  static const gchar event[] = "{\"event\":";
  const gchar *text = (const gchar *) self->pending->data + self->used;
  const gsize length = (gsize) ((const gchar *) end - text);

  if (self->skips
      || !gst_y10_line_check (text, length, self->members, self->n_members)) {
    skip_bad (self, length + 1);
    return FALSE;
  }
  *line = (GstY10SpoolLine){
    .kind = length > sizeof event && !memcmp (text, event, sizeof event - 1)
        ? GST_Y10_LINE_EVENT
        : GST_Y10_LINE_FRAME,
    .text = text,
    .length = length,
    .at = self->at,
    .members = self->members,
  };
  skip (self, length + 1);
  line->after = self->at;
  return TRUE;
}

/* The end of the next line in what was read, or NULL. */
static const guint8 *
find_end (GstY10SpoolReader *self)
{
  const guint8 *text = self->pending->data + self->used;
  const gsize length = get_length (self);
  const guint8 *end = length > self->searched
      ? memchr (text + self->searched, '\n', length - self->searched)
      : NULL;

  self->searched = length;
  if (!end && length > MAX_LINE) {
    skip (self, length);
    self->skips = TRUE;
  }
  return end;
}

/* Reads on, in the next segment where one is over. FALSE: there is nothing more yet. */
static gboolean
read_on (GstY10SpoolReader *self)
{
  gboolean is_final;
  guint64 end;

  if (self->file < 0)
    return open_segment (self);
  end = get_end (self, &is_final);
  if (!self->segments && end < self->at.offset + get_length (self)) {
    drop_pending (self);
    if (end >= self->at.offset)
      return TRUE;
    self->at.offset = end;
    return FALSE;
  }
  if (read_more (self, end))
    return TRUE;
  if (!is_final)
    return FALSE;
  skip_bad (self, get_length (self));
  close_segment (self);
  self->at = (GstY10SpoolPosition){ self->at.segment + 1, 0, self->at.folder };
  return TRUE;
}

/**
 * gst_y10_spool_reader_next:
 * @self: a reader
 * @line: (out): the next line, which is valid until the next call
 *
 * Reads on. Goes on with the next segment where one was removed; and where the folder was
 * replaced with what the one that is there has not acknowledged, or by a view with all that
 * it has. Where a failed write has cut a segment off, a view's reader may have returned what
 * comes again in the next one: its position goes back then.
 *
 * Returns: whether there is a line; else there is none yet, or the position went back
 */
gboolean
gst_y10_spool_reader_next (GstY10SpoolReader *self, GstY10SpoolLine *line)
{
  do {
    const guint8 *end;

    note_folder (self);
    while ((end = find_end (self)))
      if (take_line (self, end, line))
        return TRUE;
  } while (read_on (self));
  return FALSE;
}
