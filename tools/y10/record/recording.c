/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* What is known of a recording: of a complete one, what its index says; of others, what is
 * there. When frames were taken, only the index can tell. */

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/terminal.h"
#include "record/recording.h"
#include "spool/utc.h"

/* Places; who has more has lost the file. */
#define MAX_DAMAGE 1000

static void
clear_name (gpointer data)
{
  g_free (((RecordName *) data)->path);
  g_free (((RecordName *) data)->index_path);
}

static gint
compare (gconstpointer a, gconstpointer b)
{
  const guint64 first = ((const RecordName *) a)->number;
  const guint64 second = ((const RecordName *) b)->number;

  return (first > second) - (first < second);
}

/* Whether it is NUMBER_TIME.mp4 or NUMBER_TIME_clip.mp4, as yolov10record names files. */
static gboolean
read_name (const char *folder, const char *text, RecordName *name)
{
  static const char form[] = "_0000-00-00T00-00-00Z";
  const gsize digits = strspn (text, "0123456789");
  const gsize length = digits + sizeof form - 1;
  char utc[] = "0000-00-00T00:00:00.0Z";

  if (digits == 0 || strlen (text) < length || text[digits] != '_'
      || text[length - 1] != 'Z'
      || (strcmp (text + length, ".mp4")
          && strcmp (text + length, "_clip.mp4")))
    return FALSE;
  memcpy (utc, text + digits + 1, 19);
  if (utc[13] != '-' || utc[16] != '-')
    return FALSE;
  utc[13] = utc[16] = ':';
  *name = (RecordName){ .number = g_ascii_strtoull (text, NULL, 10),
    .is_clip = text[length] == '_' };
  if (name->number == 0 || !gst_y10_utc_parse (utc, sizeof utc - 1, &name->utc))
    return FALSE;
  name->path = g_build_filename (folder, text, NULL);
  name->index_path = g_strdup_printf ("%.*s.jsonl.gz",
      (int) strlen (name->path) - 4, name->path);
  name->name = name->path + strlen (name->path) - strlen (text);
  name->index_name = name->index_path + (name->name - name->path);
  return TRUE;
}

GArray *
record_list (const char *folder)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GDir) dir = g_dir_open (folder, 0, &error);
  GArray *names;
  RecordName name;
  const char *entry;

  if (!dir) {
    tool_error ("%s", error->message);
    return NULL;
  }
  names = g_array_new (FALSE, FALSE, sizeof (RecordName));
  g_array_set_clear_func (names, clear_name);
  while ((entry = g_dir_read_name (dir)))
    if (read_name (folder, entry, &name))
      g_array_append_val (names, name);
  g_array_sort (names, compare);
  return names;
}

gint64
record_get_time (const GstY10Mp4Track *track, gint64 ticks)
{
  const guint64 scale = track->timescale;
  const guint64 n = (guint64) ABS (ticks);
  const gint64 time = (gint64) (n / scale * 1000000000
      + (n % scale * 1000000000 + scale / 2) / scale);

  return ticks < 0 ? -time : time;
}

gint64
record_get_ticks (const GstY10Mp4Track *track, gint64 time)
{
  const guint64 scale = track->timescale;
  const guint64 n = (guint64) ABS (time), second = 1000000000;
  const gint64 ticks = (gint64) (n / second * scale
      + (n % second * scale + second / 2) / second);

  return time < 0 ? -ticks : ticks;
}

gint64
record_get_end_utc (const Recording *recording)
{
  const GArray *gops = recording->gops;
  const RecordGop *first = &g_array_index (gops, RecordGop, 0);
  const RecordGop *last = &g_array_index (gops, RecordGop, gops->len - 1);

  return last->utc
      + (record_get_time (recording->reader.video, (gint64) recording->end)
            + first->time - last->time)
      / 1000;
}

static gboolean
is_complete (const GstY10Mp4Reader *reader)
{
  guint64 end = reader->room + reader->room_size;

  for (guint i = 0; i < reader->index.n_references; i++)
    end += reader->index.references[i].size;
  return reader->has_index && end == reader->size;
}

/* Whether the index has all there is to know. */
static gboolean
has_whole_index (const Recording *recording)
{
  const RecordLines *lines = &recording->lines;

  return recording->state == RECORD_COMPLETE && lines->is_whole
      && lines->n_bad == 0 && lines->gops->len > 0 && lines->end >= 0
      && lines->bytes == (gint64) recording->reader.size;
}

static void
add_damage (Recording *recording, guint64 at, guint64 size)
{
  const RecordDamage damage = { at, size };

  if (size > 0 && recording->damage->len < MAX_DAMAGE)
    g_array_append_val (recording->damage, damage);
}

static void
scan (Recording *recording)
{
  GstY10Mp4Reader *reader = &recording->reader;
  GstY10Mp4Fragment fragment;

  while (gst_y10_mp4_reader_next (reader, &fragment)) {
    add_damage (recording, fragment.offset - fragment.gap, fragment.gap);
    if (fragment.track != reader->video)
      continue;
    if (fragment.sync && recording->gops->len < RECORD_MAX_GOPS) {
      const RecordGop gop = { .offset = fragment.offset,
        .decoded = fragment.time,
        .time = record_get_time (reader->video,
            (gint64) fragment.time + fragment.shown) };

      g_array_append_val (recording->gops, gop);
    }
    recording->end = fragment.time + fragment.duration;
  }
  add_damage (recording, reader->at, reader->size - reader->at);
}

gboolean
record_line_agrees (const Recording *recording, const RecordGop *line)
{
  const RecordGop *gop = record_find_gop (recording->gops, line->offset);

  return gop && ABS (gop->time - line->time) <= 1000;
}

/* Takes when pictures were taken from the index, or continues from a neighbour. */
static void
merge_lines (Recording *recording)
{
  const GArray *lines = recording->lines.gops;
  const RecordGop *known = NULL, *line;
  RecordGop named = { .utc = recording->name->utc };

  for (guint i = 0; i < lines->len && !known; i++)
    if (record_line_agrees (recording, &g_array_index (lines, RecordGop, i)))
      known = &g_array_index (lines, RecordGop, i);
  if (!known)
    recording->lines.clock = "name";
  for (guint i = 0; i < recording->gops->len; i++) {
    RecordGop *gop = &g_array_index (recording->gops, RecordGop, i);

    if (!known) {
      named.time = named.pts = gop->time;
      known = &named;
    }
    line = record_find_gop (lines, gop->offset);
    if (line && record_line_agrees (recording, line))
      known = line;
    gop->pts = known->pts + gop->time - known->time;
    gop->utc = known->utc + (gop->time - known->time) / 1000;
  }
}

gboolean
record_open (Recording *recording, const RecordName *name, RecordMode mode)
{
  GstY10Mp4Reader *reader = &recording->reader;
  const gboolean repairs = mode == RECORD_REPAIR;

  *recording = (Recording){ .name = name,
    .gops = g_array_new (FALSE, FALSE, sizeof (RecordGop)),
    .damage = g_array_new (FALSE, FALSE, sizeof (RecordDamage)) };
  recording->fd = open (name->path,
      (repairs ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (recording->fd < 0) {
    tool_error ("%s: %s", name->path, g_strerror (errno));
    return FALSE;
  }
  recording->state = RECORD_INCOMPLETE;
  if (flock (recording->fd, (repairs ? LOCK_EX : LOCK_SH) | LOCK_NB) != 0)
    recording->state = RECORD_WRITING;
  recording->is_open = gst_y10_mp4_reader_open (reader, recording->fd);
  if (recording->is_open && is_complete (reader))
    recording->state = RECORD_COMPLETE;
  record_lines_read (&recording->lines, name->index_path, NULL, NULL);
  if (recording->is_open && mode == RECORD_QUICK
      && has_whole_index (recording)) {
    g_array_append_vals (recording->gops, recording->lines.gops->data,
        recording->lines.gops->len);
    for (guint i = 0; i < reader->index.n_references; i++)
      recording->end += reader->index.references[i].duration;
  } else if (recording->is_open
      && (mode == RECORD_QUICK || recording->state != RECORD_WRITING)) {
    reader->is_thorough = mode != RECORD_QUICK
        && recording->state != RECORD_COMPLETE;
    scan (recording);
    merge_lines (recording);
  }
  if (reader->error)
    tool_error ("%s: reading failed: %s", name->path,
        g_strerror (reader->error));
  return reader->error == 0;
}

void
record_clear (Recording *recording)
{
  if (recording->fd >= 0 && recording->gops)
    close (recording->fd);
  g_clear_pointer (&recording->gops, g_array_unref);
  g_clear_pointer (&recording->damage, g_array_unref);
  record_lines_clear (&recording->lines);
}
