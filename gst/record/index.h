/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* What lies beside a recording: where its groups of pictures are, when they were taken, and
 * what was seen, as lines of JSON that gzip has compressed. */

#include <glib.h>

G_BEGIN_DECLS

typedef struct _GstY10RecordIndex GstY10RecordIndex;

GstY10RecordIndex *gst_y10_record_index_create (int folder,
    const gchar *recording, GError **error);
gboolean gst_y10_record_index_add (GstY10RecordIndex *index, const gchar *line,
    gsize length, GError **error);
gboolean gst_y10_record_index_flush (GstY10RecordIndex *index, GError **error);
gboolean gst_y10_record_index_close (GstY10RecordIndex *index, GError **error);

gchar *gst_y10_record_index_make_name (const gchar *recording);

G_END_DECLS
