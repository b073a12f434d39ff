/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

#include "zones/zones.h"

G_BEGIN_DECLS

gchar *gst_y10_zone_event_to_json (const GstY10ZoneEvent *event,
    const gchar *source);
GstStructure *gst_y10_zone_event_describe (const GstY10ZoneEvent *event,
    const gchar *source, const gchar *name);

G_END_DECLS
