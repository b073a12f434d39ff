/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* A recording on disk. */

#include "record/ring.h"

G_BEGIN_DECLS

typedef struct _GstY10RecordFile GstY10RecordFile;

GstY10RecordFile *gst_y10_record_file_create (int folder, const gchar *name,
    const GstY10RecordFrame *first, GError **error);
gboolean gst_y10_record_file_append (GstY10RecordFile *file,
    const GstY10RecordFrame *frame, GError **error);
gboolean gst_y10_record_file_sync (GstY10RecordFile *file, GError **error);
gboolean gst_y10_record_file_close (GstY10RecordFile *file, GError **error);
gint64 gst_y10_record_file_get_begin (const GstY10RecordFile *file);
gint64 gst_y10_record_file_get_end (const GstY10RecordFile *file);
guint64 gst_y10_record_file_get_size (const GstY10RecordFile *file);
const GstY10RecordFormat *gst_y10_record_file_get_format (
    const GstY10RecordFile *file);

G_END_DECLS
