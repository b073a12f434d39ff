/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Lines at the end of a file, or on standard output. Knows GLib only. */

#include "spool/types.h"

G_BEGIN_DECLS

typedef struct _GstY10LineFile GstY10LineFile;

GstY10LineFile *gst_y10_line_file_open (const gchar *path,
    GstY10SpoolStateFunc on_state, gpointer user, GError **error);
void gst_y10_line_file_close (GstY10LineFile *file);
gboolean gst_y10_line_file_put (GstY10LineFile *file, GstY10LineKind kind,
    const gchar *line, gsize length, gboolean may_wait);
void gst_y10_line_file_set_flushing (GstY10LineFile *file, gboolean flushing);
gboolean gst_y10_line_file_flush (GstY10LineFile *file);
void gst_y10_line_file_get_stats (GstY10LineFile *file,
    GstY10SpoolStats *stats);

G_END_DECLS
