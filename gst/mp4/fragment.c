/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* What follows the movie's header: fragments, and the index before them. */
#include "mp4/box.h"
#include "mp4/mp4.h"

/* ISO/IEC 14496-12, 8.8.7: offsets count from the moof. */
#define DEFAULT_BASE_IS_MOOF 0x020000

/* 8.8.8: which fields a trun has. */
#define DATA_OFFSET 0x001
#define SAMPLE_DURATION 0x100
#define SAMPLE_SIZE 0x200
#define SAMPLE_FLAGS 0x400
#define SAMPLE_OFFSET 0x800

/* 8.8.3.1: depends on no other; depends on others and is no sync sample. */
#define FLAGS_SYNC 0x02000000
#define FLAGS_OTHER 0x01010000

/* 8.16.3: begins with a sync sample from which all can be decoded. */
#define SAP_TYPE_1 0x90000000

void
gst_y10_mp4_append_fragment (GByteArray *out, guint32 sequence, guint32 track,
    guint64 time, const GstY10Mp4Sample *samples, guint n_samples)
{
  const guint moof = open_box (out, "moof");
  guint32 n_bytes = 0;
  guint box, traf, offset;

  box = open_full_box (out, "mfhd", 0, 0);
  put (out, sequence, 4);
  close_box (out, box);

  traf = open_box (out, "traf");
  box = open_full_box (out, "tfhd", 0, DEFAULT_BASE_IS_MOOF);
  put (out, track, 4);
  close_box (out, box);
  box = open_full_box (out, "tfdt", 1, 0);
  put (out, time, 8);
  close_box (out, box);
  /* Version 1: offsets have a sign. */
  box = open_full_box (out, "trun", 1,
      DATA_OFFSET | SAMPLE_DURATION | SAMPLE_SIZE | SAMPLE_FLAGS
          | SAMPLE_OFFSET);
  put (out, n_samples, 4);
  offset = out->len;
  put (out, 0, 4);
  for (guint i = 0; i < n_samples; i++) {
    put (out, samples[i].duration, 4);
    put (out, samples[i].size, 4);
    put (out, samples[i].sync ? FLAGS_SYNC : FLAGS_OTHER, 4);
    put (out, (guint32) samples[i].offset, 4);
    n_bytes += samples[i].size;
  }
  close_box (out, box);
  close_box (out, traf);
  close_box (out, moof);

  box = open_box (out, "mdat");
  patch (out, offset, out->len - moof);
  patch (out, box, out->len - box + n_bytes);
}

void
gst_y10_mp4_append_free (GByteArray *out, gsize size)
{
  const guint box = open_box (out, "free");

  put_zeros (out, size - 8);
  close_box (out, box);
}

gsize
gst_y10_mp4_get_index_size (guint n_references)
{
  return 40 + 12 * (gsize) n_references;
}

void
gst_y10_mp4_append_index (GByteArray *out, const GstY10Mp4Track *track,
    guint64 first, guint64 distance, const GstY10Mp4Reference *references,
    guint n_references)
{
  const guint box = open_full_box (out, "sidx", 1, 0);

  put (out, track->id, 4);
  put (out, track->timescale, 4);
  put (out, first, 8);
  put (out, distance, 8);
  put (out, 0, 2);
  put (out, n_references, 2);
  for (guint i = 0; i < n_references; i++) {
    put (out, references[i].size, 4);
    put (out, references[i].duration, 4);
    put (out, SAP_TYPE_1, 4);
  }
  close_box (out, box);
}
