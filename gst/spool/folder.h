/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The folder of a spool: its lock, its files, which are regular ones, and small ones that
 * are replaced as a whole. */

#include <glib.h>

G_BEGIN_DECLS

#define GST_Y10_SEGMENT_NAME_SIZE 32

gboolean gst_y10_folder_fail (const gchar *what, const gchar *folder,
    const gchar *name, GError **error);
int gst_y10_folder_open (const gchar *path, guint mode, GError **error);
gboolean gst_y10_folder_is_at (int folder, const gchar *name, int file);
int gst_y10_folder_open_file (int folder, const gchar *name);
int gst_y10_folder_lock (int folder, const gchar *path, GError **error);
gboolean gst_y10_folder_write (int file, const gchar *text, gsize length);
gboolean gst_y10_folder_read (int folder, const gchar *name, gchar *text,
    gsize size);
gboolean gst_y10_folder_replace (int folder, const gchar *path,
    const gchar *name, const gchar *text, GError **error);
void gst_y10_folder_link (int folder, const gchar *name, const gchar *to);
gboolean gst_y10_folder_list (const gchar *path, GArray *numbers,
    GError **error);
void gst_y10_folder_make_name (guint64 number, gchar *name);

G_END_DECLS
