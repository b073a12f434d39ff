/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <gst/gst.h>

#include "zones/set.h"

G_BEGIN_DECLS

/* Objects of an observation, and objects that are remembered at once. */
#define GST_Y10_ZONES_MAX_OBJECTS 1024

/* Bytes of an object's class that are remembered, with the terminating 0. */
#define GST_Y10_ZONES_LABEL_SIZE 64

/* One tracked object as observed; edges are fractions of the frame. */
typedef struct
{
  guint64 id; /* of its track */
  gdouble x0, y0, x1, y1;
  gfloat confidence;  /* -1: unknown */
  const gchar *label; /* not NUL-terminated */
  gsize label_length;
} GstY10ZoneObject;

typedef enum
{
  GST_Y10_ZONE_ENTER,
  GST_Y10_ZONE_LEAVE,
  GST_Y10_ZONE_CROSS,
  GST_Y10_ZONE_DWELL,
  GST_Y10_ZONE_OCCUPANCY,
} GstY10ZoneEventKind;

typedef enum
{
  GST_Y10_LEAVE_LEFT,  /* seen outside */
  GST_Y10_LEAVE_LOST,  /* not seen any more */
  GST_Y10_LEAVE_ENDED, /* the stream or the zone ended */
} GstY10LeaveReason;

/**
 * GstY10ZoneEvent:
 * @kind: what happened; decides which of the other fields are set
 * @zone: the zone or line
 * @time: when it happened
 * @id: the object's track
 * @label: its class
 * @confidence: when last seen; -1: unknown
 * @place: its anchor when last seen
 * @duration: of the stay; of a dwell its threshold
 * @reason: of a leave
 * @direction: of a cross: 1 from left to right, else -1
 * @count: objects in the zone, after this event
 * @over: of an occupancy: whether there are now more than the limit
 * @n_in: how often the line was crossed from left to right, with this event
 * @n_out: likewise, from right to left
 */
typedef struct
{
  GstY10ZoneEventKind kind;
  const GstY10Zone *zone;
  GstClockTime time;
  guint64 id;
  const gchar *label;
  gfloat confidence;
  GstY10Point place;
  GstClockTime duration;
  GstY10LeaveReason reason;
  gint direction;
  guint count;
  gboolean over;
  guint64 n_in, n_out;
} GstY10ZoneEvent;

typedef void (
    *GstY10ZoneEventFunc) (const GstY10ZoneEvent *event, gpointer user);

/* How many objects are in a zone, and have crossed a line. */
typedef struct
{
  guint count;
  gboolean over; /* more than the limit */
  guint64 n_in, n_out;
} GstY10ZoneCount;

/* Called with each object in a zone; @stay: how long it has been there. */
typedef void (*GstY10ZoneStayFunc) (const GstY10Zone *zone, guint64 id,
    GstClockTime stay, gpointer user);

/* What is known of the objects of one stream. Not thread-safe. */
typedef struct _GstY10Zones GstY10Zones;

GstY10Zones *gst_y10_zones_new (GstY10ZoneEventFunc func, gpointer user);
void gst_y10_zones_free (GstY10Zones *zones);

void gst_y10_zones_change (GstY10Zones *zones, GstY10ZoneSet *set);
const GstY10ZoneSet *gst_y10_zones_get_set (const GstY10Zones *zones);
void gst_y10_zones_observe (GstY10Zones *zones, GstClockTime time,
    const GstY10ZoneObject *objects, guint n_objects);
void gst_y10_zones_advance (GstY10Zones *zones, GstClockTime time);
void gst_y10_zones_end (GstY10Zones *zones);

const GstY10ZoneCount *gst_y10_zones_get_count (const GstY10Zones *zones,
    guint index);
void gst_y10_zones_foreach_stay (const GstY10Zones *zones,
    GstY10ZoneStayFunc func, gpointer user);
GstClockTime gst_y10_zones_get_deadline (const GstY10Zones *zones);

G_END_DECLS
