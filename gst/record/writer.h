/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* A thread that writes a stream into the files of a folder. */

#include "record/clips.h"

G_BEGIN_DECLS

typedef struct _GstY10RecordWriter GstY10RecordWriter;

typedef struct
{
  const gchar *location; /* the folder, which is made if it is missing */
  const gchar *events;   /* SPOOL or SPOOL#STREAM; NULL: none */
  gboolean has_audio;
  gboolean is_continuous;     /* all is recorded */
  gboolean has_clips;         /* what is around events is */
  GstClockTime before, after; /* of an event, in its clip */
  GstClockTime
      file_duration; /* a file ends at the next sync frame behind that */
  GstY10RecordLimits limits;
  guint64 ring_bytes; /* of frames that are kept in memory */
  GstY10RecordReport report;
  GstY10RecordClipFunc on_clip;
  gpointer user;
} GstY10RecordWriterConfig;

GstY10RecordWriter *
gst_y10_record_writer_open (const GstY10RecordWriterConfig *config,
    GError **error);
void gst_y10_record_writer_close (GstY10RecordWriter *writer);
void gst_y10_record_writer_push (GstY10RecordWriter *writer,
    const GstY10RecordFrame *frame);
void gst_y10_record_writer_drain (GstY10RecordWriter *writer);
void gst_y10_record_writer_request (GstY10RecordWriter *writer,
    GstClockTime before, GstClockTime after, const gchar *reason);
void gst_y10_record_writer_forget (GstY10RecordWriter *writer);
GstY10RecordCounts gst_y10_record_writer_count (GstY10RecordWriter *writer);

G_END_DECLS
