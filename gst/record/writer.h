/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* A thread that writes a stream into the files of a folder. */

#include "record/ring.h"

G_BEGIN_DECLS

typedef struct _GstY10RecordWriter GstY10RecordWriter;

/* What happened; on the writer's thread. @error: why @name is not written on; none where a
 * file is complete. */
typedef void (*GstY10RecordReport) (const gchar *name, const GError *error,
    gpointer user);

typedef struct
{
  const gchar *location; /* the folder, which is made if it is missing */
  GstClockTime
      file_duration;    /* a file ends at the next sync frame behind that */
  GstClockTime max_age; /* of a file; 0: no limit */
  guint64 max_bytes;    /* of all files; 0: no limit */
  guint64 ring_bytes;   /* of frames that wait for the disk */
  GstY10RecordReport report;
  gpointer user;
} GstY10RecordWriterConfig;

typedef struct
{
  guint64 n_frames; /* written */
  guint64 n_lost;   /* not written: the disk was full, failed or too slow */
  guint64 n_files;
} GstY10RecordCounts;

GstY10RecordWriter *
gst_y10_record_writer_open (const GstY10RecordWriterConfig *config,
    GError **error);
void gst_y10_record_writer_close (GstY10RecordWriter *writer);
void gst_y10_record_writer_push (GstY10RecordWriter *writer,
    const GstY10RecordFrame *frame);
void gst_y10_record_writer_drain (GstY10RecordWriter *writer);
GstY10RecordCounts gst_y10_record_writer_count (GstY10RecordWriter *writer);

G_END_DECLS
