/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The segments of a spool, as whoever does not write to it finds them. For one thread at
 * a time. */

#include <glib.h>

G_BEGIN_DECLS

typedef struct _GstY10SpoolView GstY10SpoolView;

GstY10SpoolView *gst_y10_spool_view_new (const gchar *folder);
void gst_y10_spool_view_free (GstY10SpoolView *view);
void gst_y10_spool_view_refresh (GstY10SpoolView *view);

/* Of these, nothing changes but by gst_y10_spool_view_refresh(). */
guint gst_y10_spool_view_count_folders (const GstY10SpoolView *view);
const GArray *gst_y10_spool_view_get_segments (const GstY10SpoolView *view);
gboolean gst_y10_spool_view_is_final (const GstY10SpoolView *view,
    guint64 number);

/* Opens the first segment from number @from on, and sets its number; -1: there is none. */
int gst_y10_spool_view_open_segment (const GstY10SpoolView *view, guint64 from,
    guint64 *number);

G_END_DECLS
