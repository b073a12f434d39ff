/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The recordings of a folder: what they are named, and which are deleted. One thread. */

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _GstY10RecordFolder GstY10RecordFolder;

GstY10RecordFolder *gst_y10_record_folder_open (const gchar *path,
    GError **error);
void gst_y10_record_folder_close (GstY10RecordFolder *folder);
int gst_y10_record_folder_get_fd (const GstY10RecordFolder *folder);
gchar *gst_y10_record_folder_make_name (GstY10RecordFolder *folder, gint64 utc);
gboolean gst_y10_record_folder_delete_old (GstY10RecordFolder *folder,
    const gchar *current, GstClockTime max_age, guint64 max_bytes,
    GError **error);

G_END_DECLS
