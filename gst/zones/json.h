/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "zones/set.h"

G_BEGIN_DECLS

/* json.c */
gboolean gst_y10_zones_parse_json (GArray * zones, const gchar * what,
    const gchar * text, const GstY10ZoneDefaults * defaults, GError ** error);

/* parse.c, for both forms */
void gst_y10_zone_init (GstY10Zone * zone, const GstY10ZoneDefaults * defaults);
void gst_y10_zone_init_area (GstY10Zone * zone,
    const GstY10ZoneDefaults * defaults);
GstY10Zone *gst_y10_zones_add (GArray * zones, gchar * name,
    const GstY10ZoneDefaults * defaults, GError ** error);

G_END_DECLS
