/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The files of a spool: which there are, what of them is safe, and when they go. */

#include "spool/position.h"
#include "spool/types.h"

G_BEGIN_DECLS

typedef struct _GstY10Segments GstY10Segments;

GstY10Segments *gst_y10_segments_open (const gchar *folder,
    const GstY10SpoolConfig *config, GError **error);
void gst_y10_segments_close (GstY10Segments *segments);

/* For the writer. */
gboolean gst_y10_segments_append (GstY10Segments *segments, const gchar *text,
    gsize length, gsize *done, GError **error);
gboolean gst_y10_segments_tend (GstY10Segments *segments, GError **error);

/* For all threads. What has a producer is interned, so it stays. */
gboolean gst_y10_segments_is_at (GstY10Segments *segments, const gchar *path);
guint gst_y10_segments_count_folders (GstY10Segments *segments);
const gchar *gst_y10_segments_get_producer (GstY10Segments *segments,
    guint64 segment);
GstY10SpoolPosition gst_y10_segments_get_synced (GstY10Segments *segments);
void gst_y10_segments_follow (GstY10Segments *segments, const gchar *follower);
GstY10SpoolPosition gst_y10_segments_get_acknowledged (GstY10Segments *segments,
    const gchar *follower);
void gst_y10_segments_acknowledge (GstY10Segments *segments,
    const gchar *follower, GstY10SpoolPosition position);
void gst_y10_segments_get_stats (GstY10Segments *segments,
    GstY10SpoolStats *stats);

/* For a reader: one that is no JSON. */
void gst_y10_segments_count_bad_line (GstY10Segments *segments);
/* Opens the first segment from number @from on, sets its number, and how
 * many of its bytes are safe; -1: there is none. */
int gst_y10_segments_open_segment (GstY10Segments *segments, guint64 from,
    guint64 *number);
guint64 gst_y10_segments_get_end (GstY10Segments *segments, guint64 number,
    gboolean *is_final);

G_END_DECLS
