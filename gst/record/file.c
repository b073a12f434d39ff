/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* A recording on disk: a movie's header, room for an index, and a fragment a frame, each
 * written whole and once. So a file can be played at any time, whatever ended it; the index
 * only tells players where to seek. */
#include "record/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/uio.h>
#include <unistd.h>

#include "mp4/index.h"

/* Of a buffer, and the fragment's header. */
#define MAX_PARTS 17

struct _GstY10RecordFile
{
  int fd;
  gchar *name;
  GstY10RecordFormat *format;
  gint64 begin, end;  /* running time at which the video is decoded, ns */
  gint64 first;       /* from @begin to when the first frame is shown, ns */
  guint64 room, size; /* where the index goes; bytes */
  guint64 decoded;    /* until when the video is, in units of its track */
  guint32 sequence;
  gboolean has_failed; /* what is on the disk is not known */
  gboolean is_dirty;   /* has bytes that may not be on the disk */
  GByteArray *header;  /* of a fragment */
  GstY10Mp4Index index;
};

static gboolean
fail (GstY10RecordFile *file, const gchar *what, int saved, GError **error)
{
  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (saved),
      "%s: %s failed: %s", file->name, what, g_strerror (saved));
  return FALSE;
}

/* Writes all of @parts, or nothing that counts: what was written of them is cut off. */
static gboolean
write_all (GstY10RecordFile *file, struct iovec *parts, gint n_parts,
    GError **error)
{
  guint64 at = file->size;
  int saved;

  while (n_parts > 0) {
    gssize n = pwritev (file->fd, parts, n_parts, at);

    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0) {
      saved = n < 0 ? errno : EIO;
      if (ftruncate (file->fd, file->size) != 0)
        GST_WARNING ("%s: truncating failed: %s", file->name,
            g_strerror (errno));
      return fail (file, "writing", saved, error);
    }
    at += n;
    for (; n_parts > 0 && (gsize) n >= parts->iov_len; parts++, n_parts--)
      n -= parts->iov_len;
    if (n_parts > 0) {
      parts->iov_base = (guint8 *) parts->iov_base + n;
      parts->iov_len -= n;
    }
  }
  file->size = at;
  file->is_dirty = TRUE;
  return TRUE;
}

static void
file_free (GstY10RecordFile *file)
{
  if (file->fd >= 0)
    close (file->fd);
  g_byte_array_unref (file->header);
  gst_y10_record_format_unref (file->format);
  g_free (file->name);
  g_free (file);
}

/**
 * gst_y10_record_file_create:
 * @folder: descriptor of the folder
 * @name: of the file, which must not be there
 * @first: the frame that it begins with, which is not yet appended
 * @error: set on failure
 *
 * Returns: (transfer full) (nullable):
 */
GstY10RecordFile *
gst_y10_record_file_create (int folder, const gchar *name,
    const GstY10RecordFrame *first, GError **error)
{
  GstY10RecordFile *file = g_new0 (GstY10RecordFile, 1);
  struct iovec part;

  file->name = g_strdup (name);
  file->format = gst_y10_record_format_ref (first->format);
  file->begin = file->end = first->dts;
  file->first = first->offset;
  file->header = g_byte_array_new ();
  file->fd = openat (folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
      0640);
  if (file->fd < 0) {
    fail (file, "creating", errno, error);
    file_free (file);
    return NULL;
  }
  /* By which y10 record check knows that the file is being written. */
  flock (file->fd, LOCK_EX | LOCK_NB);
  gst_y10_mp4_append_movie (file->header, first->format->tracks,
      first->format->n_tracks);
  file->room = file->header->len;
  gst_y10_mp4_append_free (file->header, gst_y10_mp4_index_get_room ());
  part = (struct iovec){ file->header->data, file->header->len };
  /* Without its header on the disk, frames that are there could not be read; without the
   * folder, the file's name could be lost with the power. */
  if (!write_all (file, &part, 1, error)
      || !gst_y10_record_file_sync (file, error)
      || (fsync (folder) != 0 && !fail (file, "syncing", errno, error))) {
    unlinkat (folder, name, 0);
    file_free (file);
    return NULL;
  }
  return file;
}

/* @time, of 0 or more, in units of @track. */
static guint64
get_ticks (const GstY10RecordFile *file, GstY10RecordTrack track, gint64 time)
{
  return gst_util_uint64_scale_round (time,
      file->format->tracks[track].timescale, GST_SECOND);
}

/* What the file says of @frame, which is at @at there. Times of the video are exact to its
 * end, so that rounding does not add up. Audio says for itself where it is. */
static GstY10Mp4Sample
describe (const GstY10RecordFile *file, const GstY10RecordFrame *frame,
    guint64 at)
{
  const guint64 end = get_ticks (file, frame->track,
      frame->dts + frame->duration - file->begin);

  return (GstY10Mp4Sample){
    .size = gst_buffer_get_size (frame->buffer),
    .duration = end - at,
    .offset = frame->offset < 0
        ? -(gint64) get_ticks (file, frame->track, -frame->offset)
        : (gint64) get_ticks (file, frame->track, frame->offset),
    .sync = frame->sync || frame->track == GST_Y10_RECORD_AUDIO,
  };
}

/**
 * gst_y10_record_file_append:
 * @file: a file
 * @frame: the next of its track; of the video, that at gst_y10_record_file_get_end(), of
 *   audio, one that the file's time includes
 * @error: set on failure; the file then is as if the frame had not been
 */
gboolean
gst_y10_record_file_append (GstY10RecordFile *file,
    const GstY10RecordFrame *frame, GError **error)
{
  const gboolean is_video = frame->track == GST_Y10_RECORD_VIDEO;
  const guint n_memories = gst_buffer_n_memory (frame->buffer);
  const guint64 at = is_video
      ? file->decoded
      : get_ticks (file, frame->track, frame->dts - file->begin);
  const GstY10Mp4Sample sample = describe (file, frame, at);
  GstMapInfo maps[MAX_PARTS];
  struct iovec parts[MAX_PARTS];
  const guint64 before = file->size;
  gboolean ok;

  g_byte_array_set_size (file->header, 0);
  gst_y10_mp4_append_fragment (file->header, ++file->sequence,
      file->format->tracks[frame->track].id, at, &sample, 1);
  parts[0] = (struct iovec){ file->header->data, file->header->len };
  for (guint i = 0; i < n_memories; i++) {
    GstMemory *memory = gst_buffer_peek_memory (frame->buffer, i);

    if (!gst_memory_map (memory, &maps[i], GST_MAP_READ)) {
      while (i-- > 0)
        gst_memory_unmap (maps[i].memory, &maps[i]);
      return fail (file, "reading a frame", EIO, error);
    }
    parts[i + 1] = (struct iovec){ maps[i].data, maps[i].size };
  }
  ok = write_all (file, parts, n_memories + 1, error);
  for (guint i = 0; i < n_memories; i++)
    gst_memory_unmap (maps[i].memory, &maps[i]);
  if (!ok)
    return FALSE;
  gst_y10_mp4_index_add (&file->index, frame->sync, file->size - before,
      is_video ? sample.duration : 0);
  if (is_video) {
    file->decoded += sample.duration;
    file->end = frame->dts + frame->duration;
  }
  return TRUE;
}

/* Returns when all that was appended survives power loss. */
gboolean
gst_y10_record_file_sync (GstY10RecordFile *file, GError **error)
{
  if (!file->is_dirty)
    return TRUE;
  /* The kernel says so once. */
  if (fdatasync (file->fd) != 0) {
    file->has_failed = TRUE;
    return fail (file, "syncing", errno, error);
  }
  file->is_dirty = FALSE;
  return TRUE;
}

static gboolean
write_index (GstY10RecordFile *file, GError **error)
{
  if (gst_y10_mp4_index_write (&file->index,
          &file->format->tracks[GST_Y10_RECORD_VIDEO],
          get_ticks (file, GST_Y10_RECORD_VIDEO, MAX (file->first, 0)),
          file->format->n_tracks > 1, file->fd, file->room))
    return TRUE;
  return fail (file, "writing the index", errno, error);
}

/**
 * gst_y10_record_file_close:
 * @file: (transfer full): a file
 * @error: set on failure; the file can be played even then
 */
gboolean
gst_y10_record_file_close (GstY10RecordFile *file, GError **error)
{
  const gboolean ok = (!file->has_failed || fail (file, "syncing", EIO, error))
      && gst_y10_record_file_sync (file, error) && write_index (file, error);

  file_free (file);
  return ok;
}

/* The running time at which its first frame is decoded. */
gint64
gst_y10_record_file_get_begin (const GstY10RecordFile *file)
{
  return file->begin;
}

/* The running time at which the frame behind its last one is decoded. */
gint64
gst_y10_record_file_get_end (const GstY10RecordFile *file)
{
  return file->end;
}

/* Bytes, and where the next frame goes. */
guint64
gst_y10_record_file_get_size (const GstY10RecordFile *file)
{
  return file->size;
}

const GstY10RecordFormat *
gst_y10_record_file_get_format (const GstY10RecordFile *file)
{
  return file->format;
}
