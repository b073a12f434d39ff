/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* The state of GstY10Zones, for zones.c and rules.c alone. */

#include "zones/zones.h"

G_BEGIN_DECLS

#define GST_Y10_ZONES_INDEX_SIZE (4 * GST_Y10_ZONES_MAX_OBJECTS)

/* An object that is remembered. */
typedef struct
{
  guint64 id;
  gboolean used, seen; /* in the observation at hand */
  gboolean missed;     /* an observation since the last time lacks it */
  GstClockTime time;   /* last seen */
  gdouble box[4];
  gfloat confidence;
  gchar label[GST_Y10_ZONES_LABEL_SIZE];
} GstY10ZoneTrack;

/* An object in relation to a zone. */
typedef struct
{
  gboolean is_known; /* seen, and not lost since */
  gboolean adopt;    /* being inside is no event: the zone is new */
  gboolean inside;
  GstClockTime since;  /* in the zone */
  GstClockTime turned; /* seen on the other side since; NONE: not */
  guint n_dwelt;       /* thresholds that have been told */
  gint direction;      /* in which the line was crossed at @turned */
  gboolean is_clear;   /* of the line, since @turned */
} GstY10ZoneState;

struct _GstY10Zones
{
  GstY10ZoneEventFunc func;
  gpointer user;
  GstY10ZoneSet *set;
  GstY10ZoneCount counts[GST_Y10_MAX_ZONES];
  gboolean quiet[GST_Y10_MAX_ZONES]; /* a changed limit is no event */
  guint n_tracks;                    /* used ones are below */
  GstY10ZoneTrack tracks[GST_Y10_ZONES_MAX_OBJECTS];
  GstY10ZoneState *states; /* of each track in each zone */
  /* 1 + track, by a hash of its id; 0: none. */
  guint16 index[GST_Y10_ZONES_INDEX_SIZE];
};

static inline GstY10ZoneState *
gst_y10_zone_states_of (const GstY10Zones *self, guint track)
{
  return &self->states[(gsize) track * self->set->n];
}

void gst_y10_zone_dwell (GstY10Zones *self, const GstY10ZoneTrack *track,
    guint z, GstY10ZoneState *state, GstClockTime time);
void gst_y10_zone_forget (GstY10Zones *self, const GstY10ZoneTrack *track,
    guint z, GstY10ZoneState *state, GstY10LeaveReason reason);
void gst_y10_zone_watch (GstY10Zones *self, guint t, const gdouble *before);

G_END_DECLS
