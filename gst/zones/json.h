/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "zones/set.h"

G_BEGIN_DECLS

gboolean gst_y10_zones_parse_json (GArray *zones, const gchar *what,
    const gchar *text, const GstY10ZoneDefaults *defaults, GError **error);

G_END_DECLS
