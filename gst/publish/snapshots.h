/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Events that wait for their pictures. */

#include <gst/video/video.h>

#include "spool/types.h"

G_BEGIN_DECLS

/* Gets an event's line without its stream, in the writer's thread. */
typedef void (*GstY10SnapshotPutFunc) (gpointer user, GString *scratch,
    const gchar *json, gint64 utc, gboolean may_wait);

/**
 * GstY10SnapshotConfig:
 * @folder: where pictures go
 * @stream: name of the stream
 * @max_age: microseconds after which pictures go; 0: never
 * @max_bytes: the oldest go where all are larger; 0: no limit
 * @crop: only the object of an event
 * @is_inline: lines have the pictures, too
 * @put: gets the lines, in the order of the events
 * @on_state: is told when pictures cannot be made or written, and when that works again
 * @user: passed to both
 */
typedef struct
{
  const gchar *folder, *stream;
  gint64 max_age;
  guint64 max_bytes;
  gboolean crop, is_inline;
  GstY10SnapshotPutFunc put;
  GstY10SpoolStateFunc on_state;
  gpointer user;
} GstY10SnapshotConfig;

/**
 * GstY10SnapshotStats:
 * @taken: events that have a picture
 * @dropped: events that should have one and went without
 * @lost: events that there was no room for
 */
typedef struct
{
  guint64 taken, dropped, lost;
} GstY10SnapshotStats;

typedef struct _GstY10Snapshots GstY10Snapshots;

GstY10Snapshots *gst_y10_snapshots_new (const GstY10SnapshotConfig *config,
    GError **error);
void gst_y10_snapshots_free (GstY10Snapshots *snapshots);

void gst_y10_snapshots_put_event (GstY10Snapshots *snapshots,
    const GstStructure *event, const gchar *json, gint64 utc,
    gboolean may_wait);
gboolean gst_y10_snapshots_wants_frame (GstY10Snapshots *snapshots);
void gst_y10_snapshots_put_frame (GstY10Snapshots *snapshots, GstBuffer *frame,
    const GstVideoInfo *info, gboolean is_covered, gboolean may_wait);
void gst_y10_snapshots_drop (GstY10Snapshots *snapshots);
void gst_y10_snapshots_set_flushing (GstY10Snapshots *snapshots,
    gboolean flushing);
void gst_y10_snapshots_flush (GstY10Snapshots *snapshots);
void gst_y10_snapshots_get_stats (GstY10Snapshots *snapshots,
    GstY10SnapshotStats *stats);

G_END_DECLS
