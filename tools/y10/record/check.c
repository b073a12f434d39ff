/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* y10 record check: a recording is what can be read of its fragments; the indexes have to
 * agree with them. A mend is such that power loss while it is made loses nothing more. */

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/command.h"
#include "base/json.h"
#include "base/terminal.h"
#include "record/recording.h"

/* A file that is empty may be about to be written, in seconds. */
#define YOUNG 60

/* More than any camera sends until the first sync. A file that is larger has frames, even if
 * its header is such that nobody can tell; bytes. */
#define MAX_LOST (16 << 20)

typedef struct
{
  gboolean repair;
  guint n_left; /* faults that were not mended */
} Check;

/* Prints what is wrong, and whether that was so until now. */
static void report (Check *check, gboolean mended, const char *file,
    const char *format, ...) G_GNUC_PRINTF (4, 5);

static void
report (Check *check, gboolean mended, const char *file, const char *format,
    ...)
{
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  tool_print ("%s: %s%s\n", file, text, mended ? " (mended)" : "");
  check->n_left += !mended;
}

/* Returns @ok, after a message if it is FALSE. */
static gboolean
succeed (gboolean ok, const char *path)
{
  if (!ok)
    tool_error ("%s: mending failed: %s", path, g_strerror (errno));
  return ok;
}

static gboolean
remove_recording (const RecordName *name)
{
  g_autofree char *path = g_path_get_dirname (name->path);
  const int folder = open (path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const gboolean ok = folder >= 0 && unlink (name->path) == 0
      && (unlink (name->index_path) == 0 || errno == ENOENT)
      && fsync (folder) == 0;

  succeed (ok, name->path);
  if (folder >= 0)
    close (folder);
  return ok;
}

/* Makes a part of a file one that players skip. */
static gboolean
put_free (int fd, guint64 at, guint64 size)
{
  const guint8 box[8] = { (guint8) (size >> 24), (guint8) (size >> 16),
    (guint8) (size >> 8), (guint8) size, 'f', 'r', 'e', 'e' };

  errno = EFBIG;
  return size >= sizeof box && size <= G_MAXUINT32
      && pwrite (fd, box, sizeof box, (off_t) at) == sizeof box
      && fdatasync (fd) == 0;
}

/* What follows is checked as if it were mended. */
static void
check_damage (Check *check, Recording *recording)
{
  GstY10Mp4Reader *reader = &recording->reader;

  for (guint i = 0; i < recording->damage->len; i++) {
    const RecordDamage *damage = &g_array_index (recording->damage,
        RecordDamage, i);
    const gboolean is_tail = damage->at + damage->size == reader->size;
    gboolean mended = check->repair;

    if (mended && is_tail)
      mended = ftruncate (recording->fd, (off_t) damage->at) == 0
          && fsync (recording->fd) == 0;
    else if (mended)
      mended = put_free (recording->fd, damage->at, damage->size);
    report (check, check->repair && succeed (mended, recording->name->path),
        recording->name->name,
        "%" G_GUINT64_FORMAT " bytes at %" G_GUINT64_FORMAT
        " are damaged; expected %s",
        damage->size, damage->at, is_tail ? "the end" : "a fragment");
    if (is_tail)
      reader->size = damage->at;
  }
}

static GstY10Mp4Index *
make_index (const Recording *recording)
{
  const GstY10Mp4Reader *reader = &recording->reader;
  GstY10Mp4Index *index = g_new0 (GstY10Mp4Index, 1);
  guint64 begin = reader->room + reader->room_size;

  for (guint i = 0; i < recording->gops->len; i++) {
    const RecordGop *gop = &g_array_index (recording->gops, RecordGop, i);
    const gboolean is_last = i + 1 == recording->gops->len;
    const guint64 end = is_last ? reader->size : gop[1].offset;

    gst_y10_mp4_index_add (index, TRUE, end - begin,
        (guint32) ((is_last ? recording->end : gop[1].decoded) - gop->decoded));
    begin = end;
  }
  return index;
}

/* What is there becomes room before another index is written into it. */
static gboolean
write_index (const Recording *recording, const GstY10Mp4Index *index,
    guint64 first)
{
  const GstY10Mp4Reader *reader = &recording->reader;

  errno = ENOSPC;
  return reader->room_size == gst_y10_mp4_index_get_room ()
      && put_free (recording->fd, reader->room, reader->room_size)
      && gst_y10_mp4_index_write (index, reader->video, first,
          reader->n_tracks > 1, recording->fd, reader->room);
}

static void
check_index (Check *check, Recording *recording)
{
  const GstY10Mp4Reader *reader = &recording->reader;
  const gint64 shown = g_array_index (recording->gops, RecordGop, 0).time;
  const guint64 first = (guint64) record_get_ticks (reader->video,
      MAX (shown, 0));
  g_autofree GstY10Mp4Index *index = make_index (recording);
  const guint n = index->n_references;

  if (reader->has_index && n == reader->index.n_references
      && first == reader->first
      && !memcmp (index->references, reader->index.references,
          n * sizeof *index->references))
    return;
  report (check,
      check->repair
          && succeed (write_index (recording, index, first),
              recording->name->path),
      recording->name->name, "%s; expected one of %u parts",
      reader->has_index ? "sidx does not agree with the fragments"
                        : "has no sidx",
      n);
}

/* An index that is made anew. */
typedef struct
{
  const Recording *recording;
  GOutputStream *stream;
  GHashTable *written; /* offsets in @recording's gops */
} Lines;

static void
put (Lines *lines, const char *text, gsize length)
{
  /* Into memory, which never fails. */
  g_output_stream_write_all (lines->stream, text, length, NULL, NULL, NULL);
}

static void
keep_line (const char *line, gsize length, RecordLineKind kind,
    const RecordGop *gop, gpointer user)
{
  Lines *lines = user;
  const Recording *recording = lines->recording;

  if (kind == RECORD_LINE_END
      || (kind == RECORD_LINE_NAME
          && g_strcmp0 (recording->lines.name, recording->name->name) != 0))
    return;
  if (kind == RECORD_LINE_GOP
      && (!record_line_agrees (recording, gop)
          || !g_hash_table_add (lines->written,
              record_find_gop (recording->gops, gop->offset))))
    return;
  put (lines, line, length);
  put (lines, "\n", 1);
}

static void
put_lines (Lines *lines)
{
  const Recording *recording = lines->recording;
  g_autoptr (GString) text = g_string_new (NULL);
  RecordLines old;

  if (g_strcmp0 (recording->lines.name, recording->name->name) != 0) {
    y10_json_open (text, NULL, '{');
    y10_json_add_string (text, "recording", recording->name->name);
    y10_json_close (text, '}');
    g_string_append_c (text, '\n');
    put (lines, text->str, text->len);
    g_string_truncate (text, 0);
  }
  record_lines_read (&old, recording->name->index_path, keep_line, lines);
  record_lines_clear (&old);
  if (!strcmp (recording->lines.clock, "name"))
    g_string_append (text, "{\"clock\":\"name\"}\n");
  for (guint i = 0; i < recording->gops->len; i++) {
    RecordGop *gop = &g_array_index (recording->gops, RecordGop, i);

    if (!g_hash_table_contains (lines->written, gop))
      record_lines_append_gop (text, gop);
  }
  g_string_append_printf (text,
      "{\"end\":%" G_GINT64_FORMAT ",\"bytes\":%" G_GUINT64_FORMAT "}\n",
      record_get_time (recording->reader.video, (gint64) recording->end),
      recording->reader.size);
  put (lines, text->str, text->len);
}

static gboolean
write_lines (const Recording *recording)
{
  g_autoptr (GOutputStream) memory = g_memory_output_stream_new_resizable ();
  g_autoptr (GZlibCompressor)
      gzip = g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP, -1);
  g_autoptr (GOutputStream)
      packed = g_converter_output_stream_new (memory, G_CONVERTER (gzip));
  g_autoptr (GHashTable) written = g_hash_table_new (NULL, NULL);
  g_autoptr (GError) error = NULL;
  Lines lines = { recording, packed, written };
  GMemoryOutputStream *made = G_MEMORY_OUTPUT_STREAM (memory);
  const char *path = recording->name->index_path;
  struct stat status;

  put_lines (&lines);
  if (!g_output_stream_close (packed, NULL, &error)
      || !g_file_set_contents_full (path,
          g_memory_output_stream_get_data (made),
          (gssize) g_memory_output_stream_get_data_size (made),
          G_FILE_SET_CONTENTS_CONSISTENT | G_FILE_SET_CONTENTS_DURABLE, 0640,
          &error)) {
    tool_error ("%s", error->message);
    return FALSE;
  }
  /* Whoever reads the recording reads its index, where the superuser mends. */
  if (fstat (recording->fd, &status) == 0
      && chown (path, status.st_uid, status.st_gid) != 0)
    g_debug ("%s: has another owner than the recording", path);
  return TRUE;
}

static void
check_lines (Check *check, const Recording *recording)
{
  const RecordLines *lines = &recording->lines;
  const gint64 end = record_get_time (recording->reader.video,
      (gint64) recording->end);
  g_autoptr (GString) faults = g_string_new (NULL);
  const char *name = recording->name->name;
  guint n_wrong = 0;

  for (guint i = 0; i < lines->gops->len; i++)
    n_wrong += !record_line_agrees (recording,
        &g_array_index (lines->gops, RecordGop, i));
  if (!lines->exists)
    g_string_append (faults, ", is missing");
  else if (!lines->is_whole)
    g_string_append (faults, ", is cut off or damaged");
  if (lines->n_bad > 0)
    g_string_append_printf (faults,
        ", %" G_GUINT64_FORMAT " lines cannot be read", lines->n_bad);
  if (lines->exists && g_strcmp0 (lines->name, name) != 0)
    g_string_append_printf (faults, ", is of %s",
        lines->name ? lines->name : "no recording");
  if (n_wrong > 0)
    g_string_append_printf (faults,
        ", %u lines lead to no key frame at their time", n_wrong);
  if (lines->exists && lines->gops->len - n_wrong != recording->gops->len)
    g_string_append_printf (faults, ", has lines of %u key frames of %u",
        lines->gops->len - n_wrong, recording->gops->len);
  if (lines->exists
      && (lines->end < 0 || ABS (lines->end - end) > 1000000
          || lines->bytes != (gint64) recording->reader.size))
    g_string_append_printf (faults,
        ", ends at %" G_GINT64_FORMAT " ns and %" G_GINT64_FORMAT " bytes",
        lines->end, lines->bytes);
  if (faults->len > 0)
    report (check, check->repair && write_lines (recording),
        recording->name->index_name,
        "%s; expected %u key frames to %" G_GINT64_FORMAT
        " ns and %" G_GUINT64_FORMAT " bytes",
        faults->str + 2, recording->gops->len, end, recording->reader.size);
}

static gboolean
is_young (const Recording *recording)
{
  struct stat status;

  return recording->reader.size == 0 && fstat (recording->fd, &status) == 0
      && g_get_real_time () / G_USEC_PER_SEC - status.st_mtime < YOUNG;
}

/* Whether a file without a key frame has nothing that another program might read. */
static gboolean
is_lost (const Recording *recording)
{
  const GstY10Mp4Reader *reader = &recording->reader;

  if (recording->is_open)
    return reader->size <= MAX_LOST
        && (reader->n_known > 0 || reader->n_others == 0);
  return reader->size <= sizeof reader->buffer
      && !memmem (reader->buffer, reader->size, "moof", 4);
}

static void
check_recording (Check *check, const RecordName *name)
{
  g_auto (Recording) recording = { 0 };

  if (!record_open (&recording, name,
          check->repair ? RECORD_REPAIR : RECORD_CHECK)) {
    check->n_left++;
  } else if (recording.state == RECORD_WRITING || is_young (&recording)) {
    tool_print ("%s: is being written; not checked\n", name->name);
  } else if (!recording.is_open) {
    report (check,
        check->repair && is_lost (&recording) && remove_recording (name),
        name->name,
        "%" G_GUINT64_FORMAT " bytes without a header; expected ftyp, and moov "
        "with a track of video",
        recording.reader.size);
  } else if (recording.gops->len == 0) {
    report (check,
        check->repair && is_lost (&recording) && remove_recording (name),
        name->name, "no key frame is complete; expected one");
  } else {
    check_damage (check, &recording);
    check_index (check, &recording);
    check_lines (check, &recording);
  }
}

int
record_check (const char *folder, gboolean repair)
{
  g_autoptr (GArray) names = record_list (folder);
  Check check = { .repair = repair };

  for (guint i = 0; names && i < names->len; i++)
    check_recording (&check, &g_array_index (names, RecordName, i));
  return tool_flush_stdout () && names && check.n_left == 0 ? TOOL_OK
                                                            : TOOL_FAILED;
}
