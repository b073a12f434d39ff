/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Decides what of a spool is a line: JSON that ends with a newline and is synced. What
 * power loss has left of others is skipped and counted. */
#include "spool/reader.h"

#include <errno.h>
#include <json-glib/json-glib.h>
#include <string.h>
#include <unistd.h>

#include "spool/segments.h"

#define CHUNK 65536
/* A longer line is none. */
#define MAX_LINE (64 << 20)

struct _GstY10SpoolReader
{
  GstY10Spool *spool;
  GstY10SpoolPosition
      at;   /* of the first byte of @pending that was not returned */
  int file; /* of segment @at.segment; -1: not open */
  GByteArray *pending;
  gsize used; /* of @pending, which was returned */
  JsonParser *parser;
};

GstY10SpoolReader *
gst_y10_spool_reader_new (GstY10Spool *spool, GstY10SpoolPosition from)
{
  GstY10SpoolReader *self = g_new0 (GstY10SpoolReader, 1);

  self->spool = spool;
  self->at = from;
  self->at.folder = gst_y10_segments_count_folders (
      gst_y10_spool_get_segments (spool));
  self->file = -1;
  self->pending = g_byte_array_sized_new (CHUNK);
  self->parser = json_parser_new ();
  return self;
}

static void
close_segment (GstY10SpoolReader *self)
{
  if (self->file >= 0)
    close (self->file);
  self->file = -1;
  self->used = 0;
  g_byte_array_set_size (self->pending, 0);
}

void
gst_y10_spool_reader_free (GstY10SpoolReader *self)
{
  if (!self)
    return;
  close_segment (self);
  g_byte_array_unref (self->pending);
  g_object_unref (self->parser);
  g_free (self);
}

void
gst_y10_spool_reader_seek (GstY10SpoolReader *self, GstY10SpoolPosition to)
{
  close_segment (self);
  self->at = to;
}

/* Opens the segment of the position, or the one after it where that was removed. */
static gboolean
open_segment (GstY10SpoolReader *self)
{
  guint64 number;

  if (self->file >= 0)
    return TRUE;
  self->file = gst_y10_segments_open_segment (gst_y10_spool_get_segments (
                                                  self->spool),
      self->at.segment, &number);
  if (self->file < 0)
    return FALSE;
  if (number != self->at.segment)
    self->at = (GstY10SpoolPosition){ number, 0, self->at.folder };
  return TRUE;
}

/* In another folder nothing is as it was: goes on where a follower has come there. */
static void
note_folder (GstY10SpoolReader *self)
{
  GstY10Segments *segments = gst_y10_spool_get_segments (self->spool);

  if (gst_y10_segments_count_folders (segments) == self->at.folder)
    return;
  gst_y10_spool_reader_seek (self,
      gst_y10_segments_get_acknowledged (segments));
}

static void
skip (GstY10SpoolReader *self, gsize length)
{
  if (length)
    gst_y10_spool_count_bad_lines (self->spool, 1);
  self->used += length;
  self->at.offset += length;
}

/* Reads on up to @end. FALSE: there is no more. */
static gboolean
read_more (GstY10SpoolReader *self, guint64 end)
{
  const guint64 offset = self->at.offset + self->pending->len - self->used;
  const gsize wanted = offset < end ? (gsize) MIN (end - offset, CHUNK) : 0;
  const guint before = self->pending->len - (guint) self->used;
  gssize n;

  if (!wanted)
    return FALSE;
  g_byte_array_remove_range (self->pending, 0, (guint) self->used);
  self->used = 0;
  g_byte_array_set_size (self->pending, before + (guint) wanted);
  do
    n = pread (self->file, self->pending->data + before, wanted,
        (off_t) offset);
  while (n < 0 && errno == EINTR);
  g_byte_array_set_size (self->pending, before + (guint) MAX (n, 0));
  if (n > 0 && self->pending->len < MAX_LINE)
    return TRUE;
  /* Someone has cut the file off, or it cannot be read. */
  skip (self, self->pending->len);
  self->at.offset = MAX (self->at.offset, end);
  return FALSE;
}

/* Finds the end of a line in what was read, and reads on if there is none. NULL: no more
 * can be read. */
static const guint8 *
find_end (GstY10SpoolReader *self, guint64 end)
{
  gsize searched = 0;

  do {
    const guint8 *text = self->pending->data + self->used;
    const gsize length = self->pending->len - self->used;
    const guint8 *found = length > searched
        ? memchr (text + searched, '\n', length - searched)
        : NULL;

    if (found)
      return found;
    searched = length;
  } while (read_more (self, end));
  return NULL;
}

static gboolean
is_json (GstY10SpoolReader *self, const gchar *text, gsize length)
{
  JsonNode *root;

  if (!length || text[0] != '{' || text[length - 1] != '}'
      || memchr (text, '\0', length)
      || !json_parser_load_from_data (self->parser, text, (gssize) length,
          NULL))
    return FALSE;
  root = json_parser_get_root (self->parser);
  return root && JSON_NODE_HOLDS_OBJECT (root);
}

static gboolean
take_line (GstY10SpoolReader *self, const guint8 *end, GstY10SpoolLine *line)
{
  static const gchar event[] = "{\"event\":";
  const gchar *text = (const gchar *) self->pending->data + self->used;
  const gsize length = (gsize) ((const gchar *) end - text);

  if (!is_json (self, text, length)) {
    skip (self, length + 1);
    return FALSE;
  }
  *line = (GstY10SpoolLine){
    .kind = length > sizeof event && !memcmp (text, event, sizeof event - 1)
        ? GST_Y10_LINE_EVENT
        : GST_Y10_LINE_FRAME,
    .text = text,
    .length = length,
    .at = self->at,
  };
  self->used += length + 1;
  self->at.offset += length + 1;
  line->after = self->at;
  return TRUE;
}

/**
 * gst_y10_spool_reader_next:
 * @self: a reader
 * @line: (out): the next line
 *
 * Returns: whether there is one
 */
gboolean
gst_y10_spool_reader_next (GstY10SpoolReader *self, GstY10SpoolLine *line)
{
  note_folder (self);
  while (open_segment (self)) {
    gboolean is_final;
    const guint64 size = gst_y10_segments_get_end (gst_y10_spool_get_segments (
                                                       self->spool),
        self->at.segment, &is_final);
    const guint8 *end = find_end (self, size);

    if (end && take_line (self, end, line))
      return TRUE;
    if (end)
      continue;
    if (!is_final)
      return FALSE;
    skip (self, self->pending->len - self->used);
    close_segment (self);
    self->at = (GstY10SpoolPosition){ self->at.segment + 1, 0,
      self->at.folder };
  }
  return FALSE;
}
