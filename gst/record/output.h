/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* A series of recordings, and the index beside each. One thread. */

#include "record/folder.h"
#include "record/ring.h"

G_BEGIN_DECLS

/* What happened. @error: why @name is not written on; none where a file is complete. */
typedef void (*GstY10RecordReport) (const gchar *name, const GError *error,
    gpointer user);

typedef struct
{
  GstY10RecordFolder *folder;
  GstY10RecordKind kind;
  GstClockTime
      file_duration;   /* a file ends at the next sync frame behind that */
  const gchar *stream; /* its name; NULL: not known */
  GstY10RecordReport report;
  gpointer user;
} GstY10RecordOutputConfig;

typedef struct
{
  guint64 n_frames; /* written */
  guint64 n_lost;   /* not written: the disk was full, failed or too slow */
  guint64 n_files;
} GstY10RecordCounts;

typedef struct _GstY10RecordOutput GstY10RecordOutput;

GstY10RecordOutput *gst_y10_record_output_new (
    const GstY10RecordOutputConfig *config);
void gst_y10_record_output_free (GstY10RecordOutput *output);
void gst_y10_record_output_write (GstY10RecordOutput *output,
    GstY10RecordFrame *frame);
void gst_y10_record_output_note (GstY10RecordOutput *output, GstClockTime pts,
    const gchar *line, gsize length);
void gst_y10_record_output_pause (GstY10RecordOutput *output);
GstClockTime
gst_y10_record_output_get_unnoted (const GstY10RecordOutput *output,
    const GstY10RecordFrame *next);
void gst_y10_record_output_end (GstY10RecordOutput *output);
gboolean gst_y10_record_output_sync (GstY10RecordOutput *output);

gboolean gst_y10_record_output_is_open (const GstY10RecordOutput *output);
const gchar *gst_y10_record_output_get_name (const GstY10RecordOutput *output);
const GstY10RecordCounts *gst_y10_record_output_get_counts (
    const GstY10RecordOutput *output);

G_END_DECLS
