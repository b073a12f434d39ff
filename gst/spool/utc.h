/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */
#pragma once

/* Times of lines: RFC 3339, in UTC. */

#include <glib.h>

G_BEGIN_DECLS

void gst_y10_utc_append (GString *text, gint64 microseconds);
gboolean gst_y10_utc_parse (const gchar *text, gsize length,
    gint64 *microseconds);

G_END_DECLS
