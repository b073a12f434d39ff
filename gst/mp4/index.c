/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* The index of a file whose length nobody knows while it is written: its room is fixed, and
 * what it says becomes coarser as the file grows. */
#include "mp4/index.h"

#include <errno.h>
#include <unistd.h>

/* What it takes in a file, in bytes. */
gsize
gst_y10_mp4_index_get_room (void)
{
  return 8 + gst_y10_mp4_get_index_size (GST_Y10_MP4_MAX_REFERENCES);
}

/* Two groups of pictures share a reference from now on. */
static void
halve_references (GstY10Mp4Index *index)
{
  for (guint i = 0; i < GST_Y10_MP4_MAX_REFERENCES / 2; i++) {
    const GstY10Mp4Reference *pair = &index->references[2 * i];

    index->references[i].size = pair[0].size + pair[1].size;
    index->references[i].duration = pair[0].duration + pair[1].duration;
  }
  index->n_references = GST_Y10_MP4_MAX_REFERENCES / 2;
  index->n_gops_each *= 2;
  index->n_gops = index->n_gops_each;
}

/**
 * gst_y10_mp4_index_add:
 * @index: zero at first
 * @sync: whether a group of pictures begins here, as it must the first time
 * @size: bytes of the file
 * @duration: in units of the track's time
 *
 * Adds what follows in the file.
 */
void
gst_y10_mp4_index_add (GstY10Mp4Index *index, gboolean sync, gsize size,
    guint32 duration)
{
  GstY10Mp4Reference *last;

  if (sync) {
    if (index->n_references == 0 || index->n_gops == index->n_gops_each) {
      if (index->n_references == GST_Y10_MP4_MAX_REFERENCES)
        halve_references (index);
      index->references[index->n_references++] = (GstY10Mp4Reference){ 0 };
      index->n_gops = 0;
    }
    index->n_gops_each = MAX (index->n_gops_each, 1);
    index->n_gops++;
  }
  last = &index->references[index->n_references - 1];
  last->size += size;
  last->duration += duration;
}

/* Writes all but the first eight bytes of @data at @at, and these when the rest is on the
 * disk: so a file has either all of it or none. */
static gboolean
write_at (int fd, const guint8 *data, gsize size, guint64 at)
{
  errno = EIO; /* where less is written */
  return pwrite (fd, data + 8, size - 8, at + 8) == (gssize) size - 8
      && fdatasync (fd) == 0 && pwrite (fd, data, 8, at) == 8
      && fdatasync (fd) == 0;
}

/**
 * gst_y10_mp4_index_write:
 * @index: of what follows the room
 * @track: that it is of
 * @first: when the first sample is shown, in units of the track's time
 * @is_hidden: whether players are not to find it: of a file with sound, FFmpeg takes the
 *   times of the video's index for those of the sound, and seeks to other places
 * @fd: the file
 * @room: where its room begins, in bytes: a box that players skip
 *
 * Writes it, and waits until it is on the disk. It is at the end of the room, right before
 * the fragments, since players that find anything between read the whole file; a hidden one
 * is inside of the box.
 *
 * Returns: whether that succeeded; else errno says why not
 */
gboolean
gst_y10_mp4_index_write (const GstY10Mp4Index *index,
    const GstY10Mp4Track *track, guint64 first, gboolean is_hidden, int fd,
    guint64 room)
{
  const gsize size = gst_y10_mp4_index_get_room ();
  const gsize used = gst_y10_mp4_get_index_size (index->n_references);
  g_autoptr (GByteArray) out = g_byte_array_sized_new (size);

  if (!is_hidden)
    gst_y10_mp4_append_free (out, size - used);
  gst_y10_mp4_append_index (out, track, first, 0, index->references,
      index->n_references);
  return is_hidden ? write_at (fd, out->data, used, room + 8)
                   : write_at (fd, out->data, size, room);
}
