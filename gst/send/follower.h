/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Sends the synced lines of a spool to where a uri says, at least once and in their
 * order. Elements that share a spool share the followers of the same name. */

#include "send/stats.h"
#include "spool/spool.h"

G_BEGIN_DECLS

/* Of the element's properties; borrowed. */
typedef struct
{
  const gchar *name; /* as that of the spool's configuration */
  const gchar *uri;  /* not empty */
  const gchar
      *credentials; /* file; NULL or empty: the environment's, or none */
  gboolean home_assistant;
  gint64 max_delay;    /* microseconds; older events are skipped; 0: none */
  gint64 timeout;      /* microseconds to wait for an answer */
  const gchar *stream; /* the first one, which is there; NULL: none yet */
} GstY10FollowerSettings;

typedef struct _GstY10Follower GstY10Follower;

GstY10Follower *gst_y10_follower_new (GstY10Spool *spool,
    const GstY10FollowerSettings *settings, GError **error);
void gst_y10_follower_free (GstY10Follower *follower);
void gst_y10_follower_get_stats (GstY10Follower *follower,
    GstY10FollowerStats *stats);

/* From any thread. */
void gst_y10_follower_set_stream (GstY10Follower *follower, const gchar *stream,
    gboolean is_there);
void gst_y10_follower_set_zones (GstY10Follower *follower, const gchar *stream,
    const gchar *const *zones, const gchar *const *lines);

G_END_DECLS
