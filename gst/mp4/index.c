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
  return gst_y10_mp4_get_index_size (GST_Y10_MP4_MAX_REFERENCES);
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

/**
 * gst_y10_mp4_index_write:
 * @index: of what follows the room
 * @track: that it is of
 * @first: when the first sample is shown, in units of the track's time
 * @fd: the file
 * @room: where its room begins, in bytes
 *
 * Writes it, and waits until it is on the disk. The first eight bytes, which make an index
 * of it, are last, so that a file has either all of it or none.
 *
 * Returns: whether that succeeded; else errno says why not
 */
gboolean
gst_y10_mp4_index_write (const GstY10Mp4Index *index,
    const GstY10Mp4Track *track, guint64 first, int fd, guint64 room)
{
  const gsize size = gst_y10_mp4_index_get_room ();
  const gsize used = gst_y10_mp4_get_index_size (index->n_references);
  g_autoptr (GByteArray) out = g_byte_array_sized_new (size);

  gst_y10_mp4_append_index (out, track, first, size - used, index->references,
      index->n_references);
  if (used < size)
    gst_y10_mp4_append_free (out, size - used);
  errno = EIO; /* where less is written */
  return pwrite (fd, out->data + 8, size - 8, room + 8) == (gssize) size - 8
      && fdatasync (fd) == 0 && pwrite (fd, out->data, 8, room) == 8
      && fdatasync (fd) == 0;
}
