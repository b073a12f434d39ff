/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Reads the files that mp4.h writes, whatever has become of them. */

#include "mp4/index.h"

G_BEGIN_DECLS

#define GST_Y10_MP4_MAX_TRACKS 8

/* Of a file's header, and of a fragment's. */
#define GST_Y10_MP4_MAX_HEADER 65536

/* Where a fragment's header has its number and its time. */
#define GST_Y10_MP4_SEQUENCE_AT 20
#define GST_Y10_MP4_TIME_AT 60

/* A fragment that is complete. */
typedef struct
{
  const GstY10Mp4Track *track; /* of the reader */
  guint64 offset;              /* of the moof, in bytes */
  guint64 size;                /* of the moof and the mdat */
  guint64 gap;                 /* bytes before it that are damaged */
  guint64 data;                /* where the first sample's bytes are */
  guint64 time;                /* of decoding, in units of the track's time */
  guint64 duration;            /* of all samples */
  gint32 shown;  /* from @time to when the first sample is shown */
  gboolean sync; /* of the first sample */
} GstY10Mp4Fragment;

typedef struct
{
  int fd; /* borrowed */
  guint64 size;
  guint64 header_size;     /* of ftyp and moov, by which formats differ */
  guint64 room, room_size; /* of the index; 0: there is none */
  gboolean has_index;
  guint64 first;        /* when the index says that the first sample is shown */
  GstY10Mp4Index index; /* only its references */
  guint n_tracks;
  /* No more than @id and @timescale. */
  GstY10Mp4Track tracks[GST_Y10_MP4_MAX_TRACKS];
  const GstY10Mp4Track *video;
  int error;  /* errno of a read that failed, which is no damage */
  guint64 at; /* where the next fragment is looked for; settable */
  /* Video with pages that were never written is damaged; settable. */
  gboolean is_thorough;
  /* Headers of fragments that were read, complete or not; and of those that were found in
   * their place and are not as mp4.h writes them. */
  guint n_known, n_others;
  guint8 buffer[GST_Y10_MP4_MAX_HEADER]; /* the last fragment's header */
  guint8 page[4096];
} GstY10Mp4Reader;

gboolean gst_y10_mp4_reader_open (GstY10Mp4Reader *reader, int fd);
gboolean gst_y10_mp4_reader_next (GstY10Mp4Reader *reader,
    GstY10Mp4Fragment *fragment);

G_END_DECLS
