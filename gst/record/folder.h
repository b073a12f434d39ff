/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The recordings of a folder: what they are named, and which are deleted. One thread. */

#include <gst/gst.h>

G_BEGIN_DECLS

typedef enum
{
  GST_Y10_RECORD_FILE, /* a part of what is recorded all the time */
  GST_Y10_RECORD_CLIP, /* of an event */
  GST_Y10_RECORD_N_KINDS,
} GstY10RecordKind;

/**
 * GstY10RecordLimits:
 * @max_age: since a recording was last written, by kind; 0: no limit
 * @max_bytes: that all take on the disk, of both kinds; 0: no limit
 */
typedef struct
{
  GstClockTime max_age[GST_Y10_RECORD_N_KINDS];
  guint64 max_bytes;
} GstY10RecordLimits;

typedef struct _GstY10RecordFolder GstY10RecordFolder;

GstY10RecordFolder *gst_y10_record_folder_open (const gchar *path,
    GError **error);
gboolean gst_y10_record_folder_find (GstY10RecordFolder *folder,
    GError **error);
void gst_y10_record_folder_close (GstY10RecordFolder *folder);
gchar *gst_y10_record_folder_make_path (const GstY10RecordFolder *folder,
    const gchar *name);
int gst_y10_record_folder_get_fd (const GstY10RecordFolder *folder);
gchar *gst_y10_record_folder_make_name (GstY10RecordFolder *folder,
    GstY10RecordKind kind, gint64 utc);
gboolean gst_y10_record_folder_delete_old (GstY10RecordFolder *folder,
    const gchar *const *current, const GstY10RecordLimits *limits,
    GError **error);

G_END_DECLS
