/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Reads which samples an MP4 or QuickTime file presents (ISO/IEC 14496-12). Its
 * bytes are untrusted: every field is read within its box, and sample counts are
 * not believed beyond what the tables hold. */

#include "config.h"

#include <string.h>

#include "media/movie.h"

/* Fragments: how much later than at the announced end their frames may be shown,
 * since B frames delay all of them. */
#define FRAGMENT_DELAY 10 /* s */
#define SECOND G_GUINT64_CONSTANT (1000000000)
#define MAX_SAMPLES (1u << 24) /* of a video: days */

typedef struct
{
  const guint8 *data; /* NULL: there is no such box */
  gsize size;
} Bytes;

/* A table of entries after a count. */
typedef struct
{
  const guint8 *entries;
  guint64 n;
  guint version;
} Table;

typedef struct
{
  gint64 start, stop; /* media time */
} Edit;

typedef struct
{
  guint64 timescale; /* of the track */
  guint64 movie_timescale;
  GArray *edits; /* of Edit; empty: all is shown */
} Timeline;

static guint64
read_int (Bytes bytes, gsize at, guint n)
{
  guint64 value = 0;

  if (at > bytes.size || n > bytes.size - at)
    return 0;
  for (guint i = 0; i < n; i++)
    value = value << 8 | bytes.data[at + i];
  return value;
}

/* Returns the contents of the box at *@at of @parent and advances *@at. */
static Bytes
next_box (Bytes parent, gsize *at, const char **type)
{
  const Bytes none = { NULL, 0 };
  const gsize left = parent.size - MIN (*at, parent.size);
  Bytes box = none;
  guint64 size;
  gsize head = 8;

  if (left < 8)
    return none;
  size = read_int (parent, *at, 4);
  if (size == 1) {
    head = 16;
    size = read_int (parent, *at + 8, 8);
  } else if (size == 0) {
    size = left;
  }
  if (size < head || size > left)
    return none;
  *type = (const char *) parent.data + *at + 4;
  box.data = parent.data + *at + head;
  box.size = (gsize) size - head;
  *at += (gsize) size;
  return box;
}

static Bytes
find_box (Bytes parent, const char *wanted)
{
  const char *type;
  gsize at = 0;
  Bytes box;

  while ((box = next_box (parent, &at, &type)).data)
    if (!memcmp (type, wanted, 4))
      return box;
  return box;
}

/* The contents of the outermost box. */
static Bytes
open_box (const guint8 *data, gsize n)
{
  const Bytes all = { data, n };
  const char *type;
  gsize at = 0;

  return next_box (all, &at, &type);
}

static Table
find_table (Bytes parent, const char *type, gsize entry_size)
{
  const Bytes box = find_box (parent, type);
  Table table = { NULL, 0, 0 };

  if (box.size < 8)
    return table;
  table.version = box.data[0];
  table.entries = box.data + 8;
  table.n = MIN (read_int (box, 4, 4), (box.size - 8) / entry_size);
  return table;
}

static guint32
entry_at (const Table *table, guint64 i, guint n_fields, guint field)
{
  const Bytes bytes = { table->entries, (gsize) table->n * n_fields * 4 };

  return (guint32) read_int (bytes, (gsize) (i * n_fields + field) * 4, 4);
}

/* Where mvhd and mehd have their fields. */
static guint64
read_timescale (Bytes header)
{
  return header.size && header.data[0] == 1 ? read_int (header, 20, 4)
                                            : read_int (header, 12, 4);
}

static gsize
duration_offset (Bytes header, gboolean is_mehd)
{
  const gboolean is_long = header.size && header.data[0] == 1;

  return is_mehd ? 4 : is_long ? 24 : 16;
}

static guint64
read_duration (Bytes header, gboolean is_mehd)
{
  const gboolean is_long = header.size && header.data[0] == 1;

  return read_int (header, duration_offset (header, is_mehd), is_long ? 8 : 4);
}

static GArray *
read_edits (Bytes track, guint64 timescale, guint64 movie_timescale)
{
  GArray *edits = g_array_new (FALSE, FALSE, sizeof (Edit));
  const Bytes elst = find_box (find_box (track, "edts"), "elst");
  const gboolean is_long = elst.size && elst.data[0] == 1;
  const guint width = is_long ? 8 : 4;
  const guint64 n = MIN (read_int (elst, 4, 4),
      (elst.size - MIN (elst.size, 8)) / (2 * width + 4));

  for (guint64 i = 0; i < n; i++) {
    const gsize at = 8 + (gsize) i * (2 * width + 4);
    const guint64 length = read_int (elst, at, width);
    const guint64 start = read_int (elst, at + width, width);
    Edit edit = { .start = is_long ? (gint64) start : (gint32) start };

    edit.stop = length ? edit.start
            + (gint64) ((double) length * (double) timescale
                / (double) movie_timescale)
                       : G_MAXINT64;
    if (edit.start >= 0) /* else nothing is shown */
      g_array_append_val (edits, edit);
  }
  return edits;
}

/* Durations of edits are rounded to the movie's timescale. */
static guint
count_edits (const Timeline *line, gint64 time)
{
  const gint64 rounding = (gint64) (line->timescale / line->movie_timescale)
      + 1;
  guint n = 0;

  for (guint i = 0; i < line->edits->len; i++) {
    const Edit *edit = &g_array_index (line->edits, Edit, i);

    n += time >= edit->start && time < edit->stop - rounding;
  }
  return line->edits->len ? n : 1;
}

/* When the last sample ends that is decoded; audio can have millions of them. */
static gint64
find_end (Bytes stbl)
{
  const Table stts = find_table (stbl, "stts", 8);
  guint64 end = 0;

  for (guint64 i = 0; i < stts.n; i++)
    end += (guint64) entry_at (&stts, i, 2, 0) * entry_at (&stts, i, 2, 1);
  return (gint64) MIN (end, G_MAXINT64 / 2);
}

/* Counts the samples that are shown, and finds the end of the last of all. */
static guint64
count_samples (Bytes stbl, const Timeline *line, gint64 *end)
{
  const Table stts = find_table (stbl, "stts", 8);
  const Table ctts = find_table (stbl, "ctts", 8);
  guint64 n_shown = 0, n = 0, at_offset = 0, n_offset = 0;
  gint64 dts = 0;

  *end = 0;
  for (guint64 i = 0; i < stts.n; i++) {
    const guint32 n_same = entry_at (&stts, i, 2, 0);
    const guint32 delta = entry_at (&stts, i, 2, 1);

    for (guint32 k = 0; k < n_same && n < MAX_SAMPLES; k++, n++) {
      gint64 pts = dts;

      while (
          at_offset < ctts.n && n_offset == entry_at (&ctts, at_offset, 2, 0)) {
        at_offset++;
        n_offset = 0;
      }
      if (at_offset < ctts.n) {
        pts += (gint32) entry_at (&ctts, at_offset, 2, 1);
        n_offset++;
      }
      n_shown += count_edits (line, pts);
      dts += delta;
      *end = MAX (*end, pts + delta);
    }
  }
  return n_shown;
}

/* @end: the latest media time that is shown, in the movie's timescale. */
static void
read_track (Bytes trak, guint64 movie_timescale, ToolTrack *track, guint64 *end)
{
  const Bytes tkhd = find_box (trak, "tkhd"), mdia = find_box (trak, "mdia");
  const Bytes hdlr = find_box (mdia, "hdlr");
  Timeline line = {
    .timescale = read_timescale (find_box (mdia, "mdhd")),
    .movie_timescale = movie_timescale,
  };
  gint64 last;
  Bytes stbl;

  *end = 0;
  track->id = (guint) read_int (tkhd, tkhd.size && tkhd.data[0] == 1 ? 20 : 12,
      4);
  track->is_video = hdlr.size >= 12 && !memcmp (hdlr.data + 8, "vide", 4);
  track->n_shown = 0;
  if (!line.timescale || !movie_timescale)
    return;
  line.edits = read_edits (trak, line.timescale, movie_timescale);
  stbl = find_box (find_box (mdia, "minf"), "stbl");
  if (track->is_video)
    track->n_shown = count_samples (stbl, &line, &last);
  else
    last = find_end (stbl);
  for (guint i = 0; i < line.edits->len; i++) {
    const gint64 stop = g_array_index (line.edits, Edit, i).stop;

    if (stop != G_MAXINT64)
      last = i == 0 ? stop : MAX (last, stop);
  }
  *end = (guint64) ((double) last * (double) movie_timescale
             / (double) line.timescale)
      + 1;
  g_array_unref (line.edits);
}

/* The longest of all tracks, which are appended to @tracks unless it is NULL. */
static guint64
read_tracks (Bytes moov, GArray *tracks)
{
  const guint64 timescale = read_timescale (find_box (moov, "mvhd"));
  guint64 longest = 0, end;
  const char *type;
  ToolTrack track;
  gsize at = 0;
  Bytes box;

  while ((box = next_box (moov, &at, &type)).data) {
    if (memcmp (type, "trak", 4) != 0)
      continue;
    read_track (box, timescale, &track, &end);
    longest = MAX (longest, end);
    if (tracks)
      g_array_append_val (tracks, track);
  }
  return longest;
}

ToolMovie *
tool_movie_new (const guint8 *data, gsize n)
{
  const Bytes moov = open_box (data, n), mvhd = find_box (moov, "mvhd");
  const Bytes mvex = find_box (moov, "mvex"), mehd = find_box (mvex, "mehd");
  const guint64 timescale = read_timescale (mvhd);
  ToolMovie *self = g_new0 (ToolMovie, 1);
  const guint64 duration = mehd.data ? read_duration (mehd, TRUE)
                                     : read_duration (mvhd, FALSE);

  self->tracks = g_array_new (FALSE, FALSE, sizeof (ToolTrack));
  self->fragmented = mvex.data != NULL;
  if (timescale)
    self->duration = (guint64) ((double) duration * (double) SECOND
        / (double) timescale);
  read_tracks (moov, self->tracks);
  return self;
}

void
tool_movie_free (ToolMovie *self)
{
  g_array_unref (self->tracks);
  g_free (self);
}

const ToolTrack *
tool_movie_find (const ToolMovie *self, guint id)
{
  for (guint i = 0; i < self->tracks->len; i++) {
    const ToolTrack *track = &g_array_index (self->tracks, ToolTrack, i);

    if (track->id == id)
      return track;
  }
  return NULL;
}

/* Writes a duration in place. */
static void
extend_header (guint8 *data, Bytes header, gboolean is_mehd, guint64 duration)
{
  const gsize at = duration_offset (header, is_mehd);
  const guint n = header.size && header.data[0] == 1 ? 8 : 4;
  const guint64 present = read_int (header, at, n);

  /* 0, or all bits: it is not known, and there is no limit. */
  if (!present || header.size < at + n || present >= duration
      || (n == 4 && duration >= G_MAXUINT32))
    return;
  for (guint i = 0; i < n; i++)
    data[header.data - data + (gssize) at + i] = (guint8) (duration
        >> 8 * (n - 1 - i));
}

/* Without an edit list, the duration of the media limits what is shown. */
static void
extend_media (guint8 *data, Bytes moov)
{
  const char *type;
  ToolTrack track;
  guint64 end;
  gsize at = 0;
  Bytes trak, mdhd;

  while ((trak = next_box (moov, &at, &type)).data) {
    if (memcmp (type, "trak", 4) != 0 || find_box (trak, "edts").data)
      continue;
    mdhd = find_box (find_box (trak, "mdia"), "mdhd");
    read_track (trak, read_timescale (mdhd), &track, &end);
    extend_header (data, mdhd, FALSE, end);
  }
}

void
tool_movie_extend (guint8 *data, gsize n)
{
  const Bytes moov = open_box (data, n), mvhd = find_box (moov, "mvhd");
  const Bytes mvex = find_box (moov, "mvex"), mehd = find_box (mvex, "mehd");
  guint64 end = read_tracks (moov, NULL), announced;

  extend_media (data, moov);
  if (mvex.data) {
    announced = mehd.data ? read_duration (mehd, TRUE)
                          : read_duration (mvhd, FALSE);
    end = MAX (end, announced + FRAGMENT_DELAY * read_timescale (mvhd));
  }
  extend_header (data, mvhd, FALSE, end);
  extend_header (data, mehd, TRUE, end);
}

guint64
tool_movie_count_fragment (const guint8 *data, gsize n, guint id)
{
  const Bytes moof = open_box (data, n);
  guint64 n_samples = 0;
  const char *type;
  gsize at = 0, in;
  Bytes traf, box;

  while ((traf = next_box (moof, &at, &type)).data) {
    if (memcmp (type, "traf", 4) != 0
        || read_int (find_box (traf, "tfhd"), 4, 4) != id)
      continue;
    for (in = 0; (box = next_box (traf, &in, &type)).data;)
      if (!memcmp (type, "trun", 4))
        n_samples += read_int (box, 4, 4);
  }
  return n_samples;
}
