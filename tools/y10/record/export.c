/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* y10 record export: copies fragments, as they are but for their numbers and times. */

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/command.h"
#include "base/interrupt.h"
#include "base/terminal.h"
#include "record/recording.h"
#include "spool/utc.h"

/* Names have the time at which files began by the clock of then; it may have been set since
 * or differ from the camera's. */
#define NAME_TOLERANCE (86400 * (gint64) G_USEC_PER_SEC)

/* Recordings that follow each other by less than this do so without a gap, as far as a clock
 * can tell that has only seconds; ns. */
#define MAX_DOUBT (2 * G_GINT64_CONSTANT (1000000000))

/* Longer, nothing is between two parts of a file; ns. */
#define MAX_GAP (3600 * G_GINT64_CONSTANT (1000000000))

/* What times in units of the video's time cannot tell; ns. */
#define NO_GAP 1000000

/* No frame is shown so much earlier than a frame that is decoded before it; ns. */
#define MAX_REORDER (10 * G_GINT64_CONSTANT (1000000000))

typedef struct
{
  const char *path;
  int fd;
  gint64 from, to; /* microseconds since 1970 */
  guint64 room;    /* where the index goes, in bytes */
  guint n_tracks;
  guint32 sequence;
  gint64 end;    /* of the last frame, in units of the video's time */
  guint64 first; /* when the first picture is shown, likewise */
  GstY10Mp4Track video;
  gint64 pts; /* at @end, in the pipeline, ns */
  gint64 utc; /* at @end, microseconds since 1970 */
  GstY10Mp4Index index;
  gsize header_size;
  guint8 header[GST_Y10_MP4_MAX_HEADER], part[65536];
} Export;

static gboolean
put (Export *export, const guint8 *data, gsize size)
{
  while (size > 0) {
    const gssize n = write (export->fd, data, size);

    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0) {
      tool_error ("%s: writing failed: %s", export->path, g_strerror (errno));
      return FALSE;
    }
    data += n;
    size -= (gsize) n;
  }
  return TRUE;
}

static void
patch (guint8 *data, guint64 value, guint n_bytes)
{
  for (; n_bytes-- > 0; value >>= 8)
    data[n_bytes] = (guint8) value;
}

/* @time: in units of its track. */
static gboolean
copy_fragment (Export *export, Recording *recording,
    const GstY10Mp4Fragment *fragment, guint64 time)
{
  guint8 *header = recording->reader.buffer;
  guint64 at = fragment->data;
  const guint64 end = fragment->offset + fragment->size;

  patch (header + GST_Y10_MP4_SEQUENCE_AT, ++export->sequence, 4);
  patch (header + GST_Y10_MP4_TIME_AT, time, 8);
  if (!put (export, header, fragment->data - fragment->offset))
    return FALSE;
  while (at < end) {
    const gssize n = pread (recording->fd, export->part,
        MIN (end - at, sizeof export->part), (off_t) at);

    if (n <= 0) {
      tool_error ("%s: reading failed: %s", recording->name->path,
          n < 0 ? g_strerror (errno) : "it has become shorter");
      return FALSE;
    }
    if (!put (export, export->part, (gsize) n))
      return FALSE;
    at += (guint64) n;
  }
  return TRUE;
}

/* Of microseconds that are to become nanoseconds. */
static gint64
limit (gint64 microseconds)
{
  const gint64 most = G_GINT64_CONSTANT (1000000000000000);

  return CLAMP (microseconds, -most, most);
}

/* The last one that was taken at @utc or before. */
static const RecordGop *
find_gop (const Recording *recording, gint64 utc)
{
  const GArray *gops = recording->gops;
  const RecordGop *found = &g_array_index (gops, RecordGop, 0);

  for (guint i = 1; i < gops->len; i++)
    if (g_array_index (gops, RecordGop, i).utc <= utc)
      found = &g_array_index (gops, RecordGop, i);
  return found;
}

/* Finds the last picture to be copied: the last to be decoded of those that are shown until
 * @to, or between others that are copied since those need them. */
static guint64
find_last (const Export *export, Recording *recording)
{
  GstY10Mp4Reader *reader = &recording->reader;
  const RecordGop *gop = find_gop (recording, export->to);
  const gint64 to = gop->time + limit (export->to - gop->utc) * 1000;
  gint64 latest = G_MININT64, latest_read = G_MININT64;
  guint64 last = gop->offset;
  GstY10Mp4Fragment fragment;

  reader->at = gop->offset;
  while (gst_y10_mp4_reader_next (reader, &fragment)) {
    const gint64 time = (gint64) fragment.time;
    const gint64 shown = record_get_time (fragment.track,
        time + fragment.shown);

    if (fragment.track != reader->video)
      continue;
    if (record_get_time (fragment.track, time) - MAX_REORDER > to)
      break;
    latest_read = MAX (latest_read, shown);
    if (shown <= to || shown < latest) {
      last = fragment.offset;
      latest = latest_read;
    }
  }
  return last;
}

/* Always FALSE. */
static gboolean
refuse (const Recording *recording, const char *why)
{
  g_autoptr (GString) time = g_string_new (NULL);

  gst_y10_utc_append (time, g_array_index (recording->gops, RecordGop, 0).utc);
  tool_error ("%s: %s %s; export the times before and since in two files",
      recording->name->path, why, time->str);
  return FALSE;
}

/* Sets the time between what was copied last and @recording, in units of the video's time.
 * What the pipeline says is exact, but it counts anew when it starts. */
static gboolean
get_gap (const Export *export, const Recording *recording, gint64 *ticks)
{
  const RecordGop *gop = &g_array_index (recording->gops, RecordGop, 0);
  const gint64 by_pts = gop->pts - gop->time - export->pts;
  const gint64 by_utc = limit (gop->utc - gop->time / 1000 - export->utc)
      * 1000;
  const gint64 gap = ABS (by_pts - by_utc) < MAX_DOUBT ? by_pts
      : ABS (by_utc) < MAX_DOUBT                       ? 0
                                                       : by_utc;

  *ticks = gap < NO_GAP ? 0 : record_get_ticks (&export->video, gap);
  return gap <= MAX_GAP
      || refuse (recording, "more than an hour is missing before");
}

/* Copies what is from @begin to the picture at @last. Times of the recording are @shift
 * earlier than those of the copy, in units of the video's time. */
static gboolean
copy (Export *export, Recording *recording, const RecordGop *begin,
    guint64 last, gint64 shift)
{
  GstY10Mp4Reader *reader = &recording->reader;
  const gint64 shift_ns = record_get_time (reader->video, shift);
  GstY10Mp4Fragment fragment;
  gint64 time;

  reader->at = begin->offset;
  while (gst_y10_mp4_reader_next (reader, &fragment) && !tool_interrupted ()) {
    if (fragment.track == reader->video) {
      if (fragment.offset > last)
        break;
      time = (gint64) fragment.time + shift;
      if (export->sequence == 0)
        export->first = (guint64) MAX (time + fragment.shown, 0);
      else if (time > export->end) /* something is missing */
        gst_y10_mp4_index_add (&export->index, FALSE, 0,
            (guint32) (time - export->end));
      gst_y10_mp4_index_add (&export->index, fragment.sync, fragment.size,
          (guint32) fragment.duration);
      export->end = time + (gint64) fragment.duration;
    } else {
      time = (gint64) fragment.time
          + record_get_ticks (fragment.track, shift_ns);
      if (time < 0) /* before the first picture */
        continue;
      gst_y10_mp4_index_add (&export->index, FALSE, fragment.size, 0);
    }
    if (!copy_fragment (export, recording, &fragment, (guint64) time))
      return FALSE;
  }
  if (reader->error)
    tool_error ("%s: reading failed: %s", recording->name->path,
        g_strerror (reader->error));
  return !reader->error && !tool_interrupted ();
}

/* The file is made once there is something to be written. */
static gboolean
create (Export *export, Recording *recording)
{
  g_autoptr (GByteArray) room = g_byte_array_new ();

  export->header_size = recording->reader.header_size;
  export->video = *recording->reader.video;
  export->n_tracks = recording->reader.n_tracks;
  export->room = export->header_size;
  if (pread (recording->fd, export->header, export->header_size, 0)
      != (gssize) export->header_size) {
    tool_error ("%s: reading failed", recording->name->path);
    return FALSE;
  }
  export->fd = open (export->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
      0666);
  if (export->fd < 0) {
    tool_error ("%s: %s; expected a name that is not taken", export->path,
        g_strerror (errno));
    return FALSE;
  }
  gst_y10_mp4_append_free (room, gst_y10_mp4_index_get_room ());
  return put (export, export->header, export->header_size)
      && put (export, room->data, room->len);
}

static gboolean
has_same_format (Export *export, const Recording *recording)
{
  const gsize size = recording->reader.header_size;

  return (size == export->header_size
             && pread (recording->fd, export->part, size, 0) == (gssize) size
             && !memcmp (export->part, export->header, size))
      || refuse (recording, "another format from");
}

/* Reads the fragment at which an index says that a group of pictures begins. */
static gboolean
read_begin (Recording *recording, const RecordGop *gop,
    GstY10Mp4Fragment *fragment)
{
  recording->reader.at = gop->offset;
  if (gst_y10_mp4_reader_next (&recording->reader, fragment)
      && fragment->offset == gop->offset && fragment->sync
      && fragment->track == recording->reader.video)
    return TRUE;
  tool_error ("%s: found no key frame at %" G_GUINT64_FORMAT
              ", where one was expected; see 'y10 record check'",
      recording->name->path, gop->offset);
  return FALSE;
}

static gboolean
export_recording (Export *export, Recording *recording)
{
  GstY10Mp4Reader *reader = &recording->reader;
  const RecordGop *begin = &g_array_index (recording->gops, RecordGop, 0);
  const RecordGop *end = find_gop (recording, export->to);
  GstY10Mp4Fragment fragment;
  gint64 shift, time;

  reader->is_thorough = recording->state != RECORD_COMPLETE;
  if (export->fd < 0) {
    begin = find_gop (recording, export->from);
    if (!read_begin (recording, begin, &fragment)
        || !create (export, recording))
      return FALSE;
    shift = -(gint64) fragment.time;
  } else {
    if (!read_begin (recording, begin, &fragment)
        || !has_same_format (export, recording)
        || !get_gap (export, recording, &shift))
      return FALSE;
    shift += export->end;
  }
  if (!copy (export, recording, begin, find_last (export, recording), shift))
    return FALSE;
  time = record_get_time (reader->video, export->end - shift) - end->time;
  export->pts = end->pts + time;
  export->utc = end->utc + time / 1000;
  return TRUE;
}

static gboolean
export_all (Export *export, const GArray *names)
{
  gboolean ok = TRUE;

  for (guint i = 0; i < names->len && ok; i++) {
    const RecordName *name = &g_array_index (names, RecordName, i);
    g_auto (Recording) recording = { 0 };

    if (name->is_clip || name->utc - NAME_TOLERANCE > export->to
        || (i + 1 < names->len && name[1].utc + NAME_TOLERANCE < export->from))
      continue;
    ok = record_open (&recording, name, RECORD_QUICK);
    if (!ok || recording.gops->len == 0
        || record_get_end_utc (&recording) <= export->from
        || g_array_index (recording.gops, RecordGop, 0).utc > export->to)
      continue;
    ok = export_recording (export, &recording);
  }
  if (ok && export->fd < 0)
    tool_error ("found no picture of that time");
  if (!ok || export->fd < 0)
    return FALSE;
  ok = gst_y10_mp4_index_write (&export->index, &export->video, export->first,
      export->n_tracks > 1, export->fd, export->room);
  if (!ok)
    tool_error ("%s: writing the index failed: %s", export->path,
        g_strerror (errno));
  return ok;
}

int
record_export (const char *folder, gint64 from, gint64 to, const char *output)
{
  g_autoptr (GArray) names = record_list (folder);
  g_autofree Export *export = g_new0 (Export, 1);
  gboolean ok;

  export->path = output;
  export->fd = -1;
  export->from = from;
  export->to = to;
  tool_interrupt_catch ();
  ok = names && export_all (export, names);
  if (export->fd >= 0) {
    close (export->fd);
    if (!ok)
      unlink (output);
  }
  if (tool_interrupted ())
    return TOOL_INTERRUPTED;
  return ok ? TOOL_OK : TOOL_FAILED;
}
