/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include <gst/gst.h>

#include "zones/geometry.h"

G_BEGIN_DECLS

/* Limits of a set, because each object is compared with all of it. */
#define GST_Y10_MAX_ZONES 64        /* zones and lines */
#define GST_Y10_MAX_ZONE_NAME 255   /* bytes, also of a side's */
#define GST_Y10_MAX_ZONE_POINTS 250 /* of one of them */
#define GST_Y10_MAX_ZONE_SHAPES 32
#define GST_Y10_MAX_ZONE_CLASSES 100
#define GST_Y10_MAX_DWELLS 8

/* What applies to zones that do not say so themselves. */
typedef struct
{
  const gchar *classes; /* separated by commas; NULL or empty: all */
  GstYolov10ZoneAnchor anchor;
  GstClockTime hysteresis, grace;
  GstClockTime dwell; /* 0: none */
  guint limit;        /* 0: none */
} GstY10ZoneDefaults;

/* Of yolov10zones' properties. */
/* clang-format off */
#define GST_Y10_ZONE_DEFAULTS_INIT { \
  .hysteresis = 200 * GST_MSECOND, .grace = 2 * GST_SECOND }
/* clang-format on */

/* A zone or a line. */
typedef struct
{
  gchar *name;
  gboolean is_line;
  gchar **classes; /* NULL: all */
  GstYolov10ZoneAnchor anchor;
  GstClockTime hysteresis; /* how long a change has to last */
  GstClockTime grace;      /* how long an object may not be seen */
  guint n_points, n_shapes;
  GstY10Point *points; /* of all shapes; of a line both ends */
  guint *shapes;       /* number of corners of each; NULL: a line */
  guint n_dwells;
  GstClockTime dwells[GST_Y10_MAX_DWELLS]; /* ascending */
  guint limit;     /* most objects before an occupancy event; 0: none */
  gchar *sides[2]; /* of a line, left and right; may be NULL */
} GstY10Zone;

/* Zones and lines. Immutable and reference counted. */
typedef struct
{
  gint refs;
  guint n;
  GstY10Zone *zones; /* their names differ */
} GstY10ZoneSet;

void gst_y10_zone_init_area (GstY10Zone *zone,
    const GstY10ZoneDefaults *defaults);
GstY10Zone *gst_y10_zones_add (GArray *zones, const gchar *name,
    const GstY10ZoneDefaults *defaults, GError **error);
GstY10ZoneSet *gst_y10_zone_set_new (GArray *zones);
GstY10ZoneSet *gst_y10_zone_set_ref (GstY10ZoneSet *set);
void gst_y10_zone_set_unref (GstY10ZoneSet *set);
void gst_y10_zone_clear (GstY10Zone *zone);

gint gst_y10_zone_set_find (const GstY10ZoneSet *set, const gchar *name);
gboolean gst_y10_zone_is_same_place (const GstY10Zone *a, const GstY10Zone *b);
gboolean gst_y10_zone_wants (const GstY10Zone *zone, const gchar *label,
    gsize length);
gboolean gst_y10_zone_set_check_classes (const GstY10ZoneSet *set,
    const gchar *what, const gchar *const *classes, const gchar *model,
    GError **error);
gboolean gst_y10_zone_has_point (const GstY10Zone *zone, GstY10Point point);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstY10ZoneSet, gst_y10_zone_set_unref)

G_END_DECLS
