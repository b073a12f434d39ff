/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Nothing that a file says is believed: a fragment is what fragment.c writes, byte by byte,
 * and whole, or it is damage, behind which the next one is searched. */
#include "mp4/read.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of a moof, up to the first sample, and of each sample. */
#define MOOF_SIZE 88
#define SAMPLE_SIZE 16

/* A fragment's header is rarely longer. */
#define USUAL_HEADER 512

/* What a disk writes at once. */
#define PAGE_SIZE 4096

/* Three zeros never follow each other in H.264 and H.265, but for a length's. */
#define MIN_ZEROS 8

/* Of a file, in seconds, and units in one, so that times are added and converted to
 * nanoseconds safely. */
#define MAX_TIME (1 << 27)
#define MAX_TIMESCALE 10000000

static guint64
get (const guint8 *data, guint n_bytes)
{
  guint64 value = 0;

  for (guint i = 0; i < n_bytes; i++)
    value = value << 8 | data[i];
  return value;
}

/* Returns how many bytes there are at @at. */
static gsize
read_at (GstY10Mp4Reader *reader, guint64 at, gpointer data, gsize size)
{
  gsize n = 0;

  while (n < size) {
    const gssize more = pread (reader->fd, (guint8 *) data + n, size - n,
        at + n);

    if (more < 0)
      reader->error = errno;
    if (more <= 0)
      break;
    n += more;
  }
  return n;
}

/* Finds the next box @name in what is from @at to @end. Returns what is inside of it, and
 * where it ends; NULL if there is none. */
static const guint8 *
find_box (const guint8 *at, const guint8 *end, const gchar *name,
    const guint8 **box_end)
{
  while (end - at >= 8) {
    const gsize size = get (at, 4);

    if (size < 8 || size > (gsize) (end - at))
      break;
    if (memcmp (at + 4, name, 4) == 0) {
      *box_end = at + size;
      return at + 8;
    }
    at += size;
  }
  return NULL;
}

static void
read_track (GstY10Mp4Reader *reader, const guint8 *trak, const guint8 *end)
{
  GstY10Mp4Track *track = &reader->tracks[reader->n_tracks];
  const guint8 *tkhd_end, *mdia_end, *mdhd_end, *hdlr_end;
  const guint8 *tkhd = find_box (trak, end, "tkhd", &tkhd_end);
  const guint8 *mdia = find_box (trak, end, "mdia", &mdia_end);
  const guint8 *mdhd = mdia ? find_box (mdia, mdia_end, "mdhd", &mdhd_end)
                            : NULL;
  const guint8 *hdlr = mdia ? find_box (mdia, mdia_end, "hdlr", &hdlr_end)
                            : NULL;

  if (!tkhd || !mdhd || !hdlr || tkhd_end - tkhd < 16 || mdhd_end - mdhd < 16
      || hdlr_end - hdlr < 12)
    return;
  *track = (GstY10Mp4Track){ .id = get (tkhd + 12, 4),
    .timescale = get (mdhd + 12, 4) };
  if (track->timescale == 0 || track->timescale > MAX_TIMESCALE)
    return;
  reader->n_tracks++;
  if (!reader->video && memcmp (hdlr + 8, "vide", 4) == 0)
    reader->video = track;
}

/* Returns its size; 0: it is no index. */
static gsize
read_index (GstY10Mp4Reader *reader, const guint8 *box, const guint8 *end)
{
  GstY10Mp4Index *index = &reader->index;
  guint n;
  gsize size;

  if (end - box < 40 || memcmp (box + 4, "sidx", 4) != 0)
    return 0;
  n = get (box + 38, 2);
  size = gst_y10_mp4_get_index_size (n);
  if (n > GST_Y10_MP4_MAX_REFERENCES || get (box, 4) != size
      || size > (gsize) (end - box) || get (box + 28, 8) != 0)
    return 0;
  reader->has_index = TRUE;
  reader->first = get (box + 20, 8);
  index->n_references = n;
  for (guint i = 0; i < n; i++)
    index->references[i] = (GstY10Mp4Reference){
      .size = get (box + 40 + 12 * i, 4),
      .duration = get (box + 44 + 12 * i, 4),
    };
  return size;
}

/* Room for an index, and one at its end or hidden in it. One that is damaged is room. */
static void
read_room (GstY10Mp4Reader *reader, const guint8 *box, const guint8 *end)
{
  const gsize available = end - box;
  gsize size, used;

  if (available < 16 || memcmp (box + 4, "free", 4) != 0)
    return;
  size = get (box, 4);
  if (size < 8)
    return;
  reader->room_size = size;
  if (size > available || read_index (reader, box + 8, box + size) > 0)
    return;
  used = read_index (reader, box + size, end);
  reader->room_size = used > 0 ? size + used
                               : MAX (size, gst_y10_mp4_index_get_room ());
}

/**
 * gst_y10_mp4_reader_open:
 * @reader: set
 * @fd: the file, which stays the caller's, and open as long as @reader is used
 *
 * Reads the header of a file. No other function may be called if that fails.
 *
 * Returns: whether there is a header with a track of video
 */
gboolean
gst_y10_mp4_reader_open (GstY10Mp4Reader *reader, int fd)
{
  const guint8 *const begin = reader->buffer;
  const guint8 *end, *ftyp_end, *moov, *moov_end, *trak, *trak_end;
  struct stat status;

  memset (reader, 0, sizeof *reader);
  reader->fd = fd;
  if (fstat (fd, &status) != 0 || !S_ISREG (status.st_mode))
    return FALSE;
  reader->size = status.st_size;
  end = begin + read_at (reader, 0, reader->buffer, sizeof reader->buffer);
  if (!find_box (begin, end, "ftyp", &ftyp_end)
      || !(moov = find_box (ftyp_end, end, "moov", &moov_end)))
    return FALSE;
  for (trak = moov; reader->n_tracks < GST_Y10_MP4_MAX_TRACKS
       && (trak = find_box (trak, moov_end, "trak", &trak_end));
       trak = trak_end)
    read_track (reader, trak, trak_end);
  reader->header_size = reader->room = moov_end - begin;
  read_room (reader, moov_end, end);
  if (reader->room_size > reader->size - reader->room)
    reader->room_size = reader->has_index = 0;
  reader->at = reader->room + reader->room_size;
  return reader->video != NULL;
}

/* Whether a page of what lies from @at to @end was never written. */
static gboolean
has_lost_page (GstY10Mp4Reader *reader, guint64 at, guint64 end)
{
  while (at < end) {
    const guint64 next = MIN (end, (at | (PAGE_SIZE - 1)) + 1);
    const gsize n = read_at (reader, at, reader->page, next - at);

    if (n >= MIN_ZEROS && reader->page[0] == 0
        && memcmp (reader->page, reader->page + 1, n - 1) == 0)
      return TRUE;
    at = next;
  }
  return FALSE;
}

/* NULL: there is no such track. */
static const GstY10Mp4Track *
find_track (const GstY10Mp4Reader *reader, guint32 id)
{
  for (guint i = 0; i < reader->n_tracks; i++)
    if (reader->tracks[i].id == id)
      return &reader->tracks[i];
  return NULL;
}

/* Whether there is a complete fragment at @at. */
static gboolean
read_fragment (GstY10Mp4Reader *reader, guint64 at, GstY10Mp4Fragment *fragment)
{
  /* What does not differ between fragments, of which 0xff stands for what does. */
  static const guint8 form[MOOF_SIZE] =
      "\xff\xff\xff\xffmoof"
      "\0\0\0\x10mfhd\0\0\0\0\xff\xff\xff\xff"
      "\xff\xff\xff\xfftraf"
      "\0\0\0\x10tfhd\0\2\0\0\xff\xff\xff\xff"
      "\0\0\0\x14tfdt\1\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff"
      "\xff\xff\xff\xfftrun\1\0\x0f\1\xff\xff\xff\xff\xff\xff\xff\xff";
  const guint8 *data = reader->buffer;
  gsize available = read_at (reader, at, reader->buffer, USUAL_HEADER);
  guint64 n_bytes = 0;
  const GstY10Mp4Track *track;
  gsize moof, n_samples;

  if (available < MOOF_SIZE + SAMPLE_SIZE + 8) {
    reader->n_known++;
    return FALSE;
  }
  for (guint i = 0; i < MOOF_SIZE; i++)
    if (form[i] != 0xff && form[i] != data[i]) {
      /* As far as it was written. */
      reader->n_known += data[i] == 0 && (at + i) / PAGE_SIZE > at / PAGE_SIZE;
      return FALSE;
    }
  reader->n_known++;
  n_samples = get (data + 80, 4);
  moof = MOOF_SIZE + SAMPLE_SIZE * n_samples;
  if (n_samples == 0 || n_samples > sizeof reader->buffer / SAMPLE_SIZE
      || moof + 8 > sizeof reader->buffer || get (data, 4) != moof
      || get (data + 24, 4) != moof - 24 || get (data + 68, 4) != moof - 68
      || get (data + 84, 4) != moof + 8)
    return FALSE;
  if (moof + 8 > available)
    available = read_at (reader, at, reader->buffer, moof + 8);
  if (moof + 8 > available || memcmp (data + moof + 4, "mdat", 4) != 0)
    return FALSE;
  *fragment = (GstY10Mp4Fragment){ .offset = at,
    .data = at + moof + 8,
    .track = find_track (reader, get (data + 44, 4)),
    .time = get (data + GST_Y10_MP4_TIME_AT, 8),
    .shown = (gint32) get (data + MOOF_SIZE + 12, 4),
    .sync = (data[MOOF_SIZE + 9] & 1) == 0 };
  for (guint i = 0; i < n_samples; i++) {
    fragment->duration += get (data + MOOF_SIZE + SAMPLE_SIZE * i, 4);
    n_bytes += get (data + MOOF_SIZE + SAMPLE_SIZE * i + 4, 4);
  }
  fragment->size = moof + 8 + n_bytes;
  track = fragment->track;
  return track && fragment->time / track->timescale < MAX_TIME
      && fragment->duration / track->timescale < MAX_TIME
      && get (data + moof, 4) == 8 + n_bytes
      && fragment->size <= reader->size - at
      && !(reader->is_thorough && track == reader->video
          && has_lost_page (reader, fragment->data, at + fragment->size));
}

/* Finds the first fragment that begins behind @at. */
static gboolean
search (GstY10Mp4Reader *reader, guint64 at, GstY10Mp4Fragment *fragment)
{
  guint8 part[4096];
  gsize n;

  for (at += 4; (n = read_at (reader, at, part, sizeof part)) >= 4; at += n - 3)
    for (const guint8 *found = part;
         (found = memmem (found, part + n - found, "moof", 4)); found++) {
      const guint n_known = reader->n_known;

      if (read_fragment (reader, at + (found - part) - 4, fragment))
        return TRUE;
      reader->n_others += reader->n_known == n_known;
    }
  return FALSE;
}

/* What players skip. */
static void
skip_free (GstY10Mp4Reader *reader)
{
  guint8 box[8];

  while (read_at (reader, reader->at, box, 8) == 8
      && memcmp (box + 4, "free", 4) == 0) {
    const guint64 size = get (box, 4);

    if (size < 8 || size > reader->size - reader->at)
      break;
    reader->at += size;
  }
}

/**
 * gst_y10_mp4_reader_next:
 * @reader: a reader
 * @fragment: (out): the next fragment, whose header is in @reader's buffer
 *
 * Damage is skipped. At the end, @reader's @at is where the last complete fragment ends.
 *
 * Returns: whether there was one
 */
gboolean
gst_y10_mp4_reader_next (GstY10Mp4Reader *reader, GstY10Mp4Fragment *fragment)
{
  guint64 begin;

  skip_free (reader);
  begin = reader->at;
  if (begin >= reader->size
      || (!read_fragment (reader, begin, fragment)
          && !search (reader, begin, fragment)))
    return FALSE;
  fragment->gap = fragment->offset - begin;
  reader->at = fragment->offset + fragment->size;
  return TRUE;
}
