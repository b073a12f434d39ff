/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "zones/set.h"

G_BEGIN_DECLS

GstY10ZoneSet *gst_y10_zones_parse (const gchar *text,
    const GstY10ZoneDefaults *defaults, GError **error);
GstY10ZoneSet *gst_y10_zones_load (const gchar *path,
    const GstY10ZoneDefaults *defaults, GError **error);

G_END_DECLS
